"""What every classifier must beat: the last label, and the most frequent one so far."""

from __future__ import annotations

import time

import numpy as np

from niwaki_host.compare.peer import Peer, Result, Telling
from niwaki_host.evaluation.samples import Samples


def no_change(samples: Samples, telling: Telling) -> Result:
    """The label that came last (class 0 before any)."""
    start = time.perf_counter()
    told = telling.known(samples)
    latest = np.maximum.accumulate(np.where(told >= 0, np.arange(len(told)), -1))
    predictions = np.where(latest >= 0, told[np.maximum(latest, 0)], 0)
    return Result(predictions, None, time.perf_counter() - start)


def majority(samples: Samples, telling: Telling) -> Result:
    """The most frequent label so far, its own not yet counted; ties to the lowest class."""
    start = time.perf_counter()
    told = telling.known(samples)
    best = np.zeros(len(told), np.int64)
    predictions = np.zeros(len(told), np.int64)
    for label in range(samples.n_classes):
        count = np.cumsum(told == label)
        ahead = count > best
        predictions[ahead] = label
        np.maximum(best, count, out=best)
    return Result(predictions, None, time.perf_counter() - start)


def baselines() -> list[Peer]:
    return [Peer("no change", "baseline", no_change), Peer("majority", "baseline", majority)]
