"""Nodes of a capped tree: what a leaf remembers, what a split is, and which numbers nodes have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from niwaki_host.references.capped.shape import EPOCH
from niwaki_host.references.capped.slots import MISSING, Slot

if TYPE_CHECKING:
    from niwaki_host.references.capped.drift import Monitor

MOST = 65535
FULL = 65534
"""A class count that is this large fades at once."""
FEW = 15
"""Counts of which none is larger do not fade."""


class Leaf:
    """Class counts for prediction, which fade; how often each of the two answers was wrong; promise."""

    def __init__(self, counts: Sequence[int], epoch: int) -> None:
        self.counts = list(counts)
        self.epoch = epoch
        self.majority_wrong = 0
        self.bayes_wrong = 0
        self.promise = sum(counts) - max(counts)

    @property
    def majority(self) -> int:
        """The first of the most frequent classes."""
        return self.counts.index(max(self.counts))

    def count(self, y: int, bayes: int, samples: int, by_bayes: bool) -> None:
        """Count one more sample, after `samples` others; naive Bayes said `bayes`, -1: it was not asked."""
        wrong = self.majority != y
        if by_bayes:
            self.majority_wrong += wrong
            self.bayes_wrong += bayes != y
            if max(self.majority_wrong, self.bayes_wrong) > MOST:
                self.majority_wrong //= 2
                self.bayes_wrong //= 2
        self.promise = min(self.promise + wrong, MOST)
        epoch = samples // EPOCH
        if epoch != self.epoch or self.counts[y] == FULL:
            self.epoch = epoch
            if max(self.counts) > FEW:
                self.counts = [n // 2 for n in self.counts]
        self.counts[y] += 1

    def faded(self, samples: int) -> list[int]:
        """Its counts as they would be now, after `samples` samples in the tree."""
        return [n >> samples // EPOCH - self.epoch for n in self.counts]


@dataclass(frozen=True)
class Split:
    feature: int
    key: int
    """The largest code that goes left, or the one value that does."""
    merit: float
    nominal: bool
    missing_right: bool


class Node:
    """A leaf, or a split of two children. Of equals the lowest number is taken; children are n and n + 1."""

    def __init__(self, number: int, parent: Node | None, depth: int, leaf: Leaf) -> None:
        self.number = number
        self.parent = parent
        self.depth = depth
        self.leaf = leaf
        self.slot: Slot | None = None
        self.seen = 0
        """Of a leaf without a slot: samples since it last looked for one."""
        self.split: Split | None = None
        self.children: tuple[Node, ...] = ()
        self.monitor: Monitor | None = None

    def ancestors(self) -> Iterator[Node]:
        """The splits above, nearest first. An alternate has the same ancestors as its node."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()

    def next(self, x: Sequence[int]) -> Node:
        assert self.split is not None
        code = x[self.split.feature]
        if code == MISSING:
            right = self.split.missing_right
        elif self.split.nominal:
            right = code != self.split.key
        else:
            right = code > self.split.key
        return self.children[right]

    def parts_leaves(self) -> bool:
        """Whether it is a split of two leaves."""
        return self.split is not None and all(child.split is None for child in self.children)

    def path(self) -> str:
        sides, node = "", self
        while node.parent is not None:
            sides = "LR"[node.parent.children[-1] is node] + sides
            node = node.parent
        return sides


class Numbers:
    """Numbers for the two children of a split: those that became free last, or else new ones."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.free: list[int] = []
        self.top = 1

    def any(self) -> bool:
        return bool(self.free) or self.top + 2 <= self.most

    def take(self) -> int:
        if self.free:
            return self.free.pop()
        self.top += 2
        return self.top - 2


def merged(*leaves: Leaf) -> Leaf:
    """One leaf again: the sums of counts and of promise. How often its answers are wrong is not known."""
    rows: list[Any] = [leaf.counts for leaf in leaves]
    one = Leaf([min(sum(ns), 65000) for ns in zip(*rows, strict=True)], leaves[0].epoch)
    one.promise = min(sum(leaf.promise for leaf in leaves), 65000)
    return one
