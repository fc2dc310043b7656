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
_WINDOWS = const(30)
_STAND_ROWS = const(3)
_NODE_ROWS = const(4)
_EVEN = const(16)
_S_ROWS = const(13)
_MOST_FEATURES = const(256)
_MOST_CLASSES = const(126)
_MOST_SHRUBS = const(64)
_MOST_ROOM = const(64)
_MOST_TAKE = const(1024)
_MOST_MEMORY = const(32767)
_MOST_RECENT = const(64)

_LEAST_MEMORY = const(8)
_LEAST_ROOM = const(4)
_LEAST_RECENT = const(2)
_SHARE = const(5)  # of twelve parts of a budget: what histograms may take
_SHARE_OF = const(12)
_LEAST_TO_GROW = const(72)  # samples that shrubs need to be worth their bytes

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
    "hurry": 1,
    "seed": 1,
    "pending": 0,
}

BINS = (0, 4, 8, 16)

# From so many bytes on: shrubs, nodes of each, samples that each is grown on, newest samples, and how many
# samples growing may look at in a call. Chosen by benchmarks/grove_defaults.py.
SHAPES = (
    (0, 4, 6, 200, 8, 64),
    (1536, 6, 8, 200, 12, 72),
    (3072, 12, 16, 200, 24, 72),
    (6144, 15, 32, 320, 24, 72),
    (12288, 24, 48, 640, 24, 150),
    (24576, 24, 48, 320, 24, 200),
    (49152, 32, 64, 1000, 32, 300),
)

BARE = (0, 0, 1, 2, 4, 64)  # no shrubs


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
    _whole_or_none(o, "shrubs", 0, _MOST_SHRUBS)
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
    if o["shrubs"] == 0 and o["neighbours"] == 0 and not o["bins"]:
        raise ValueError(
            "shrubs=0 and neighbours=0 leave nobody to answer but histograms: say bins=4, 8 or 16"
        )
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
        self.shrubs = row[1] if o["shrubs"] is None else o["shrubs"]
        # A shrub needs a leaf for each class.
        least = max(self.n_classes - 1, _LEAST_ROOM) if self.shrubs else 1
        self.nodes = o["nodes"] or min(_MOST_ROOM, max(row[2], least))
        self.take = o["take"] or row[3]
        self.effort = o["effort"] or row[5]
        self.recent = row[4] if o["recent"] is None else o["recent"]
        if not o["neighbours"]:
            self.recent = 0
        elif o["recent"] is None:
            # With many features keep few of the newest samples, so that bytes are left for the memory.
            self.recent = max(_LEAST_RECENT, min(self.recent, self.budget // (12 * (self.n_features + 1))))

    def sizes(self):
        """(words, halves, octets, scratch, places for samples that wait)."""
        d, c = self.n_features, self.n_classes
        places = self.memory + self.recent
        stands = self.shrubs + 1
        return (
            _WINDOWS + d,
            2 * c + 3 * (self.nodes + 1) + (self.pending and self.pending * (d + 3) + 2),
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
        """Histograms first, then a memory, then shrubs if there is enough to grow on. False: nothing fits."""
        o = self.options
        largest = SHAPES[0]
        for row in SHAPES:
            if self.budget >= row[0]:
                largest = row
        for bins in (o["bins"],) if o["bins"] is not None else (16, 8, 4):
            self.bins = bins
            share = self.n_features * self.n_classes * bins
            if o["bins"] is None and share * _SHARE_OF > self.budget * _SHARE:
                continue
            i = SHAPES.index(largest)
            while i >= 0:
                self.shape(SHAPES[i])
                if self._fill() and (self.memory >= _LEAST_TO_GROW or o["memory"]):
                    return True
                i -= 1
            if bins and self._can_be_bare():
                # The memory is too small to grow shrubs on: use histograms and neighbours alone.
                self.shape(BARE)
                if self._fill():
                    return True
        self.bins = o["bins"] or 0
        self.shape(SHAPES[0])
        if self._fill():
            return True
        return self._smallest()

    def _smallest(self):
        """The smallest shape of all. Its size must not depend on the budget, because an error names it."""
        o = self.options
        row, bins = SHAPES[0], o["bins"] or 0
        least = self._least(row, bins)
        other = o["bins"] or (0 if o["neighbours"] else 4)
        if self._can_be_bare() and (other or o["neighbours"]) and self._least(BARE, other) < least:
            row, bins = BARE, other
        least = self._least(row, bins)
        if not self._fill():
            self.memory = o["memory"] or _LEAST_MEMORY
        return least <= self.budget

    def _least(self, row, bins):
        """Take this shape with the fewest samples; returns its bytes."""
        self.bins = bins
        self.shape(row)
        if self.options["recent"] is None:
            self.recent = min(self.recent, _LEAST_RECENT)
        self.memory = self.options["memory"] or _LEAST_MEMORY
        return self.nbytes()

    def _can_be_bare(self):
        """Whether the options allow a grove without shrubs."""
        return self.options["shrubs"] is None and self.options["nodes"] is None

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
