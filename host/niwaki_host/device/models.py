"""Models by the names the commands use."""

import re
from typing import Any

from niwaki_host.ensembles.spec import is_ensemble, parse
from niwaki_host.errors import UsageError
from niwaki_host.suggest import nearest

# name -> class in package `niwaki`, and the settings that the name stands for
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "vfdt": ("Tree", {}),
    "svfdt1": ("Tree", {"strict": 1}),
    "svfdt2": ("Tree", {"strict": 2}),
    "ht-reg": ("Tree", {"omega": 0.5}),
    "hat": ("Tree", {"adaptive": True}),
    "hat-reg": ("Tree", {"adaptive": True, "omega": 0.5}),
    "shrubs": ("Shrubs", {}),
    "grove": ("Grove", {}),
}


def takes_nominal(model: str) -> bool:
    """Whether the model handles nominal features: trees do, and ensembles of trees."""
    return is_ensemble(model) or resolve(model, {})[0] == "Tree"


def resolve(model: str, settings: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The class name and keyword arguments behind a model name; `settings` come on top."""
    if model not in MODELS:
        raise UsageError(f"unknown model {model!r}; choose from {', '.join(MODELS)}")
    class_name, fixed = MODELS[model]
    return class_name, {**fixed, **settings}


def build(model: str, /, n_features: int, n_classes: int, budget: int, **settings: Any) -> Any:
    """A model on this desktop. Arguments that its constructor refuses raise a UsageError."""
    import niwaki

    if is_ensemble(model):
        from niwaki_host.ensembles.ensemble import Ensemble

        nominal = settings.pop("nominal", None)
        return Ensemble(parse(model, settings), n_features, n_classes, budget, nominal)
    class_name, kwargs = resolve(model, settings)
    try:
        cls = getattr(niwaki, class_name)
    except (AttributeError, ImportError):
        raise UsageError(f"model {model!r} is not in this version of niwaki") from None
    try:
        return cls(n_features, n_classes, budget, **kwargs)
    except TypeError as error:
        raise UsageError(f"{model}: {_explain(error)}") from None
    except ValueError as error:
        raise UsageError(f"{model}: {error}") from None


def _explain(error: TypeError) -> str:
    """The model's own words; for a mistyped option, the nearest one instead of all of them."""
    text = str(error)
    found = re.fullmatch(r"unknown option '(\w+)'; known: (.*)", text)
    near = nearest(found[1], found[2].split(", ")) if found else None
    return f"unknown option {found[1]!r}: did you mean {near!r}?" if found and near else text
