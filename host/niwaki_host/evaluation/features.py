"""How many features a model looks at."""

from __future__ import annotations

from typing import Any

from niwaki_host.device.views import TreeView, view


def features_used(model: Any) -> int:
    """Distinct features in the splits that have a say: of the tree, or of the shrubs with weight.

    `model` is anything with the three arrays.
    """
    seen = view(model)
    if isinstance(seen, TreeView):
        return len({node.feature for node in seen.walk() if not node.is_leaf})
    return len({node.feature for shrub in seen.voters for node in shrub.nodes})
