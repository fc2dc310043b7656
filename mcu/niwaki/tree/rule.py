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
_AS_PAPERS = const(56)
_RANKED = const(192)
_NODE_FEATURE = const(2)
_NODE_LEAF = const(2)
_NODE_SLOT = const(3)
_NODE_MERIT = const(4)
_NODE_SHAPE = const(5)
_NODE = const(6)
_DEEPER = const(4)
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
    nothing, and forbids to come back to those that mean much.

    In an adaptive tree without omega, a tie of which even the best is no more than chance goes to a feature
    that the branch uses with more than chance, if one gains anything: where two features matter only
    together, one of them is likely to be known, while chance prefers features with many values.

    A split costs most of what naive Bayes has learned. Where that is right more than 4/3 times as often as
    the majority class, or wrong less than half as often, nothing splits while no slot is free: one of the
    children would have no naive Bayes. With slots to spare, ties that gain less than R / 8 do not split where
    it is wrong less than half as often. Ties are as in the papers with strict or omega, which have their own
    ways to avoid splits, and with counts of 16 bits, for comparison.
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
    best_lane = -1
    p = node0 + node * _NODE
    while omega and halves[p + _NODE_SHAPE] >= _DEEPER:  # not a root
        p = node0 + halves[p] * _NODE
        f = halves[p + _NODE_FEATURE]
        lane = f
        if raced:
            lane = 0
            while lane < lanes and halves[map0 + lane] != f:
                lane += 1
        if lane < lanes:
            scratch[gain0 + lane] |= _USED
    for lane in range(lanes):
        gain = scratch[gain0 + lane]
        if omega:
            if gain & _USED:
                gain = (gain - _USED) >> _GAIN_AT
            else:
                gain = (gain >> _GAIN_AT) * omega >> 10
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

    # R sqrt(half_ln / n) in Q16, with as many bits as 31 allow.
    n = words[record + _SLOT_AGE]
    held = words[record + _SLOT_HELD]
    lane_cells = 0
    cell0 = 0
    if raced:
        lane_cells = words[_BINS] * classes
        cell0 = words[_CELL0] + slot * words[_CELL_STRIDE]
        if best_lane >= 0:
            # This feature may have come to its lane later than the leaf was born.
            n = 1
            for i in range(cell0 + best_lane * lane_cells, cell0 + (best_lane + 1) * lane_cells):
                if flags & _WIDE:
                    n += halves[i]
                else:
                    n += octets[i]
            held = n
            if n > words[record + _SLOT_AGE]:
                n = words[record + _SLOT_AGE]  # inherited counts give no certainty
    v = (words[_HALF_LN] << 16) // n
    e = 7
    while v < 0x400000:
        v <<= 8
        e += 4
    while v < 0x10000000:
        v <<= 2
        e += 1
    root = 0x7FFF
    n = v // root
    while n < root:  # Newton
        root = (root + n) >> 1
        n = v // root
    bound = (words[_RANGE] * root) >> e

    split = 0
    if best > 0 and (best - second > bound or bound < words[_TAU]):
        split = 1
        if omega or flags & _ADAPTIVE:
            i = classes
            while i > 2 and halves[map0 - classes + i - 1] == 0:
                i -= 1
            i = (words[_HALF_LN] + ((i - 2) << 9)) * _LOG2E // held  # what chance would give
            if omega and best <= i:
                split = 0
            f = best_lane
            if raced:
                f = halves[map0 + f]
            most = 0
            p = node0 + node * _NODE
            while halves[p + _NODE_SHAPE] >= _DEEPER:
                p = node0 + halves[p] * _NODE
                if omega:
                    if halves[p + _NODE_FEATURE] == f and best + bound <= halves[p + _NODE_MERIT] << 4:
                        split = 0
                elif best <= i and halves[p + _NODE_MERIT] << 4 > i:
                    lane = halves[p + _NODE_FEATURE]
                    if raced:
                        lane = 0
                        while lane < lanes and halves[map0 + lane] != halves[p + _NODE_FEATURE]:
                            lane += 1
                    if lane < lanes and scratch[gain0 + lane] >> _GAIN_AT > most:
                        most = scratch[gain0 + lane] >> _GAIN_AT
                        best_lane = lane
            if most:
                best = most
    if split == 0:
        # Nothing found this time: others may deserve the slot more.
        p = words[_LEAF0] + halves[node0 + node * _NODE + _NODE_LEAF] * (_LEAF + classes) + _LEAF_PROMISE
        halves[p] -= halves[p] >> 2
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
            f = halves[map0]
            halves[map0 + least] = f
            words[record + _SLOT + least] = words[record + _SLOT]
            words[record + _SLOT] = 0
            least *= lane_cells
            for i in range(cell0, cell0 + lane_cells):
                if flags & _WIDE:
                    halves[i + least] = halves[i]
                    halves[i] = 0
                else:
                    octets[i + least] = octets[i]
                    octets[i] = 0
            i = 0
            while i < lanes:  # the next feature that no lane watches
                if i == 0:
                    f = (f + 1) % words[_FEATURES]
                i += 1
                if halves[map0 + i - 1] == f:
                    i = 0
            halves[map0] = f
    elif words[_ACTIVE] == words[_SLOTS] or (
        omega == 0 and flags & _AS_PAPERS == 0 and best - second <= bound and best < words[_RANGE] << 3
    ):
        p = words[_LEAF0] + halves[node0 + node * _NODE + _NODE_LEAF] * (_LEAF + classes)
        most = halves[p]
        n = halves[p + _LEAF_BAYES_WRONG]
        if words[_ACTIVE] == words[_SLOTS]:
            if 2 * n < most or 3 * n + words[record + _SLOT_AGE] < 4 * most:
                split = 0
        elif 2 * n < most:
            split = 0
    scratch[_S_BEST] = best
    scratch[_S_SECOND] = second
    scratch[_S_LANE] = best_lane
    scratch[_S_BIN] = scratch[gain0 + best_lane] & _GAIN_BIN
    scratch[_S_BOUND] = bound
    scratch[_S_SPLIT] = split
    return 0
