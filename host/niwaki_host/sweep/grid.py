"""What a sweep consists of, and how a finished run is recognised."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from niwaki_host.evaluation.experiment import Task
from niwaki_host.evaluation.samples import Source


def grid(
    sources: Sequence[Source],
    models: Sequence[str],
    budgets: Sequence[int],
    seeds: Sequence[int] = (1,),
    **common: Any,
) -> list[Task]:
    """Every combination, stream by stream, so that a worker reads a stream once for many runs.

    A seed decides what a generator gives; a file is the same for each, so it is run for the first only,
    unless the seed also decides about labels.
    """
    tasks = []
    for source in sources:
        fixed = Path(source.stream).exists() and not Task(source, **common).telling.drawn
        for seed in seeds[:1] if fixed else seeds:
            seeded = dataclasses.replace(source, seed=seed)
            for budget in budgets:
                tasks += [Task(seeded, model, budget, **common) for model in models]
    return tasks


@cache
def code_version() -> str:
    """A hash of the device package's source: results of other code are not this code's results."""
    import niwaki

    digest = hashlib.sha256()
    for path in sorted(Path(niwaki.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def key(task: Task) -> str:
    """Equal for two tasks exactly if they must give the same result."""
    files = filter(Path.is_file, map(Path, (task.source.stream, task.source.encoding)))
    state = [[path.stat().st_size, path.stat().st_mtime_ns] for path in files]
    text = json.dumps([dataclasses.asdict(task), state, code_version()], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]
