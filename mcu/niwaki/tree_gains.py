"""The best split of every observed feature of a leaf, and the Hoeffding bound."""

import micropython
from micropython import const

_CLASSES = const(6)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
_HALF_LN = const(23)
_TAU = const(24)
_RANGE = const(25)
_OMEGA = const(26)
_NODE0 = const(27)
_SLOT_HALVES0 = const(29)
_SLOT_HALVES = const(30)
_SLOT_WORDS0 = const(31)
_SLOT_WORDS = const(32)
_CELL0 = const(33)
_CELL_STRIDE = const(34)
_NODE = const(6)
_SLOT = const(4)
_POOR = const(0x20000000)
_S_NODE = const(0)
_S_BEST = const(3)
_S_SECOND = const(4)
_S_LANE = const(5)
_S_BIN = const(6)
_S_BOUND = const(7)
_S_SPLIT = const(8)
_S_ROWS = const(13)


@micropython.viper
def gains(at: ptr32, x: ptr16) -> int:
    """Find the best split J and whether the rule allows it; left in the scratch, gains in Q16.

    Information gain (or Gini) of the best binary split of each feature, with counts since the leaf was
    born: N x gain = S(left) + S(right) - S(leaf) in Q10, where S is sum n_c log2 n_c - n log2 n for
    the gain and sum n_c^2 / n for Gini. Both branches must hold more than 1 % of the samples. The null
    split has merit 0, so a best J of 0 means that nothing is worth a split.

    Rule: best J - second J > bound = R sqrt(ln(1 / delta) / 2n), or bound < tau. With omega (HT-REG) J is
    omega x gain for a feature that no split above this leaf uses, and the best J must exceed Psi, the
    largest J that the same feature had on the branch.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    log2 = ptr16(at[4])
    classes = words[_CLASSES]
    node = scratch[_S_NODE]
    here = words[_NODE0] + node * _NODE
    slot = halves[here + 3] - 1
    flags = words[_FLAGS]
    wide = flags & 8
    raced = flags & 64
    keep = flags & 192  # lanes are raced, or poor ones dropped: remember each lane's gain
    born = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
    record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
    cell0 = words[_CELL0] + slot * words[_CELL_STRIDE]
    left = _S_ROWS
    total = left + classes
    best = 0
    second = 0
    best_lane = -1
    best_bin = 0
    best_n = words[record + 1]

    present = 0
    for c in range(classes):
        if halves[born + c]:
            present += 1
    lanes = words[_LANES]
    if present < 2:
        lanes = 0  # pure: nothing to gain

    for lane in range(lanes):
        if keep:
            scratch[total + classes + lane] = 0
        if words[record + _SLOT + lane] & _POOR:
            continue
        f = lane
        if raced:
            f = halves[born + classes + lane]
        nominal = octets[f]
        bins = nominal
        if nominal == 0:
            bins = words[_BINS]
        base = cell0 + halves[lane]
        n_all = 0
        for c in range(classes):
            scratch[left + c] = 0
            n = 0
            i = base + c
            while i < base + bins * classes:
                if wide:
                    n += halves[i]
                else:
                    n += octets[i]
                i += classes
            scratch[total + c] = n
            n_all += n
        if n_all == 0:
            continue

        n_left = 0
        whole = 0  # S(leaf)
        top = 0
        top_bin = 0
        b = -1  # -1: everything on the right, which gives S(leaf)
        while b < bins:
            row = 0
            if b >= 0:
                if nominal:
                    n_left = 0
                i = base + b * classes
                for c in range(classes):
                    if wide:
                        n = halves[i + c]
                    else:
                        n = octets[i + c]
                    row += n
                    if nominal:
                        scratch[left + c] = n
                    else:
                        scratch[left + c] += n
                n_left += row
                if row == 0:
                    b += 1
                    continue
                if n_left * 100 <= n_all or (n_all - n_left) * 100 <= n_all:
                    b += 1
                    continue
            s = 0
            for c in range(2 * classes + 2):
                # Left classes, right classes, left sum, right sum.
                n_side = n_left
                if c < classes:
                    n = scratch[left + c]
                elif c < 2 * classes:
                    n_side = n_all - n_left
                    n = scratch[total + c - classes] - scratch[left + c - classes]
                elif flags & 4:
                    break
                elif c == 2 * classes:
                    n = n_left
                else:
                    n = n_all - n_left
                if n == 0:
                    continue
                if flags & 4:
                    s += (n * ((n << 14) // n_side)) >> 4
                    continue
                if n < 128:
                    v = (n * log2[n]) >> 3
                else:
                    m = n
                    e = 0
                    while m > 127:
                        m >>= 1
                        e += 1
                    v = log2[m]
                    v += ((log2[m + 1] - v) * (n - (m << e))) >> e
                    v = ((n * (v & 7)) >> 3) + n * ((v >> 3) + (e << 10))
                if c < 2 * classes:
                    s += v
                else:
                    s -= v
            if b < 0:
                whole = s
            elif s - whole > top:
                top = s - whole
                top_bin = b
            b += 1

        n = words[record + 3]
        if raced:
            n = n_all  # this feature may have come to the lane later than the leaf was born
        gain = ((top // n) << 6) + ((top % n) << 6) // n
        if words[_OMEGA]:
            parent = node
            used = 0
            while parent:
                parent = halves[words[_NODE0] + parent * _NODE]
                if halves[words[_NODE0] + parent * _NODE + 2] == f:
                    used = 1
            if used == 0:
                gain = (gain * words[_OMEGA]) >> 10
        if keep:
            scratch[total + classes + lane] = gain
        if gain > best:
            second = best
            best = gain
            best_lane = lane
            best_bin = top_bin
            if raced:
                best_n = n_all
        elif gain > second:
            second = gain

    # R sqrt(half_ln / n), with as many bits as 31 allow.
    v = (words[_HALF_LN] << 16) // best_n
    e = 7
    while v < 0x10000000:
        v <<= 2
        e += 1
    root = 0
    bit = 0x4000
    while bit:
        n = root + bit
        if n * n <= v:
            root = n
        bit >>= 1
    bound = (words[_RANGE] * root) >> e

    split = 0
    if best:
        if best - second > bound or bound < words[_TAU]:
            split = 1
    if split and words[_OMEGA]:
        f = best_lane
        if raced:
            f = halves[born + classes + best_lane]
        while node:
            node = halves[words[_NODE0] + node * _NODE]
            here = words[_NODE0] + node * _NODE
            if halves[here + 2] == f and best >> 4 <= halves[here + 4]:
                split = 0
    scratch[_S_BEST] = best
    scratch[_S_SECOND] = second
    scratch[_S_LANE] = best_lane
    scratch[_S_BIN] = best_bin
    scratch[_S_BOUND] = bound
    scratch[_S_SPLIT] = split
    return 0
