"""What every classifier must beat: the last label, and the most frequent one so far."""

from __future__ import annotations

import time

import numpy as np

from niwaki_host.compare.peer import Peer, Result
from niwaki_host.evaluation.samples import Samples


def no_change(samples: Samples) -> Result:
    """The label of the sample before (class 0 before any)."""
    start = time.perf_counter()
    labels = samples.y.astype(np.int64)
    latest = np.maximum.accumulate(np.where(labels >= 0, np.arange(len(labels)), -1))
    before = np.concatenate(([-1], latest[:-1]))
    predictions = np.where(before >= 0, labels[np.maximum(before, 0)], 0)
    return Result(predictions, None, time.perf_counter() - start)


def majority(samples: Samples) -> Result:
    """The most frequent label so far, its own not yet counted; ties to the lowest class."""
    start = time.perf_counter()
    labels = samples.y.astype(np.int64)
    best = np.zeros(len(labels), np.int64)
    predictions = np.zeros(len(labels), np.int64)
    for label in range(samples.n_classes):
        count = np.concatenate(([0], np.cumsum(labels == label)[:-1]))
        ahead = count > best
        predictions[ahead] = label
        np.maximum(best, count, out=best)
    return Result(predictions, None, time.perf_counter() - start)


def baselines() -> list[Peer]:
    return [Peer("no change", "baseline", no_change), Peer("majority", "baseline", majority)]
