"""What every classifier must beat: the last label, and the most frequent one so far."""

from __future__ import annotations

import numpy as np

from niwaki_host.compare.peer import Peer, Result, loop
from niwaki_host.evaluation.curves import points
from niwaki_host.evaluation.samples import Samples
from niwaki_host.evaluation.telling import Telling


def no_change(samples: Samples, telling: Telling, every: int = 0) -> Result:
    """The label that came last (class 0 before any)."""
    latest = [0]
    predictions, seconds = loop(
        samples, telling, int, lambda _row: latest[0], lambda _row, y: latest.__setitem__(0, y)
    )
    return Result(predictions, None, seconds, [None] * len(points(len(samples.y), every)))


def majority(samples: Samples, telling: Telling, every: int = 0) -> Result:
    """The most frequent label before each sample; of equally frequent ones the lowest class."""
    counts = np.zeros(samples.n_classes, np.int64)

    def count(_row: int, y: int) -> None:
        counts[y] += 1

    predictions, seconds = loop(samples, telling, int, lambda _row: int(counts.argmax()), count)
    return Result(predictions, None, seconds, [None] * len(points(len(samples.y), every)))


def baselines() -> list[Peer]:
    return [Peer("no change", "baseline", no_change), Peer("majority", "baseline", majority)]
