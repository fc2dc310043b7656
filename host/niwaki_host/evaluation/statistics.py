"""Comparing several models over several streams (Demsar 2006), and accuracy against bytes.

Tables of scores are arrays (streams, models), a higher score is better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats


@dataclass(frozen=True)
class Friedman:
    """Friedman's test and the less conservative F form of Iman and Davenport."""

    streams: int
    models: int
    chi2: float
    p: float
    f: float
    p_f: float


def ranks(scores: ArrayLike) -> NDArray[np.float64]:
    """Rank of each model on each stream, 1 the best, ties sharing their mean rank."""
    return stats.rankdata(-np.asarray(scores, float), axis=1)


def mean_ranks(scores: ArrayLike) -> NDArray[np.float64]:
    return ranks(scores).mean(axis=0)


def friedman(scores: ArrayLike) -> Friedman | None:
    """Are the models' ranks different at all? None with fewer than 3 models or 2 streams."""
    scores = np.asarray(scores, float)
    n, k = scores.shape
    if k < 3 or n < 2:
        return None
    if np.allclose(ranks(scores), (k + 1) / 2):
        return Friedman(n, k, 0.0, 1.0, 0.0, 1.0)
    chi2, p = stats.friedmanchisquare(*scores.T)
    rest = n * (k - 1) - chi2
    f = (n - 1) * chi2 / rest if rest > 1e-9 else np.inf
    return Friedman(n, k, float(chi2), float(p), float(f), float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))))


def critical_difference(models: int, streams: int, alpha: float = 0.05) -> float:
    """Nemenyi: mean ranks further apart than this differ at level alpha."""
    q = stats.studentized_range.ppf(1 - alpha, models, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(models * (models + 1) / (6 * streams)))


def nemenyi(scores: ArrayLike) -> NDArray[np.float64]:
    """p-value of each pair of models by Nemenyi's test; 1 on the diagonal."""
    scores = np.asarray(scores, float)
    n, k = scores.shape
    mean = mean_ranks(scores)
    distance = np.abs(mean[:, None] - mean[None, :]) / np.sqrt(k * (k + 1) / (6 * n))
    p = np.array(stats.studentized_range.sf(distance * np.sqrt(2), k, np.inf))
    np.fill_diagonal(p, 1.0)
    return p


def wilcoxon(scores: ArrayLike) -> NDArray[np.float64]:
    """p-value of each pair by Wilcoxon's signed ranks, corrected over all pairs by Holm's method."""
    scores = np.asarray(scores, float)
    k = scores.shape[1]
    first, second = np.triu_indices(k, 1)
    p = np.ones((k, k))
    if not len(first):
        return p
    raw = np.array([_signed_rank(scores[:, a] - scores[:, b]) for a, b in zip(first, second, strict=True)])
    p[first, second] = p[second, first] = holm(raw)
    return p


def _signed_rank(difference: NDArray[np.float64]) -> float:
    if not difference.any():
        return 1.0
    _, p = stats.wilcoxon(difference, zero_method="zsplit")
    return float(p)  # type: ignore[arg-type]


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Holm's step-down correction of p-values for several tests at once."""
    p = np.asarray(p, float)
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def cliques(mean: ArrayLike, difference: float) -> list[tuple[int, int]]:
    """Groups of neighbours in rank order that lie within `difference`, as (first, last) positions.

    It gives groups of two or more that lie in no larger group: the bars of a critical-difference diagram.
    """
    ordered = np.sort(np.asarray(mean, float))
    groups, reach = [], -1
    for first in range(len(ordered)):
        last = int(np.searchsorted(ordered, ordered[first] + difference, side="right")) - 1
        if last > first and last > reach:
            groups.append((first, last))
            reach = last
    return groups


def groups(mean: ArrayLike, p: ArrayLike, alpha: float) -> list[tuple[int, int]]:
    """Groups as in `cliques`, but found by p-values: no two models of a group differ at level alpha."""
    order = np.argsort(np.asarray(mean, float), kind="stable")
    alike = np.asarray(p, float)[np.ix_(order, order)] >= alpha
    found, reach = [], -1
    for first in range(len(order)):
        last = first
        while last + 1 < len(order) and alike[first : last + 1, last + 1].all():
            last += 1
        if last > first and last > reach:
            found.append((first, last))
            reach = last
    return found


def pareto_front(accuracy: ArrayLike, size: ArrayLike) -> NDArray[np.int64]:
    """Indices of the runs that no other run beats: smaller at no less accuracy, or better at no more bytes.

    In order of size. Of equal runs the first is kept.
    """
    accuracy, size = np.asarray(accuracy, float), np.asarray(size, float)
    front, best = [], -np.inf
    for i in np.lexsort((np.arange(len(size)), -accuracy, size)):
        if accuracy[i] > best:
            front.append(int(i))
            best = accuracy[i]
    return np.array(front, np.int64)


def apf(accuracy: ArrayLike, size: ArrayLike, max_size: float) -> float:
    """Normalised area under the Pareto front of accuracy against bytes (Buschjaeger et al. 2022).

    The front is continued at its best accuracy to `max_size` (the largest model on that stream; the authors'
    script takes the largest on all streams), integrated by trapezoids and divided by `max_size`. Sizes below
    the smallest model count nothing, so that smaller and better models both raise the area.
    """
    accuracy, size = np.asarray(accuracy, float), np.asarray(size, float)
    keep = size <= max_size
    accuracy, size = accuracy[keep], size[keep]
    if not len(size) or max_size <= 0:
        return 0.0
    front = pareto_front(accuracy, size)
    x = np.append(size[front], max_size)
    y = np.append(accuracy[front], accuracy[front[-1]])
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2) / max_size)
