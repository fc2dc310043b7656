"""Where everything of a tree lies in its three arrays, and how a budget is divided.

words   header | slots: node, n since birth, n at the last attempt, n in the cells, one window per lane
halves  lane offsets | node records | leaf records | slots: class counts, [lane features], [cells]
octets  values per feature (0: numeric) | slots: [cells]

A *slot* observes one active leaf. It has a *lane* per observed feature: a window and a histogram of cells
[bin][class]. Cells are 16 bits wide (in halves) or 8 (in octets). When not all features fit, lanes are
fewer than features and each slot keeps the feature that each of its lanes watches at present.

window  (lo + 65536) << 12 | outsiders << 4 | shift; bit 29: poor attribute. 0: nothing seen yet.
node    parent, child (0: leaf), feature | leaf record, threshold | slot + 1, J* in Q12 | samples
        since the last look, depth << 2 | nominal << 1 | missing goes right
leaf    times majority was right, times naive Bayes was right, promise, epoch, majority, class counts ...

The two children of a split are neighbours: child and child + 1.
"""

from .errors import BudgetError
from .fixed import half_ln_inverse_q10, log2_q, to_q
from .model import check_shape, footprint

# Header words, after those that every model has (see model.py).
FLAGS = 8  # leaf kind 0..1 | gini 2 | wide 3 | strict 4..5 | raced 6 | drop poor 7
BINS = 9
LANES = 10
CELLS = 11  # cells of a slot
MAX_NODES = 12
NODES = 13
MAX_LEAVES = 14
LEAVES = 15
SLOTS = 16
ACTIVE = 17
FREE_PAIR = 18  # list of freed sibling pairs, linked through their parent field
TOP_NODE = 19  # first node never used
FREE_LEAF = 20  # list of freed leaf records, linked through their promise field; number + 1
TOP_LEAF = 21
GRACE = 22
HALF_LN = 23  # ln(1 / delta) / 2 in Q10
TAU = 24  # Q16
RANGE = 25  # range of the merit in Q10: log2(classes), or 1 for Gini
OMEGA = 26  # Q10, 0: not regularised
NODE0 = 27  # offsets in halves
LEAF0 = 28
SLOT_HALVES0 = 29
SLOT_HALVES = 30  # halves per slot
SLOT_WORDS0 = 31
SLOT_WORDS = 32  # words per slot
CELL0 = 33  # first cell, in halves (wide) or octets
CELL_STRIDE = 34  # cells from slot to slot: SLOT_HALVES when wide, CELLS when not
EVENTS = 35  # strict rules: times that VFDT's own rule held, then mean and variance of what held
WIDTH = 41  # bins of the widest lane + 1
ROWS = 42  # words of scratch for rows of classes or bins
HEADER = 43

# The scratch: what one kernel leaves to the next.
S_NODE = 0  # the sample's leaf
S_BAYES = 1  # naive Bayes' answer there, -1: not asked
S_LOGS = 2  # 1: naive Bayes served, its log scores are in the rows
S_BEST = 3  # J of the best split, Q16
S_SECOND = 4
S_LANE = 5
S_BIN = 6
S_BOUND = 7  # Hoeffding bound, Q16
S_SPLIT = 8  # the rules allow it
S_EMPTY = 9  # two slots + 1 to be shifted right by S_SHIFT
S_SHIFT = 11
S_ROWS = 13  # two rows of classes, or of bins, then per lane its gain << 8 | bin

NODE = 6  # halves per node
LEAF = 5  # halves per leaf record before its class counts
SLOT = 4  # words per slot before its windows

LEAF_KINDS = ("mc", "nb", "nba")
CRITERIA = ("gain", "gini")

OPTIONS = {
    "leaf": "nba",
    "criterion": "gain",
    "strict": 0,
    "omega": None,
    "adaptive": False,
    "grace": 200,
    "delta": 1e-7,
    "tau": 0.05,
    "nominal": None,
    "drop_poor": False,
    "bins": None,
    "count_bits": None,
    "lanes": None,
    "nodes": None,
}


def _choice(name, value, choices):
    if value not in choices:
        raise ValueError("%s must be one of %s, not %r" % (name, ", ".join(map(str, choices)), value))
    return choices.index(value)


def _number(name, value, low, high):
    if not isinstance(value, (int, float)):
        raise TypeError("%s must be a number, not %r" % (name, value))
    if not low <= value <= high:
        raise ValueError("%s must be in %s..%s, not %r" % (name, low, high, value))
    return value


def _whole(name, value, low, high):
    if not isinstance(value, int):
        raise TypeError("%s must be an int, not %r" % (name, value))
    return _number(name, value, low, high)


def check_options(options):
    """Fill in defaults; complain about unknown names and impossible values."""
    for name in options:
        if name not in OPTIONS:
            raise TypeError("unknown option %r; known: %s" % (name, ", ".join(sorted(OPTIONS))))
    o = dict(OPTIONS)
    o.update(options)
    _choice("leaf", o["leaf"], LEAF_KINDS)
    _choice("criterion", o["criterion"], CRITERIA)
    _choice("strict", o["strict"], (0, 1, 2))
    if o["omega"] is not None:
        if not 0 < _number("omega", o["omega"], 0, 1):
            raise ValueError("omega must be in (0, 1], not %r" % o["omega"])
    _whole("grace", o["grace"], 1, 65535)
    _number("delta", o["delta"], 1e-12, 0.5)
    _number("tau", o["tau"], 0, 16)
    if o["bins"] is not None:
        _choice("bins", o["bins"], (4, 8, 16, 32, 64))
    if o["count_bits"] is not None:
        _choice("count_bits", o["count_bits"], (8, 16))
    if o["nodes"] is not None:
        _whole("nodes", o["nodes"], 1, 65535)
    return o


def _values(nominal, n_features):
    """Values per feature, 0 for numeric ones."""
    if nominal is None:
        return bytes(n_features)
    if len(nominal) != n_features:
        raise ValueError("nominal has %d entries for %d features" % (len(nominal), n_features))
    for k in nominal:
        if k:
            _whole("nominal values", k, 2, 255)
    return bytes(nominal)


class Plan:
    """How a budget is divided. Made by `plan`; read by `Tree` and by people."""

    def __init__(self, n_features, n_classes, budget, o, values, bins, wide, lanes):
        self.n_features = n_features
        self.n_classes = n_classes
        self.budget = budget
        self.options = o
        self.values = values
        self.bins = bins
        self.wide = wide
        self.lanes = lanes
        self.raced = lanes < n_features
        if self.raced:  # any feature may come to any lane: all lanes are alike
            self.cells = lanes * bins * n_classes
        else:
            self.cells = sum([k or bins for k in values]) * n_classes
        self.slot_words = SLOT + lanes
        self.slot_halves = n_classes + (lanes if self.raced else 0) + (self.cells if wide else 0)
        self.slot_octets = 0 if wide else self.cells
        self.width = max(bins, max(values)) + 1
        self.rows = 2 * max(self.width, n_classes)
        self.scratch = S_ROWS + self.rows + lanes

    def sizes(self, nodes, slots):
        """(words, halves, octets, scratch) for so many nodes and slots."""
        leaves = (nodes + 1) // 2
        return (
            HEADER + slots * self.slot_words,
            self.lanes + nodes * NODE + leaves * (LEAF + self.n_classes) + slots * self.slot_halves,
            self.n_features + slots * self.slot_octets,
            self.scratch,
        )

    def fits(self, nodes, slots):
        s = self.sizes(nodes, slots)
        return footprint(s[0], s[1], s[2], self.n_features, s[3]) <= self.budget

    def divide(self):
        """As many slots and nodes as fit; False if not even one slot does."""
        nodes = self.options["nodes"]
        if nodes is not None:
            slots = 0
            while slots < (nodes + 1) // 2 and self.fits(nodes, slots + 1):
                slots += 1
        else:
            nodes, slots = 3, 0
            while self.fits(nodes, slots + 1):
                slots += 1
                # Nodes cost little: for each slot a few, so that the tree can outgrow its slots.
                while nodes < 8 * slots + 3 and nodes < 65000 and self.fits(nodes + 2, slots):
                    nodes += 2
                if slots >= 8000:
                    break
            while slots and nodes < 16 * slots and nodes < 65000 and self.fits(nodes + 2, slots):
                nodes += 2
        self.nodes = nodes
        self.slots = slots
        return slots > 0

    def smallest(self):
        """The smallest budget that holds this plan with one slot."""
        s = self.sizes(self.options["nodes"] or 3, 1)
        return footprint(s[0], s[1], s[2], self.n_features, s[3])


def plan(n_features, n_classes, budget, **options):
    """Divide a budget; raise BudgetError when it is too small for even one leaf.

    >>> p = plan(6, 4, 8192)
    >>> (p.bins, p.slots, p.nodes) #doctest: +SKIP
    """
    check_shape(n_features, n_classes, budget)
    o = check_options(options)
    values = _values(o["nominal"], n_features)
    best = None
    smallest = None
    for bins in (o["bins"],) if o["bins"] else (16, 8, 4):
        for bits in (o["count_bits"],) if o["count_bits"] else (16, 8):
            p = Plan(n_features, n_classes, budget, o, values, bins, bits == 16, n_features)
            if p.cells > 65535:
                continue
            need = p.smallest()
            if smallest is None or need < smallest:
                smallest = need
            if p.divide():
                if best is None or best.slots < 8 <= p.slots or best.slots < 2 <= p.slots:
                    best = p
    if best is None:
        raise BudgetError(
            "budget of %d bytes is too small for %d features and %d classes: the smallest that works is %d"
            % (budget, n_features, n_classes, smallest)
        )
    return best


def write_header(w, h, b, p):
    """Put a plan into freshly allocated arrays."""
    o = p.options
    c = p.n_classes
    w[FLAGS] = (
        LEAF_KINDS.index(o["leaf"])
        | CRITERIA.index(o["criterion"]) << 2
        | p.wide << 3
        | o["strict"] << 4
        | p.raced << 6
        | bool(o["drop_poor"]) << 7
    )
    w[BINS] = p.bins
    w[LANES] = p.lanes
    w[CELLS] = p.cells
    w[MAX_NODES] = p.nodes
    w[NODES] = 1
    w[MAX_LEAVES] = (p.nodes + 1) // 2
    w[LEAVES] = 1
    w[SLOTS] = p.slots
    w[ACTIVE] = 1
    w[TOP_NODE] = 1
    w[TOP_LEAF] = 1
    w[GRACE] = o["grace"]
    w[HALF_LN] = half_ln_inverse_q10(o["delta"])
    w[TAU] = to_q(o["tau"], 16)
    w[RANGE] = 1024 if o["criterion"] == "gini" else log2_q(c, 10)
    w[OMEGA] = 0 if o["omega"] is None else to_q(o["omega"], 10)
    w[NODE0] = p.lanes
    w[LEAF0] = w[NODE0] + p.nodes * NODE
    w[SLOT_HALVES0] = w[LEAF0] + w[MAX_LEAVES] * (LEAF + c)
    w[SLOT_HALVES] = p.slot_halves
    w[SLOT_WORDS0] = HEADER
    w[SLOT_WORDS] = p.slot_words
    w[WIDTH] = p.width
    w[ROWS] = p.rows
    if p.wide:
        w[CELL0] = w[SLOT_HALVES0] + c + (p.lanes if p.raced else 0)
        w[CELL_STRIDE] = p.slot_halves
    else:
        w[CELL0] = p.n_features
        w[CELL_STRIDE] = p.cells
    offset = 0
    for lane in range(p.lanes):
        h[lane] = offset
        offset += (p.bins if p.raced else p.values[lane] or p.bins) * c
    for f in range(p.n_features):
        b[f] = p.values[f]
    for slot in range(p.slots):
        w[HEADER + slot * p.slot_words] = -1
    w[HEADER] = 0  # the first slot observes the root
    h[w[NODE0] + 3] = 1
