"""Models by the names the commands use."""

import inspect
from typing import Any

from .errors import UsageError

# name -> class in package `niwaki`, and the settings that make it what the name says
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "vfdt": ("Tree", {}),
    "svfdt1": ("Tree", {"strict": 1}),
    "svfdt2": ("Tree", {"strict": 2}),
    "ht-reg": ("Tree", {"omega": 0.5}),
    "hat": ("Tree", {"adaptive": True}),
    "hat-reg": ("Tree", {"adaptive": True, "omega": 0.5}),
    "shrubs": ("Shrubs", {}),
}


def resolve(model: str, settings: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The class name and keyword arguments behind a model name; `settings` come on top."""
    if model not in MODELS:
        raise UsageError(f"unknown model {model!r}; choose from {', '.join(MODELS)}")
    class_name, fixed = MODELS[model]
    return class_name, {**fixed, **settings}


def build(model: str, n_features: int, n_classes: int, budget: int, **settings: Any) -> Any:
    """A model on this desktop. What its constructor refuses is a UsageError."""
    import niwaki

    class_name, kwargs = resolve(model, settings)
    try:
        cls = getattr(niwaki, class_name)
    except (AttributeError, ImportError):
        raise UsageError(f"model {model!r} is not in this version of niwaki") from None
    try:
        return cls(n_features, n_classes, budget, **kwargs)
    except TypeError as error:
        raise UsageError(f"{model}: {_explain(cls, kwargs, error)}") from None
    except ValueError as error:
        raise UsageError(f"{model}: {error}") from None


def _explain(cls: Any, kwargs: dict[str, Any], error: TypeError) -> str:
    """Name an unknown setting by itself: Python's own message speaks of functions."""
    known = inspect.signature(cls.__init__).parameters
    if any(p.kind is p.VAR_KEYWORD for p in known.values()):
        return str(error)
    unknown = [name for name in kwargs if name not in known]
    return f"unknown setting {unknown[0]!r}" if unknown else str(error)
