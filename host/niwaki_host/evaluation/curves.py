"""How a run went over the stream: the same measures at every `every` samples.

`cumulative` counts from the start, `sliding` over the last `window` samples, `fading` forgets by a
factor per sample (Gama, Sebastiao, Rodrigues 2013: S_i = e_i + alpha S_{i-1}, N_i = 1 + alpha N_{i-1}).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from niwaki_host.evaluation import metrics

WINDOW = 1000
FADING = 0.999


def points(n: int, every: int) -> NDArray[np.int64]:
    """Sample counts at which a curve has a point: each multiple of `every`, and the end."""
    if n <= 0 or every <= 0:
        return np.zeros(0, np.int64)
    at = np.arange(every, n + 1, every, dtype=np.int64)
    return at if len(at) and at[-1] == n else np.append(at, n)


def _hits(y: ArrayLike, p: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Correct and judged, per sample, as 0.0 or 1.0."""
    y, p = np.asarray(y), np.asarray(p)
    judged = y >= 0
    return (judged & (y == p)).astype(float), judged.astype(float)


def _ratio(hits: NDArray[np.float64], judged: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(hits, judged, out=np.zeros_like(hits), where=judged > 0)


def cumulative_accuracy(y: ArrayLike, p: ArrayLike) -> NDArray[np.float64]:
    """Accuracy of samples 0..t, for every t."""
    hits, judged = _hits(y, p)
    return _ratio(np.cumsum(hits), np.cumsum(judged))


def sliding_accuracy(y: ArrayLike, p: ArrayLike, window: int = WINDOW) -> NDArray[np.float64]:
    """Accuracy of the last `window` samples (fewer at the start), for every t."""
    sums = []
    for series in _hits(y, p):
        total = np.cumsum(series)
        total[window:] -= total[:-window].copy()
        sums.append(total)
    return _ratio(*sums)


def fading_accuracy(y: ArrayLike, p: ArrayLike, factor: float = FADING) -> NDArray[np.float64]:
    """Accuracy with every older sample weighing `factor` times less than the next, for every t."""
    from scipy.signal import lfilter  # this import takes half a second, and only curves need it

    hits, judged = _hits(y, p)
    faded = (np.asarray(lfilter([1.0], [1.0, -factor], series)) for series in (hits, judged))
    return _ratio(*faded)


def sliding_kappa(y: ArrayLike, p: ArrayLike, at: ArrayLike, window: int = WINDOW) -> NDArray[np.float64]:
    """Cohen's kappa of the `window` samples before each point of `at`."""
    y, p = np.asarray(y), np.asarray(p)
    return np.array(
        [metrics.kappa(y[max(0, t - window) : t], p[max(0, t - window) : t]) for t in np.asarray(at)]
    )


def _against(accuracy: NDArray[np.float64], baseline: NDArray[np.float64]) -> NDArray[np.float64]:
    room = 1.0 - baseline
    return np.divide(accuracy - baseline, room, out=np.zeros_like(room), where=room > 0)


def _sliding_baseline(y: NDArray, hits_of, window: int) -> NDArray[np.float64]:
    """Sliding accuracy of a baseline that hears of known labels only."""
    judged = y >= 0
    hits = np.zeros(len(y), np.int64)
    hits[judged] = hits_of(y[judged].astype(np.int64))
    return sliding_accuracy(np.where(judged, 1, -1), hits, window)


def curve(y: ArrayLike, p: ArrayLike, every: int, window: int = WINDOW, fading: float = FADING) -> dict:
    """Arrays by name, one entry per point; empty when `every` is 0."""
    y, p = np.asarray(y), np.asarray(p)
    at = points(len(y), every)
    if not len(at):
        return {}
    recent = sliding_accuracy(y, p, window)
    majority = _sliding_baseline(y, lambda labels: metrics.majority_hits(labels, window), window)
    no_change = _sliding_baseline(y, metrics.no_change_hits, window)
    return {
        "at": at,
        "accuracy": cumulative_accuracy(y, p)[at - 1],
        "window_accuracy": recent[at - 1],
        "fading_accuracy": fading_accuracy(y, p, fading)[at - 1],
        "window_kappa": sliding_kappa(y, p, at, window),
        "window_kappa_m": _against(recent, majority)[at - 1],
        "window_kappa_t": _against(recent, no_change)[at - 1],
    }
