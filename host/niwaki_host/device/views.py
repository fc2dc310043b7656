"""A model's arrays as named fields, read by the register maps of the device (niwaki/*/layout.py).

Whoever looks into a model goes through here: no other module of the lab knows where a field lies. A view
reads, and never writes; it takes anything with words, halves and octets: a model, or what a run ended with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from niwaki import layout as shared
from niwaki.grove import layout as grove
from niwaki.model import MISSING
from niwaki.shrubs import layout as shrubs
from niwaki.tree import layout as tree

MOST = 32767  # a code goes from -MOST to MOST
ZERO = 32768  # a code is kept as code + ZERO, so 0 stands for missing


class View:
    """What all models have: the header's first words, and the samples that wait."""

    def __init__(self, model: Any) -> None:
        self.words, self.halves, self.octets = model.words, model.halves, model.octets
        self.n_features = self.word(shared.FEATURES)
        self.n_classes = self.word(shared.CLASSES)
        self.samples = self.word(shared.SAMPLES)

    def word(self, at: int) -> int:
        return int(self.words[at])

    @property
    def kind(self) -> int:
        return self.word(shared.IDENTITY) >> shared.KIND_AT & shared.KIND_MASK

    @property
    def waiting_places(self) -> int:
        """How many samples can wait for their labels."""
        if not self.word(shared.IDENTITY) & shared.RING:
            return 0
        return int(self.halves[self.word(shared.HALVES) - shared.RING_TAIL])

    @property
    def waiting_bytes(self) -> int:
        """Bytes of one waiting sample: its codes and its serial number."""
        return 2 * self.n_features + 2


@dataclass(frozen=True)
class Node:
    """A tree's node: a leaf if `child` is 0. Fields of a split mean nothing in a leaf, and the reverse."""

    number: int
    parent: int
    child: int
    depth: int
    feature: int
    threshold: int
    """A code; of a nominal feature the value that goes left."""
    merit: float
    """J*, in the unit of R."""
    nominal: bool
    missing_right: bool
    leaf: int
    """The leaf's record."""
    slot: int
    """The slot that observes the leaf, -1: none."""

    @property
    def is_leaf(self) -> bool:
        return self.child == 0

    @property
    def children(self) -> tuple[int, ...]:
        return () if self.is_leaf else (self.child, self.child + 1)


@dataclass(frozen=True)
class Leaf:
    majority_wrong: int
    bayes_wrong: int
    promise: int
    epoch: int
    majority: int
    counts: list[int]

    @property
    def next_free(self) -> int:
        """In a free record: the number of the next free one, plus 1."""
        return self.promise


@dataclass(frozen=True)
class Window:
    """Where a lane's histogram lies: bin b begins at code low + (b << shift)."""

    low: int
    shift: int
    seen: bool
    poor: bool


@dataclass(frozen=True)
class Slot:
    node: int
    age: int
    tried: int
    held: int
    counts: list[int]
    features: list[int]
    windows: list[Window]


@dataclass(frozen=True)
class Monitor:
    """A monitor of an adaptive tree: `node` is -1 if it is free, `age` is 0 if there is no alternate."""

    number: int
    node: int
    age: int
    errors: int
    rival: int
    ones: int
    width: int
    buckets: list[tuple[int, int]]
    """(log2 of its blocks, ones), oldest first."""


class TreeView(View):
    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.flags = self.word(tree.FLAGS)
        self.adaptive = bool(self.flags & tree.ADAPTIVE)
        self.exact = bool(self.flags & tree.EXACT)
        self.max_depth = self.flags >> tree.MAX_DEPTH_AT & tree.MAX_DEPTH or None
        self.wide = bool(self.flags & tree.WIDE)
        self.raced = bool(self.flags & tree.RACED)
        self.max_nodes, self.max_leaves = self.word(tree.MAX_NODES), self.word(tree.MAX_LEAVES)
        self.n_slots, self.n_active = self.word(tree.SLOTS), self.word(tree.ACTIVE)
        self.n_nodes, self.n_leaves = self.word(tree.NODES), self.word(tree.LEAVES)
        self.n_lanes, self.bins = self.word(tree.LANES), self.word(tree.BINS)
        self.n_monitors = self.word(tree.MONITORS) if self.adaptive else 0

    @property
    def values(self) -> list[int]:
        """Per feature the number of its values, 0 for a numeric one."""
        return [int(count) for count in self.octets[: self.n_features]]

    def node(self, number: int) -> Node:
        at = self.word(tree.NODE0) + number * tree.NODE
        fields = [int(field) for field in self.halves[at : at + tree.NODE]]
        shape = fields[tree.NODE_SHAPE]
        return Node(
            number=number,
            parent=fields[tree.NODE_PARENT],
            child=fields[tree.NODE_CHILD],
            depth=shape >> tree.DEPTH_AT,
            feature=fields[tree.NODE_FEATURE],
            threshold=fields[tree.NODE_THRESHOLD] - ZERO,
            merit=fields[tree.NODE_MERIT] / 4096,
            nominal=bool(shape & tree.NOMINAL),
            missing_right=bool(shape & tree.MISSING_RIGHT),
            leaf=fields[tree.NODE_LEAF],
            slot=fields[tree.NODE_SLOT] - 1,
        )

    def walk(self, root: int = 0) -> Iterator[Node]:
        """All nodes from `root` down, a split before what is below it."""
        waiting = [root]
        while waiting:
            node = self.node(waiting.pop())
            yield node
            waiting += node.children

    def leaf(self, record: int) -> Leaf:
        at = self.word(tree.LEAF0) + record * (tree.LEAF + self.n_classes)
        fields = [int(field) for field in self.halves[at : at + tree.LEAF + self.n_classes]]
        return Leaf(
            fields[tree.LEAF_MAJORITY_WRONG],
            fields[tree.LEAF_BAYES_WRONG],
            fields[tree.LEAF_PROMISE],
            fields[tree.LEAF_EPOCH],
            fields[tree.LEAF_MAJORITY],
            fields[tree.LEAF :],
        )

    def answers_by_bayes(self, node: Node) -> bool:
        """Whether naive Bayes answers at this leaf, and not its majority class."""
        if node.slot < 0 or not self.flags & tree.BAYES:
            return False
        leaf = self.leaf(node.leaf)
        return bool(self.flags & tree.NB) or leaf.majority_wrong >= leaf.bayes_wrong

    def slot(self, number: int) -> Slot:
        at = self.word(tree.SLOT_WORDS0) + number * self.word(tree.SLOT_WORDS)
        halves = self.word(tree.SLOT_HALVES0) + number * self.word(tree.SLOT_HALVES)
        lanes = halves + self.n_classes
        features = self.halves[lanes : lanes + self.n_lanes] if self.raced else range(self.n_lanes)
        return Slot(
            self.word(at + tree.SLOT_NODE),
            self.word(at + tree.SLOT_AGE),
            self.word(at + tree.SLOT_TRIED),
            self.word(at + tree.SLOT_HELD),
            [int(count) for count in self.halves[halves:lanes]],
            [int(feature) for feature in features],
            [_window(self.word(at + tree.SLOT + lane)) for lane in range(self.n_lanes)],
        )

    @property
    def cells(self) -> Any:
        """The array that holds the cells."""
        return self.halves if self.wide else self.octets

    def histogram(self, slot: int, lane: int, bins: int) -> list[list[int]]:
        """Counts of a lane, [bin][class]."""
        first = self.word(tree.CELL0) + slot * self.word(tree.CELL_STRIDE) + int(self.halves[lane])
        starts = range(first, first + bins * self.n_classes, self.n_classes)
        return [[int(count) for count in self.cells[at : at + self.n_classes]] for at in starts]

    @property
    def slot_bytes(self) -> int:
        cells = 0 if self.wide else self.word(tree.CELLS)
        return 4 * self.word(tree.SLOT_WORDS) + 2 * self.word(tree.SLOT_HALVES) + cells

    @property
    def monitor_bytes(self) -> int:
        return 2 * self.word(tree.MONITOR)

    @property
    def node_bytes(self) -> int:
        return 2 * tree.NODE

    @property
    def leaf_bytes(self) -> int:
        return 2 * (tree.LEAF + self.n_classes)

    @property
    def monitors(self) -> list[Monitor]:
        return [self._monitor(number) for number in range(self.n_monitors)]

    def _monitor(self, number: int) -> Monitor:
        at = self.word(tree.MONITOR0) + number * self.word(tree.MONITOR)
        fields = [int(field) for field in self.halves[at : at + self.word(tree.MONITOR)]]
        adwin = fields[tree.WATCH :]
        buckets = adwin[shared.ADWIN :][: adwin[shared.ADWIN_BUCKETS]]
        return Monitor(
            number,
            fields[tree.MONITOR_NODE] - 1,
            fields[tree.MONITOR_AGE],
            fields[tree.MONITOR_ERRORS],
            fields[tree.MONITOR_RIVAL],
            adwin[shared.ADWIN_ONES],
            adwin[shared.ADWIN_WIDTH],
            [(bucket >> shared.BUCKET_AT, bucket & shared.BUCKET_ONES) for bucket in buckets],
        )

    def alternate(self, monitor: Monitor) -> int:
        """The root of a monitor's alternate subtree."""
        return self.max_nodes + monitor.number


def _window(word: int) -> Window:
    window = word & tree.WINDOW
    low = (window >> tree.LOW_AT & tree.LOW) - tree.LOW_BIAS
    return Window(low, window & tree.SHIFT, window != 0, bool(word & tree.POOR))


@dataclass(frozen=True)
class ShrubNode:
    feature: int
    threshold: int
    left: int
    right: int


@dataclass(frozen=True)
class Shrub:
    """References (root, left, right) below `room` are nodes; room + c is a leaf of class c.

    In an exact ensemble room + k is leaf k of the shrub: see `ShrubsView.label`.
    """

    place: int
    weight: float
    root: int
    nodes: list[ShrubNode]


class _Places(View):
    """Shrubs by their places, in arrays of octets."""

    n_places: int
    room: int

    def shrub(self, place: int) -> Shrub:
        raise NotImplementedError

    def label(self, place: int, reference: int) -> int:
        """The class of a leaf."""
        return reference - self.room

    @property
    def voters(self) -> list[Shrub]:
        """The shrubs that vote."""
        found = (self.shrub(place) for place in range(self.n_places))
        return [shrub for shrub in found if shrub.weight]

    def _row(self, first: int, place: int, count: int) -> list[int]:
        """The first `count` items of a shrub, in an array [place][node] that starts at `first`."""
        at = first + place * self.room
        return [int(value) for value in self.octets[at : at + count]]


class ShrubsView(_Places):
    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.window, self.count = self.word(shrubs.WINDOW), self.word(shrubs.COUNT)
        self.n_places, self.room = self.word(shrubs.SHRUBS) + 1, self.word(shrubs.ROOM)
        self.exact = bool(self.word(shrubs.FLAGS) & shrubs.EXACT)
        self._nodes = (shrubs.ORDERS + self.n_features) * self.window + 1  # index of the numbers of nodes

    def label(self, place: int, reference: int) -> int:
        counts = self.leaf_counts(place, reference)
        return counts.index(max(counts)) if counts else super().label(place, reference)

    def leaf_counts(self, place: int, reference: int) -> list[int]:
        """Samples of each class in a leaf when it was grown; empty if the ensemble is not exact."""
        if not self.exact:
            return []
        first = self._nodes + self.n_places * (3 * self.room + 2)
        at = first + (place * (self.room + 1) + reference - self.room) * self.n_classes
        return [int(count) for count in self.octets[at : at + self.n_classes]]

    @property
    def leader(self) -> int:
        """The place of the youngest shrub while it answers alone, else -1."""
        leads = self.word(shrubs.RECENT) and self.word(shrubs.LEAD) > 0
        return self.word(shrubs.YOUNGEST) if leads else -1

    def shrub(self, place: int) -> Shrub:
        count, root = (int(self.octets[self._nodes + row * self.n_places + place]) for row in (0, 1))
        first, size = self._nodes + 2 * self.n_places, self.n_places * self.room
        features, left, right = (self._row(first + row * size, place, count) for row in range(3))
        at = self.n_features * self.window + place * self.room
        thresholds = [int(code) - ZERO for code in self.halves[at : at + count]]
        nodes = [ShrubNode(*fields) for fields in zip(features, thresholds, left, right, strict=True)]
        return Shrub(place, self.word(shrubs.WEIGHTS + place) / shrubs.FULL, root, nodes)

    def remembered(self) -> Iterator[tuple[list[int], int]]:
        """The samples of the window: codes and label."""
        labels = shrubs.LABELS * self.window
        for slot in range(1, self.count + 1):
            codes = [int(self.halves[f * self.window + slot - 1]) - ZERO for f in range(self.n_features)]
            yield codes, (int(self.octets[labels + slot]) >> 1) - 1

    @property
    def sample_bytes(self) -> int:
        """Bytes of a sample: 2 per feature and 1 for its order; label, mark and place in a list."""
        return 3 * self.n_features + 3

    @property
    def shrub_bytes(self) -> int:
        """Bytes of a shrub: weight, two octets, threshold and three octets a node, counts an exact leaf."""
        return 4 + 2 + 5 * self.room + self.exact * (self.room + 1) * self.n_classes


class GroveView(_Places):
    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.memory, self.recent = self.word(grove.MEMORY), self.word(grove.RECENT)
        self.count, self.newest = self.word(grove.COUNT), self.word(grove.NEWEST)
        self.n_places, self.room = self.word(grove.SHRUBS) + 1, self.word(grove.ROOM)
        self.bins, self.growing = self.word(grove.BINS), self.word(grove.GROWING)

    @property
    def labels_at(self) -> int:
        """Where the octets of the labels begin."""
        return (self.memory + self.recent) * self.n_features

    @property
    def cells_at(self) -> int:
        return self.labels_at + self.memory + self.recent

    @cached_property
    def _stands(self) -> int:
        """Where the octets of the stands begin."""
        return self.cells_at + self.n_features * self.bins * self.n_classes + self.n_features

    def shrub(self, place: int) -> Shrub:
        count, root, known = (
            int(self.octets[self._stands + row * self.n_places + place]) for row in range(grove.STAND_ROWS)
        )
        first, size = self._stands + grove.STAND_ROWS * self.n_places, self.n_places * self.room
        rows = [self._row(first + row * size, place, count) for row in range(grove.NODE_ROWS)]
        nodes = [
            ShrubNode(feature, min(self._code(feature, threshold + 1) - 1, MOST), left, right)
            for feature, threshold, left, right in zip(*rows, strict=True)
        ]
        voting = place != self.growing and known > 0
        return Shrub(place, 1 / (self.n_places - 1) if voting else 0.0, root, nodes)

    def _code(self, feature: int, narrow: int) -> int:
        """The first 16-bit code that the 8-bit code `narrow` of the feature's window stands for."""
        window = self.word(grove.WINDOWS + feature)
        low = (window >> grove.LO_SHIFT & grove.LO) - tree.LOW_BIAS
        return low - (-(narrow << (window & grove.SHIFT)) >> grove.FINE) - ZERO

    def _stored(self, feature: int, narrow: int) -> int:
        """The code of a remembered value. The window's first value is stored as 1, because 0 is missing."""
        first = narrow == 1 and self.word(grove.WINDOWS + feature) & grove.SHIFT < grove.FINE
        return min(max(self._code(feature, 0 if first else narrow), -MOST), MOST)

    def remembered(self) -> Iterator[tuple[list[int], int]]:
        """The samples of the memory: codes, as exactly as they are stored, and label."""
        for narrow, label in self.narrow():
            yield [self._stored(f, code) if code else MISSING for f, code in enumerate(narrow)], label

    def narrow(self) -> Iterator[tuple[list[int], int]]:
        """The samples of the memory with their 8-bit codes, as they are stored; 0 is missing."""
        for place in range(self.count):
            at = place * self.n_features
            codes = [int(code) for code in self.octets[at : at + self.n_features]]
            yield codes, int(self.octets[self.labels_at + place])

    @property
    def class_counts(self) -> list[int]:
        """Samples of each class in the memory."""
        return [int(n) for n in self.halves[: self.n_classes]]

    @property
    def credit(self) -> dict[str, float]:
        """How much more often the newest samples and the histograms were right than the vote."""
        words = {"newest": grove.FOLLOWS, "histograms": grove.KNOWS}
        return {name: self.word(at) / 65536 for name, at in words.items()}

    @property
    def leader(self) -> int:
        """Always -1: in a grove no shrub answers alone."""
        return -1

    @property
    def waiting_bytes(self) -> int:
        """Those of any model, and 4 for the answers that the sample got."""
        return super().waiting_bytes + 4

    @property
    def sample_bytes(self) -> int:
        return self.n_features + 1

    @property
    def histogram_bytes(self) -> int:
        return self.bins * self.n_classes

    @property
    def shrub_bytes(self) -> int:
        return grove.STAND_ROWS + grove.NODE_ROWS * self.room


_KINDS = {shared.KIND_TREE: TreeView, shared.KIND_SHRUBS: ShrubsView, shared.KIND_GROVE: GroveView}


def view(model: Any) -> TreeView | ShrubsView | GroveView:
    """The view of a model, or of the arrays with which a run ended."""
    return _KINDS[View(model).kind](model)
