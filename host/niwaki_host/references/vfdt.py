"""VFDT in float64 (Domingos and Hulten, "Mining high-speed data streams", 2000), for comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from niwaki_host.references.histogram import Histogram, NominalTable
from niwaki_host.references.merit import hoeffding_bound, merit_range, split_merits

MISSING = -32768
EPOCH = 4096

FADING = "class counts for prediction lose half when a leaf meets its first sample of an epoch"
COME = "the range R is log2 of the classes that have come, by the highest label of all leaves that attempted"
PSI_BOUND = "J* may lie below Psi by the bound, where equation 5 says J* > Psi"
CHANCE = "n J* must exceed log2(1 / delta) / 2 bits, where equation 5 says J* > 0"
PLAIN = "VFDT's own rule must hold too, on J, where the paper compares J* alone"
DEPARTURES = frozenset({FADING, COME, PSI_BOUND, CHANCE, PLAIN})
"""Where the device's trees differ from the papers unless `exact`: each an option of the reference."""


class Candidate(NamedTuple):
    """A binary split: `feature` <= `key`, or, for a nominal feature, `feature` == `key`."""

    feature: int
    key: int


NULL = Candidate(-1, 0)
"""The null split: leave the leaf as it is. Its merit is 0."""


@dataclass
class Attempt:
    """What a leaf knew when it tried to split, and what came of it."""

    sample: int
    path: str
    n: int
    bound: float
    merits: dict[Candidate, float]
    """J of every possible split, the null split among them."""
    best: Candidate
    gap: float
    """J of the best feature minus J of the second best (or of the null split)."""
    margins: dict[str, float] = field(default_factory=dict)
    """By how much each test that the rule made was passed (positive) or failed."""
    accepted: bool = False


class Node:
    """A leaf, until it is split."""

    def __init__(self, tree: HoeffdingTree, parent: Node | None, path: str, inherited: Sequence[int]) -> None:
        self.parent = parent
        self.path = path
        self.inherited = sum(inherited)
        self.counts = list(inherited)
        self.epoch = tree.epoch()
        self.born = [0] * tree.n_classes
        self.n = 0
        self.attempted_at = 0
        self.wrong_by_majority = 0
        self.wrong_by_bayes = 0
        self.poor: set[int] = set()
        self.observers: list[Any] = [
            NominalTable(k, tree.n_classes) if k else Histogram(tree.bins, tree.n_classes)
            for k in tree.nominal
        ]
        self.split: Candidate | None = None
        self.merit = 0.0  # merit of its split: J, or J* of a regularised tree
        self.gain = 0.0  # J of its split
        self.nominal = False
        self.missing_right = False
        self.children: list[Node] = []

    def ancestors(self) -> Iterator[Node]:
        """The split nodes above, nearest first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def classes(self) -> int:
        """How many classes have come since the leaf was born, by the highest label; at least two."""
        return max([2, *(c + 1 for c, n in enumerate(self.born) if n)])

    def child(self, x: Sequence[int]) -> Node:
        assert self.split is not None
        code = x[self.split.feature]
        if code == MISSING:
            right = self.missing_right
        elif self.nominal:
            right = code != self.split.key
        else:
            right = code > self.split.key
        return self.children[right]


class HoeffdingTree:
    """VFDT with unlimited memory. What the paper leaves open is decided as follows:

    - the null split has merit 0, and the best split must exceed it;
    - entropy, merit and the bound's n use the samples since the leaf was born; what a child inherits from the
      split serves prediction only;
    - naive Bayes in log space, a quarter of a count in every bin; classes without a count are left out;
    - the adaptive leaf prefers naive Bayes when both were right equally often;
    - an attempt counts towards the grace period even if the leaf was pure;
    - poor attributes are dropped after an attempt that failed, for as long as the leaf lives.

    `departures` are some of DEPARTURES, for the device's default mode; its exact mode has none.
    """

    def __init__(
        self,
        n_features: int,
        n_classes: int,
        *,
        leaf: str = "nba",
        criterion: str = "gain",
        grace: int = 200,
        delta: float = 1e-7,
        tau: float = 0.05,
        nominal: Sequence[int] | None = None,
        max_depth: int | None = None,
        nb_threshold: int = 0,
        drop_poor: bool = False,
        bins: int = 16,
        departures: Collection[str] = (),
    ) -> None:
        self.n_features = n_features
        self.n_classes = n_classes
        self.leaf = leaf
        self.criterion = criterion
        self.grace = grace
        self.delta = delta
        self.tau = tau
        self.nominal = list(nominal) if nominal is not None else [0] * n_features
        self.max_depth = max_depth
        self.nb_threshold = nb_threshold
        self.drop_poor = drop_poor
        self.bins = bins
        self.departures = frozenset(departures)
        self.samples = 0
        self.come = 2 if COME in self.departures else n_classes
        self.root = Node(self, None, "", [0] * n_classes)
        self.follow: Callable[[Attempt], Candidate | None] | None = None
        """If set, it decides instead of the tree, which still says what it would have done."""

    # Prediction

    def sort(self, x: Sequence[int], root: Node | None = None) -> Node:
        """The leaf that `x` belongs to, below `root` or in the whole tree."""
        node = root or self.root
        while node.split is not None:
            node = node.child(x)
        return node

    def majority(self, leaf: Node) -> int:
        return int(np.argmax(leaf.counts))

    def log_scores(self, leaf: Node, x: Sequence[int]) -> list[float]:
        """Naive Bayes: log2 of the class counts plus log2 (h + m / 4k) / (n_c + m / 4) per known feature.

        h of the class's n_c samples are in the bin of x; m is the number of bins of a numeric feature, and k,
        the feature's own number of bins, enters as the integer m // k, at least 1.
        """
        scores = []
        for c, n in enumerate(leaf.counts):
            score = math.log2(n) if n else -math.inf
            for code, observer in zip(x, leaf.observers, strict=True):
                row = None if code == MISSING else observer.counts(code)
                if row is not None:
                    extra = max(self.bins // observer.bins, 1)
                    score += math.log2((4 * row[c] + extra) / (4 * leaf.born[c] + self.bins))
            scores.append(score)
        return scores

    def bayes(self, leaf: Node, x: Sequence[int]) -> int:
        return int(np.argmax(self.log_scores(leaf, x)))

    def predict(self, x: Sequence[int]) -> int:
        return self.answer(self.sort(x), x)

    def answer(self, leaf: Node, x: Sequence[int]) -> int:
        early = leaf.n + leaf.inherited < self.nb_threshold
        if (
            self.leaf == "mc"
            or early
            or (self.leaf == "nba" and leaf.wrong_by_majority < leaf.wrong_by_bayes)
        ):
            return self.majority(leaf)
        return self.bayes(leaf, x)

    # Learning

    def learn(self, x: Sequence[int], y: int) -> Attempt | None:
        """Learn a sample; returns the split attempt that it led to, if any."""
        self.samples += 1
        return self.learn_at(self.sort(x), x, y)

    def learn_at(self, leaf: Node, x: Sequence[int], y: int) -> Attempt | None:
        if self.leaf == "nba":
            leaf.wrong_by_majority += self.majority(leaf) != y
            leaf.wrong_by_bayes += self.bayes(leaf, x) != y
        for f, code in enumerate(x):
            if code != MISSING and not (self.leaf == "mc" and f in leaf.poor):
                leaf.observers[f].add(code, y, leaf.n)
        self.fade(leaf)
        leaf.counts[y] += 1
        leaf.born[y] += 1
        leaf.n += 1
        if leaf.n - leaf.attempted_at < self.grace:
            return None
        leaf.attempted_at = leaf.n
        attempt = self.evaluate(leaf)
        attempt.accepted = self.accepts(leaf, attempt)
        chosen = attempt.best if attempt.accepted else None
        if self.follow is not None:
            chosen = self.follow(attempt)
        if chosen is not None:
            self.split(leaf, chosen, attempt.merits[chosen])
        elif self.drop_poor:
            self.drop(leaf, attempt)
        return attempt

    def epoch(self) -> int:
        return (self.samples - 1) // EPOCH

    def fade(self, leaf: Node) -> None:
        if FADING in self.departures and leaf.epoch != self.epoch():
            leaf.epoch = self.epoch()
            if max(leaf.counts) > 15:
                leaf.counts = [n // 2 for n in leaf.counts]

    def evaluate(self, leaf: Node) -> Attempt:
        """J of all splits, and the bound."""
        self.come = max(self.come, leaf.classes())
        bound = hoeffding_bound(merit_range(self.criterion, self.come), self.delta, leaf.n)
        merits = {NULL: 0.0}
        tops = [(0.0, NULL)]
        if sum(n > 0 for n in leaf.born) >= 2:
            for f, observer in enumerate(leaf.observers):
                splits = observer.splits()
                if f in leaf.poor or not len(splits.keys):
                    continue
                js = self.merit(leaf, f, split_merits(splits, self.criterion, leaf.n))
                top = int(np.argmax(js))
                tops.append((float(js[top]), Candidate(f, int(splits.keys[top]))))
                merits.update(
                    (Candidate(f, int(key)), float(j)) for key, j in zip(splits.keys, js, strict=True)
                )
        tops.sort(key=lambda top: -top[0])  # the sort is stable: of equal features the first stays first
        gap = tops[0][0] - tops[1][0] if len(tops) > 1 else 0.0
        return Attempt(self.samples, leaf.path, leaf.n, bound, merits, tops[0][1], gap)

    def merit(self, leaf: Node, feature: int, gains: np.ndarray) -> np.ndarray:
        """J of the splits on one feature, from their gains."""
        return gains

    def accepts(self, leaf: Node, attempt: Attempt) -> bool:
        """The split rule: J_a - J_b > bound, or bound < tau; and J_a > 0."""
        m = attempt.margins
        m["J > null"] = attempt.merits[attempt.best]
        m["gap > bound"] = attempt.gap - attempt.bound
        m["bound < tau"] = self.tau - attempt.bound
        if self.max_depth is not None and sum(1 for _ in leaf.ancestors()) >= self.max_depth:
            return False
        return m["J > null"] > 0 and (m["gap > bound"] > 0 or m["bound < tau"] > 0)

    def drop(self, leaf: Node, attempt: Attempt) -> None:
        """Drop the features whose best J is below the best one's by more than the bound."""
        tops = dict.fromkeys(range(self.n_features), 0.0)
        for candidate, j in attempt.merits.items():
            tops[candidate.feature] = max(tops.get(candidate.feature, 0.0), j)
        best = attempt.merits[attempt.best]
        leaf.poor |= {f for f in range(self.n_features) if best - tops[f] > attempt.bound}

    def split(self, leaf: Node, chosen: Candidate, merit: float) -> None:
        observer = leaf.observers[chosen.feature]
        splits = observer.splits()
        index = list(splits.keys).index(chosen.key)
        left = splits.left[index]
        right = splits.total - left
        leaf.gain = float(split_merits(splits, self.criterion, leaf.n)[index])
        leaf.split = chosen
        leaf.merit = merit
        leaf.nominal = self.nominal[chosen.feature] > 0
        leaf.missing_right = bool(right.sum() > left.sum())
        leaf.observers = []
        leaf.children = [
            Node(self, leaf, leaf.path + side, counts.tolist())
            for side, counts in (("L", left), ("R", right))
        ]

    def leaves(self) -> Iterator[Node]:
        stack = [self.root]
        while stack:
            node = stack.pop()
            if node.split is None:
                yield node
            stack.extend(node.children)

    def splits(self) -> dict[str, Candidate]:
        """Every split of the tree by the path that leads to it, such as `LRL`."""
        found = {}
        stack = [self.root]
        while stack:
            node = stack.pop()
            if node.split is not None:
                found[node.path] = node.split
            stack.extend(node.children)
        return found
