"""A stream from a table whose rows come in batches: CSV, ARFF, Parquet, data frames.

A first pass over the rows (up to the limit) finds what each column is, its values, the classes and every
mistake; the samples are then read again in chunks, so that a table larger than memory is fine.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from niwaki_host.errors import UsageError, notice
from niwaki_host.streams.base import CHUNK, Stream, with_room
from niwaki_host.streams.columns import Column, to_number

Columns = list[str | int]


class Table:
    """Where the rows come from: column names, and `batches()` of arrow columns, texts or typed."""

    name: str
    columns: list[str]
    declared: dict[int, list[str]]
    """The values of those columns for which the file itself names them, in that order."""
    unusable: dict[int, str] = {}
    """Columns that are no feature as they are, and why."""
    first_row: list[str] | None = None
    """Where the names are a row of texts, which may be a sample by mistake: that row."""

    def batches(self) -> Iterator[list[pa.Array]]:
        raise NotImplementedError

    def find(self, column: str | int) -> int:
        """The place of a column given by its name, or by its number (from 0, or from the end: -1)."""
        if column in self.columns:
            return self.columns.index(str(column))
        try:
            return range(len(self.columns))[int(column)]
        except (ValueError, IndexError):
            shown = ", ".join(self.columns[:20]) + (", ..." if len(self.columns) > 20 else "")
            raise UsageError(f"{self.name}: there is no column {column!r}; it has {shown}") from None


def _distinct(names: list[str]) -> list[str]:
    """Names by which columns can be told apart: the second `x` is `x (2)`."""
    found: dict[str, None] = {}
    for name in names:
        distinct, number = name, 1
        while distinct in found:
            number += 1
            distinct = f"{name} ({number})"
        found[distinct] = None
    return list(found)


class TableStream(Stream):
    """Samples of a table: the label column's values are the classes, columns of text are nominal features.

    Classes and nominal values get their codes in sorted order (integers by size, texts by the alphabet) of
    what the rows up to the limit hold, or in the order in which the file declares them.
    """

    def __init__(
        self,
        table: Table,
        limit: int | None = None,
        label: str | int | None = None,
        classes: int | None = None,
        nominal: Columns | None = None,
        drop: Columns | None = None,
    ) -> None:
        table.columns = _distinct(table.columns)
        self._table = table
        self._label = table.find(-1 if label is None else label)
        dropped = {table.find(column) for column in drop or []}
        self._features = [j for j in range(len(table.columns)) if j != self._label and j not in dropped]
        if self._label in dropped or not self._features:
            raise UsageError(f"{table.name}: no feature is left besides the label")
        self._columns = [Column(table.name, name) for name in table.columns]
        for j in [self._label, *map(table.find, nominal or [])]:
            self._columns[j].nominal = True
        for j in self._features:
            if j in table.unusable and not self._columns[j].nominal:
                raise UsageError(f"{table.name}: column {table.columns[j]!r} {table.unusable[j]}")
        self._columns[self._label].is_label = True
        self._columns[self._label].room = classes or 0
        for j, values in table.declared.items():
            self._columns[j].declare(values)
        self.length = self._scan(limit)
        if table.first_row and self._looks_like_a_sample(table.first_row):
            notice(
                f"{table.name}: the first row, {', '.join(table.first_row)[:60]!r}, was taken for the names "
                "of the columns, and looks like a sample: add --no-header if it is one"
            )
        self.name = table.name
        self.feature_names = [self._columns[j].name for j in self._features]
        self.class_names = self._classes(classes)
        self.nominal = [len(self._columns[j].values) for j in self._features]
        self.ranges = [None] * len(self._features)
        self.drifts = []

    def _looks_like_a_sample(self, row: list[str]) -> bool:
        """Whether a header may be a sample: it has numbers (not just 1, 2, 3), or its label is a class."""
        numbers = [to_number(text) for j, text in enumerate(row) if j != self._label]
        counted = any(numbers == list(range(first, first + len(numbers))) for first in (0, 1))
        classes = self._columns[self._label].seen
        return row[self._label] in classes or (None not in numbers and not counted)

    def _rows(self, limit: int | None) -> Iterator[list[pa.Array]]:
        left = limit
        for batch in self._table.batches():
            if left is None:
                yield batch
                continue
            yield [array.slice(0, left) for array in batch]
            left -= min(left, len(batch[0]))
            if left == 0:
                return

    def _scan(self, limit: int | None) -> int:
        rows = 0
        for batch in self._rows(limit):
            for j in (*self._features, self._label):
                self._columns[j].look(batch[j], rows)
            rows += len(batch[0])
        if rows == 0:
            raise UsageError(f"{self._table.name}: there is no row of data below the header")
        for j in (*self._features, self._label):
            self._columns[j].settle()
        return rows

    def _classes(self, asked: int | None) -> list[str]:
        column = self._columns[self._label]
        where = f"{self._table.name}: the label column {column.name!r}"
        if not column.seen:
            raise UsageError(f"{where} holds no label")
        if len(column.seen) == 1 or len(column.values) == 1:
            raise UsageError(
                f"{where} has one class only, {next(iter(column.seen))!r}: there is nothing to learn"
            )
        if asked is not None and len(column.values) > asked:
            raise UsageError(f"{where} has {len(column.values)} classes, more than the {asked} asked for")
        return with_room(column.values, asked)

    @property
    def value_names(self) -> list[list[str]]:
        return [self._columns[j].values for j in self._features]

    def chunks(self, size: int = CHUNK) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for batch in self._rows(self.length):
            for at in range(0, len(batch[0]), size):
                part = [array.slice(at, size) for array in batch]
                X = np.empty((len(part[0]), self.n_features))
                for k, j in enumerate(self._features):
                    X[:, k] = self._columns[j].convert(part[j])
                labels = self._columns[self._label].convert(part[self._label])
                yield X, np.where(np.isnan(labels), -1, labels).astype(np.int16)
