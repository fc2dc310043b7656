"""Split merits and the Hoeffding bound in float64."""

import math

import numpy as np

from niwaki_host.references.histogram import Splits

MIN_BRANCH = 100
"""Both branches of a split must hold more than one in MIN_BRANCH samples (MOA's and river's 1 %)."""


def entropy(counts: np.ndarray) -> np.ndarray:
    """Entropy in bits over the last axis; 0 where there are no counts."""
    counts = np.asarray(counts, np.float64)
    n = counts.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = counts / n
        terms = np.where(counts > 0, p * np.log2(p), 0.0)
    return -terms.sum(axis=-1)


def gini(counts: np.ndarray) -> np.ndarray:
    """Gini impurity over the last axis; 0 where there are no counts."""
    counts = np.asarray(counts, np.float64)
    n = counts.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(n > 0, counts / n, 0.0)
    return np.where(n[..., 0] > 0, 1.0 - (p * p).sum(axis=-1), 0.0)


def hellinger(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Distance between what shares of each of two classes go left and right; 0 where a class is missing.

    Cieslak et al., "Hellinger distance decision trees are robust and skew-insensitive", 2012.
    """
    n = np.asarray(left + right, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = [
            np.sqrt(side[..., 0] / n[..., 0]) - np.sqrt(side[..., 1] / n[..., 1]) for side in (left, right)
        ]
    return np.where((n > 0).all(axis=-1), np.hypot(*sides), 0.0)


IMPURITY = {"gain": entropy, "gini": gini}


def merit_range(criterion: str, n_classes: int) -> float:
    """R of the Hoeffding bound: log2 of the number of classes, 1 for Gini, sqrt(2) for Hellinger."""
    return {"gain": math.log2(n_classes), "gini": 1.0, "hellinger": math.sqrt(2)}[criterion]


def split_merits(splits: Splits, criterion: str, n: int) -> np.ndarray:
    """Impurity before minus impurity after each split; minus infinity where a branch is too small.

    The Hellinger distance has no before: the merit of a split is the distance itself.

    `n` is the number of samples at the leaf. Those whose value of this feature is missing gain nothing from
    the split, so the merit is that of the others times their share (as in C4.5).
    """
    left = splits.left
    right = splits.total - left
    n_left, n_right = left.sum(axis=-1), right.sum(axis=-1)
    known = int(splits.total.sum())
    if criterion == "hellinger":
        merits = hellinger(left, right)
    else:
        impurity = IMPURITY[criterion]
        merits = impurity(splits.total) - (n_left * impurity(left) + n_right * impurity(right)) / max(
            known, 1
        )
    small = (n_left * MIN_BRANCH <= known) | (n_right * MIN_BRANCH <= known)
    return np.where(small, -np.inf, merits * known / n)


def hoeffding_bound(value_range: float, delta: float, n: int) -> float:
    """R sqrt(ln(1 / delta) / 2n)."""
    return value_range * math.sqrt(math.log(1 / delta) / (2 * n))
