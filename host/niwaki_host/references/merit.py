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


IMPURITY = {"gain": entropy, "gini": gini}


def merit_range(criterion: str, n_classes: int) -> float:
    """R of the Hoeffding bound: log2 of the number of classes, 1 for Gini."""
    return math.log2(n_classes) if criterion == "gain" else 1.0


def split_merits(splits: Splits, criterion: str, n: int) -> np.ndarray:
    """Impurity before minus impurity after each split; minus infinity where a branch is too small.

    `n` is the number of samples at the leaf. Those whose value of this feature is missing gain nothing from
    the split, so the merit is that of the others times their share (as in C4.5).
    """
    impurity = IMPURITY[criterion]
    left = splits.left
    right = splits.total - left
    n_left, n_right = left.sum(axis=-1), right.sum(axis=-1)
    known = int(splits.total.sum())
    after = (n_left * impurity(left) + n_right * impurity(right)) / max(known, 1)
    merits = (impurity(splits.total) - after) * known / n
    small = (n_left * MIN_BRANCH <= known) | (n_right * MIN_BRANCH <= known)
    return np.where(small, -np.inf, merits)


def hoeffding_bound(value_range: float, delta: float, n: int) -> float:
    """R sqrt(ln(1 / delta) / 2n)."""
    return value_range * math.sqrt(math.log(1 / delta) / (2 * n))
