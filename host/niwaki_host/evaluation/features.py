"""How many features a model looks at, and how deep it is."""

from __future__ import annotations

from typing import Any

from niwaki_host.device.views import Shrub, TreeView, view
from niwaki_host.ensembles.ensemble import Ensemble


def features_used(model: Any) -> int:
    """How many different features the splits use: those of the tree, or of the shrubs with weight.

    `model` is anything with the three arrays.
    """
    if isinstance(model, Ensemble):
        return model.features_used
    seen = view(model)
    if isinstance(seen, TreeView):
        return len({node.feature for node in seen.walk() if not node.is_leaf})
    return len({node.feature for shrub in seen.voters for node in shrub.nodes})


def depth(model: Any) -> int:
    """Splits above the deepest leaf: of the tree, or of the deepest tree or shrub that has a say."""
    if isinstance(model, Ensemble):
        return max(depth(grown.tree) for grown in model.voters)
    seen = view(model)
    if isinstance(seen, TreeView):
        return max(node.depth for node in seen.walk())
    return max((_height(shrub, seen.room, shrub.root) for shrub in seen.voters), default=0)


def _height(shrub: Shrub, room: int, reference: int) -> int:
    if reference >= room:  # a leaf
        return 0
    node = shrub.nodes[reference]
    return 1 + max(_height(shrub, room, node.left), _height(shrub, room, node.right))
