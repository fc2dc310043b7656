"""Empty or halve observer slots."""

import micropython
from micropython import const

_CLASSES = const(6)
_FLAGS = const(8)
_CELLS = const(11)
_SLOT_HALVES0 = const(29)
_SLOT_HALVES = const(30)
_SLOT_WORDS0 = const(31)
_SLOT_WORDS = const(32)
_CELL0 = const(33)
_CELL_STRIDE = const(34)
_S_EMPTY = const(9)
_S_SHIFT = const(11)


@micropython.viper
def empty(at: ptr32, x: ptr16) -> int:
    """Shift all counts of the (up to two) slots named in the scratch to the right.

    By 1 when a count has reached its limit: proportions stay, and nothing wraps. By 16 when a slot has got
    a new leaf, which starts a new birth: then the windows and the age are forgotten too.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    classes = words[_CLASSES]
    shift = scratch[_S_SHIFT]
    for k in range(_S_EMPTY, _S_EMPTY + 2):
        slot = scratch[k] - 1
        if slot < 0:
            continue
        record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
        if shift > 1:
            for i in range(record + 1, record + words[_SLOT_WORDS]):
                words[i] = 0
        born = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
        n = 0
        for i in range(born, born + classes):
            halves[i] >>= shift
            n += halves[i]
        words[record + 3] = n
        i = words[_CELL0] + slot * words[_CELL_STRIDE]
        stop = i + words[_CELLS]
        wide = words[_FLAGS] & 8
        if shift == 1:
            while i < stop:
                if wide:
                    if halves[i]:
                        halves[i] >>= 1
                elif octets[i]:
                    octets[i] >>= 1
                i += 1
        elif wide:
            while i < stop:
                halves[i] = 0
                i += 1
        else:
            while i < stop:
                octets[i] = 0
                i += 1
    return 0
