"""What a comparison consists of: classifiers by family, each run test-then-train over the same codes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki_host.evaluation import metrics
from niwaki_host.evaluation.samples import Samples


@dataclass
class Result:
    """Predictions, the bytes of the trained model (None where nobody can say) and the seconds it took."""

    predictions: NDArray[np.int64]
    nbytes: int | None
    seconds: float


@dataclass(frozen=True)
class Peer:
    name: str
    family: str
    run: Callable[[Samples], Result]


# How each family's bytes were found; a comparison of sizes is worth as much as this.
HOW_BYTES = {
    "niwaki": "byte model of the device (32-bit MicroPython), everything included",
    "river": "river's own count of its Python objects",
    "MOA": "MOA's own measurement (measureByteSize with its sizeof agent); of Shrubs, which is Python, the "
    "arrays of its trees and its window",
    "baseline": "a few bytes, not counted",
}


def row(peer: Peer, result: Result, samples: Samples, budget: int) -> dict[str, Any]:
    scores = metrics.summary(samples.y, result.predictions)
    return {
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
        "samples_per_second": len(samples.y) / result.seconds if result.seconds > 0 else None,
    }


def loop(
    samples: Samples, rows: Any, predict: Callable[[Any], int | None], learn: Callable[[Any, int], object]
) -> tuple[NDArray[np.int64], float]:
    """Test then train over `rows`, one per sample; a classifier that abstains gives None."""
    predictions = np.full(len(samples.y), -1, np.int64)
    start = time.perf_counter()
    for t, (x, y) in enumerate(zip(rows, samples.y.tolist(), strict=True)):
        guess = predict(x)
        if guess is not None:
            predictions[t] = guess
        if y >= 0:
            learn(x, y)
    return predictions, time.perf_counter() - start
