"""Collapse splits: to make room for a better split, or to rejoin a leaf that has no slot with its sibling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from niwaki_host.references.capped.nodes import Node, merged
from niwaki_host.references.capped.slots import take

if TYPE_CHECKING:
    from niwaki_host.references.capped.tree import CappedTree

PER_BIT = 64  # the J of a split that waits for room is rounded down to 64ths of a bit


@dataclass
class Victim:
    """The splits that could be collapsed, and the limit: a split that is collapsed is worth less."""

    limit: float
    slack: float
    """How far the device's limit may lie below or above."""
    worths: dict[Node, tuple[float, float]]
    """In samples; and how far the device's figure may be from it."""

    @property
    def least(self) -> Node | None:
        """The split of the least worth, if that is below the limit; of equals that with the lowest number."""
        node = min(self.worths, key=lambda node: (self.worths[node][0], node.number), default=None)
        return node if node is not None and self.worths[node][0] < self.limit else None


def worth(tree: CappedTree, node: Node) -> tuple[float, float]:
    """The Gini gain of a split of two leaves times its traffic, from counts that fade with the epochs.

    Sum over classes of l^2 / L + r^2 / R - (l + r)^2 / (L + R); 0 where one side is empty. The device's
    shares are whole 1024ths, and its worth whole 16ths.
    """
    left, right = (child.leaf.faded(tree.samples) for child in node.children)
    n_left, n_right = sum(left), sum(right)
    if not n_left or not n_right:
        return 0.0, 0.0
    n = n_left + n_right
    found = sum(a * a / n_left + b * b / n_right - (a + b) ** 2 / n for a, b in zip(left, right, strict=True))
    return found, n / 1024 + 1 / 16


def for_a_split(tree: CappedTree, node: Node, merit: float) -> Victim:
    """If no numbers are left for `node`'s children: splits worth less than a quarter of J x traffic.

    Half of J, in bits, is about the Gini gain, and the new split must be worth twice as much as the old one.
    Neither the root of an alternate nor the split above it can go.
    """
    traffic = sum(node.leaf.counts)
    spared = node.parent if node.number >= tree.shape.nodes else None
    worths = {
        split: worth(tree, split)
        for split in tree.all_nodes()
        if split.parts_leaves() and split.number < tree.shape.nodes and split is not spared
    }
    return Victim(int(merit * PER_BIT) / PER_BIT * traffic / 4, 1 / 16, worths)


def for_a_look(tree: CappedTree, node: Node) -> Victim:
    """If a leaf has no slot: the split above it, if that has two leaves and has lost its worth.

    Its worth is then below ln(1 / delta) samples, and below a quarter of the n J / 2 that it once promised.
    """
    parent = node.parent
    if node.number >= tree.shape.nodes or parent is None or not parent.parts_leaves():
        return Victim(0.0, 0.0, {})
    assert parent.split is not None
    n = sum(sum(child.leaf.faded(tree.samples)) for child in parent.children)
    promised = n * parent.split.merit / 8
    slack = parent.split.merit + n / 8 / 4096 + 1 / 16
    return Victim(min(tree.shape.ln_delta, promised), slack, {parent: worth(tree, parent)})


def collapse(tree: CappedTree, node: Node) -> None:
    """Make a split of two leaves one leaf, which has no slot and has not looked for one yet."""
    left, right = node.children
    node.leaf = merged(left.leaf, right.leaf)
    for child in node.children:
        if child.slot is not None:
            take(child.slot)
    tree.numbers.free.append(left.number)
    node.split, node.children, node.slot, node.seen = None, (), None, 0
    if node.monitor is not None:
        node.monitor.node = node.monitor = None
