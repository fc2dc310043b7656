"""The runs that a sweep consists of, and the key that recognises a finished run."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from niwaki_host.evaluation.experiment import Task
from niwaki_host.evaluation.samples import Source
from niwaki_host.sweep.random_search import draw


def grid(
    sources: Sequence[Source],
    models: Sequence[str],
    budgets: Sequence[int],
    seeds: Sequence[int] = (1,),
    search: tuple[int, int] | None = None,
    **common: Any,
) -> list[Task]:
    """Every combination, stream by stream, so that a worker reads a stream once for many runs.

    A seed decides what a generator gives. A file is the same for each seed, so it is run with the first seed
    only, unless the seed also decides which labels are told.

    `search` is a number of random settings for each model, and their seed. Each setting is run with one of
    the budgets; the settings in `common` are not drawn.
    """
    tasks = []
    for source in sources:
        fixed = Path(source.stream).exists() and not Task(source, **common).telling.drawn
        for seed in seeds[:1] if fixed else seeds:
            seeded = dataclasses.replace(source, seed=seed)
            if search:
                tasks += _searched(seeded, models, budgets, search, common)
                continue
            for budget in budgets:
                tasks += [Task(seeded, model, budget, **common) for model in models]
    return tasks


def _searched(
    source: Source,
    models: Sequence[str],
    budgets: Sequence[int],
    search: tuple[int, int],
    common: dict[str, Any],
) -> list[Task]:
    tasks = []
    for model in models:
        for number in range(search[0]):
            budget, drawn = draw(model, number, search[1], budgets)
            settings = tuple({**dict(drawn), **dict(common.get("settings", ()))}.items())
            tasks.append(Task(source, model, budget, **{**common, "settings": settings}))
    return list(dict.fromkeys(tasks))


@cache
def code_version() -> str:
    """A hash of the models' source: when the code changes, results of the old code count no more."""
    import niwaki
    from niwaki_host import ensembles

    digest = hashlib.sha256()
    paths = [sorted(Path(str(module.__file__)).parent.rglob("*.py")) for module in (niwaki, ensembles)]
    for path in itertools.chain(*paths):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def key(task: Task) -> str:
    """Equal for two tasks exactly if they must give the same result."""
    files = filter(Path.is_file, map(Path, (task.source.stream, task.source.encoding)))
    state = [[path.stat().st_size, path.stat().st_mtime_ns] for path in files]
    text = json.dumps([dataclasses.asdict(task), state, code_version()], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]
