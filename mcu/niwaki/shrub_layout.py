"""Where everything of a shrub ensemble lies in its three arrays, and how a budget is divided.

words   header | a weight per place for a shrub; weights are 0 or more and sum to 65,536 (or all are 0)
halves  window: codes [feature][slot] | thresholds [place][node] | [ring of samples that wait: pending.py]
octets  marks [slot] | lists [slot] | labels [slot] | orders [feature][rank] | per place: nodes | root
        | [place][node]: features | left children | right children | agreements [place][place], if kept

The window is a ring of slots 1..WINDOW; the next sample goes to slot HEAD, COUNT slots are in use. A code is
kept as 0..65535, 0 for missing, a label c as 2 c + 2. orders[feature] lists the slots in use by rising code.
Marks and lists serve while a shrub is grown and mean nothing between calls. (octets[0] is never used.)

A reference (root, left, right) below ROOM is a node of the same shrub, with a higher number than its parent;
ROOM + c is a leaf of class c. A sample goes right when its code is above the threshold. There are SHRUBS + 1
places: at least one is free of weight, and new shrubs grow there.

Agreements are kept where they are cheaper than asking every shrub about the whole window each time weights
are computed: at [i][j], j < i, on how many samples of the window i and j agree; at [i][i] on how many i is
right. They hold for places with weight.
"""

from .construct import check_shape, choice, footprint, number, whole
from .model import BudgetError

# Header words, after those that every model has (see model.py).
WINDOW = 8
SHRUBS = 9  # M: at most so many shrubs have weight
ROOM = 10  # nodes that a shrub has room for
COUNT = 11
HEAD = 12
EVERY = 13
WEIGH = 14  # samples between gradient steps
TRAIN_IN = 15  # samples until the next shrub
WEIGH_IN = 16
STEP = 17  # 2 step / C (MSE) or step / C (cross-entropy) is STEP / 2 ** (STEP_SHIFT + 5), 12 bits
STEP_SHIFT = 18
ENTROPY = 19  # 1: cross-entropy
DEPTH = 20  # 0: no limit
GAIN = 21  # 1: information gain, 0: Gini
TRY = 22  # features tried per node of a candidate, 0: all
RANDOM = 23  # 1: a random threshold per feature
SEED = 24  # 16-bit xorshift, never 0
RECENT = 25  # newest samples that a shrub after an error is trained on; 0: no such shrubs
TOKENS = 26  # how many of those are allowed, in samples
LEAD = 27  # how much better the youngest shrub is than the ensemble, Q16
YOUNGEST = 28  # its place, -1: none yet
CANDIDATE = 29  # 1 between training a shrub and weighing it
TAKE = 30  # newest samples that the shrub in training learns from
AGREE = 31  # offset of the agreements, 0: not kept
WEIGHTS = 32

MAX_WINDOW = 255
MAX_SHRUBS = 64
EVERY_MOST = 64  # the default of `every` is the window's size, but not above this

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
    o.update(options)
    _whole_or_none(o, "window", 2, MAX_WINDOW)
    _whole_or_none(o, "shrubs", 1, MAX_SHRUBS)
    _whole_or_none(o, "nodes", 1, min(254, 256 - n_classes))
    _whole_or_none(o, "depth", 1, 254)
    _whole_or_none(o, "every", 1, 1 << 20)
    _whole_or_none(o, "weigh", 1, 1 << 20)
    _whole_or_none(o, "recent", 0, MAX_WINDOW)
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
        often = min(o["every"] or EVERY_MOST, o["weigh"] or EVERY_MOST)
        return o["loss"] == "mse" and often * (6 * self.shrubs + 36) <= 25 * self.window

    def sizes(self):
        """(words, halves, octets, scratch, places for samples that wait)."""
        d, c, b, r, m = self.n_features, self.n_classes, self.window, self.nodes, self.shrubs + 1
        return (
            WEIGHTS + m,
            d * b + m * r + (self.pending and self.pending * (d + 1) + 2),
            3 * b + 1 + d * b + m * (3 * r + 2) + (m * m if self.agree() else 0),
            5 + max(2 * c + 2 + 3 * (r + 1), c + 2 + 3 * m),
            self.pending,
        )

    def nbytes(self):
        return footprint(self.sizes(), self.n_features)

    def loss(self):
        """Accuracy lost to small sizes, in units of 1e-6, fitted to benchmarks/shrubs_defaults.py."""
        c = self.n_classes
        nodes = min(self.nodes, max(c, self.window // 3))  # more find nothing to split
        return 500000 // self.window + 540000 // self.shrubs**2 + 6000 * max(25, c * c) // nodes**2

    def divide(self):
        """Choose the sizes that lose least; False if not even the smallest fit."""
        if self.nbytes() > self.budget:
            return False
        o = self.options
        c = self.n_classes
        nodes = (o["nodes"],)
        if nodes[0] is None:
            nodes = sorted({2, 4, 6, 8, 10, 12, MOST[2], min(c - 1, 254), min(c + c // 4, 254, 256 - c)})
        best = None
        for self.nodes in nodes:
            for self.shrubs in (o["shrubs"],) if o["shrubs"] else SHRUBS_TRIED:
                self.window = MOST[0]
                if best and self.loss() >= best[0]:
                    continue  # no window can make up for so few
                self.window = o["window"] or self._widest()
                if (self.window >= LEAST[0] or o["window"]) and self.nbytes() <= self.budget:
                    loss = self.loss()
                    if best is None or loss < best[0]:
                        best = (loss, self.window, self.shrubs, self.nodes)
        _, self.window, self.shrubs, self.nodes = best
        return True

    def _widest(self):
        """The largest window that fits beside the shrubs."""
        self.window = 0
        spare = self.budget - self.nbytes()
        if spare < 0:
            return 0
        # Sizes are rounded, and there may be agreements: a close guess, then step by step.
        self.window = min(MOST[0], spare // (3 * self.n_features + 3) + 1)
        while self.nbytes() > self.budget:
            self.window -= 1
        while self.window < MOST[0]:
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
    e = 0
    while value < 2048:
        value *= 2
        e += 1
    while value >= 4095.5:
        value /= 2
        e -= 1
    return int(value + 0.5), e


def write_header(w, p):
    """Put a plan into freshly allocated words."""
    o = p.options
    entropy = LOSSES.index(o["loss"])
    mantissa, exponent = fraction(p.n_classes / 10 if o["step"] is None else o["step"])
    scaled, shift = fraction((mantissa << (8 if entropy else 9)) // p.n_classes)
    w[WINDOW] = p.window
    w[SHRUBS] = p.shrubs
    w[ROOM] = p.nodes
    w[EVERY] = o["every"] or min(EVERY_MOST, p.window)
    w[WEIGH] = o["weigh"] or w[EVERY]
    w[HEAD] = 1
    w[TRAIN_IN] = 1
    w[WEIGH_IN] = 1
    w[STEP] = scaled
    w[STEP_SHIFT] = shift + exponent + 8 - 5
    w[ENTROPY] = entropy
    w[DEPTH] = o["depth"] or 0
    w[GAIN] = CRITERIA.index(o["criterion"])
    features = o["features"]
    if features is None:
        # Shrubs that come more often than that are near-copies: random features tell them apart.
        features = p.n_features if 4 * w[EVERY] >= p.window else (p.n_features + 2) // 3
    w[TRY] = 0 if features == p.n_features else features
    w[RANDOM] = int(bool(o["random"]))
    w[SEED] = o["seed"] or 1
    recent = o["recent"]
    w[RECENT] = min(p.window, 24 if recent is None else recent)
    w[YOUNGEST] = -1
    if p.agree():
        w[AGREE] = w[3] - (p.shrubs + 1) * (p.shrubs + 1)
