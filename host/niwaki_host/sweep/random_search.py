"""Random search of settings: `sweep --random 50`, as the Shrub Ensembles paper has it for each method.

Setting number i of a model depends on the seed, the model and i alone: 50 of them are the first 50 of 100, so
that a search that was interrupted, or is made longer, repeats nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from niwaki_host.device.models import MODELS
from niwaki_host.ensembles.spec import is_ensemble, parse

Space = Mapping[str, Sequence[Any]]
_TREE: Space = {
    "grace": (25, 50, 100, 200, 400),
    "delta": (1e-7, 1e-5, 1e-3, 1e-2),
    "tau": (0.01, 0.05, 0.1, 0.2),
    "leaf": ("mc", "nb", "nba"),
    "criterion": ("gain", "gini"),
    "bins": (4, 8, 16),
}
_OMEGA = {"omega": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)}
_SPACES: dict[str, Space] = {
    "Tree": _TREE,
    "Shrubs": {
        "window": (16, 32, 64, 128, 192, 255),
        "shrubs": (2, 4, 8, 16, 32),
        "every": (1, 4, 16, 64),
        "recent": (0, 16, 32),
        "loss": ("mse", "ce"),
        "criterion": ("gini", "gain"),
        "random": (False, True),
    },
    "Grove": {
        "shrubs": (4, 8, 16, 32),
        "nodes": (8, 16, 32, 64),
        "take": (48, 96, 192),
        "recent": (0, 16, 24, 32),
        "bins": (0, 4, 8, 16),
        "neighbours": (0, 3),
    },
}
_ENSEMBLE = {"trees": (2, 3, 5, 10, 20), "features": (0.3, 0.6, 1.0), "weight": (1, 6)}


def space(model: str) -> Space:
    """The settings of a model, each with the values to draw from."""
    if is_ensemble(model):
        return {**space(parse(model).base), **_ENSEMBLE}
    class_name, fixed = MODELS[model]
    return {**_SPACES[class_name], **(_OMEGA if "omega" in fixed else {})}


def draw(
    model: str, number: int, seed: int, budgets: Sequence[int]
) -> tuple[int, tuple[tuple[str, Any], ...]]:
    """Budget and settings of one run."""
    chance = Random(f"{seed} {model} {number}")
    budget = chance.choice(list(budgets))
    return budget, tuple((name, chance.choice(list(values))) for name, values in space(model).items())
