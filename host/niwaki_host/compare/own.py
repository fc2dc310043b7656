"""Our own models, at the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial

import numpy as np

from niwaki_host.compare.peer import Peer, Result, Telling
from niwaki_host.evaluation.curves import points
from niwaki_host.evaluation.experiment import Task, simulate
from niwaki_host.evaluation.samples import Samples, Source
from niwaki_host.sizes import format_size


def _run(task: Task, samples: Samples, telling: Telling, every: int) -> Result:
    told = {field.name: getattr(telling, field.name) for field in fields(telling) if field.name != "seed"}
    outcome = simulate(replace(task, **told), samples)
    run = outcome.run
    # A model takes its bytes when it is made, and keeps them.
    sizes: list[int | None] = [run.model_bytes] * len(points(len(samples.y), every))
    return Result(run.predictions.astype(np.int64), run.model_bytes, run.seconds, sizes)


def own_models(source: Source, models: Sequence[str], budget: int, runtime: str) -> list[Peer]:
    return [
        Peer(f"{model} {format_size(budget)}", "niwaki", partial(_run, Task(source, model, budget, runtime)))
        for model in models
    ]
