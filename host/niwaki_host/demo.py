"""The demo's run: a sensor is re-mounted in the middle of a stream, and the models in 8 KB learn on.

Each model learns the stream on the desktop and on the emulated Cortex-M3, where that is available. Beside
them the desktop runs what an inference-only library would do: the same model gets no label after the sensor
was moved.

Then the case of a device that nobody looks after: each model is taught some samples of each activity, one
activity after another, and left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki_host.evaluation.curves import sliding_accuracy
from niwaki_host.evaluation.metrics import accuracy
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.evaluation.telling import Telling
from niwaki_host.runtimes import Run, available, run

STREAM = "imu:rate=5,bout=10,drift=50%"  # 5 samples a second, about 10 of one activity: it lasts 2 seconds
MODELS = {"tree": "vfdt", "shrubs": "shrubs"}
BUDGET = 8192
SAMPLES = 8000
WINDOW = 300  # samples of each figure and of the picture's curves
RUNTIMES = ("numba", "cortex-m3")
LESSON_MODELS = {**MODELS, "grove": "grove"}
TEACH = 50  # samples of each activity that are taught

_WHERE = {"numba": "the desktop (compiled at first)", "cortex-m3": "the emulated Cortex-M3"}

# progress(samples done in all, what is under way)
Progress = Callable[[int, str], None]


@dataclass
class Part:
    """One model on one runtime; `frozen`: it was told no labels after the drift."""

    name: str
    runtime: str
    frozen: bool
    run: Run
    recent: NDArray[np.float64]  # accuracy of the last WINDOW samples, at each sample
    drift: int

    @property
    def before(self) -> float:
        return float(self.recent[self.drift - 1])

    @property
    def at(self) -> float:
        """Accuracy over the first WINDOW samples after the drift."""
        return float(self.recent[min(self.drift + WINDOW, len(self.recent)) - 1])

    @property
    def after(self) -> float:
        return float(self.recent[-1])

    def record(self) -> dict[str, Any]:
        result = self.run
        return {
            "model": MODELS[self.name],
            "runtime": self.runtime,
            "learns_after_drift": not self.frozen,
            "accuracy_before": self.before,
            "accuracy_at": self.at,
            "accuracy_after": self.after,
            "model_bytes": result.model_bytes,
            "instructions_per_learn": result.instructions_per_learn,
            "instructions_per_predict": result.instructions_per_predict,
            "peak_heap_bytes": result.peak_heap_bytes,
            "digest": result.digest,
        }


@dataclass
class Taught:
    """A model that was taught and left alone, on the desktop."""

    name: str
    taught: int
    asked: int
    accuracy: float

    def record(self) -> dict[str, Any]:
        return {
            "model": LESSON_MODELS[self.name],
            "taught": self.taught,
            "asked": self.asked,
            "accuracy": self.accuracy,
        }


@dataclass
class Demo:
    samples: Samples
    drift: int
    parts: list[Part] = field(default_factory=list)
    taught: list[Taught] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)  # runtime -> why

    def of(self, name: str, frozen: bool = False) -> list[Part]:
        return [part for part in self.parts if part.name == name and part.frozen == frozen]

    @property
    def equal(self) -> bool:
        """Same bytes and same predictions wherever a model ran."""
        return all(
            part.run.digest == first.run.digest
            and np.array_equal(part.run.predictions, first.run.predictions)
            for name in MODELS
            for first, *others in [self.of(name)]
            for part in others
        )


def prepare_demo(n_samples: int = SAMPLES) -> Demo:
    samples = prepare(Source(STREAM, n_samples, seed=1))
    missing = {name: why for name, why in available().items() if why and name in RUNTIMES}
    return Demo(samples, int(samples.drifts[0].position), skipped=missing)


def jobs(demo: Demo) -> Iterator[tuple[str, str, bool]]:
    """Name of the model, runtime, frozen: what has to run."""
    for name in MODELS:
        yield name, "numba", True
        for runtime in RUNTIMES:
            if runtime not in demo.skipped:
                yield name, runtime, False


def work_of(demo: Demo) -> int:
    """Samples to run through, over all jobs."""
    return len(list(jobs(demo))) * len(demo.samples.y) + len(LESSON_MODELS) * demo.drift


def run_demo(demo: Demo, progress: Progress | None = None) -> Demo:
    n = len(demo.samples.y)
    for k, (name, runtime, frozen) in enumerate(jobs(demo)):
        what = f"{name} on {_WHERE[runtime]}"
        if progress:
            progress(k * n, what)
        demo.parts.append(_run(demo, name, runtime, frozen, _shifted(progress, k * n, what)))
    done = len(demo.parts) * n
    for k, name in enumerate(LESSON_MODELS):
        if progress:
            progress(done + k * demo.drift, f"{name}, taught and left alone")
        demo.taught.append(_teach(demo, name))
    return demo


def _shifted(progress: Progress | None, start: int, what: str) -> Callable[[int], None] | None:
    return (lambda done: progress(start + done, what)) if progress else None


def _run(demo: Demo, name: str, runtime: str, frozen: bool, progress: Callable[[int], None] | None) -> Part:
    samples = demo.samples
    labels = samples.y.copy()
    if frozen:
        labels[demo.drift :] = -1
    result = run(
        runtime,
        MODELS[name],
        _shape(samples),
        samples.X,
        labels,
        measure=runtime == "cortex-m3",
        progress=progress,
    )
    recent = sliding_accuracy(samples.y, result.predictions, WINDOW)
    return Part(name, runtime, frozen, result, recent, demo.drift)


def _teach(demo: Demo, name: str) -> Taught:
    """Samples of the first quarter are taught, those of the second asked: the sensor stays where it is."""
    samples = demo.samples
    X, y = samples.X[: demo.drift], samples.y[: demo.drift]
    taught, asked = Telling(teach=TEACH).lesson(y, samples.unready)
    result = run("numba", LESSON_MODELS[name], _shape(samples), X, y, lesson=(taught, asked))
    return Taught(name, len(taught), len(asked), accuracy(y[asked], result.predictions[asked]))


def _shape(samples: Samples) -> dict[str, Any]:
    return {"n_features": samples.n_features, "n_classes": samples.n_classes, "budget": BUDGET}
