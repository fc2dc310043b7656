"""Empty the observer slots that have got a new leaf: a new leaf starts a new birth."""

import micropython
from micropython import const

_CLASSES = const(6)
_CELLS = const(11)
_FLAGS = const(8)
_LANES = const(10)
_SLOT_HALVES0 = const(29)
_SLOT_HALVES = const(30)
_SLOT_WORDS0 = const(31)
_SLOT_WORDS = const(32)
_CELL0 = const(33)
_CELL_STRIDE = const(34)


@micropython.viper
def clear(words: ptr32, halves: ptr16, octets: ptr8, x: ptr16, scratch: ptr32, log2: ptr16) -> int:
    """Empty the slots that `grow` left in scratch[C + 10] and scratch[C + 11]."""
    classes = words[_CLASSES]
    for k in range(2):
        slot = scratch[classes + 10 + k] - 1
        if slot < 0:
            continue
        record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
        for i in range(record + 1, record + words[_SLOT_WORDS]):
            words[i] = 0
        born = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
        for i in range(born, born + classes):
            halves[i] = 0
        cell0 = words[_CELL0] + slot * words[_CELL_STRIDE]
        for i in range(cell0, cell0 + words[_CELLS]):
            if words[_FLAGS] & 8:
                halves[i] = 0
            else:
                octets[i] = 0
    return 0
