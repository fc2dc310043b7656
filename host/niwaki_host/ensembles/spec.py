"""How an ensemble is written: `bag:svfdt1,trees=10`, `arf:vfdt,trees=10,grace=50`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

from niwaki_host.errors import UsageError

KINDS = {"bag": "online bagging", "arf": "an adaptive random forest"}
MOST_TREES = 64
DETECTOR = 192  # bytes of an Adwin, the smallest there is
# MOA's and the paper's: trees of a forest split early.
_FOREST_TREE = {"grace": 50, "delta": 0.01}


@dataclass(frozen=True)
class Spec:
    """What an ensemble is made of.

    trees       that vote
    seed        of weights and subsets
    features    of each tree, as a number or a share (0.6); None: all with bag, 60 % with arf
    weight      each sample is learned Poisson(weight) times
    background  arf: places for trees that grow after a warning, shared by all
    warning, drift  arf: delta of the two detectors; drift=0 leaves them out, and background trees with them
    """

    kind: str
    base: str
    trees: int = 10
    seed: int = 1
    features: int | float | None = None
    weight: int = 1
    background: int = 0
    warning: float = 0.0
    drift: float = 0.0
    options: dict[str, Any] = field(default_factory=dict)
    """Of the trees."""

    @property
    def detects(self) -> bool:
        return self.drift > 0

    @property
    def places(self) -> int:
        return self.trees + self.background

    def n_features(self, of: int) -> int:
        """How many features a tree looks at, of so many."""
        if self.features is None:
            return of
        if isinstance(self.features, float):
            return min(of, max(1, math.ceil(self.features * of)))
        return min(of, self.features)


_OWN = {f.name for f in fields(Spec)} - {"kind", "base", "options"}


def is_ensemble(model: str) -> bool:
    return model.partition(":")[0] in KINDS and ":" in model


def parse(model: str, settings: dict[str, Any] | None = None) -> Spec:
    """The ensemble that `model` names; `settings` are added to those in the name, and win over them."""
    from niwaki_host.device.models import MODELS

    kind, _, rest = model.partition(":")
    base, *words = [word.strip() for word in rest.split(",")]
    trees = [name for name, (cls, _) in MODELS.items() if cls == "Tree"]
    if base not in trees:
        raise UsageError(
            f"{model}: {KINDS[kind]} is made of trees: write {kind}:vfdt, or {', '.join(trees[1:])}"
        )
    given: dict[str, Any] = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not sign or not name.isidentifier():
            raise UsageError(f"{model}: {word!r}: write key=value, for example {kind}:{base},trees=10")
        given[name] = _typed(text)
    given.update(settings or {})
    own = {name: value for name, value in given.items() if name in _OWN}
    options = {name: value for name, value in given.items() if name not in _OWN}
    if kind == "arf":
        options = {**_FOREST_TREE, **options}
        own = {"features": 0.6, "weight": 6, "warning": 0.01, "drift": 0.001, **own}
    elif extra := {"background", "warning", "drift"} & own.keys():
        raise UsageError(f"{model}: {', '.join(sorted(extra))}: only arf has detectors and background trees")
    _check(model, own)
    if own.get("drift"):
        own.setdefault("background", max(1, own.get("trees", Spec.trees) // 4))
    elif own.get("background"):
        raise UsageError(f"{model}: without detectors (drift=0) there are no background trees")
    return Spec(kind, base, options=options, **own)


def _typed(text: str) -> Any:
    from niwaki_host.cli.options import typed

    return typed(text.strip())


def _check(model: str, own: dict[str, Any]) -> None:
    """Raise UsageError with one line that says which number is wrong."""
    for name, low, high in (
        ("trees", 1, MOST_TREES),
        ("seed", 0, 2**31 - 1),
        ("weight", 1, 16),
        ("background", 0, MOST_TREES),
    ):
        value = own.get(name, low)
        if type(value) is not int or not low <= value <= high:
            raise UsageError(f"{model}: {name} is a whole number in {low}..{high}, not {value!r}")
    features = own.get("features")
    share = isinstance(features, float) and 0 < features <= 1
    if features is not None and not share and (type(features) is not int or features < 1):
        raise UsageError(f"{model}: features is a number of them or a share such as 0.6, not {features!r}")
    for name in ("warning", "drift"):
        value = own.get(name, 0)
        known = isinstance(value, int | float) and not isinstance(value, bool)
        if not known or not (value == 0 or 0.0001 <= value <= 0.5):
            raise UsageError(f"{model}: {name} is a detector's delta in 0.0001..0.5, or 0, not {value!r}")
    if own.get("drift") and not own.get("warning"):
        raise UsageError(f"{model}: warning=0 without drift=0: a forest has both detectors, or none")
