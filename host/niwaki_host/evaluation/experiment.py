"""One run: a model in its budget over a stream, and everything that is said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki_host.device import models
from niwaki_host.errors import DeviceError, UsageError
from niwaki_host.evaluation import curves, metrics
from niwaki_host.evaluation.features import features_used
from niwaki_host.evaluation.over_time import Note, Ranking, noter, sizes
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.runtimes import DESKTOP, Run, run
from niwaki_host.runtimes.result import set_state

MOST_VALUES = 255  # of a tree's nominal feature
INSTRUCTIONS = ("instructions_per_learn", "instructions_per_predict", "max_instructions_per_learn")


@dataclass(frozen=True)
class Task:
    """What to run. It can be written down, hashed and sent to another process."""

    source: Source
    model: str = "vfdt"
    budget: int = 8192
    runtime: str = "numba"
    settings: tuple[tuple[str, Any], ...] = ()
    delay: int = 0
    labelled: float = 1.0
    self_train: int = 0
    every: int = 0
    window: int = curves.WINDOW
    heap: int | None = None


@dataclass
class Outcome:
    """The record of a run (the fields of `--json`), with the run, its samples and its curves."""

    record: dict[str, Any]
    run: Run
    samples: Samples
    curve: dict[str, NDArray] = field(default_factory=dict)
    ranking: Ranking | None = None


def parameters(task: Task, samples: Samples) -> dict[str, Any]:
    """What the model's constructor gets. Only trees treat nominal features in their own way."""
    params: dict[str, Any] = {
        "n_features": samples.n_features,
        "n_classes": samples.n_classes,
        "budget": task.budget,
    }
    if any(samples.nominal) and models.resolve(task.model, {})[0] == "Tree":
        params["nominal"] = _nominal(samples)
    return {**params, **dict(task.settings)}


def _nominal(samples: Samples) -> list[int]:
    """Per feature its number of values. A tree has room for two at least, where a stream shows but one."""
    for name, values in zip(samples.feature_names, samples.nominal, strict=True):
        if values > MOST_VALUES:
            raise UsageError(
                f"column {name!r} has {values:,} different texts, and a tree takes {MOST_VALUES} values of a "
                "nominal feature: leave it out (--drop)"
            )
    return [max(values, 2) if values else 0 for values in samples.nominal]


def final_model(task: Task, outcome: Outcome) -> Any:
    """The model as the run left it, whatever runtime it ran on."""
    model = models.build(task.model, **parameters(task, outcome.samples))
    run = outcome.run
    set_state(model, run.words.tobytes(), run.halves.tobytes(), run.octets.tobytes())
    return model


def visible_labels(y: NDArray[np.int16], labelled: float, seed: int | None) -> NDArray[np.int16]:
    """The labels that the model is told: each with probability `labelled`, the same ones for a seed."""
    if labelled >= 1:
        return y
    shown = np.random.default_rng((seed or 0) % 2**64).random(len(y)) < labelled
    return np.where(shown, y, -1).astype(np.int16)


def simulate(
    task: Task,
    samples: Samples | None = None,
    progress: Callable | None = None,
    measure: bool = True,
    importances: str | None = None,
) -> Outcome:
    """Run the task. Every sample is judged, also those whose label comes late or never.

    Measuring (instructions, on the Cortex-M3) needs a little heap of its own: not for runs at the limit.
    `importances`, mpg or mdi, are ranked at each point of the curves.
    """
    samples = samples or prepare(task.source)
    note = noter(importances) if task.every else None
    result = _run(
        task,
        samples,
        heap=task.heap,
        measure=measure and task.runtime == "cortex-m3",
        progress=progress,
        note=note if task.runtime in DESKTOP else None,
    )
    outcome = Outcome(_record(task, samples, result), result, samples)
    if note:
        outcome.curve = curves.curve(samples.y, result.predictions, task.every, task.window)
        at = outcome.curve["at"]
        notes = [*_notes(task, outcome, note), note(final_model(task, outcome))][: len(at)]
        outcome.curve.update(sizes(at, result, notes))
        if importances:
            scores = np.array([found.importances for found in notes])
            outcome.ranking = Ranking(importances, samples.feature_names, at, scores)
    return outcome


def _run(task: Task, samples: Samples, **options: Any) -> Run:
    labels = visible_labels(samples.y, task.labelled, task.source.seed)
    shape = parameters(task, samples)
    ways = {"delay": task.delay, "every": task.every, "self_train": task.self_train, **options}
    return run(task.runtime, task.model, shape, samples.X, labels, **ways)


def _notes(task: Task, outcome: Outcome, note: Callable[[Any], Note]) -> list[Note]:
    """What was noted on the way. A device is not disturbed for it: numba goes the same way, byte for byte."""
    if task.runtime in DESKTOP:
        return outcome.run.noted
    twin = _run(replace(task, runtime="numba"), outcome.samples, note=note)
    if twin.digest != outcome.run.digest:
        raise DeviceError(
            f"{task.runtime} and numba did not end with the same bytes ({outcome.run.digest}, {twin.digest}):"
            " there are no curves of the model; see niwaki verify"
        )
    return twin.noted


def _record(task: Task, samples: Samples, result: Run) -> dict[str, Any]:
    n, seconds = len(samples.y), float(result.seconds)
    scores = metrics.summary(samples.y, result.predictions)
    record = {
        "stream": task.source.stream,
        "model": task.model,
        "runtime": task.runtime,
        "samples": n,
        "features": samples.n_features,
        "classes": samples.n_classes,
        "budget_bytes": int(result.budget_bytes),
        "model_bytes": int(result.model_bytes),
        "accuracy": scores.pop("accuracy"),
        "kappa_m": scores.pop("kappa_m"),
        "kappa_t": scores.pop("kappa_t"),
        "nodes": int(result.nodes),
        "leaves": int(result.leaves),
        "seconds": seconds,
        "samples_per_second": n / seconds if seconds > 0 else None,
        "digest": result.digest,
        **scores,
        "features_used": features_used(result),
        "learned": int(result.samples),
        "ram_hours": metrics.ram_hours(result.model_bytes, seconds),
        "encoding": samples.encoding,
        "settings": dict(task.settings),
        "delay": task.delay,
        "labelled": task.labelled,
        "self_train": task.self_train,
        "seed": task.source.seed,
    }
    for name in ("heap_bytes", "peak_heap_bytes", *INSTRUCTIONS):
        if getattr(result, name) is not None:
            record[name] = getattr(result, name)
    return record
