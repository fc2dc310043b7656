"""How an ensemble divides its budget, and what it writes into its fresh arrays. The layout: layout.py."""

from micropython import const

from ..construct import check_shape, choice, footprint, number, whole
from ..model import BudgetError

# From the layouts, by `make consts`:
_OCTETS = const(3)
_RING_TAIL = const(2)
_WINDOW = const(8)
_SHRUBS = const(9)
_ROOM = const(10)
_HEAD = const(12)
_EVERY = const(13)
_WEIGH = const(14)
_TRAIN_IN = const(15)
_WEIGH_IN = const(16)
_STEP = const(17)
_STEP_SHIFT = const(18)
_ENTROPY = const(19)
_DEPTH = const(20)
_FLAGS = const(21)
_TRY = const(22)
_RANDOM = const(23)
_SEED = const(24)
_RECENT = const(25)
_YOUNGEST = const(28)
_AGREE = const(31)
_WEIGHTS = const(32)
_GAIN = const(1)
_EXACT = const(2)
_MAX_WINDOW = const(255)
_MAX_SHRUBS = const(64)
_MAX_EXACT = const(128)
_ORDERS = const(3)

_EVERY_MOST = const(64)  # the default of `every` is the window's size, but not above this

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

# The sizes that `plan` chooses among; more of each has brought nothing.
LEAST = (8, 2, 2)  # window, shrubs, nodes
MOST = (192, 32, 16)
SHRUBS_TRIED = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32)


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


class Plan:
    """How a budget is divided. Made by `plan`; read by `Shrubs` and by people."""

    def __init__(self, n_features, n_classes, budget, o):
        self.n_features = n_features
        self.n_classes = n_classes
        self.budget = budget
        self.options = o
        self.window = o["window"] or LEAST[0]
        self.shrubs = o["shrubs"] or LEAST[1]
        self.nodes = o["nodes"] or LEAST[2]
        self.pending = o["pending"]

    def agree(self):
        """Whether to keep agreements: instructions to update them each sample, against one computation."""
        o = self.options
        often = min(o["every"] or _EVERY_MOST, o["weigh"] or _EVERY_MOST)
        return o["loss"] == "mse" and not o["exact"] and often * (6 * self.shrubs + 36) <= 25 * self.window

    def room(self):
        """Nodes of a shrub; with `exact` as many as the window and the depth let it have."""
        if not self.options["exact"]:
            return self.nodes
        return max(1, min(self.window - 1, (1 << min(self.options["depth"] or 8, 8)) - 1))

    def sizes(self):
        """(words, halves, octets, scratch, places for samples that wait)."""
        features, classes, window, nodes, places = (
            self.n_features,
            self.n_classes,
            self.window,
            self.room(),
            self.shrubs + 1,
        )
        exact = bool(self.options["exact"])
        return (
            _WEIGHTS + places,
            features * window
            + places * nodes
            + (self.pending and self.pending * (features + 1) + _RING_TAIL),
            (_ORDERS + features) * window
            + 1
            + places * (3 * nodes + 2)
            + (places * places if self.agree() else 0)
            + exact * places * (nodes + 1) * classes,
            5 + max(2 * classes + 2 + 3 * (nodes + 1), max(classes + 2, exact * (nodes + 1)) + 3 * places),
            self.pending,
        )

    def nbytes(self):
        return footprint(self.sizes(), self.n_features)

    def loss(self):
        """Accuracy lost to small sizes, in units of 1e-6, fitted to benchmarks/shrubs_defaults.py."""
        classes = self.n_classes
        nodes = min(self.room(), max(classes, self.window // 3))  # more find nothing to split
        return (
            500000 // self.window + 540000 // self.shrubs**2 + 6000 * max(25, classes * classes) // nodes**2
        )

    def divide(self):
        """Choose the sizes that lose least; False if not even the smallest fit."""
        if self.nbytes() > self.budget:
            return False
        o = self.options
        classes = self.n_classes
        nodes = (o["nodes"],)
        if nodes[0] is None and not o["exact"]:
            nodes = sorted(
                {
                    2,
                    4,
                    6,
                    8,
                    10,
                    12,
                    MOST[2],
                    min(classes - 1, 254),
                    min(classes + classes // 4, 254, 256 - classes),
                }
            )
        best = None
        for self.nodes in nodes:
            for self.shrubs in (o["shrubs"],) if o["shrubs"] else SHRUBS_TRIED:
                self.window = MOST[0] if not o["exact"] else _MAX_EXACT
                if best and self.loss() >= best[0]:
                    continue  # even the largest window would lose more than the best so far
                self.window = o["window"] or self._widest()
                if (self.window >= LEAST[0] or o["window"]) and self.nbytes() <= self.budget:
                    loss = self.loss()
                    if best is None or loss < best[0]:
                        best = (loss, self.window, self.shrubs, self.nodes)
        _, self.window, self.shrubs, self.nodes = best
        self.nodes = self.room()
        return True

    def _widest(self):
        """The largest window that fits beside the shrubs."""
        self.window = 0
        spare = self.budget - self.nbytes()
        if spare < 0:
            return 0
        # Sizes are rounded, and there may be agreements: a close guess, then step by step.
        each = 3 * self.n_features + 3
        limit = MOST[0]
        if self.options["exact"]:
            limit = _MAX_EXACT
            if not self.options["depth"]:
                each += (self.shrubs + 1) * (5 + self.n_classes)
        self.window = min(limit, spare // each + 1)
        while self.nbytes() > self.budget and self.window:
            self.window -= 1
        while self.window < limit:
            self.window += 1
            if self.nbytes() > self.budget:
                self.window -= 1
                break
        return self.window


def plan(n_features, n_classes, budget, **options):
    """Divide a budget; raise BudgetError when it is too small for the smallest ensemble."""
    check_shape(n_features, n_classes, budget)
    whole("n_features", n_features, 1, 256)
    whole("n_classes", n_classes, 2, 126)
    p = Plan(n_features, n_classes, budget, check_options(options, n_features, n_classes))
    if not p.divide():
        raise BudgetError(
            "budget of %d bytes is too small for %d features and %d classes: the smallest that works is %d"
            % (budget, n_features, n_classes, p.nbytes())
        )
    return p


def fraction(value):
    """value as (mantissa, exponent), value = mantissa / 2 ** exponent, 2048 <= mantissa < 4096.

    Doubling and halving are exact in every precision, so only the 12-bit mantissa is ever rounded.
    """
    exponent = 0
    while value < 2048:
        value *= 2
        exponent += 1
    while value >= 4095.5:
        value /= 2
        exponent -= 1
    return int(value + 0.5), exponent


def write_header(words, p):
    """Put a plan into freshly allocated words."""
    o = p.options
    entropy = LOSSES.index(o["loss"])
    mantissa, exponent = fraction(p.n_classes / 10 if o["step"] is None else o["step"])
    scaled, shift = fraction((mantissa << (8 if entropy else 9)) // p.n_classes)
    words[_WINDOW] = p.window
    words[_SHRUBS] = p.shrubs
    words[_ROOM] = p.nodes
    words[_EVERY] = o["every"] or min(_EVERY_MOST, p.window)
    words[_WEIGH] = o["weigh"] or words[_EVERY]
    words[_HEAD] = 1
    words[_TRAIN_IN] = 1
    words[_WEIGH_IN] = 1
    words[_STEP] = scaled
    words[_STEP_SHIFT] = shift + exponent + 8 - 5
    words[_ENTROPY] = entropy
    words[_DEPTH] = o["depth"] or 0
    words[_FLAGS] = CRITERIA.index(o["criterion"]) * _GAIN | bool(o["exact"]) * _EXACT
    features = o["features"]
    if features is None:
        # Shrubs that come more often than that see nearly the same window; random features make them differ.
        features = p.n_features if 4 * words[_EVERY] >= p.window else (p.n_features + 2) // 3
    words[_TRY] = 0 if features == p.n_features else features
    words[_RANDOM] = int(bool(o["random"]))
    words[_SEED] = o["seed"] or 1
    recent = o["recent"]
    words[_RECENT] = min(p.window, 24 if recent is None else recent)
    words[_YOUNGEST] = -1
    if p.agree():
        words[_AGREE] = words[_OCTETS] - (p.shrubs + 1) * (p.shrubs + 1)
