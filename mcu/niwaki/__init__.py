"""Niwaki: classifiers that learn on the microcontroller, inside a byte budget they never exceed."""

__version__ = "0.1.0"

try:
    import micropython  # noqa: F401
except ImportError:  # a desktop: the lab's stand-in for the device's module
    import niwaki_host.shim  # noqa: F401

_WHERE = {
    "Tree": "tree",
    "plan": "tree_plan",
    "Shrubs": "shrubs",
    "Encoder": "encoder",
    "Adwin": "adwin",
    "MISSING": "model",
    "BudgetError": "errors",
    "ImageError": "errors",
    "load": "image",
    "Window": "window",
}


def __getattr__(name):
    """Import on first use, so that a board loads only the model that it runs."""
    if name not in _WHERE:
        raise AttributeError(name)
    value = getattr(__import__(_WHERE[name], globals(), locals(), (name,), 1), name)
    globals()[name] = value
    return value
