"""What a leaf observes of one feature: an auto-ranging histogram, or a table of nominal values.

Both give their possible binary splits in the same form, as class counts on the left side of each.
"""

from typing import NamedTuple

import numpy as np

YOUNG = 8
"""A leaf with fewer samples than this lets its windows grow at once."""


class Splits(NamedTuple):
    """The binary splits that an observer can offer, in ascending order of their keys."""

    keys: np.ndarray
    """Numeric: the largest code that goes left. Nominal: the one value that goes left."""
    left: np.ndarray
    """(splits, classes): class counts on the left side."""
    total: np.ndarray
    """(classes,): class counts on both sides."""


class Histogram:
    """Class counts in `bins` equal bins over a window [lo, lo + (bins << shift)) that widens as needed.

    The window starts at the first value with bins one code wide, and doubles towards the side on which a
    value falls outside, adding up neighbouring bins in pairs. A leaf that has seen YOUNG samples no longer
    believes a lone value far away: it counts it in the edge bin, as an outsider. Only when 1 + age / 64
    outsiders (at most 255) have come before does it double, once, and starts counting outsiders again.
    """

    def __init__(self, bins: int, classes: int) -> None:
        self.bins = bins
        self.classes = classes
        self.lo: int | None = None
        self.shift = 0
        self.outsiders = 0
        self.rows = [[0] * classes for _ in range(bins)]

    def add(self, code: int, label: int, age: int) -> int:
        """Count one value, and return its new count; `age`: how many samples the leaf had seen before it."""
        if self.lo is None:
            self.lo = code
        b = (code - self.lo) >> self.shift
        if not 0 <= b < self.bins:
            if age >= YOUNG and self.outsiders < min(1 + age // 64, 255):
                self.outsiders += 1
            else:
                self._double(downwards=b < 0)
                b = (code - self.lo) >> self.shift
                while age < YOUNG and not 0 <= b < self.bins:
                    self._double(downwards=b < 0)
                    b = (code - self.lo) >> self.shift
            b = min(max(b, 0), self.bins - 1)
        self.rows[b][label] += 1
        return self.rows[b][label]

    def _double(self, downwards: bool) -> None:
        assert self.lo is not None
        pairs = [[a + b for a, b in zip(*self.rows[i : i + 2], strict=True)] for i in range(0, self.bins, 2)]
        empty = [[0] * self.classes for _ in range(self.bins // 2)]
        self.rows = empty + pairs if downwards else pairs + empty
        if downwards:
            self.lo -= self.bins << self.shift
        self.shift += 1
        self.outsiders = 0

    def counts(self, code: int) -> list[int] | None:
        """Class counts of the bin that `code` belongs to; None when nothing has been observed."""
        if self.lo is None:
            return None
        return self.rows[min(max((code - self.lo) >> self.shift, 0), self.bins - 1)]

    def splits(self) -> Splits:
        table = np.array(self.rows, np.int64)
        used = table.any(axis=1)  # an empty bin's edge divides the samples as the edge before it does
        edges = (self.lo or 0) + (np.arange(1, self.bins + 1) << self.shift) - 1
        return Splits(edges[used], table.cumsum(axis=0)[used], table.sum(axis=0))


class NominalTable:
    """Class counts per value 0..values-1 of a nominal feature; any other value is as good as missing."""

    def __init__(self, values: int, classes: int) -> None:
        self.bins = values
        self.rows = [[0] * classes for _ in range(values)]

    def add(self, code: int, label: int, age: int) -> int:
        if not 0 <= code < self.bins:
            return 0
        self.rows[code][label] += 1
        return self.rows[code][label]

    def counts(self, code: int) -> list[int] | None:
        return self.rows[code] if 0 <= code < self.bins else None

    def splits(self) -> Splits:
        table = np.array(self.rows, np.int64)
        used = table.any(axis=1)
        return Splits(np.flatnonzero(used), table[used], table.sum(axis=0))
