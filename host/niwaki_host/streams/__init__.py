"""Streams of samples: generators with exact seeds, and files of any size.

s = open_stream("sea:function=1,noise=10", limit=20000)
X, y = s.read()
"""

from pathlib import Path

from niwaki_host.errors import UsageError
from niwaki_host.streams.arff import ArffTable
from niwaki_host.streams.base import ArrayStream, Drift, Stream, with_room
from niwaki_host.streams.files import CsvTable, ParquetTable, load_numpy
from niwaki_host.streams.memory import from_arrays, from_frame
from niwaki_host.streams.opened import OPENERS
from niwaki_host.streams.packages import open_package
from niwaki_host.streams.registry import GENERATORS, PRESETS
from niwaki_host.streams.synthetic import generate
from niwaki_host.streams.tabular import Columns, Table, TableStream

__all__ = [
    "GENERATORS",
    "PRESETS",
    "ArrayStream",
    "Drift",
    "Stream",
    "from_arrays",
    "from_frame",
    "open_stream",
]

TABLES = {".csv": CsvTable, ".tsv": CsvTable, ".arff": ArffTable, ".parquet": ParquetTable}
NUMPY = (".npy", ".npz")
PACKED = tuple(OPENERS)


def open_stream(
    spec: str | Path,
    limit: int | None = None,
    *,
    seed: int | None = None,
    label: str | int | None = None,
    classes: int | None = None,
    nominal: Columns | None = None,
    drop: Columns | None = None,
    header: bool = True,
    charset: str | None = None,
) -> Stream:
    """The stream that `spec` names: a file, a generator, or a real stream of a package.

    `limit` stops it early. `seed` is for a generator whose spec names none. `classes` is the most classes
    allowed, with room left for those that are not seen. For tables: `label` is the label's column (name or
    number; the last by default), `nominal` and `drop` name columns. `header=False` is for a CSV without names
    of columns, `charset` (`latin-1`) for texts that are not UTF-8.
    """
    if not str(spec):
        raise UsageError("the stream's name is empty; niwaki streams lists what there is")
    if limit is not None and limit < 1:
        raise UsageError(f"limit {limit}: at least one sample is needed")
    suffixes = [suffix for suffix in Path(spec).suffixes if suffix.lower() not in PACKED]
    kind = suffixes[-1].lower() if suffixes else ""
    if kind in TABLES:
        return TableStream(_table(Path(spec), kind, header, charset), limit, label, classes, nominal, drop)
    if not header or charset:
        raise UsageError(f"{spec}: --no-header and the encoding of texts are for tables of texts")
    if label is not None or nominal or drop:
        raise UsageError(f"{spec}: label, nominal and drop are for {', '.join(TABLES)} files")
    stream = _open_other(str(spec), kind, limit, seed)
    if classes is not None and stream.n_classes > classes:
        raise UsageError(f"{spec}: {stream.n_classes} classes, more than the {classes} asked for")
    stream.class_names = with_room(stream.class_names, classes)
    return stream


def _table(path: Path, kind: str, header: bool, charset: str | None) -> Table:
    make = TABLES[kind]
    if make is CsvTable:
        return CsvTable(path, charset, header)
    if not header:
        raise UsageError(f"{path}: --no-header is for .csv and .tsv files")
    if make is ArffTable:
        return ArffTable(path, charset)
    if charset:
        raise UsageError(f"{path}: texts in Parquet are always UTF-8: leave out --encoding {charset}")
    return ParquetTable(path)


def _open_other(spec: str, kind: str, limit: int | None, seed: int | None) -> Stream:
    if kind in NUMPY:
        X, y = load_numpy(Path(spec))
        return from_arrays(X[:limit], y[:limit], spec)
    if Path(spec).is_dir():
        raise UsageError(f"{spec}: is a directory, not a file")
    if Path(spec).exists():
        known, packed = ", ".join([*TABLES, *NUMPY]), ", ".join(PACKED)
        raise UsageError(f"{spec}: a file of an unknown kind; known are {known}, also with {packed}")
    if spec.split(":")[0] in ("river", "seglearn"):
        return open_package(spec, limit)
    return generate(spec, limit, seed)
