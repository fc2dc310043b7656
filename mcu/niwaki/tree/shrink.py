"""Halve the counts of an observer slot, hand a part of them on to the children of a split, or clear them."""

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
_SLOT = const(4)
_WINDOW = const(0x1FFFF00F)  # without outsiders and the mark of a poor attribute
_S_EMPTY = const(14)
_S_SHIFT = const(16)


@micropython.viper
def shrink(at: ptr32, x: ptr16) -> int:
    """Shift all counts of the (up to two) slots named in the scratch to the right.

    By 1 when a count has reached its limit: proportions stay, and nothing wraps. By 16 when a slot has got
    a new leaf, which starts a new birth: then the windows and the age are forgotten too. By 2 when both are
    those of children: a quarter of what the first has counted, for the parent, is what each starts with.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    shift = scratch[_S_SHIFT]
    k = 2
    while k:
        k -= 1
        slot = scratch[_S_EMPTY + k] - 1
        if slot < 0:
            continue
        source = slot
        if shift == 2:
            source = scratch[_S_EMPTY] - 1
        record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
        i = words[_SLOT_WORDS0] + source * words[_SLOT_WORDS]
        left = words[_SLOT_WORDS]
        while shift - 1 and left - 1:  # counting down is what a loop pays least for
            left -= 1
            n = 0
            if shift == 2 and left >= _SLOT:
                n = words[i + left] & _WINDOW
            words[record + left] = n
        to = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
        i = words[_SLOT_HALVES0] + source * words[_SLOT_HALVES]
        left = words[_CLASSES]
        total = 0
        while left:
            left -= 1
            n = halves[i + left] >> shift
            halves[to + left] = n
            total += n
        words[record + 3] = total
        to = words[_CELL0] + slot * words[_CELL_STRIDE]
        i = words[_CELL0] + source * words[_CELL_STRIDE]
        left = words[_CELLS]
        if words[_FLAGS] & 8:
            while left:
                left -= 1
                halves[to + left] = halves[i + left] >> shift
        elif shift - 16:
            while left:
                left -= 1
                octets[to + left] = octets[i + left] >> shift
        while left:
            left -= 1
            octets[to + left] = 0
    return 0
