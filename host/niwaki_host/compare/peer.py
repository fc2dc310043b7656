"""What a comparison consists of: classifiers by family, each run test-then-train over the same codes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki_host.evaluation import metrics
from niwaki_host.evaluation.experiment import visible_labels
from niwaki_host.evaluation.samples import Samples


@dataclass
class Result:
    """Predictions, the bytes of the trained model (None where nobody can say) and the seconds it took."""

    predictions: NDArray[np.int64]
    nbytes: int | None
    seconds: float


@dataclass(frozen=True)
class Telling:
    """Which labels a classifier is told, and how late. All of them get the same."""

    delay: int = 0
    labelled: float = 1.0
    seed: int | None = None

    @property
    def plain(self) -> bool:
        return not self.delay and self.labelled >= 1

    def describe(self) -> str:
        """For a title; nothing where every label is told at once."""
        late = f", labels {self.delay:,} samples late" if self.delay else ""
        return late + (f", {self.labelled:.0%} of the labels told" if self.labelled < 1 else "")

    def after(self, samples: Samples) -> NDArray[np.int16]:
        """The label that is told after each sample, that of the sample `delay` earlier; -1 for none."""
        shown = visible_labels(samples.y, self.labelled, self.seed)
        late = min(self.delay, len(shown))
        return np.concatenate([np.full(late, -1, np.int16), shown[: len(shown) - late]])

    def known(self, samples: Samples) -> NDArray[np.int64]:
        """What has been told when a sample is to be predicted: the label that came last, -1 for none."""
        return np.concatenate([[-1], self.after(samples)[:-1]]).astype(np.int64)


AT_ONCE = Telling()


@dataclass(frozen=True)
class Peer:
    name: str
    family: str
    run: Callable[[Samples, Telling], Result]


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
    samples: Samples,
    telling: Telling,
    rows: Any,
    predict: Callable[[Any], int | None],
    learn: Callable[[Any, int], object],
) -> tuple[NDArray[np.int64], float]:
    """Test then train over `rows`, one per sample; a classifier that abstains gives None."""
    predictions = np.full(len(samples.y), -1, np.int64)
    waiting: deque[Any] = deque(maxlen=telling.delay + 1)  # for their labels; the oldest is first
    start = time.perf_counter()
    for t, (x, y) in enumerate(zip(rows, telling.after(samples).tolist(), strict=True)):
        guess = predict(x)
        if guess is not None:
            predictions[t] = guess
        waiting.append(x)
        if y >= 0:
            learn(waiting[0], y)
    return predictions, time.perf_counter() - start
