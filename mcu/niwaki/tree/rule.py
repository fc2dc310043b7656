"""May a leaf split? The Hoeffding bound, ties, and the regularised rule.

Runs once per grace period and leaf, so it stays bytecode, which costs no heap when it runs from ROM.
"""

from micropython import const

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
_SLOTS = const(16)
_ACTIVE = const(17)
_HALF_LN = const(23)
_TAU = const(24)
_RANGE = const(25)
_OMEGA = const(26)
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_CELL0 = const(32)
_CELL_STRIDE = const(33)
_ROWS = const(35)
_WIDE = const(8)
_RACED = const(64)
_DROP_POOR = const(128)
_ADAPTIVE = const(256)
_EXACT = const(1024)
_MAX_DEPTH_AT = const(13)
_MAX_DEPTH = const(63)
_STRICT = const(48)
_RANKED = const(192)
_NODE_FEATURE = const(2)
_NODE_LEAF = const(2)
_NODE_SLOT = const(3)
_NODE_MERIT = const(4)
_NODE_SHAPE = const(5)
_NODE = const(6)
_DEEPER = const(4)
_DEPTH_AT = const(2)
_LEAF_BAYES_WRONG = const(1)
_LEAF_PROMISE = const(2)
_LEAF = const(5)
_SLOT_AGE = const(1)
_SLOT_HELD = const(3)
_SLOT = const(4)
_POOR = const(0x20000000)
_S_NODE = const(5)
_S_BEST = const(8)
_S_SECOND = const(9)
_S_LANE = const(10)
_S_BIN = const(11)
_S_BOUND = const(12)
_S_SPLIT = const(13)
_S_ROWS = const(18)
_GAIN_AT = const(8)
_GAIN_BIN = const(255)
_USED = const(0x20000000)

_LOG2E = const(92)  # log2(e), from Q10 to Q16


def rule(at, x):
    """Compare the two best splits; leave the verdict in the scratch.

    Split when J_best - J_second > bound or bound < tau, bound = R sqrt(ln(1 / delta) / 2n), n since the
    leaf was born. The null split has merit 0: the best must exceed it.

    With omega (HT-REG) J is omega x gain for a feature that no split above this leaf uses. J_best must not
    lie below Psi, the largest J that the same feature had on the branch, by more than the bound, and it must
    be more than chance would give to one of many features: n J > log2(1 / delta) / 2 bits, n as many as the
    cells hold. Equation 5 alone, J > Psi, lets ties split on features that are new on the branch and mean
    nothing, and forbids to come back to those that mean much. And VFDT's own rule, on plain gains, must hold
    too: a penalty on the second best must not open a split that VFDT would not make.

    In an adaptive tree without omega, a tie of which even the best is no more than chance goes to a feature
    that the branch uses with more than chance, if one gains anything: where two features matter only
    together, one of them is likely to be known, while chance prefers features with many values.

    A split costs most of what naive Bayes has learned. Where that is right more than 4/3 times as often as
    the majority class, or wrong less than half as often, nothing splits while no slot is free: one of the
    children would have no naive Bayes. With slots to spare, ties that gain less than R / 8 do not split where
    it is wrong less than half as often. Strict and regularised trees have the same guards, and split only
    while a slot is free, so that none grows larger than a plain tree. With counts of 16 bits, for comparison,
    ties are as in the papers.

    With `max_depth` no leaf at that depth splits.

    With `exact` only the papers' own rules hold: J_best > Psi, which is 0 for a new feature (equation 5).
    """
    words = at[0]
    halves = at[1]
    octets = at[2]
    scratch = at[3]
    classes = words[_CLASSES]
    node0 = words[_NODE0]
    node = scratch[_S_NODE]
    slot = halves[node0 + node * _NODE + _NODE_SLOT] - 1
    flags = words[_FLAGS]
    raced = flags & _RACED
    keep = flags & _RANKED  # the race, or who drops poor attributes, will look at all J again
    omega = words[_OMEGA]
    map0 = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES] + classes
    record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
    gain0 = _S_ROWS + words[_ROWS]
    lanes = words[_LANES]
    best = 0
    second = 0
    plain = 0  # the same two without omega
    plain_second = 0
    best_lane = -1
    above = node0 + node * _NODE
    while omega and halves[above + _NODE_SHAPE] >= _DEEPER:  # not a root
        above = node0 + halves[above] * _NODE
        feature = halves[above + _NODE_FEATURE]
        lane = feature
        if raced:
            lane = 0
            while lane < lanes and halves[map0 + lane] != feature:
                lane += 1
        if lane < lanes:
            scratch[gain0 + lane] |= _USED
    for lane in range(lanes):
        gain = scratch[gain0 + lane]
        if omega:
            used = gain & _USED
            gain = (gain - used) >> _GAIN_AT
            if gain > plain:
                plain_second = plain
                plain = gain
            elif gain > plain_second:
                plain_second = gain
            if used == 0:
                gain = gain * omega >> 10
            if keep:
                scratch[gain0 + lane] = gain << _GAIN_AT | scratch[gain0 + lane] & _GAIN_BIN
        else:
            gain >>= _GAIN_AT
        if gain > best:
            second = best
            best = gain
            best_lane = lane
        elif gain > second:
            second = gain
    if omega == 0:
        plain = best
        plain_second = second

    # R sqrt(half_ln / n) in Q16, with as many bits as 31 allow.
    samples = words[record + _SLOT_AGE]
    held = words[record + _SLOT_HELD]
    lane_cells = 0
    cell0 = 0
    if raced:
        lane_cells = words[_BINS] * classes
        cell0 = words[_CELL0] + slot * words[_CELL_STRIDE]
        if best_lane >= 0:
            # This feature may have come to its lane later than the leaf was born.
            samples = 1
            for i in range(cell0 + best_lane * lane_cells, cell0 + (best_lane + 1) * lane_cells):
                if flags & _WIDE:
                    samples += halves[i]
                else:
                    samples += octets[i]
            held = samples
            if samples > words[record + _SLOT_AGE]:
                samples = words[record + _SLOT_AGE]  # inherited counts give no certainty
    ratio = (words[_HALF_LN] << 16) // samples
    shift = 7
    while ratio < 0x400000:
        ratio <<= 8
        shift += 4
    while ratio < 0x10000000:
        ratio <<= 2
        shift += 1
    root = 0x7FFF
    quotient = ratio // root
    while quotient < root:  # Newton
        root = (root + quotient) >> 1
        quotient = ratio // root
    bound = (words[_RANGE] * root) >> shift

    split = 0
    if best > 0 and (best - second > bound or bound < words[_TAU]):
        split = 1
        deepest = flags >> _MAX_DEPTH_AT & _MAX_DEPTH
        if deepest and halves[node0 + node * _NODE + _NODE_SHAPE] >> _DEPTH_AT >= deepest:
            split = 0
        if omega or flags & _ADAPTIVE:
            known = classes
            while known > 2 and halves[map0 - classes + known - 1] == 0:
                known -= 1
            chance = (words[_HALF_LN] + ((known - 2) << 9)) * _LOG2E // held  # what chance would give
            slack = bound
            if flags & _EXACT:
                chance = 0  # equation 5 as printed, and no tie rule of our own
                slack = 0
            elif omega and plain - plain_second <= bound and bound >= words[_TAU]:
                split = 0
            if omega and best <= chance:
                split = 0
            feature = best_lane
            if raced:
                feature = halves[map0 + feature]
            most = 0
            above = node0 + node * _NODE
            while halves[above + _NODE_SHAPE] >= _DEEPER:
                above = node0 + halves[above] * _NODE
                if omega:
                    if (
                        halves[above + _NODE_FEATURE] == feature
                        and best + slack <= halves[above + _NODE_MERIT] << 4
                    ):
                        split = 0
                elif best <= chance and halves[above + _NODE_MERIT] << 4 > chance:
                    lane = halves[above + _NODE_FEATURE]
                    if raced:
                        lane = 0
                        while lane < lanes and halves[map0 + lane] != halves[above + _NODE_FEATURE]:
                            lane += 1
                    if lane < lanes and scratch[gain0 + lane] >> _GAIN_AT > most:
                        most = scratch[gain0 + lane] >> _GAIN_AT
                        best_lane = lane
            if most:
                best = most
    if split == 0:
        # No split this time: promise less, as other leaves may deserve the slot more.
        promise = (
            words[_LEAF0] + halves[node0 + node * _NODE + _NODE_LEAF] * (_LEAF + classes) + _LEAF_PROMISE
        )
        if flags & _EXACT == 0:
            halves[promise] -= halves[promise] >> 2
        if flags & _DROP_POOR and best > 0:
            for lane in range(lanes):
                if best - (scratch[gain0 + lane] >> _GAIN_AT) > bound:
                    words[record + _SLOT + lane] |= _POOR
        if raced:
            # The race: lane 0 tries one feature after another; one that gains more than the least of the
            # others takes its place. Naive Bayes does not ask lane 0, whose few counts would mislead it.
            least = 0
            for lane in range(1, lanes):
                if scratch[gain0 + lane] >> _GAIN_AT < scratch[gain0 + least] >> _GAIN_AT:
                    least = lane
            feature = halves[map0]
            halves[map0 + least] = feature
            words[record + _SLOT + least] = words[record + _SLOT]
            words[record + _SLOT] = 0
            to = least * lane_cells
            for i in range(cell0, cell0 + lane_cells):
                if flags & _WIDE:
                    halves[i + to] = halves[i]
                    halves[i] = 0
                else:
                    octets[i + to] = octets[i]
                    octets[i] = 0
            lane = 0
            while lane < lanes:  # the next feature that no lane watches
                if lane == 0:
                    feature = (feature + 1) % words[_FEATURES]
                lane += 1
                if halves[map0 + lane - 1] == feature:
                    lane = 0
            halves[map0] = feature
    elif flags & _EXACT == 0 and (
        words[_ACTIVE] == words[_SLOTS]
        or (flags & _WIDE == 0 and plain - plain_second <= bound and plain < words[_RANGE] << 3)
    ):
        strict = omega | flags & _STRICT
        leaf = words[_LEAF0] + halves[node0 + node * _NODE + _NODE_LEAF] * (_LEAF + classes)
        majority = halves[leaf]  # times wrong, as of naive Bayes
        bayes = halves[leaf + _LEAF_BAYES_WRONG]
        if words[_ACTIVE] == words[_SLOTS]:
            if strict or 2 * bayes < majority or 3 * bayes + words[record + _SLOT_AGE] < 4 * majority:
                split = 0
        elif 2 * bayes < majority:
            split = 0
    scratch[_S_BEST] = best
    scratch[_S_SECOND] = second
    scratch[_S_LANE] = best_lane
    scratch[_S_BIN] = scratch[gain0 + best_lane] & _GAIN_BIN
    scratch[_S_BOUND] = bound
    scratch[_S_SPLIT] = split
    return 0
