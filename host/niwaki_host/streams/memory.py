"""Streams from what a Python program has in memory: numpy arrays and pandas data frames."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from niwaki_host.errors import UsageError
from niwaki_host.streams.base import ArrayStream
from niwaki_host.streams.columns import MOST_CLASSES, NO_REGRESSION, WHOLE
from niwaki_host.streams.tabular import Table, TableStream


def from_arrays(
    X: Any,
    y: Any,
    name: str = "arrays",
    feature_names: Sequence[str] | None = None,
    classes: int | None = None,
) -> ArrayStream:
    """A stream of a numeric matrix X and labels y. Labels may have any type: their sorted values become
    0..k-1, and NaN or None is no label."""
    try:
        # A mapped file of numbers stays on disk; `chunks` converts a part at a time.
        X = X if isinstance(X, np.memmap) and X.dtype.kind in "biuf" else _floats(X)
    except (TypeError, ValueError):
        raise UsageError(f"{name}: X holds something that is not a number") from None
    y = np.asarray(y)
    if X.ndim != 2 or y.ndim != 1 or len(X) != len(y) or X.shape[1] == 0:
        raise UsageError(f"{name}: X must be (n, d) and y (n,), not {X.shape} and {y.shape}")
    try:
        names, codes = _classes(y)
    except TypeError:
        raise UsageError(f"{name}: y holds labels of several types") from None
    if len(names) < 2:
        raise UsageError(f"{name}: fewer than two classes: there is nothing to learn")
    most = MOST_CLASSES if classes is None else classes
    if len(names) > most:
        limit = " asked for" if classes is not None else f": {NO_REGRESSION}"
        raise UsageError(f"{name}: {len(names)} classes, more than {most}{limit}")
    if names.dtype.kind == "f":
        numbers = names.astype(float)  # float16 can't hold WHOLE
        if (np.abs(numbers) < WHOLE).all() and (numbers == np.floor(numbers)).all():
            names = numbers.astype(np.int64)
    columns = list(feature_names) if feature_names is not None else [f"x{j}" for j in range(X.shape[1])]
    class_names = [str(value) for value in names]
    return ArrayStream(name, X, codes.astype(np.int16), columns, class_names, [0] * X.shape[1])


def _floats(X: Any) -> np.ndarray:
    """The values as float64. Complex numbers are refused, because numpy would drop their imaginary part."""
    X = np.asarray(X)
    if X.dtype.kind in "cmM":
        raise TypeError
    return X.astype(float, copy=False)


def _classes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sorted values of the labels, and each label's place among them; -1 for a label that is missing."""
    known = np.full(len(y), True)
    if y.dtype.kind == "f":
        known = ~np.isnan(y)
    elif y.dtype.kind == "O":
        known = np.array([value is not None and value == value for value in y], bool)
    names, places = np.unique(y[known], return_inverse=True)
    codes = np.full(len(y), -1)
    codes[known] = places
    return names, codes


class _FrameTable(Table):
    def __init__(self, frame: Any, name: str) -> None:
        self.name, self.declared = name, {}
        self.columns = [str(column) for column in frame.columns]
        try:
            self._arrays = [pa.Array.from_pandas(frame.iloc[:, j]) for j in range(frame.shape[1])]
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise UsageError(f"{name}: a column holds values of several types ({error})") from None

    def batches(self) -> Iterator[list[pa.Array]]:
        yield self._arrays


def from_frame(frame: Any, name: str = "frame", **options: Any) -> TableStream:
    """A stream of a pandas or polars DataFrame; the options are those of `open_stream` for files."""
    if hasattr(frame, "to_pandas"):
        frame = frame.to_pandas()
    return TableStream(_FrameTable(frame, name), **options)
