"""ARFF files, the format of Weka and MOA, dense and sparse."""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa

from niwaki_host.errors import UsageError
from niwaki_host.streams.columns import MISSING, to_number
from niwaki_host.streams.files import read_line, read_lines, read_rows
from niwaki_host.streams.opened import not_text, open_bytes
from niwaki_host.streams.tabular import Table

# A value stands in quotes, where a backslash makes the next character part of it, or ends at the separator.
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s'\"]\S*)\s+(.+)", re.IGNORECASE)
_VALUE = re.compile(rf"\s*({_QUOTED}|(?:[^,\\]|\\.)*)\s*(?:,|$)")
_SPARSE = re.compile(rf"(\d+)\s+({_QUOTED}|(?:[^,\s\\]|\\.)+)")
_NUMBERS = ("numeric", "real", "integer")
_UNUSABLE = {
    "string": "is of kind string; leave it out (--drop) or take its texts as values (--nominal)",
    "date": "is of kind date; leave it out (--drop)",
    "relational": "is of kind relational; leave it out (--drop)",
}
_MISSING = set(MISSING.to_pylist())


def _plain(text: str) -> str:
    """A value without its quotes and backslashes."""
    text = text.strip()
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        text = text[1:-1]
    return re.sub(r"\\(.)", r"\1", text)


def _split(line: str) -> list[str]:
    """The values of a dense row or a declaration, between commas."""
    values, at = [], 0
    while True:
        found = _VALUE.match(line, at)
        if not found:  # a quote that nobody closes
            return [*values, line[at:]]
        values.append(_plain(found[1]))
        if found.end() == len(line) and not found[0].endswith(","):
            return values
        at = found.end()


class ArffTable(Table):
    """An ARFF file. Nominal values get codes in the order of their declaration, as in MOA."""

    def __init__(self, path: Path, charset: str | None = None) -> None:
        self.name, self.path, self.charset = str(path), path, charset
        with open_bytes(path, charset) as file:
            self._read_header(file)
        if len(self.columns) < 2:
            raise UsageError(f"{path}: at least one feature and a label are needed")

    def _read_header(self, file: IO[bytes]) -> None:
        """Read up to the @data line, and that line, too."""
        self.columns, self.declared, self.unusable = [], {}, {}
        while line := read_line(file, self.path, self.charset).strip():
            word = line.lower()
            if word.startswith("@data"):
                return
            if word.startswith("@attribute"):
                self._read_attribute(line)
            elif not line.startswith("%") and not word.startswith(("@relation", "@end")):
                raise UsageError(f"{self.path}: {line[:40]!r} is not a line of an ARFF header")
        raise UsageError(f"{self.path}: there is no @data line")

    def _read_attribute(self, line: str) -> None:
        found = _ATTRIBUTE.match(line)
        if not found:
            raise UsageError(f"{self.path}: {line[:60]!r} does not declare an attribute")
        name, kind = _plain(found[1]), found[2].strip()
        word = kind.lower().split()[0]
        if kind.startswith("{"):
            self.declared[len(self.columns)] = _split(kind.partition("{")[2].rpartition("}")[0])
        elif word in _UNUSABLE:
            self.unusable[len(self.columns)] = _UNUSABLE[word]
        elif word not in _NUMBERS:
            raise UsageError(
                f"{self.path}: attribute {name!r} is of kind {kind[:40]!r}, which ARFF does not have"
            )
        self.columns.append(name)

    def batches(self) -> Iterator[list[pa.Array]]:
        with open_bytes(self.path, self.charset) as file:
            self._read_header(file)
            rows, read = 0, None
            while lines := read_lines(file, self.path):
                kept = [line for line in map(bytes.strip, lines) if line and not line.startswith(b"%")]
                if kept:
                    read = read or self._reader(kept[0])
                    yield from read(kept, rows)
                rows += len(kept)

    def _reader(self, first: bytes) -> Callable[[list[bytes], int], Iterator[list[pa.Array]]]:
        return self._sparse if first.startswith(b"{") else self._dense

    def _dense(self, lines: list[bytes], before: int) -> Iterator[list[pa.Array]]:
        """Read dense rows: where nothing is quoted by Arrow's own reader, which is thirty times as fast."""
        width = len(self.columns)
        data = b"\n".join(lines)
        if not re.search(rb"['\"\\]", data):
            between = "\t" if b"\t" in lines[0] and b"," not in lines[0] else ","
            yield from read_rows(
                io.BytesIO(data), self.path, width, between, before=before, charset=self.charset
            )
            return
        rows = [_split(line) for line in self._texts(lines, before)]
        for k, row in enumerate(rows):
            if len(row) != width:
                where = f"{self.path}, row {before + k + 1}"
                raise UsageError(f"{where}: {len(row)} values where the header has {width} columns")
        yield [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]

    def _sparse(self, lines: list[bytes], before: int) -> Iterator[list[pa.Array]]:
        """Read rows of {place value, ...}: a value that a row leaves out is 0, or the first one declared."""
        texts = {*self.unusable, *self.declared}
        columns = [
            np.full(len(lines), self.declared[j][0] if j in self.declared else "", object)
            if j in texts
            else np.zeros(len(lines))
            for j in range(len(self.columns))
        ]
        for k, line in enumerate(self._texts(lines, before)):
            where = f"{self.path}, row {before + k + 1}"
            if line[0] != "{" or line[-1] != "}":
                raise UsageError(f"{where}: {line[:40]!r} is not a sparse row, as the first one is: {{...}}")
            for part in filter(None, map(str.strip, _parts(line[1:-1]))):
                found = _SPARSE.fullmatch(part)
                if not found or int(found[1]) >= len(columns):
                    raise UsageError(
                        f"{where}: {part[:40]!r} is not a place below {len(columns)} and its value"
                    )
                j, text = int(found[1]), _plain(found[2])
                columns[j][k] = text if j in texts else self._number(where, j, text)
        yield [pa.array(column) for column in columns]

    def _number(self, where: str, column: int, text: str) -> float:
        number = np.nan if text in _MISSING else to_number(text)
        if number is None:
            raise UsageError(
                f"{where}, column {self.columns[column]!r}: {text!r} is text in a column of numbers"
            )
        return number

    def _texts(self, lines: list[bytes], before: int) -> Iterator[str]:
        for k, line in enumerate(lines):
            try:
                yield line.decode()
            except UnicodeDecodeError:
                raise not_text(self.path, self.charset, f", row {before + k + 1}") from None


def _parts(text: str) -> list[str]:
    """The parts between commas; quotes and backslashes stay as they are."""
    return re.findall(rf"(?:{_QUOTED}|\\.|[^,'\"\\])+", text)
