"""Which features a model relies on, as the model itself ranks them."""

from __future__ import annotations

from array import array
from typing import Any

KINDS = ("mpg", "mdi")


def importances(model: Any) -> dict[str, list[float]]:
    """Shares that sum to 1 (or all 0), per kind that the model can tell: MPG and MDI."""
    if not hasattr(model, "importances"):
        return {}
    found = {}
    for kind in KINDS:
        out = array("i", bytes(4 * model.n_features))
        model.importances(out, kind=kind)
        total = sum(out)
        found[kind] = [value / total if total else 0.0 for value in out]
    return found
