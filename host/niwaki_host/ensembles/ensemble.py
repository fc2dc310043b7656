"""An ensemble of device trees: its trees, its bytes, its feature importances.

Online bagging: Oza and Russell, "Online bagging and boosting", 2001. Each tree learns each sample Poisson(1)
times, and each vote weighs the same. Adaptive random forest: Gomes et al., "Adaptive random forests for
evolving data stream classification", 2017. Each tree learns each sample Poisson(6) times, and its vote weighs
as much as its accuracy. A tree whose error seems to rise gets a second tree that grows in the background.
When the error has risen for certain, the background tree replaces it.

What differs from the paper: a tree has one subset of features for life instead of one for each leaf, so that
its observers are smaller; its successor has another subset. Its vote is a class instead of a distribution.
Accuracies are brought up to date after each block of 32 labels, when the detectors look, too. Background
trees share a few places; a tree that must go while it has none there is replaced by an empty tree.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki import Adwin
from niwaki_host.ensembles import draws
from niwaki_host.ensembles.spec import DETECTOR, Spec
from niwaki_host.errors import UsageError

_OBJECT = 96  # bytes of the object and of the references to its parts, as a detector counts its own
_RECORD = 16  # bytes a tree: right answers, all answers, its counter of draws, a reference to it
ONE = 1 << 16


def _blocks(n: int) -> int:
    """MicroPython's heap is made of blocks of 16 bytes."""
    return (n + 15) & -16


@dataclass
class Grown:
    """A tree, the features that it sees, and the key of its random draws."""

    tree: Any
    columns: list[int]
    key: int
    drawn: int = 0
    seen: NDArray[np.int16] | None = None
    """The stream's samples, with these features only."""

    def samples(self, X: NDArray[np.int16]) -> NDArray[np.int16]:
        if self.seen is None:
            whole = len(self.columns) == X.shape[1]
            self.seen = X if whole else np.ascontiguousarray(X[:, self.columns])
        return self.seen


@dataclass
class Member:
    """A place in the ensemble."""

    place: int
    voter: Grown
    detectors: tuple[Any, ...] = ()
    """Of warning and of drift."""
    background: Grown | None = None
    generation: int = 0
    right: int = 0
    seen: int = 0

    @property
    def weight(self) -> int:
        """Its share of right answers in 65,536ths; a tree that has not been judged yet gets 65,536."""
        return self.right * ONE // self.seen if self.seen else ONE


class Ensemble:
    """Trees within `budget` bytes in all."""

    def __init__(
        self,
        spec: Spec,
        n_features: int,
        n_classes: int,
        budget: int,
        nominal: list[int] | None = None,
    ) -> None:
        self.spec, self.n_features, self.n_classes, self.budget = spec, n_features, n_classes, budget
        self.nominal = nominal
        self.samples = 0
        self.replaced = 0
        """Trees that a detector has sent away."""
        self.share = (budget - self.bytes_beside) // spec.places
        self.members = [self._member(place) for place in range(spec.trees)]

    @property
    def bytes_beside(self) -> int:
        """Bytes that are not trees: the object, the votes, each place's record, features and detectors."""
        spec = self.spec
        subset = 2 * spec.n_features(self.n_features) if spec.features is not None else 0
        detectors = 2 * DETECTOR * spec.trees if spec.detects else 0
        return _OBJECT + _blocks(4 * self.n_classes) + spec.places * _blocks(_RECORD + subset) + detectors

    def _member(self, place: int) -> Member:
        deltas = (self.spec.warning, self.spec.drift) if self.spec.detects else ()
        return Member(place, self.grown(place, 0), tuple(Adwin(DETECTOR, delta=delta) for delta in deltas))

    def grown(self, place: int, generation: int) -> Grown:
        """A new tree."""
        from niwaki_host.device import models

        spec = self.spec
        key = draws.key(spec.seed, place, generation)
        columns = list(range(self.n_features))
        if spec.features is not None:
            columns = draws.subset(key ^ 1, spec.n_features(self.n_features), self.n_features)
        options = dict(spec.options)
        if self.nominal:
            options["nominal"] = [self.nominal[column] for column in columns]
        try:
            tree = models.build(spec.base, len(columns), self.n_classes, max(self.share, 1), **options)
        except UsageError as error:
            if "too small" not in str(error):
                raise
            raise UsageError(
                f"{spec.kind} of {spec.places} trees in {self.budget:,} bytes leaves "
                f"{max(self.share, 0):,} for each, which is too small: take fewer trees ({error})"
            ) from None
        return Grown(tree, columns, key)

    @property
    def voters(self) -> list[Grown]:
        return [member.voter for member in self.members]

    @property
    def trees(self) -> list[Grown]:
        """All trees: first those that vote, then those in the background."""
        return self.voters + [member.background for member in self.members if member.background]

    @property
    def free(self) -> int:
        """How many background places have no tree."""
        return self.spec.places - len(self.trees)

    @property
    def nbytes(self) -> int:
        """Bytes on a 32-bit MicroPython; a place that waits for a background tree counts, too."""
        return self.bytes_beside + sum(grown.tree.nbytes for grown in self.trees) + self.free * self.share

    @property
    def n_nodes(self) -> int:
        return sum(grown.tree.n_nodes for grown in self.voters)

    @property
    def n_leaves(self) -> int:
        return sum(grown.tree.n_leaves for grown in self.voters)

    @property
    def features_used(self) -> int:
        from niwaki_host.device.views import TreeView

        return len(
            {
                grown.columns[node.feature]
                for grown in self.voters
                for node in TreeView(grown.tree).walk()
                if not node.is_leaf
            }
        )

    @property
    def words(self) -> bytes:
        """The words of all trees, one tree after another, voters first: a digest is made of them."""
        return b"".join(bytes(grown.tree.words) for grown in self.trees)

    @property
    def halves(self) -> bytes:
        return b"".join(bytes(grown.tree.halves) for grown in self.trees)

    @property
    def octets(self) -> bytes:
        return b"".join(bytes(grown.tree.octets) for grown in self.trees)

    def importances(self, out: array, kind: str = "mpg") -> None:
        """The mean over the trees (Karax, Malucelli and Barddal 2019, eq. 1 and 2): 1/|T| times their sum.

        A feature that a tree does not see counts 0 there.
        """
        total = np.zeros(self.n_features, np.int64)
        for grown in self.voters:
            own = array("i", bytes(4 * len(grown.columns)))
            grown.tree.importances(own, kind=kind)
            total[grown.columns] += own
        out[:] = array("i", (total // len(self.members)).tolist())
