"""Halve the counts of an observer slot, hand a part of them on to the children of a split, or clear them."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_CLASSES = const(6)
_FLAGS = const(8)
_CELLS = const(11)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_CELL0 = const(32)
_CELL_STRIDE = const(33)
_WIDE = const(8)
_SLOT_HELD = const(3)
_SLOT = const(4)
_INHERITED = const(0x1FFFF00F)
_S_SLOT = const(14)
_S_SLOT2 = const(15)
_S_SHIFT = const(16)
_SHIFT_HALVE = const(1)
_SHIFT_INHERIT = const(2)
_SHIFT_CLEAR = const(16)


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
    which = 2
    while which:
        which -= 1
        slot = scratch[_S_SLOT + which] - 1
        if slot < 0:
            continue
        source = slot
        if shift == _SHIFT_INHERIT:
            source = scratch[_S_SLOT] - 1
        record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
        origin = words[_SLOT_WORDS0] + source * words[_SLOT_WORDS]
        left = words[_SLOT_WORDS]
        while shift - _SHIFT_HALVE and left - 1:  # counting down is what a loop pays least for
            left -= 1
            window = 0
            if shift == _SHIFT_INHERIT and left >= _SLOT:
                window = words[origin + left] & _INHERITED
            words[record + left] = window
        to = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
        origin = words[_SLOT_HALVES0] + source * words[_SLOT_HALVES]
        left = words[_CLASSES]
        total = 0
        while left:
            left -= 1
            count = halves[origin + left] >> shift
            halves[to + left] = count
            total += count
        words[record + _SLOT_HELD] = total
        to = words[_CELL0] + slot * words[_CELL_STRIDE]
        origin = words[_CELL0] + source * words[_CELL_STRIDE]
        left = words[_CELLS]
        if words[_FLAGS] & _WIDE:
            while left:
                left -= 1
                halves[to + left] = halves[origin + left] >> shift
        elif shift - _SHIFT_CLEAR:
            while left:
                left -= 1
                octets[to + left] = octets[origin + left] >> shift
        while left:
            left -= 1
            octets[to + left] = 0
    scratch[_S_SLOT] = 0
    scratch[_S_SLOT2] = 0
    return 0
