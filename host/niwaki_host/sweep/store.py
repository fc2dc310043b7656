"""Where a sweep's results are kept: a journal that survives a crash, a columnar file to work with.

`journal.jsonl` gets one line per finished run, flushed to the disk before the next; a line that was cut
off by a crash is dropped. `results.parquet` holds the same rows as columns. A new version is written beside
the old one and renamed over it, so that a reader always finds a whole file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from niwaki_host.errors import UsageError

JOURNAL = "journal.jsonl"
RESULTS = "results.parquet"

_TEXT, _INT, _REAL = pa.string(), pa.int64(), pa.float64()
SCHEMA = pa.schema(
    [
        ("key", _TEXT),
        ("status", _TEXT),  # ok; refused: the model cannot be built so; failed: will be tried again
        ("error", _TEXT),
        ("stream", _TEXT),
        ("model", _TEXT),
        ("runtime", _TEXT),
        ("seed", _INT),
        ("samples", _INT),
        ("features", _INT),
        ("classes", _INT),
        ("budget_bytes", _INT),
        ("model_bytes", _INT),
        ("accuracy", _REAL),
        ("kappa", _REAL),
        ("kappa_m", _REAL),
        ("kappa_m_global", _REAL),
        ("kappa_t", _REAL),
        ("mean_running_accuracy", _REAL),
        ("nodes", _INT),
        ("leaves", _INT),
        ("features_used", _INT),
        ("learned", _INT),
        ("seconds", _REAL),
        ("samples_per_second", _REAL),
        ("ram_hours", _REAL),
        ("heap_bytes", _INT),
        ("peak_heap_bytes", _INT),
        ("instructions_per_learn", _REAL),
        ("instructions_per_predict", _REAL),
        ("max_instructions_per_learn", _INT),
        ("digest", _TEXT),
        ("encoding", _TEXT),
        ("delay", _INT),
        ("delay_most", _INT),
        ("labelled", _REAL),
        ("labelled_first", _INT),
        ("teach", _INT),
        ("teach_order", _TEXT),
        ("taught", _INT),
        ("judged", _INT),
        ("settings", _TEXT),  # JSON
        ("code", _TEXT),
    ]
)


class Store:
    """The results in a directory, for one sweep at a time; a context manager."""

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        self.rows: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> Store:
        self.directory.mkdir(parents=True, exist_ok=True)
        self._file = open(self.directory / JOURNAL, "a+b")
        try:
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # Windows has no fcntl: two sweeps to one place get no warning there
            pass
        except BlockingIOError:
            self._file.close()
            raise UsageError(
                f"{self.directory}: another sweep is writing there; choose another --out"
            ) from None
        self._recover()
        return self

    def __exit__(self, *_exception: Any) -> None:
        self.write_results()
        self._file.close()

    def _recover(self) -> None:
        """Read the journal; cut off what a crash left unfinished."""
        self._file.seek(0)
        data = self._file.read()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            self._file.truncate(whole)
        for line in data[:whole].splitlines():
            try:
                row = json.loads(line)
                self.rows[row["key"]] = row
            except (ValueError, KeyError, TypeError):
                raise UsageError(
                    f"{self.directory / JOURNAL} is not a sweep's journal; choose another --out"
                ) from None

    def add(self, row: dict[str, Any]) -> None:
        """Keep a row; it is on the disk when this returns."""
        self.rows[row["key"]] = row
        self._file.write(json.dumps(row, allow_nan=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def done(self, key: str) -> bool:
        """Whether the run with this key needs no repeating: it has a result, or the model was refused."""
        return key in self.rows and self.rows[key]["status"] != "failed"

    def table(self, keys: Iterable[str] | None = None) -> pa.Table:
        """The rows as columns: all that are kept, or those of `keys` that are there."""
        wanted = self.rows if keys is None else [key for key in keys if key in self.rows]
        rows = [self.rows[key] for key in wanted]
        return pa.Table.from_pylist([{name: row.get(name) for name in SCHEMA.names} for row in rows], SCHEMA)

    def frame(self, keys: Iterable[str] | None = None) -> pd.DataFrame:
        return self.table(keys).to_pandas()

    def write_results(self) -> Path:
        path = self.directory / RESULTS
        partial = path.with_suffix(".partial")
        pq.write_table(self.table(), partial)
        partial.replace(path)
        return path
