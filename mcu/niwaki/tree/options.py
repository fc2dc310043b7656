"""The options of a tree: their defaults, and what they may be."""

from micropython import const

from ..construct import choice, number, whole

# From the layouts, by `make consts`:
_MAX_DEPTH = const(63)
_NB_THRESHOLD = const(2047)


OPTIONS = {
    "leaf": "nba",
    "criterion": "gain",
    "strict": 0,
    "omega": None,
    "adaptive": False,
    "grace": 200,
    "delta": 1e-7,
    "tau": 0.1,
    "max_depth": None,
    "nb_threshold": 0,
    "nominal": None,
    "drop_poor": False,
    "bins": None,
    "count_bits": None,
    "lanes": None,
    "memo": None,
    "nodes": None,
    "pending": 0,
    "exact": False,
}


def check_options(options):
    """Fill in defaults; complain about unknown names and impossible values."""
    for name in options:
        if name not in OPTIONS:
            raise TypeError("unknown option %r; known: %s" % (name, ", ".join(sorted(OPTIONS))))
    o = dict(OPTIONS)
    if options.get("exact"):  # the papers' own, unless told otherwise
        o["tau"] = 0.05
        # VFDT drops poor attributes, SVFDT too (line 30 of Algorithm 1); HT-REG and HAT say nothing of it.
        o["drop_poor"] = bool(options.get("strict")) or not (options.get("omega") or options.get("adaptive"))
    o.update(options)
    choice("leaf", o["leaf"], ("mc", "nb", "nba"))
    choice("criterion", o["criterion"], ("gain", "gini", "hellinger"))
    o["strict"] = choice("strict", o["strict"], (0, 1, 2))
    for name in ("adaptive", "drop_poor", "exact"):
        choice(name, o[name], (False, True))
    if o["omega"] is not None:
        if not 0 < number("omega", o["omega"], 0, 1):
            raise ValueError("omega must be in (0, 1], not %r" % o["omega"])
    whole("grace", o["grace"], 1, 65535)
    whole("pending", o["pending"], 0, 4096)
    number("delta", o["delta"], 1e-12, 0.5)
    number("tau", o["tau"], 0, 16)
    if o["max_depth"] is not None:
        whole("max_depth", o["max_depth"], 1, _MAX_DEPTH)
    whole("nb_threshold", o["nb_threshold"], 0, _NB_THRESHOLD)
    if o["memo"] is not None:
        choice("memo", o["memo"], (False, True))
    if o["bins"] is not None:
        choice("bins", o["bins"], (4, 8, 16, 32, 64))
    if o["count_bits"] is not None:
        choice("count_bits", o["count_bits"], (8, 16))
    if o["lanes"] is not None:
        whole("lanes", o["lanes"], 1, 4096)
    if o["nodes"] is not None:
        whole("nodes", o["nodes"], 1, 65535)
    return o


def check_nominal(nominal, n_features):
    """Check `nominal`; return the number of values of each feature, 0 for a numeric one."""
    if nominal is None:
        return bytes(n_features)
    if isinstance(nominal, int):
        raise TypeError("nominal must list the number of values of each feature, 0 for numeric ones")
    if len(nominal) != n_features:
        raise ValueError("nominal has %d entries for %d features" % (len(nominal), n_features))
    for k in nominal:
        if k:
            whole("nominal values", k, 2, 255)
    return bytes(nominal)
