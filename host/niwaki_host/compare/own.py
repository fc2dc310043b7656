"""Our own models, at the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial

import numpy as np

from niwaki_host.compare.peer import Peer, Result, Telling
from niwaki_host.evaluation.experiment import Task, simulate
from niwaki_host.evaluation.samples import Samples, Source
from niwaki_host.sizes import format_size


def _run(task: Task, samples: Samples, telling: Telling) -> Result:
    told = {field.name: getattr(telling, field.name) for field in fields(telling) if field.name != "seed"}
    outcome = simulate(replace(task, **told), samples)
    return Result(outcome.run.predictions.astype(np.int64), outcome.run.model_bytes, outcome.run.seconds)


def own_models(source: Source, models: Sequence[str], budget: int, runtime: str) -> list[Peer]:
    return [
        Peer(f"{model} {format_size(budget)}", "niwaki", partial(_run, Task(source, model, budget, runtime)))
        for model in models
    ]
