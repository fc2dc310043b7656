"""A model's arrays as plain nodes: what every view of a model is made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from niwaki.model import MISSING
from niwaki_host.device.views import GroveView, ShrubsView, TreeView, view


@dataclass
class Node:
    """A split, or a leaf when `feature` is None. `parent`, `left` and `right` are places in the list."""

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

    The root is the first node, and a split comes before the nodes below it.
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
    seen = view(model)
    if isinstance(seen, TreeView):
        return Exported("tree", seen.n_features, seen.n_classes, seen.values, list(_tree(seen)))
    members = sorted(_shrubs(seen), key=lambda member: (-member.decides, -member.weight, member.place))
    kind = "shrubs" if isinstance(seen, ShrubsView) else "grove"
    return Exported(kind, seen.n_features, seen.n_classes, [0] * seen.n_features, members)


def _tree(seen: TreeView) -> Iterator[Member]:
    yield Member(0, 1.0, False, _subtree(seen, 0))
    for monitor in seen.monitors:
        if monitor.age:
            nodes = _subtree(seen, seen.alternate(monitor))
            yield Member(monitor.number + 1, 0.0, False, nodes, replaces=monitor.node)


def _subtree(seen: TreeView, root: int) -> list[Node]:
    nodes: list[Node] = []
    for node, number in _preorder(nodes, root):
        found = seen.node(number)
        node.number = number
        if found.is_leaf:
            leaf = seen.leaf(found.leaf)
            node.label, node.counts, node.bayes = leaf.majority, leaf.counts, seen.answers_by_bayes(found)
            continue
        node.feature, node.threshold = found.feature, found.threshold
        node.nominal, node.missing_right = found.nominal, found.missing_right
        node.left, node.right = found.children
    return _sum_up(nodes, seen.n_classes)


def _preorder(nodes: list[Node], root: int) -> Iterator[tuple[Node, int]]:
    """Yield nodes as they are found. The caller sets `left` and `right` to the device's numbers; this turns
    them into places in the list. It has no recursion, because a tree may be a thousand levels deep."""
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
    """Give each split the class counts and the majority class of the nodes below it."""
    for node in reversed(nodes):
        if not node.is_leaf:
            pairs = zip(nodes[node.left].counts, nodes[node.right].counts, strict=True)
            node.counts = [left + right for left, right in pairs]
            node.label = max(range(classes), key=lambda c: node.counts[c])
    return nodes


def _shrubs(seen: ShrubsView | GroveView) -> Iterator[Member]:
    for place in range(seen.n_places):
        shrub, decides = seen.shrub(place), place == seen.leader
        if not shrub.weight and not decides:
            continue
        nodes: list[Node] = []
        for node, reference in _preorder(nodes, shrub.root):
            if reference >= seen.room:
                node.label = seen.label(place, reference)
                node.counts = [0] * seen.n_classes
                continue
            found = shrub.nodes[reference]
            node.feature, node.threshold = found.feature, found.threshold
            node.left, node.right = found.left, found.right
        for codes, label in seen.remembered():
            route(nodes, codes).counts[label] += 1
        yield Member(place, shrub.weight, decides, _sum_up(nodes, seen.n_classes))


def route(nodes: list[Node], codes: Any) -> Node:
    """The leaf that a sample of codes comes to."""
    node = nodes[0]
    while not node.is_leaf:
        code = codes[node.feature]
        if code == MISSING:
            right = node.missing_right
        else:
            right = code != node.threshold if node.nominal else code > node.threshold
        node = nodes[node.right if right else node.left]
    return node
