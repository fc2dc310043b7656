"""Tables in files: CSV and TSV (also gz, xz, bz2, zip) and Parquet; numpy's own files."""

import csv
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from niwaki_host.errors import UsageError
from niwaki_host.streams.columns import pc, to_number
from niwaki_host.streams.opened import BROKEN, damaged, not_text, open_bytes
from niwaki_host.streams.tabular import Table

_DECIMAL_COMMA = r"^(\s*[+-]?\d*),(\d+(?:[eE][+-]?\d+)?\s*)$"
BLOCK = 1 << 19  # arrow reads some 32 of them ahead


def read_line(file: IO[bytes], path: Path, charset: str | None = None) -> str:
    """The next line that is not blank; "" at the end."""
    try:
        for line in iter(lambda: file.readline(BLOCK), b""):
            text = line.decode("utf-8-sig")
            if text.strip():
                return text.rstrip("\r\n")
    except BROKEN as error:
        raise damaged(path, error) from None
    except UnicodeDecodeError:
        raise not_text(path, charset) from None
    return ""


def read_lines(file: IO[bytes], path: Path) -> list[bytes]:
    """The next lines, about half a block of them; none at the end."""
    try:
        return file.readlines(BLOCK // 2)
    except BROKEN as error:
        raise damaged(path, error) from None


def read_rows(
    file: IO[bytes],
    path: Path,
    columns: int,
    delimiter: str = ",",
    quote: str = '"',
    before: int = 0,
    charset: str | None = None,
) -> Iterator[list[pa.Array]]:
    """Batches of texts, column by column; `before` rows were read already."""
    ragged: list[pyarrow.csv.InvalidRow] = []

    def refuse(row: pyarrow.csv.InvalidRow) -> str:
        ragged.append(row)
        return "error"

    names = [str(j) for j in range(columns)]
    try:
        yield from (
            batch.columns
            for batch in pyarrow.csv.open_csv(
                file,
                pyarrow.csv.ReadOptions(column_names=names, block_size=BLOCK, use_threads=False),
                pyarrow.csv.ParseOptions(
                    delimiter=delimiter,
                    quote_char=quote,
                    newlines_in_values=True,
                    invalid_row_handler=refuse,
                ),
                pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
            )
        )
    except BROKEN as error:
        raise damaged(path, error) from None
    except UnicodeDecodeError:
        raise not_text(path, charset) from None
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):
            return
        if ragged:
            row = ragged[0]
            raise UsageError(
                f"{path}, row {before + (row.number or 0)}: {row.actual_columns} values "
                f"where the header has {columns} columns"
            ) from None
        reason = str(error).splitlines()[0]
        if "UTF8" in reason:
            raise not_text(path, charset) from None
        if "straddl" in reason:
            reason = "a quote is never closed, or a row is longer than half a megabyte"
        raise UsageError(f"{path}: {reason}") from None


class CsvTable(Table):
    """A CSV file with a header row. Commas separate values; if the first row has no comma, semicolons or tabs
    do; in a .tsv file tabs do.

    Between semicolons 2,5 is a number: programs write semicolons where a comma is the decimal point.
    """

    def __init__(self, path: Path, charset: str | None = None, header: bool = True) -> None:
        self.name, self.path, self.declared = str(path), path, {}
        self.charset, self._header = charset, header
        with open_bytes(path, charset) as file:
            first = read_line(file, path, charset)
        if not first:
            raise UsageError(f"{path}: the file is empty")
        marks = "\t,;" if ".tsv" in map(str.lower, path.suffixes) else ",;\t"
        self.delimiter = next((mark for mark in marks if mark in first), ",")
        names = _header_names(path, first, self.delimiter)
        if len(names) < 2:
            raise UsageError(f"{path}: one column only; at least one feature and a label are needed")
        if not header:
            self.columns = [f"x{j}" for j in range(len(names))]
            return
        if all(to_number(name) is not None for name in names):
            raise UsageError(
                f"{path}: the first row holds numbers only; a header row of column names is needed, "
                "or --no-header if that row is a sample"
            )
        self.first_row = [name.strip() for name in names]
        self.columns = [name.strip() or f"column {j + 1}" for j, name in enumerate(names)]

    def batches(self) -> Iterator[list[pa.Array]]:
        with open_bytes(self.path, self.charset) as file:
            if self._header:
                read_line(file, self.path, self.charset)
            rows = read_rows(file, self.path, len(self.columns), self.delimiter, charset=self.charset)
            yield from rows if self.delimiter != ";" else map(_with_points, rows)


def _with_points(columns: list[pa.Array]) -> list[pa.Array]:
    return [pc.replace_substring_regex(column, _DECIMAL_COMMA, r"\1.\2") for column in columns]


def _header_names(path: Path, header: str, delimiter: str) -> list[str]:
    if "\r" in header:
        raise UsageError(f"{path}: its lines end with a carriage return alone; save it with LF or CR LF")
    try:
        return next(csv.reader([header], delimiter=delimiter))
    except csv.Error as error:
        raise UsageError(f"{path}: the first line is no header row ({error})") from None


class ParquetTable(Table):
    """A Parquet file; its row groups are read piece by piece."""

    def __init__(self, path: Path) -> None:
        open_bytes(path).close()
        self.name, self.path, self.declared = str(path), path, {}
        try:
            self.columns = pyarrow.parquet.ParquetFile(path).schema_arrow.names
        except pa.ArrowInvalid as error:
            raise UsageError(f"{path}: is not a Parquet file ({error})") from None

    def batches(self) -> Iterator[list[pa.Array]]:
        try:
            for batch in pyarrow.parquet.ParquetFile(self.path).iter_batches():
                yield batch.columns
        except (pa.ArrowInvalid, OSError) as error:
            raise UsageError(f"{self.path}: the data is damaged ({error})") from None


def load_numpy(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """X and y of an .npz, or of a file's only matrix, whose last column is the label. The matrix of an .npy
    is mapped, not read."""
    open_bytes(path).close()
    try:
        data = np.load(path, mmap_mode="r")
        if isinstance(data, np.lib.npyio.NpzFile):
            if "X" in data and "y" in data:
                return np.atleast_1d(data["X"]), np.atleast_1d(data["y"])
            if len(data.files) != 1:
                held = ", ".join(data.files) or "nothing"
                raise UsageError(f"{path}: arrays X and y are needed, or a single one; it holds {held}")
            data = data[data.files[0]]
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise UsageError(f"{path}: cannot be read as numpy data ({error})") from None
    if data.ndim != 2 or data.shape[1] < 2:
        raise UsageError(
            f"{path}: a matrix with the label in its last column is needed, not shape {data.shape}"
        )
    return data[:, :-1], data[:, -1]
