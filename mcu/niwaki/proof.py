"""What the checks of stored models share: sizes, a set of small integers, and one way to complain."""

from micropython import const

from .construct import footprint
from .model import ImageError

# From the layouts, by `make consts`:
_WORDS = const(1)
_HALVES = const(2)
_OCTETS = const(3)
_BUDGET = const(4)
_FEATURES = const(5)


def bad(text, *values):
    raise ImageError("damaged: " + (text % values if values else text))


def between(name, value, low, high):
    if not low <= value <= high:
        bad("%s is %d, not in %d..%d", name, value, low, high)
    return value


def fit(words, sizes):
    """Refuse arrays that are not as long as the plan makes them, or that exceed the budget."""
    lengths = (words[_WORDS], words[_HALVES], words[_OCTETS])
    if sizes[:3] != lengths:
        bad("the arrays have %d, %d, %d items, not %d, %d, %d", *(lengths + sizes[:3]))
    if footprint(sizes, words[_FEATURES]) > words[_BUDGET]:
        bad("larger than its budget of %d bytes", words[_BUDGET])


class Once:
    """The integers 0..n-1, each of which may be taken once; one bit each."""

    def __init__(self, name, n):
        self.name = name
        self.n = n
        self.taken = 0
        self._bits = bytearray((n + 7) >> 3)

    def take(self, i):
        if not 0 <= i < self.n:
            bad("%s %d of %d", self.name, i, self.n)
        mask = 1 << (i & 7)
        if self._bits[i >> 3] & mask:
            bad("%s %d is used twice", self.name, i)
        self._bits[i >> 3] |= mask
        self.taken += 1

    def has(self, i):
        return self._bits[i >> 3] & 1 << (i & 7)

    def all_taken(self):
        if self.taken != self.n:
            bad("of %d %ss %d are used", self.n, self.name, self.taken)


class Header:
    """Takes the place of a header while `write_header` writes one, and compares.

    What is written must stand in the stored header already; what is not written must be 0 there. Words that
    have a range may differ.
    """

    def __init__(self, items, n, ranges):
        self.items = items
        self.n = n
        self.ranges = ranges
        self.written = bytearray(n)

    def __getitem__(self, i):
        return self.items[i]

    def __setitem__(self, i, value):
        if i < self.n:
            self.written[i] = 1
            if i not in self.ranges and self.items[i] != value:
                bad("header word %d is %d, not %d", i, self.items[i], value)

    def finish(self, start):
        for i in range(start, self.n):
            if not self.written[i]:
                self[i] = 0
