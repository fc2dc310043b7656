"""Dense ARFF files, the format of Weka and MOA."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa

from ..errors import UsageError
from .files import BLOCK, open_bytes, read_line, read_rows
from .tabular import Table

_ATTRIBUTE = re.compile(r"@attribute\s+('[^']*'|\"[^\"]*\"|\S+)\s+(.+)", re.IGNORECASE)
_VALUE = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^,]+)")
_NUMBERS = ("numeric", "real", "integer")


class ArffTable(Table):
    """Nominal values keep the order of their declaration, as their codes in MOA."""

    def __init__(self, path: Path) -> None:
        self.name, self.path = str(path), path
        self.columns, self.declared = [], {}
        with open_bytes(path) as file:
            self._read_header(file)
        if len(self.columns) < 2:
            raise UsageError(f"{path}: at least one feature and a label are needed")

    def _read_header(self, file: IO[bytes]) -> None:
        """Up to and with the @data line."""
        self.columns, self.declared = [], {}
        while line := read_line(file, self.path).strip():
            if line.lower().startswith("@data"):
                return
            if line.lower().startswith("@attribute"):
                self._read_attribute(line)
            elif not line.startswith("%") and not line.lower().startswith("@relation"):
                raise UsageError(f"{self.path}: {line[:40]!r} is not a line of an ARFF header")
        raise UsageError(f"{self.path}: there is no @data line")

    def _read_attribute(self, line: str) -> None:
        found = _ATTRIBUTE.match(line)
        if not found:
            raise UsageError(f"{self.path}: {line[:60]!r} does not declare an attribute")
        name, kind = found[1].strip("'\""), found[2].strip()
        if kind.startswith("{"):
            values = [a or b or c.strip() for a, b, c in _VALUE.findall(kind.strip("{} \t"))]
            self.declared[len(self.columns)] = [value for value in values if value]
        elif kind.lower().split()[0] not in (*_NUMBERS, "string"):
            raise UsageError(
                f"{self.path}: attribute {name!r} is of kind {kind!r}; leave dates and relations out"
            )
        self.columns.append(name)

    def batches(self) -> Iterator[list[pa.Array]]:
        with open_bytes(self.path) as file:
            self._read_header(file)
            rows = 0
            while lines := file.readlines(BLOCK // 2):
                kept = [line for line in lines if line.strip() and not line.lstrip().startswith(b"%")]
                if any(line.lstrip().startswith(b"{") for line in kept[:1]):
                    raise UsageError(f"{self.path}, row {rows + 1}: sparse ARFF is not supported")
                data = b"".join(kept)
                quote = "'" if b"'" in data else '"'
                yield from read_rows(io.BytesIO(data), self.path, len(self.columns), quote=quote, before=rows)
                rows += len(kept)
