"""One run of a sweep, as a worker does it; its answer is a row of the results, whatever happens."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from niwaki_host.errors import RuntimeMissing, UsageError
from niwaki_host.evaluation.experiment import Task, simulate
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.sweep.grid import code_version, key


@lru_cache(maxsize=2)
def _samples(source: Source) -> Samples:
    """The stream in memory, while this worker has runs on it."""
    return prepare(source)


def identity(task: Task) -> dict[str, Any]:
    """The columns of a row that are known before its run."""
    return {
        "key": key(task),
        "stream": task.source.stream,
        "model": task.model,
        "runtime": task.runtime,
        "seed": task.source.seed,
        "budget_bytes": task.budget,
        "code": code_version(),
    }


def work(task: Task) -> dict[str, Any]:
    row, samples = identity(task), None
    try:
        samples = _samples(task.source)
        record = simulate(task, samples).record
    except UsageError as error:
        # A file or a runtime that this worker lacks may be there next time, so try again then. But a model
        # that can't be built now can't be built next time.
        refused = samples is not None and not isinstance(error, RuntimeMissing)
        return {**row, "status": "refused" if refused else "failed", "error": str(error)}
    except Exception as error:
        return {**row, "status": "failed", "error": f"{type(error).__name__}: {error}"}
    return {**record, **row, "status": "ok", "settings": json.dumps(record["settings"])}
