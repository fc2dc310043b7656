"""Which features a model relies on, as the model itself ranks them."""

from __future__ import annotations

from array import array
from typing import Any

KINDS = ("mpg", "mdi")


def importance(model: Any, kind: str) -> list[float]:
    """Mean positional gain or mean decrease of impurity per feature, in parts of the largest gain."""
    out = array("i", bytes(4 * model.n_features))
    model.importances(out, kind=kind)
    return [value / 65536 for value in out]


def importances(model: Any) -> dict[str, list[float]]:
    """Both kinds of importances, by name."""
    return {kind: importance(model, kind) for kind in KINDS}
