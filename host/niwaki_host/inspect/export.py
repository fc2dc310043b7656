"""A model's arrays as plain nodes: what every view of a model is made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_ADAPTIVE = 256  # among a tree's flags


@dataclass
class Node:
    """A split, or a leaf when `feature` is None. Places are those in the list that holds the node."""

    number: int
    """Of a tree's node: its number on the device; of a shrub's: its place."""
    depth: int
    parent: int | None
    feature: int | None = None
    threshold: int = 0
    """A code: up to it a sample goes left; of a nominal feature the one value that goes left."""
    nominal: bool = False
    missing_right: bool = False
    left: int = 0
    right: int = 0
    label: int = 0
    """The majority class."""
    counts: list[int] = field(default_factory=list)
    """Samples of each class: at the leaf, or below the split."""
    bayes: bool = False
    """Naive Bayes answers here, not the majority."""

    @property
    def is_leaf(self) -> bool:
        return self.feature is None


@dataclass
class Member:
    """A tree, an alternate subtree of an adaptive one, or a shrub of an ensemble.

    The nodes come root first, a split before what is below it.
    """

    place: int
    weight: float
    decides: bool
    """Its vote outweighs all the others."""
    nodes: list[Node]
    replaces: int | None = None
    """An alternate has no say yet; it would replace the node of this number."""

    @property
    def leaves(self) -> list[Node]:
        return [node for node in self.nodes if node.is_leaf]


@dataclass
class Exported:
    kind: str
    n_features: int
    n_classes: int
    values: list[int]
    """Per feature the number of its values, 0 for a numeric one."""
    members: list[Member]


def export(model: Any) -> Exported:
    """The nodes of a Tree and its alternates, or of the shrubs that have a say, the weightiest first."""
    if model.words[0] >> 8 & 255 == 1:
        values = list(model.octets[: model.n_features])
        return Exported("tree", model.n_features, model.n_classes, values, list(_tree(model)))
    members = sorted(_shrubs(model), key=lambda member: (-member.decides, -member.weight))
    return Exported("shrubs", model.n_features, model.n_classes, [0] * model.n_features, members)


def _tree(model: Any) -> Iterator[Member]:
    from niwaki.tree import layout as lay

    w, h = model.words, model.halves
    yield Member(0, 1.0, False, _subtree(model, 0))
    if w[lay.FLAGS] & _ADAPTIVE:
        for m in range(w[lay.MONITORS]):
            monitor = w[lay.MONITOR0] + m * w[lay.MONITOR]
            if h[monitor + 1]:
                nodes = _subtree(model, w[lay.MAX_NODES] + m)
                yield Member(m + 1, 0.0, False, nodes, replaces=h[monitor] - 1)


def _subtree(model: Any, root: int) -> list[Node]:
    from niwaki.tree import layout as lay

    w, h, classes = model.words, model.halves, model.n_classes
    nodes: list[Node] = []
    for node, number in _preorder(nodes, root):
        at = w[lay.NODE0] + number * lay.NODE
        node.number = number
        child = h[at + 1]
        if not child:
            _leaf(model, node, at)
            continue
        node.feature, node.threshold = h[at + 2], h[at + 3] - 32768
        node.nominal, node.missing_right = bool(h[at + 5] & 2), bool(h[at + 5] & 1)
        node.left, node.right = child, child + 1
    return _sum_up(nodes, classes)


def _leaf(model: Any, node: Node, at: int) -> None:
    from niwaki.tree import layout as lay

    w, h, classes = model.words, model.halves, model.n_classes
    record = w[lay.LEAF0] + h[at + 2] * (lay.LEAF + classes)
    node.label = h[record + 4]
    node.counts = list(h[record + lay.LEAF : record + lay.LEAF + classes])
    kind, active = w[lay.FLAGS] & 3, h[at + 3] > 0
    node.bayes = active and (kind == 1 or (kind == 2 and h[record] >= h[record + 1]))


def _preorder(nodes: list[Node], root: int) -> Iterator[tuple[Node, int]]:
    """Nodes as they are found: the caller sets `left` and `right` to the device's numbers, here they become
    places in the list. No recursion: a tree may be a thousand levels deep."""
    waiting: list[tuple[int, int | None, str]] = [(root, None, "")]
    while waiting:
        number, parent, side = waiting.pop()
        place = len(nodes)
        depth = 0
        if parent is not None:
            depth = nodes[parent].depth + 1
            setattr(nodes[parent], side, place)
        node = Node(place, depth, parent)
        nodes.append(node)
        yield node, number
        if not node.is_leaf:
            waiting += [(node.right, place, "right"), (node.left, place, "left")]


def _sum_up(nodes: list[Node], classes: int) -> list[Node]:
    """Give splits the counts and the majority of what is below them."""
    for node in reversed(nodes):
        if not node.is_leaf:
            pairs = zip(nodes[node.left].counts, nodes[node.right].counts, strict=True)
            node.counts = [left + right for left, right in pairs]
            node.label = max(range(classes), key=lambda c: node.counts[c])
    return nodes


def _shrubs(model: Any) -> Iterator[Member]:
    from niwaki.shrubs import layout as lay

    w, h, b = model.words, model.halves, model.octets
    window, places, room = w[lay.WINDOW], w[lay.SHRUBS] + 1, w[lay.ROOM]
    codes = model.n_features * window
    roots = 3 * window + 1 + codes + places
    features = roots + places
    lefts, rights = features + places * room, features + 2 * places * room
    decides = w[lay.YOUNGEST] if w[lay.RECENT] and w[lay.LEAD] > 0 else -1
    for m in range(places):
        if not w[lay.WEIGHTS + m] and m != decides:
            continue
        nodes: list[Node] = []
        for node, reference in _preorder(nodes, b[roots + m]):
            if reference >= room:
                node.label = reference - room
                node.counts = [0] * model.n_classes
                continue
            k = m * room + reference
            node.feature, node.threshold = b[features + k], h[codes + k] - 32768
            node.left, node.right = b[lefts + k], b[rights + k]
        for slot in range(1, w[lay.COUNT] + 1):
            sample = [h[f * window + slot - 1] - 32768 for f in range(model.n_features)]
            route(nodes, sample).counts[(b[2 * window + slot] >> 1) - 1] += 1
        yield Member(m, w[lay.WEIGHTS + m] / 65536, m == decides, _sum_up(nodes, model.n_classes))


def route(nodes: list[Node], codes: Any) -> Node:
    """The leaf that a sample of codes comes to."""
    node = nodes[0]
    while not node.is_leaf:
        code = codes[node.feature]
        if code == -32768:
            right = node.missing_right
        else:
            right = code != node.threshold if node.nominal else code > node.threshold
        node = nodes[node.right if right else node.left]
    return node
