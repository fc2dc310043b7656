"""The device's models with the interfaces that people know already: river's and scikit-learn's.

from niwaki_host.adapters import RiverClassifier, SklearnClassifier
"""

from typing import Any

from niwaki_host.errors import UsageError

__all__ = ["RiverClassifier", "SklearnClassifier"]

# Name -> module, the package it needs, and the extra that brings it.
_WHERE = {
    "RiverClassifier": ("river_classifier", "river", "compare"),
    "SklearnClassifier": ("sklearn_classifier", "sklearn", "sklearn"),
}


def __getattr__(name: str) -> Any:
    """Import on first use: each interface needs a package that the other one does not."""
    if name not in _WHERE:
        raise AttributeError(name)
    module, package, extra = _WHERE[name]
    try:
        return getattr(__import__(module, globals(), locals(), (name,), 1), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise UsageError(f"{package} is not installed: pip install 'niwaki-ml[{extra}]'") from None
