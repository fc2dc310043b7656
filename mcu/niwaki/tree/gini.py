"""Gini impurity: the best split of every observed feature of a leaf."""

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
_WIDTH = const(34)
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
    """Leave in the scratch, for each lane, the Gini gain of its best binary split (Q16) << 8 | its bin.

    Counts are those of the leaf's cells. N x gain = S(left) + S(right) - S(leaf) in Q10, where S is
    sum n_c^2 / n. Both branches must hold more than 1 % of the samples.
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
    present = 0
    for c in range(classes):
        if halves[born + c]:
            present += 1
    width = words[_WIDTH]  # from the row of S to the row of samples
    for lane in range(words[_LANES]):
        scratch[_S_ROWS + words[_ROWS] + lane] = 0
        if words[record + _SLOT + lane] & _POOR or present < 2:
            continue  # a pure leaf has nothing to gain
        f = lane
        if raced:
            f = halves[born + classes + lane]
        nominal = octets[f]
        end = nominal
        if nominal == 0:
            end = words[_BINS]
        base = words[_CELL0] + slot * words[_CELL_STRIDE] + halves[lane]
        stop = base + end * classes
        end += _S_ROWS
        for b in range(_S_ROWS, end + 1):
            scratch[b] = 0
            scratch[b + width] = 0
        n_all = 0
        cell = base
        for b in range(_S_ROWS, end):
            for c in range(classes):
                if wide:
                    scratch[b + width] += halves[cell]
                else:
                    scratch[b + width] += octets[cell]
                cell += 1
            n_all += scratch[b + width]
        if n_all == 0:
            continue
        scratch[end + width] = n_all  # one place more has everything on the left: S of the leaf
        for c in range(classes):
            right = 0
            cell = base + c
            while cell < stop:
                if wide:
                    right += halves[cell]
                else:
                    right += octets[cell]
                cell += classes
            cell = base + c
            left = 0
            n_left = 0
            for b in range(_S_ROWS, end + 1):
                if nominal or b == end:
                    right += left  # a split on one value has only that on the left
                    left = 0
                    n_left = 0
                moved = right
                if cell < stop:
                    if wide:
                        moved = halves[cell]
                    else:
                        moved = octets[cell]
                    cell += classes
                left += moved
                right -= moved
                n_left += scratch[b + width]
                if n_left:
                    scratch[b] += (left * ((left << 14) // n_left)) >> 4
                if n_all - n_left:
                    scratch[b] += (right * ((right << 14) // (n_all - n_left))) >> 4
        top = 0
        top_bin = 0
        left = 0
        for b in range(_S_ROWS, end):
            count = scratch[b + width]
            left += count
            if nominal:
                left = count
            if count and left * 100 > n_all and (n_all - left) * 100 > n_all:
                if scratch[b] - scratch[end] > top:
                    top = scratch[b] - scratch[end]
                    top_bin = b
        total = words[record + _SLOT_HELD]
        if raced:
            total = n_all  # this feature may have come to the lane later than the leaf was born
        if top > 0:
            scratch[_S_ROWS + words[_ROWS] + lane] = (
                (((top // total) << 6) + ((top % total) << 6) // total) << _GAIN_AT
            ) | (top_bin - _S_ROWS)
    if words[_FLAGS] & _ADAPTIVE == 0:  # only now is there something to decide: the leaf waits for it
        words[_WAIT] = scratch[_S_NODE] + 1
    return 0
