"""What a comparison consists of: classifiers by family, each run test-then-train over the same codes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki_host.evaluation import curves, metrics
from niwaki_host.evaluation.samples import Samples
from niwaki_host.evaluation.telling import AT_ONCE, Telling
from niwaki_host.runtimes.events import ASK, LABEL_MASK, VERB_SHIFT, pieces


@dataclass
class Result:
    """Predictions, the bytes of the trained model (None where nobody can say) and the seconds it took."""

    predictions: NDArray[np.int64]
    nbytes: int | None
    seconds: float
    sizes: list[int | None] = field(default_factory=list)
    """Bytes at each point of the curve, where one was asked for."""


class Sizes:
    """Asks a classifier for its bytes at each multiple of `every` samples; 0: never."""

    def __init__(self, every: int, measure: Callable[[], int | None]) -> None:
        self.every, self.measure = every, measure
        self.found: list[int | None] = []
        self.seconds = 0.0
        """What asking took, which is no part of learning."""

    def look(self, done: int) -> None:
        if self.every and done % self.every == 0:
            start = time.perf_counter()
            self.found.append(self.measure())
            self.seconds += time.perf_counter() - start

    def to_the_end(self, n: int) -> list[int | None]:
        """All that was measured, with a last point where the stream ends between two others."""
        if self.every and n % self.every:
            self.found.append(self.measure())
        return self.found


@dataclass(frozen=True)
class Peer:
    name: str
    family: str
    run: Callable[[Samples, Telling, int], Result]
    """With the interval of curves, 0 for none."""


# How each family's bytes were found: a reader must know this to judge a comparison of sizes.
HOW_BYTES = {
    "niwaki": "byte model of the device (32-bit MicroPython), everything included",
    "scikit-learn": "the pickled classifier",
    "river": "river's own count of its Python objects",
    "MOA": "MOA's own measurement (measureByteSize with its sizeof agent); of Shrubs, which is Python, the "
    "arrays of its trees and its window",
    "baseline": "a few bytes, not counted",
}


def row(
    peer: Peer, result: Result, samples: Samples, budget: int, telling: Telling = AT_ONCE, every: int = 0
) -> dict[str, Any]:
    y, p = samples.y, result.predictions
    if telling.teach:
        _taught, asked = telling.lesson(y, samples.unready)
        y, p = y[asked], p[asked]
    scores = metrics.summary(y, p)
    found: dict[str, Any] = {
        "name": peer.name,
        "family": peer.family,
        "accuracy": scores["accuracy"],
        "kappa": scores["kappa"],
        "kappa_m": scores["kappa_m"],
        "kappa_t": scores["kappa_t"],
        "bytes": result.nbytes,
        "times_budget": result.nbytes / budget if result.nbytes else None,
        "ram_hours": metrics.ram_hours(result.nbytes, result.seconds) if result.nbytes else None,
        "seconds": result.seconds,
        "samples_per_second": len(y) / result.seconds if result.seconds > 0 else None,
    }
    if every:
        course = curves.curve(y, p, every)
        names = ("at", "accuracy", "window_accuracy")
        found["curve"] = {name: course[name] for name in names} | {"bytes": result.sizes}
    return found


def loop(
    samples: Samples,
    telling: Telling,
    sample: Callable[[int], Any],
    predict: Callable[[Any], int | None],
    learn: Callable[[Any, int], object],
    sizes: Sizes | None = None,
) -> tuple[NDArray[np.int64], float]:
    """Ask and teach as `telling` says, with `sample(row)` for each row; None from `predict` is no answer."""
    predictions = np.full(len(samples.y), -1, np.int64)
    last, x, asked = -1, None, 0
    start = time.perf_counter()
    for piece in pieces(telling.script(samples.y, samples.unready)):
        for code, row in zip(piece.codes.tolist(), piece.rows.tolist(), strict=True):
            if row != last:
                last, x = row, sample(row)
            if code >> VERB_SHIFT != ASK:
                learn(x, code & LABEL_MASK)
                continue
            if sizes and asked:  # all samples before this question are learned by now
                sizes.look(asked)
            asked += 1
            if (guess := predict(x)) is not None:
                predictions[row] = guess
    if sizes:
        sizes.look(asked)
    return predictions, time.perf_counter() - start - (sizes.seconds if sizes else 0)
