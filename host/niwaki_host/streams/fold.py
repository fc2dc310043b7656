"""Nominal features with more values than a tree takes, folded: value v becomes v % 255.

A board that has a number for each value can do the same. Values with the same remainder are one value to the
model: 38 of 293 airports share a remainder with another one. A file's values are numbered by the alphabet, or
by size if they are numbers.
"""

from collections.abc import Iterator

import numpy as np

from niwaki_host.streams.base import CHUNK, Stream

MOST_VALUES = 255  # the most values that a tree's nominal feature may have


class Folded(Stream):
    """Another stream with no nominal feature of more than 255 values."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self.name, self.feature_names, self.class_names = (
            stream.name,
            stream.feature_names,
            stream.class_names,
        )
        self.ranges, self.length, self.drifts = stream.ranges, stream.length, stream.drifts
        self.nominal = [min(values, MOST_VALUES) for values in stream.nominal]
        self._many = [f for f, values in enumerate(stream.nominal) if values > MOST_VALUES]

    def chunks(self, size: int = CHUNK) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for X, y in self._stream.chunks(size):
            if self._many:
                X = X.copy()
                X[:, self._many] %= MOST_VALUES  # a missing value, NaN, stays missing
            yield X, y
