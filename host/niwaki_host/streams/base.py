"""What every stream is: a name, its features and classes, and samples in chunks."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

CHUNK = 8192


class Drift(NamedTuple):
    """A change of concept: the sample at its centre, and how many samples the change takes."""

    position: int
    width: int


def with_room(class_names: list[str], classes: int | None) -> list[str]:
    """The classes that are known, and after them classes not yet seen, until there are `classes` of them."""
    return class_names + [f"unseen{k}" for k in range(len(class_names), classes or 0)]


class Stream:
    """Samples in a fixed order. Every call of `chunks` or `read` starts from the first one again.

    A value is a float64; NaN is missing; a nominal feature has the values 0..k-1. A class is 0..k-1, and -1
    where the label is missing.
    """

    name: str
    feature_names: list[str]
    class_names: list[str]
    nominal: list[int]
    """Per feature: 0 for a numeric one, else its number of values."""
    ranges: list[tuple[float, float] | None]
    """Per feature: where its values are known to lie without looking at them, as from a data sheet."""
    length: int
    drifts: list[Drift]

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    @property
    def n_classes(self) -> int:
        return len(self.class_names)

    @property
    def value_names(self) -> list[list[str]]:
        """Per feature the names behind its codes; none for a numeric one."""
        return [[str(value) for value in range(k)] for k in self.nominal]

    def chunks(self, size: int = CHUNK) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(X float64 (m, d), y int16 (m,)) with m at most `size`, in order."""
        raise NotImplementedError

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """The whole stream in memory."""
        X = np.empty((self.length, self.n_features))
        y = np.empty(self.length, np.int16)
        at = 0
        for part, labels in self.chunks():
            X[at : at + len(labels)] = part
            y[at : at + len(labels)] = labels
            at += len(labels)
        return X, y

    def __repr__(self) -> str:
        return f"<{self.name}: {self.length} x {self.n_features}, {self.n_classes} classes>"


class ArrayStream(Stream):
    """A stream that is in memory already."""

    def __init__(
        self,
        name: str,
        X: np.ndarray,
        y: np.ndarray,
        feature_names: list[str],
        class_names: list[str],
        nominal: list[int],
    ) -> None:
        self.name = name
        self.feature_names, self.class_names, self.nominal = feature_names, class_names, nominal
        self.ranges = [None] * len(feature_names)
        self.length = len(y)
        self.drifts = []
        self._X, self._y = X, y

    def chunks(self, size: int = CHUNK) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for at in range(0, self.length, size):
            yield self._X[at : at + size], self._y[at : at + size]
