"""The options of an ensemble: their defaults, and what they may be."""

from micropython import const

from ..construct import choice, number, whole

# From the layouts, by `make consts`:
_MAX_WINDOW = const(255)
_MAX_SHRUBS = const(64)
_MAX_EXACT = const(128)

LOSSES = ("mse", "ce")
CRITERIA = ("gini", "gain")

OPTIONS = {
    "window": None,
    "shrubs": None,
    "step": None,
    "loss": "mse",
    "depth": None,
    "every": None,
    "nodes": None,
    "recent": None,
    "weigh": None,
    "criterion": "gini",
    "features": None,
    "random": False,
    "seed": 1,
    "pending": 0,
    "exact": False,
}


def _whole_or_none(o, name, low, high):
    if o[name] is not None:
        whole(name, o[name], low, high)


def check_options(options, n_features, n_classes):
    """Fill in defaults; complain about unknown names and impossible values."""
    for name in options:
        if name not in OPTIONS:
            raise TypeError("unknown option %r; known: %s" % (name, ", ".join(sorted(OPTIONS))))
    o = dict(OPTIONS)
    if options.get("exact"):  # Algorithm 1, unless told otherwise
        o["every"] = 1
        o["recent"] = 0
        o["features"] = n_features
        if options.get("recent") or options.get("nodes"):
            raise ValueError("exact: shrubs are fully grown, and none leads: leave out nodes and recent")
        _whole_or_none(dict(OPTIONS, **options), "window", 2, _MAX_EXACT)
    o.update(options)
    choice("exact", o["exact"], (False, True))
    _whole_or_none(o, "window", 2, _MAX_WINDOW)
    _whole_or_none(o, "shrubs", 1, _MAX_SHRUBS)
    _whole_or_none(o, "nodes", 1, min(254, 256 - n_classes))
    _whole_or_none(o, "depth", 1, 254)
    _whole_or_none(o, "every", 1, 1 << 20)
    _whole_or_none(o, "weigh", 1, 1 << 20)
    _whole_or_none(o, "recent", 0, _MAX_WINDOW)
    _whole_or_none(o, "features", 1, n_features)
    whole("seed", o["seed"], 0, 65535)
    whole("pending", o["pending"], 0, 4096)
    choice("random", o["random"], (False, True))
    choice("loss", o["loss"], LOSSES)
    choice("criterion", o["criterion"], CRITERIA)
    if o["step"] is not None:
        number("step", o["step"], n_classes / 2048, n_classes * 512)
    return o
