"""Hellinger distance: the best split of every observed feature of a leaf, for two classes.

Cieslak et al., "Hellinger distance decision trees are robust and skew-insensitive", 2012. It compares what
share of each class goes left and right, so that it does not matter how rare one of them is.
"""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_CLASSES = const(6)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
_NODE0 = const(10)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_CELL0 = const(32)
_CELL_STRIDE = const(33)
_ROWS = const(35)
_WAIT = const(36)
_WIDE = const(8)
_RACED = const(64)
_ADAPTIVE = const(256)
_NODE_SLOT = const(3)
_NODE = const(6)
_SLOT_HELD = const(3)
_SLOT = const(4)
_POOR = const(0x20000000)
_S_NODE = const(5)
_S_ROWS = const(18)
_GAIN_AT = const(8)


@micropython.viper
def splits(at: ptr32, x: ptr16) -> int:
    """Leave in the scratch, for each lane, the distance of its best binary split (Q16) << 8 | its bin.

    d^2 = (sqrt(l_0 / n_0) - sqrt(l_1 / n_1))^2 + (sqrt(r_0 / n_0) - sqrt(r_1 / n_1))^2, where l_c + r_c = n_c
    are what the leaf's cells hold of class c; roots are in Q14. The share of samples whose value is known
    counts, as in the other criteria. Both branches must hold more than 1 % of the samples.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    classes = words[_CLASSES]
    slot = halves[words[_NODE0] + scratch[_S_NODE] * _NODE + _NODE_SLOT] - 1
    wide = words[_FLAGS] & _WIDE
    raced = words[_FLAGS] & _RACED
    born = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
    record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
    for lane in range(words[_LANES]):
        scratch[_S_ROWS + words[_ROWS] + lane] = 0
        if words[record + _SLOT + lane] & _POOR:
            continue
        f = lane
        if raced:
            f = halves[born + classes + lane]
        nominal = octets[f]
        bins = nominal
        if nominal == 0:
            bins = words[_BINS]
        base = words[_CELL0] + slot * words[_CELL_STRIDE] + halves[lane]
        first = 0  # samples of the first class, and of the second
        second = 0
        cell = base + bins * classes
        while cell - base:
            cell -= classes
            if wide:
                first += halves[cell]
                second += halves[cell + 1]
            else:
                first += octets[cell]
                second += octets[cell + 1]
        if first == 0 or second == 0:
            continue  # a pure leaf has nothing to gain
        n_all = first + second
        left_first = 0
        left_second = 0
        top = 0
        top_bin = 0
        for b in range(bins):
            if nominal:
                left_first = 0  # a split on one value has only that on the left
                left_second = 0
            n_left = left_first + left_second
            if wide:
                left_first += halves[cell]
                left_second += halves[cell + 1]
            else:
                left_first += octets[cell]
                left_second += octets[cell + 1]
            cell += classes
            if left_first + left_second == n_left:
                continue  # nothing in this bin
            n_left = left_first + left_second
            if n_left * 100 <= n_all or (n_all - n_left) * 100 <= n_all:
                continue
            square = 0  # of the distance, Q28
            part = left_first
            other = left_second
            sides = 2
            while sides:
                sides -= 1
                difference = 0
                whole = first
                terms = 2
                while terms:
                    terms -= 1
                    share = (part << 14) // whole
                    share = (share << 14) + (((part << 14) - share * whole) << 14) // whole  # Q28
                    root = 0
                    bit = 0x4000
                    while bit:
                        if (root + bit) * (root + bit) <= share:
                            root += bit
                        bit >>= 1
                    difference = root - difference
                    part = other
                    whole = second
                square += difference * difference
                part = first - left_first
                other = second - left_second
            if square > top:
                top = square
                top_bin = b
        total = words[record + _SLOT_HELD]
        if raced:
            total = n_all  # this feature may have come to the lane later than the leaf was born
        root = 0
        bit = 0x4000
        while bit:
            if (root + bit) * (root + bit) <= top:
                root += bit
            bit >>= 1
        scratch[_S_ROWS + words[_ROWS] + lane] = (root * ((n_all << 14) // total) >> 12) << _GAIN_AT | top_bin
    if words[_FLAGS] & _ADAPTIVE == 0:  # only now is there something to decide: the leaf waits for it
        words[_WAIT] = scratch[_S_NODE] + 1
    return 0
