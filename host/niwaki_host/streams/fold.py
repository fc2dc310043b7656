"""Nominal features with more values than a tree takes, folded: value v becomes v % 255.

A board does the same with a number it has for each value. Values that share a remainder are one value to the
model: of 293 airports 38 share one with another. A file's values are numbered by the alphabet, or by size.
"""

from collections.abc import Iterator

import numpy as np

from niwaki_host.streams.base import CHUNK, Stream

MOST_VALUES = 255  # of a tree's nominal feature


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
