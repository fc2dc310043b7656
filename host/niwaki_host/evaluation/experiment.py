"""One run: a model in its budget over a stream, and everything that is reported about the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki_host.device import models
from niwaki_host.errors import DeviceError, UsageError
from niwaki_host.evaluation import curves, metrics
from niwaki_host.evaluation.features import features_used
from niwaki_host.evaluation.over_time import Note, Ranking, noter, sizes
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.evaluation.telling import ORDERS, Telling
from niwaki_host.runtimes import COUNTED, DESKTOP, Run, run
from niwaki_host.runtimes.result import set_state
from niwaki_host.streams.fold import MOST_VALUES

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
    delay_most: int | None = None
    labelled: float = 1.0
    labelled_first: int | None = None
    teach: int = 0
    teach_order: str = ORDERS[0]
    self_train: int = 0
    every: int = 0
    window: int = curves.WINDOW
    heap: int | None = None

    @property
    def telling(self) -> Telling:
        """How labels come."""
        names = (field.name for field in fields(Telling) if field.name != "seed")
        return Telling(**{name: getattr(self, name) for name in names}, seed=self.source.seed)


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
    if any(samples.nominal) and models.takes_nominal(task.model):
        params["nominal"] = _nominal(samples)
    return {**params, **dict(task.settings)}


def _nominal(samples: Samples) -> list[int]:
    """Per feature its number of values; at least two, because a tree takes no less."""
    for name, values in zip(samples.feature_names, samples.nominal, strict=True):
        if values > MOST_VALUES:
            raise UsageError(
                f"column {name!r} has {values:,} different texts, and a tree takes {MOST_VALUES} values of a "
                "nominal feature: leave it out (--drop), or fold it (--fold)"
            )
    return [max(values, 2) if values else 0 for values in samples.nominal]


def final_model(task: Task, outcome: Outcome) -> Any:
    """The model as the run left it, whatever runtime it ran on."""
    run = outcome.run
    if run.ensemble:
        return run.ensemble
    model = models.build(task.model, **parameters(task, outcome.samples))
    set_state(model, run.words.tobytes(), run.halves.tobytes(), run.octets.tobytes())
    return model


def check_telling(task: Task) -> None:
    """Refuse options that do not go together; a Telling checks its own options itself."""
    if task.teach and task.self_train:
        raise UsageError("--teach freezes the model, and --self-train would go on: leave one of them out")


def simulate(
    task: Task,
    samples: Samples | None = None,
    progress: Callable | None = None,
    measure: bool = True,
    importances: str | None = None,
) -> Outcome:
    """Run the task. Every sample is judged, even if its label comes late or never; with `teach` only the
    samples that are asked after the lesson.

    `measure` counts instructions on the Cortex-M3. Counting needs some heap: a run with no heap to spare must
    do without.
    `importances`, mpg or mdi, are ranked at each point of the curves.
    """
    samples = samples or prepare(task.source)
    check_telling(task)
    note = noter(importances) if task.every else None
    result = _run(
        task,
        samples,
        heap=task.heap,
        measure=measure and task.runtime in COUNTED,
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
    telling = task.telling
    ways = {"every": task.every, "self_train": task.self_train, **options}
    if telling.teach:
        ways["lesson"] = telling.lesson(samples.y, samples.unready)
    else:
        ways["delay"] = telling.delays(len(samples.y))
    shape = parameters(task, samples)
    return run(task.runtime, task.model, shape, samples.X, telling.shown(samples.y), **ways)


def _notes(task: Task, outcome: Outcome, note: Callable[[Any], Note]) -> list[Note]:
    """The notes on the way. On a device they would disturb the run, so numba repeats it, byte for byte."""
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
    n = steps = len(samples.y)
    seconds = float(result.seconds)
    telling, y, p = task.telling, samples.y, result.predictions
    taught = asked = np.zeros(0, np.int64)
    if telling.teach:
        taught, asked = telling.lesson(y, samples.unready)
        y, p, steps = y[asked], p[asked], len(taught) + len(asked)
    scores = metrics.summary(y, p)
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
        "samples_per_second": steps / seconds if seconds > 0 else None,
        "digest": result.digest,
        **scores,
        "majority_accuracy": metrics.majority_accuracy(y),
        "no_change_accuracy": metrics.no_change_accuracy(y),
        "features_used": features_used(result.ensemble or result),
        "learned": int(result.samples),
        "unlabelled": int((samples.y < 0).sum()),
        "ram_hours": metrics.ram_hours(result.model_bytes, seconds),
        "encoding": samples.encoding,
        "settings": dict(task.settings),
        "delay": task.delay,
        "delay_most": task.delay_most,
        "labelled": task.labelled,
        "labelled_first": task.labelled_first,
        "teach": task.teach,
        "self_train": task.self_train,
        "seed": task.source.seed,
    }
    if telling.teach:
        record.update(teach_order=telling.teach_order, taught=len(taught), judged=len(asked))
        missed = np.setdiff1d(samples.y[asked], samples.y[taught])  # they come in the second half only
        record["untaught"] = [samples.class_names[label] for label in missed]
    for name in ("heap_bytes", "peak_heap_bytes", *INSTRUCTIONS):
        if getattr(result, name) is not None:
            record[name] = getattr(result, name)
    return record
