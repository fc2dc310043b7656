"""How a grove divides its budget, and what it writes into its fresh arrays. The layout: layout.py."""

from micropython import const

from ..construct import check_shape, footprint, whole
from ..model import BudgetError

# From the layouts, by `make consts`:
_MEMORY = const(8)
_RECENT = const(9)
_SHRUBS = const(10)
_ROOM = const(11)
_TAKE = const(12)
_BINS = const(13)
_NEIGHBOURS = const(14)
_SEED = const(18)
_NEAR = const(25)
_BAYES = const(26)
_EFFORT = const(27)
_HURRY = const(28)
_WINDOWS = const(29)
_STAND_ROWS = const(3)
_NODE_ROWS = const(4)
_EVEN = const(16)
_S_ROWS = const(12)
_MOST_FEATURES = const(256)
_MOST_CLASSES = const(126)
_MOST_SHRUBS = const(64)
_MOST_ROOM = const(64)
_MOST_TAKE = const(128)
_MOST_MEMORY = const(32767)
_MOST_RECENT = const(64)

_LEAST_MEMORY = const(8)
_LEAST_ROOM = const(4)
_LEAST_RECENT = const(2)

OPTIONS = {
    "memory": None,
    "shrubs": None,
    "nodes": None,
    "recent": None,
    "take": None,
    "bins": None,
    "neighbours": 3,
    "near": None,
    "bayes": None,
    "effort": None,
    "hurry": 2,
    "seed": 1,
    "pending": 0,
}

BINS = (0, 4, 8, 16)

# From so many bytes on: shrubs, nodes of each, samples that each is grown on, newest samples, and how many
# samples growing may look at in a call. Chosen by benchmarks/grove_defaults.py.
SHAPES = (
    (0, 3, 6, 24, 8, 64),
    (1536, 6, 10, 48, 16, 100),
    (3072, 10, 16, 64, 24, 100),
    (6144, 16, 24, 64, 24, 100),
    (12288, 24, 32, 64, 32, 150),
    (24576, 32, 48, 96, 32, 200),
    (49152, 48, 64, 128, 32, 300),
)


def _whole_or_none(o, name, low, high):
    if o[name] is not None:
        whole(name, o[name], low, high)


def check_options(options):
    """Fill in defaults; complain about unknown names and impossible values."""
    for name in options:
        if name not in OPTIONS:
            raise TypeError("unknown option %r; known: %s" % (name, ", ".join(sorted(OPTIONS))))
    o = dict(OPTIONS)
    o.update(options)
    _whole_or_none(o, "memory", 2, _MOST_MEMORY)
    _whole_or_none(o, "shrubs", 1, _MOST_SHRUBS)
    _whole_or_none(o, "nodes", 1, _MOST_ROOM)
    _whole_or_none(o, "recent", 0, _MOST_RECENT)
    _whole_or_none(o, "take", 2, _MOST_TAKE)
    _whole_or_none(o, "near", 0, 4096)
    _whole_or_none(o, "bayes", 0, 8192)
    if o["bins"] is not None and o["bins"] not in BINS:
        raise ValueError("bins must be 0, 4, 8 or 16, not %r" % (o["bins"],))
    whole("neighbours", o["neighbours"], 0, 3)
    if o["neighbours"] not in (0, 3):
        raise ValueError("neighbours must be 0 or 3, not %d" % o["neighbours"])
    _whole_or_none(o, "effort", 1, 1 << 20)
    whole("hurry", o["hurry"], 1, 64)
    whole("seed", o["seed"], 0, 65535)
    whole("pending", o["pending"], 0, 4096)
    return o


class Plan:
    """How a budget is divided. Made by `plan`; read by `Grove` and by people."""

    def __init__(self, n_features, n_classes, budget, o):
        self.n_features = n_features
        self.n_classes = n_classes
        self.budget = budget
        self.options = o
        self.pending = o["pending"]
        self.memory = o["memory"] or _LEAST_MEMORY
        self.shape(SHAPES[0])
        self.bins = o["bins"] or 0

    def shape(self, row):
        """Take what the options do not say from a row of SHAPES."""
        o = self.options
        self.shrubs = o["shrubs"] or row[1]
        # A shrub needs a leaf for each class.
        self.nodes = o["nodes"] or min(_MOST_ROOM, max(row[2], self.n_classes - 1, _LEAST_ROOM))
        self.take = o["take"] or row[3]
        self.effort = o["effort"] or row[5]
        self.recent = row[4] if o["recent"] is None else o["recent"]
        if not o["neighbours"]:
            self.recent = 0
        elif o["recent"] is None:
            # Many features: few of the newest, so that there is a memory.
            self.recent = max(_LEAST_RECENT, min(self.recent, self.budget // (12 * (self.n_features + 1))))

    def sizes(self):
        """(words, halves, octets, scratch, places for samples that wait)."""
        d, c = self.n_features, self.n_classes
        places = self.memory + self.recent
        stands = self.shrubs + 1
        return (
            _WINDOWS + d,
            2 * c + self.take + 3 * (self.nodes + 1) + (self.pending and self.pending * (d + 3) + 2),
            places * (d + 1)
            + d * self.bins * c
            + d
            + stands * (_STAND_ROWS + _NODE_ROWS * self.nodes)
            + self.nodes
            + 1,
            _S_ROWS + max(4 * c, 2 * c + d),
            self.pending,
        )

    def nbytes(self):
        return footprint(self.sizes(), self.n_features)

    def _fill(self):
        """The largest memory that fits beside the rest; False if not even the smallest does."""
        o = self.options
        if o["memory"]:
            return self.nbytes() <= self.budget
        self.memory = 0
        spare = self.budget - self.nbytes()
        self.memory = min(_MOST_MEMORY, spare // (self.n_features + 1) + 1)
        while self.memory >= _LEAST_MEMORY and self.nbytes() > self.budget:
            self.memory -= 1
        return self.memory >= _LEAST_MEMORY

    def divide(self):
        """The largest shape that leaves a memory to grow on; False if nothing fits."""
        o = self.options
        row = SHAPES[0]
        for candidate in SHAPES:
            if self.budget >= candidate[0]:
                row = candidate
        i = SHAPES.index(row)
        while i >= 0:
            self.shape(SHAPES[i])
            for bins in (o["bins"],) if o["bins"] is not None else (16, 8, 4, 0):
                self.bins = bins
                if bins and o["bins"] is None and self.n_features * self.n_classes * bins * 4 > self.budget:
                    continue
                if self._fill() and (i == 0 or self._balanced()):
                    return True
            i -= 1
        # The smallest of all: its size must not depend on the budget, which the error names.
        if o["recent"] is None:
            self.recent = min(self.recent, _LEAST_RECENT)
        if self._fill():
            return True
        self.memory = o["memory"] or _LEAST_MEMORY
        return self.nbytes() <= self.budget

    def _balanced(self):
        """Does the memory hold all that a shrub wants?"""
        return self.options["memory"] or self.memory >= self.take

    def weights(self):
        """What the neighbours' and the histograms' votes weigh beside 4096 of the shrubs."""
        o = self.options
        near = o["near"] if o["near"] is not None else 300
        bayes = o["bayes"] if o["bayes"] is not None else 1800
        return near, bayes


def plan(n_features, n_classes, budget, **options):
    """Divide a budget; raise BudgetError when it is too small for the smallest grove."""
    check_shape(n_features, max(2, n_classes) if isinstance(n_classes, int) else n_classes, budget)
    whole("n_features", n_features, 1, _MOST_FEATURES)
    whole("n_classes", n_classes, 1, _MOST_CLASSES)
    p = Plan(n_features, n_classes, budget, check_options(options))
    if not p.divide():
        raise BudgetError(
            "budget of %d bytes is too small for %d features and %d classes: the smallest that works is %d"
            % (budget, n_features, n_classes, p.nbytes())
        )
    return p


def write_header(w, octets, p):
    """Put a plan into freshly allocated arrays."""
    o = p.options
    w[_MEMORY] = p.memory
    w[_RECENT] = p.recent
    w[_SHRUBS] = p.shrubs
    w[_ROOM] = p.nodes
    w[_TAKE] = p.take
    w[_BINS] = p.bins
    w[_NEIGHBOURS] = o["neighbours"]
    w[_SEED] = o["seed"] or 1
    w[_NEAR], w[_BAYES] = p.weights()
    w[_EFFORT] = p.effort
    w[_HURRY] = o["hurry"]
    at = (p.memory + p.recent) * (p.n_features + 1) + p.n_features * p.bins * p.n_classes
    for f in range(p.n_features):
        octets[at + f] = _EVEN
