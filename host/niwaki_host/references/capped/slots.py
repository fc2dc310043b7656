"""Observer slots: what watches a leaf, and which leaf has one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from niwaki_host.references.capped.shape import Shape
from niwaki_host.references.histogram import Histogram, NominalTable

if TYPE_CHECKING:
    from niwaki_host.references.capped.nodes import Node

MISSING = -32768
LIMIT = 255
"""A count that reaches it halves all counts of its slot."""
MOST_HELD = 65535


class NarrowHistogram(Histogram):
    """With counts of 8 bits: where bins are added up, a sum stays below the limit."""

    def _double(self, downwards: bool) -> None:
        super()._double(downwards)
        self.rows = [[min(n, LIMIT - 1) for n in row] for row in self.rows]


Observer = NarrowHistogram | NominalTable


class Slot:
    def __init__(self, shape: Shape, number: int) -> None:
        self.shape = shape
        self.number = number
        self.node: Node | None = None
        self.features = [(number * shape.lanes + lane) % shape.features for lane in range(shape.lanes)]
        self.clear()

    def fresh(self, feature: int) -> Observer:
        values = self.shape.values[feature]
        if values:
            return NominalTable(values, self.shape.classes)
        return NarrowHistogram(self.shape.bins, self.shape.classes)

    def clear(self) -> None:
        """A new birth: nothing has been seen. The lanes go on watching the features that they watched."""
        self.age = self.tried = 0
        self.born = [0] * self.shape.classes
        self.held = 0
        self.observers = [self.fresh(feature) for feature in self.features]

    def shrink(self, shift: int) -> None:
        """Divide all counts by 2^shift, each rounded down."""
        self.born = [n >> shift for n in self.born]
        self.held = sum(self.born)
        for observer in self.observers:
            observer.rows = [[n >> shift for n in row] for row in observer.rows]

    def add(self, x: Sequence[int], y: int) -> None:
        """Count a sample."""
        full = False
        for feature, observer in zip(self.features, self.observers, strict=True):
            if x[feature] != MISSING and observer.add(x[feature], y, self.age) >= LIMIT:
                full = True
        self.born[y] += 1
        self.held += 1
        self.age += 1
        self.full = full or self.held == MOST_HELD

    def inherit(self, parent: Slot, lane: int) -> None:
        """Take over a quarter of `parent`'s counts; none for the feature that was split on, in `lane`."""
        self.features = list(parent.features)
        born, observers = parent.born, parent.observers
        self.clear()
        self.born = list(born)
        for mine, theirs in zip(self.observers, observers, strict=True):
            mine.rows = [list(row) for row in theirs.rows]
            if isinstance(mine, Histogram) and isinstance(theirs, Histogram):
                mine.lo, mine.shift = theirs.lo, theirs.shift
        self.observers[lane] = self.fresh(self.features[lane])
        self.shrink(2)

    def classes(self) -> int:
        """The number of classes that have come, by the highest label; at least two."""
        return max([2, *(c + 1 for c, n in enumerate(self.born) if n)])

    def asked(self) -> range:
        """The lanes that naive Bayes asks: in a race all but lane 0, whose feature is on trial."""
        return range(1 if self.shape.raced else 0, self.shape.lanes)


def give(slot: Slot, node: Node) -> None:
    """Let `slot` observe another leaf, from nothing; that counts as a new birth of the leaf."""
    take(slot)
    slot.node, node.slot = node, slot
    slot.clear()
    node.leaf.majority_wrong = node.leaf.bayes_wrong = 0


def take(slot: Slot) -> None:
    """Take a slot from the leaf that it observes; the leaf has not looked for another one yet."""
    if slot.node is not None:
        slot.node.slot, slot.node.seen, slot.node = None, 0, None


def find(slots: list[Slot], promise: int, is_alternate: int) -> Slot | None:
    """A slot for a leaf of this promise: the first free one, or that of the least promise, below half of it.

    Roots of alternates, which have numbers from `is_alternate` on, keep theirs.
    """
    least, found = promise // 2, None
    for slot in slots:
        if slot.node is None:
            return slot
        if slot.node.number < is_alternate and slot.node.leaf.promise < least:
            least, found = slot.node.leaf.promise, slot
    return found
