"""MPG and MDI in float64, straight from the equations, on a reference tree that has learned the same samples.

Karax, Malucelli and Barddal, "Decision tree-based feature ranking in concept drifting data streams", 2019.
J is what the reference computed from the samples; nothing is read from a device's arrays.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

from niwaki_host.references.vfdt import EPOCH, FADING, HoeffdingTree, Node

REMEMBERED = (
    "N_t is what the leaves below a split remember, where the paper's is what it had when it was made"
)


@dataclass
class Split:
    """A split node: its feature, its merit J in the unit of R, its depth, and its N_t."""

    feature: int
    merit: float
    depth: int
    samples: float = 0.0
    children: list["Split | Leaf"] = field(default_factory=list)


@dataclass
class Leaf:
    samples: float


def read(tree: HoeffdingTree, departures: Collection[str] = ()) -> Split | Leaf:
    """A reference tree as nested nodes; the device's departure, REMEMBERED, is an option."""
    return _read(tree, tree.root, departures, 0)


def _read(tree: HoeffdingTree, node: Node, departures: Collection[str], depth: int) -> Split | Leaf:
    if node.split is None:
        faded = min(tree.samples // EPOCH - node.epoch, 16) if FADING in tree.departures else 0
        return Leaf(float(sum(count >> faded for count in node.counts)))
    children = [_read(tree, child, departures, depth + 1) for child in node.children]
    samples = sum(below.samples for below in children) if REMEMBERED in departures else node.n
    return Split(node.split.feature, node.gain, depth, float(samples), children)


def splits(tree: Split | Leaf) -> list[Split]:
    if isinstance(tree, Leaf):
        return []
    return [tree, *(split for child in tree.children for split in splits(child))]


def height(tree: Split | Leaf) -> int:
    """The height of a tree; 0 for a leaf."""
    return 0 if isinstance(tree, Leaf) else 1 + max(height(child) for child in tree.children)


def mpg(tree: Split | Leaf, n_features: int, largest: float) -> np.ndarray:
    """Equation 2; `largest` is R, the largest possible merit."""
    scores = np.zeros(n_features)
    nodes, h = splits(tree), height(tree)
    for b in nodes:
        scores[b.feature] += (h - b.depth) / h * b.merit / largest / len(nodes)
    return scores


def mdi(tree: Split | Leaf, n_features: int, largest: float, total: float) -> np.ndarray:
    """Equation 1, in parts of R; `total` is N, the number of samples in the whole tree."""
    scores = np.zeros(n_features)
    for b in splits(tree):
        scores[b.feature] += b.samples / total * b.merit / largest
    return scores


def shares(scores: np.ndarray) -> np.ndarray:
    """Normalised to sum 1, as in the authors' code; all zeros stay zeros."""
    total = scores.sum()
    return scores / total if total > 0 else scores
