"""The class counts on either side of a split."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_CLASSES = const(6)
_FLAGS = const(8)
_BINS = const(9)
_NODE0 = const(10)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_CELL0 = const(32)
_CELL_STRIDE = const(33)
_WIDE = const(8)
_RACED = const(64)
_NODE_SLOT = const(3)
_NODE = const(6)
_S_NODE = const(5)
_S_LANE = const(10)
_S_BIN = const(11)
_S_SPLIT = const(13)
_S_ROWS = const(18)


@micropython.viper
def sides(at: ptr32, x: ptr16) -> int:
    """Count what goes left and what goes right at the split that the rules allow, into two rows.

    Empties the cells of 8 bits that it counts: the children inherit a part of all other features' counts.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    if not scratch[_S_SPLIT]:
        return 0
    classes = words[_CLASSES]
    slot = halves[words[_NODE0] + scratch[_S_NODE] * _NODE + _NODE_SLOT] - 1
    lane = scratch[_S_LANE]
    feature = lane
    if words[_FLAGS] & _RACED:
        feature = halves[words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES] + classes + lane]
    nominal = octets[feature]
    bins = nominal
    if not nominal:
        bins = words[_BINS]
    i = 2 * classes
    while i:
        i -= 1
        scratch[_S_ROWS + i] = 0
    wide = words[_FLAGS] & _WIDE
    cell = words[_CELL0] + slot * words[_CELL_STRIDE] + halves[lane]
    b = 0
    while b - bins:
        row = _S_ROWS + classes
        if b == scratch[_S_BIN] or (b < scratch[_S_BIN] and not nominal):
            row = _S_ROWS
        c = classes
        while c:
            c -= 1
            count = scratch[row]
            if wide:
                count += halves[cell]
            else:
                count += octets[cell]
                octets[cell] = 0
            scratch[row] = count
            row += 1
            cell += 1
        b += 1
    return 0
