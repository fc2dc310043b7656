"""Columns of text among the features: each is a nominal feature with the values that were seen first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

MOST_VALUES = 254  # the most texts that a nominal feature may have


def columns_of(X: Any) -> tuple[Any, list[int]]:
    """The table, and which of its columns hold text; a list of rows with text becomes an array of objects."""
    if isinstance(X, list | tuple) and any(isinstance(v, str) for v in _first_row(X)):
        X = np.array(X, dtype=object)
    frame: Any = X
    if hasattr(frame, "columns"):
        n = len(frame.columns)
    elif isinstance(X, np.ndarray) and X.dtype.kind in "OU" and X.ndim == 2:
        n = X.shape[1]
    else:
        return X, []
    texts = []
    for j in range(n):
        column = _column(X, j)
        if column.dtype.kind in "OU" and any(isinstance(v, str) for v in column):
            texts.append(j)
    return X, texts


def _first_row(X: Sequence[Any]) -> Sequence[Any]:
    return X[0] if len(X) and isinstance(X[0], list | tuple) else ()


def _column(X: Any, j: int) -> np.ndarray:
    if hasattr(X, "columns"):  # pandas or polars
        column = X[X.columns[j]]
        return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
    return X[:, j]


def vocabularies(X: Any, texts: Sequence[int]) -> list[list[str] | None]:
    """For each column the list of its texts, in the order of their codes; None for a column of numbers."""
    found: list[list[str] | None] = [None] * np.shape(X)[1]
    for j in texts:
        values = sorted({v for v in _column(X, j) if isinstance(v, str)})
        if len(values) > MOST_VALUES:
            raise ValueError(
                f"column {j} has {len(values)} different texts; a nominal feature has at most {MOST_VALUES}: "
                "is it a name or a date?"
            )
        found[j] = values
    return found


def numbers(X: Any, values: Sequence[list[str] | None]) -> np.ndarray:
    """The table as float64: codes for texts, NaN for a text that is not known or is missing."""
    rows = np.empty((len(X), len(values)))
    for j, known in enumerate(values):
        column = _column(X, j)
        if known is None:
            rows[:, j] = column.astype(np.float64)
        else:
            codes = {text: code for code, text in enumerate(known)}
            rows[:, j] = [codes.get(v, np.nan) if isinstance(v, str) else np.nan for v in column]
    return rows
