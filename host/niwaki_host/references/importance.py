"""MPG and MDI in float64, straight from the equations, on the nodes of a tree.

Karax, Malucelli and Barddal, "Decision tree-based feature ranking in concept drifting data streams", 2019.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from niwaki_host.device.views import TreeView
from niwaki_host.references.vfdt import EPOCH


@dataclass
class Split:
    """A split node: its feature, its merit J in the unit of R, and the samples that pass it."""

    feature: int
    merit: float
    depth: int
    samples: float = 0.0
    children: list["Split | Leaf"] = field(default_factory=list)


@dataclass
class Leaf:
    samples: float


def read(model: Any) -> Split | Leaf:
    """A device tree as nested nodes; the samples of a split are those of its leaves."""
    return _read(TreeView(model), 0)


def _read(seen: TreeView, number: int) -> Split | Leaf:
    node = seen.node(number)
    if node.is_leaf:
        leaf = seen.leaf(node.leaf)
        fade = min((seen.samples // EPOCH - leaf.epoch) & 65535, 16)
        return Leaf(float(sum(count >> fade for count in leaf.counts)))
    children = [_read(seen, child) for child in node.children]
    samples = sum(below.samples for below in children)
    return Split(node.feature, node.merit, node.depth, samples, children)


def splits(tree: Split | Leaf) -> list[Split]:
    if isinstance(tree, Leaf):
        return []
    return [tree, *(split for child in tree.children for split in splits(child))]


def height(tree: Split | Leaf) -> int:
    """Of a leaf 0."""
    return 0 if isinstance(tree, Leaf) else 1 + max(height(child) for child in tree.children)


def mpg(tree: Split | Leaf, n_features: int, largest: float) -> np.ndarray:
    """Equation 2; `largest` is R, the largest possible merit."""
    scores = np.zeros(n_features)
    nodes, h = splits(tree), height(tree)
    for b in nodes:
        scores[b.feature] += (h - b.depth) / h * b.merit / largest / len(nodes)
    return scores


def mdi(tree: Split | Leaf, n_features: int, largest: float) -> np.ndarray:
    """Equation 1, in parts of R."""
    scores = np.zeros(n_features)
    for b in splits(tree):
        if tree.samples:
            scores[b.feature] += b.samples / tree.samples * b.merit / largest
    return scores


def shares(scores: np.ndarray) -> np.ndarray:
    """Normalised to sum 1, as in the authors' code; all zeros stay zeros."""
    total = scores.sum()
    return scores / total if total > 0 else scores
