"""Prequential measures from labels and predictions, all at once.

Every function takes the true labels `y` and the predictions `p` of a whole run, in stream order (each
prediction was made before its label was learned). Predictions made before anything was learned count like
all others. Labels below 0 are unknown: their samples are left out. A prediction below 0 is an abstention
and counts as wrong. A run may be too long for memory, so the functions go through it in pieces.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

GIB_HOURS = 2.0**30 * 3600  # byte-seconds
_PIECE = 1 << 18


def known(y: ArrayLike, p: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Labels and predictions of the samples whose label is known."""
    y, p = np.asarray(y, np.int64), np.asarray(p, np.int64)
    if y.shape != p.shape:
        raise ValueError(f"{len(y)} labels but {len(p)} predictions")
    keep = y >= 0
    return (y, p) if keep.all() else (y[keep], p[keep])


def _pieces(y: ArrayLike, p: ArrayLike) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Known labels and their predictions, in stream order, piece by piece."""
    y, p = np.asarray(y), np.asarray(p)
    if y.shape != p.shape:
        raise ValueError(f"{len(y)} labels but {len(p)} predictions")
    for at in range(0, len(y), _PIECE):
        yield known(y[at : at + _PIECE], p[at : at + _PIECE])


def _share(hits: Iterator[NDArray[np.bool_]]) -> float:
    right = total = 0
    for piece in hits:
        right += int(piece.sum())
        total += len(piece)
    return right / total if total else 0.0


def accuracy(y: ArrayLike, p: ArrayLike) -> float:
    """Share of correct predictions; 0 when there are none to judge."""
    return _share(labels == guesses for labels, guesses in _pieces(y, p))


def confusion(y: ArrayLike, p: ArrayLike) -> NDArray[np.int64]:
    """Counts by (true class, predicted class); abstentions are in an extra last column if there are any."""
    y, p = np.asarray(y), np.asarray(p)
    size = int(max(y.max(initial=0), p.max(initial=0))) + 1
    counts = np.zeros(size * (size + 1), np.int64)
    for labels, guesses in _pieces(y, p):
        column = np.where(guesses < 0, size, guesses)
        counts += np.bincount(labels * (size + 1) + column, minlength=len(counts))
    table = counts.reshape(size, size + 1)
    return table if table[:, size].any() else table[:, :size]


def relative(p0: float, baseline: float) -> float:
    """(p0 - baseline) / (1 - baseline), and 0 where the baseline leaves nothing to gain."""
    return 0.0 if baseline >= 1.0 else (p0 - baseline) / (1.0 - baseline)


def kappa(y: ArrayLike, p: ArrayLike) -> float:
    """Cohen's kappa: agreement beyond chance; the shares of labels and of predictions give the chance."""
    table = confusion(y, p).astype(float)
    n = table.sum()
    if not n:
        return 0.0
    size = table.shape[0]
    chance = float(table.sum(1) @ table.sum(0)[:size] / n**2)
    return relative(float(np.trace(table[:, :size]) / n), chance)


def majority_hits(
    y: NDArray[np.int64], window: int = 0, before: NDArray[np.int64] | None = None
) -> NDArray[np.bool_]:
    """Whether MOA's majority baseline is right at each sample.

    It predicts the most frequent label so far (or of the last `window` samples), the current label
    already counted; ties go to the lowest class. `before` has the counts of labels that came earlier.
    """
    best = np.full(len(y), -1, np.int64)
    majority = np.zeros(len(y), np.int64)
    counts = np.zeros(int(y.max(initial=-1)) + 1, np.int64) if before is None else before
    for label in range(len(counts)):
        count = counts[label] + np.cumsum(y == label)
        if window:
            count[window:] -= count[:-window].copy()
        ahead = count > best
        majority[ahead] = label
        np.maximum(best, count, out=best)
    return majority == y


def no_change_hits(y: NDArray[np.int64], before: int = 0) -> NDArray[np.bool_]:
    """Whether the last label seen (class 0 before any, as MOA) is right at each sample."""
    return np.concatenate(([before], y[:-1]))[: len(y)] == y


def majority_accuracy(y: ArrayLike) -> float:
    """Prequential accuracy of MOA's majority baseline."""
    y = np.asarray(y)
    counts = np.zeros(int(y.max(initial=0)) + 1, np.int64)

    def hits() -> Iterator[NDArray[np.bool_]]:
        for labels, _ in _pieces(y, y):
            yield majority_hits(labels, before=counts)
            counts[:] += np.bincount(labels, minlength=len(counts))

    return _share(hits())


def no_change_accuracy(y: ArrayLike) -> float:
    """Prequential accuracy of the no-change baseline."""

    def hits() -> Iterator[NDArray[np.bool_]]:
        last = 0
        for labels, _ in _pieces(y, y):
            yield no_change_hits(labels, last)
            last = int(labels[-1]) if len(labels) else last

    return _share(hits())


def kappa_m(y: ArrayLike, p: ArrayLike) -> float:
    """Kappa M against the running majority class, as MOA's evaluator computes it."""
    return relative(accuracy(y, p), majority_accuracy(y))


def kappa_m_global(y: ArrayLike, p: ArrayLike) -> float:
    """Kappa M against the majority share of the whole stream, as the SVFDT paper uses it."""
    table = confusion(y, p)
    return relative(accuracy(y, p), float(table.sum(1).max()) / table.sum()) if table.any() else 0.0


def kappa_t(y: ArrayLike, p: ArrayLike) -> float:
    """Kappa temporal: against the no-change classifier (Zliobaite et al., 2015)."""
    return relative(accuracy(y, p), no_change_accuracy(y))


def mean_running_accuracy(y: ArrayLike, p: ArrayLike) -> float:
    """Mean over the stream of the accuracy so far: what the Shrub Ensembles paper calls accuracy."""
    total, hits, n = 0.0, 0, 0
    for labels, guesses in _pieces(y, p):
        running = hits + np.cumsum(labels == guesses)
        total += float(np.sum(running / np.arange(n + 1, n + 1 + len(labels))))
        hits, n = int(running[-1]) if len(labels) else hits, n + len(labels)
    return total / n if n else 0.0


def ram_hours(model_bytes: ArrayLike, seconds: ArrayLike) -> float:
    """GiB x hours: each point's bytes times the time since the point before it, summed over all points.

    `seconds` are the times between points, not points in time.
    """
    size, spent = np.asarray(model_bytes, float), np.asarray(seconds, float)
    return float(np.sum(size * spent) / GIB_HOURS)


def summary(y: ArrayLike, p: ArrayLike) -> dict[str, float]:
    """All the scores of one run."""
    return {
        "accuracy": accuracy(y, p),
        "kappa": kappa(y, p),
        "kappa_m": kappa_m(y, p),
        "kappa_m_global": kappa_m_global(y, p),
        "kappa_t": kappa_t(y, p),
        "mean_running_accuracy": mean_running_accuracy(y, p),
    }
