"""Empty or halve observer slots."""

import micropython
from micropython import const

_CLASSES = const(6)
_FLAGS = const(8)
_CELLS = const(11)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_CELL0 = const(32)
_CELL_STRIDE = const(33)
_S_EMPTY = const(14)
_S_SHIFT = const(16)


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
    wide = words[_FLAGS] & 8
    shift = scratch[_S_SHIFT]
    k = 2
    while k:
        k -= 1
        slot = scratch[_S_EMPTY + k] - 1
        if slot < 0:
            continue
        record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
        i = words[_SLOT_WORDS]
        while shift - 1 and i - 1:
            i -= 1
            words[record + i] = 0
        i = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
        left = classes
        total = 0
        while left:  # counting down is what a loop pays least for
            left -= 1
            n = halves[i] >> shift
            halves[i] = n
            total += n
            i += 1
        words[record + 3] = total
        i = words[_CELL0] + slot * words[_CELL_STRIDE]
        left = words[_CELLS]
        while left:
            left -= 1
            if wide:
                n = halves[i]
                if n:
                    halves[i] = n >> shift
            else:
                n = octets[i]
                if n:
                    octets[i] = n >> shift
            i += 1
    return 0
