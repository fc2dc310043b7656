"""Shrub Ensembles in float64, written from the paper: a reference to hold the device's integers against.

Buschjäger, Hess and Morik, "Shrub Ensembles for Online Classification", AAAI 2022: Algorithm 1, with the
bracket in equation 8 where it belongs, after the sum. What the paper leaves open is decided as on the device:
the best split is the first of equals (features in order, thresholds rising); of equal classes a leaf and a
prediction take the lowest; of equal weights that of the lower place comes first, the newcomer's last.

Where the device departs from the paper unless `exact`, there is a named option: MAJORITY, and `every`.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

TIE = 1e-9  # merits closer than that are equal

MAJORITY = "a leaf is its majority class, where the paper has class probabilities"


@dataclass
class Leaf:
    """The majority class of a leaf's samples, and the share of each class among them."""

    label: int
    shares: np.ndarray | None = field(default=None, compare=False)


@dataclass
class Split:
    feature: int
    threshold: float
    left: "Split | Leaf"
    right: "Split | Leaf"


Node = Split | Leaf


def gini_merit(counts: np.ndarray) -> np.ndarray:
    """Minus n times the Gini impurity, up to a constant: the sum of n_c^2 / n."""
    return (counts**2).sum(-1) / counts.sum(-1)


def gain_merit(counts: np.ndarray) -> np.ndarray:
    """Minus n times the entropy: sum of n_c log2(n_c / n)."""
    n = counts.sum(-1, keepdims=True)
    return (counts * np.log2(np.maximum(counts, 1) / n)).sum(-1)


MERITS = {"gini": gini_merit, "gain": gain_merit}


def best_split(X: np.ndarray, hot: np.ndarray, criterion: str) -> tuple[int, float] | None:
    """The feature and threshold of highest merit; no minimum gain. None: no feature varies."""
    merit = MERITS[criterion]
    best, found = -np.inf, None
    for feature in range(X.shape[1]):
        order = np.argsort(X[:, feature], kind="stable")
        values = X[order, feature]
        cuts = np.flatnonzero(values[1:] > values[:-1])
        if not len(cuts):
            continue
        left = np.cumsum(hot[order], axis=0)[cuts]
        merits = merit(left) + merit(hot.sum(0) - left)
        first = int(np.argmax(merits >= merits.max() - TIE))
        if merits[first] > best + TIE:
            best = merits[first]
            found = feature, (values[cuts[first]] + values[cuts[first] + 1]) / 2
    return found


def cart(
    X: np.ndarray, y: np.ndarray, classes: int, criterion: str = "gini", depth: int | None = None
) -> Node:
    """A tree on (X, y): fully grown, or to `depth` splits above a leaf."""
    counts = np.bincount(y, minlength=classes)
    if counts.max() == len(y) or depth == 0:
        return Leaf(int(counts.argmax()), counts / len(y))
    split = best_split(X, np.eye(classes)[y], criterion)
    if split is None:
        return Leaf(int(counts.argmax()), counts / len(y))
    feature, threshold = split
    deeper = None if depth is None else depth - 1
    left = X[:, feature] <= threshold
    return Split(
        feature,
        threshold,
        cart(X[left], y[left], classes, criterion, deeper),
        cart(X[~left], y[~left], classes, criterion, deeper),
    )


def sort(node: Node, x: np.ndarray) -> Leaf:
    """The leaf that x falls into."""
    while isinstance(node, Split):
        node = node.left if x[node.feature] <= node.threshold else node.right
    return node


def vote(node: Node, x: np.ndarray) -> int:
    """The majority class of the leaf that x falls into."""
    return sort(node, x).label


def prox(weights: np.ndarray, order: np.ndarray, most: int) -> np.ndarray:
    """Equation 8: the `most` largest weights (first in `order`) projected on the simplex, the others 0."""
    kept = order[:most]
    w = weights[kept]
    taus = (np.cumsum(w) - 1) / np.arange(1, len(w) + 1)
    beta = int(np.flatnonzero(w > taus).max())
    result = np.zeros_like(weights)
    result[kept] = np.maximum(w - taus[beta], 0)
    return result


class ShrubEnsemble:
    """Algorithm 1. `every` = 1 is the paper; else shrubs are rarer, the first after samples 1, 2, 4, ...

    `departures` may have MAJORITY.
    """

    def __init__(
        self,
        n_classes: int,
        window: int = 32,
        shrubs: int = 8,
        step: float = 1.0,
        loss: str = "mse",
        every: int = 1,
        criterion: str = "gini",
        depth: int | None = None,
        departures: Collection[str] = (),
    ):
        self.n_classes, self.window, self.most = n_classes, window, shrubs
        self.step, self.loss, self.every = step, loss, every
        self.criterion, self.depth = criterion, depth
        self.departures = frozenset(departures)
        self.X: list[np.ndarray] = []
        self.y: list[int] = []
        self.samples = 0
        self.train_in = 1
        self.shrubs: list[Node] = [Leaf(0)] * (shrubs + 1)
        self.weights = np.zeros(shrubs + 1)
        self.born = np.zeros(shrubs + 1, int)  # the sample after which each shrub was trained
        self.stepped = self.weights  # the weights after the latest gradient step, before prox

    def scores(self, x: np.ndarray) -> np.ndarray:
        """f(x), equation 2."""
        f = np.zeros(self.n_classes)
        for place in np.flatnonzero(self.weights):
            f += self.weights[place] * self.h(int(place), x)
        return f

    def h(self, place: int, x: np.ndarray) -> np.ndarray:
        """h_i(x): what a shrub says of each class."""
        leaf = sort(self.shrubs[place], x)
        if MAJORITY in self.departures or leaf.shares is None:
            return np.eye(self.n_classes)[leaf.label]
        return leaf.shares

    def predict(self, x: np.ndarray) -> int:
        f = self.scores(x)
        return int(np.argmax(f >= f.max() - TIE))

    def learn(self, x: np.ndarray, y: int) -> None:
        self.X = [*self.X, np.asarray(x, float)][-self.window :]
        self.y = [*self.y, y][-self.window :]
        self.samples += 1
        self.train_in -= 1
        if self.train_in == 0:
            self.train_in = min(self.samples, self.every)
            place = int(np.flatnonzero(self.weights == 0)[0])
            X, labels = np.array(self.X), np.array(self.y)
            self.shrubs[place] = cart(X, labels, self.n_classes, self.criterion, self.depth)
            self.born[place] = self.samples
            self.weigh(place)

    def gradient(self, members: np.ndarray) -> np.ndarray:
        """The gradient of equation 5 (or its form for cross-entropy) with respect to the members' weights."""
        C, n = self.n_classes, len(self.y)
        h = np.array([[self.h(m, x) for x in self.X] for m in members])  # member, sample, class
        f = np.tensordot(self.weights[members], h, 1)
        target = np.eye(C)[self.y]
        if self.loss == "ce":
            e = np.exp(f)
            slope = e / e.sum(1, keepdims=True) - target
        else:
            slope = 2 * (f - target)
        return (h * slope).sum((1, 2)) / (n * C)

    def weigh(self, newcomer: int) -> None:
        """Lines 8 to 12: the newcomer has weight 0; a gradient step, the prox operator; zeros leave."""
        members = np.append(np.flatnonzero(self.weights), newcomer)
        self.weights[members] -= self.step * self.gradient(members)
        self.stepped = self.weights.copy()
        order = members[np.argsort(-np.round(self.weights[members], 12), kind="stable")]
        self.weights = prox(self.weights, order, self.most)
        self.weights[np.setdiff1d(np.arange(self.most + 1), members)] = 0
