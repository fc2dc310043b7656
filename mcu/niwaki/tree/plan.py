"""How a tree divides its budget, and what it writes into its fresh arrays. The layout: tree/layout.py."""

from micropython import const

from ..construct import check_shape, footprint, half_ln_inverse_q10, log2_q
from ..model import BudgetError
from .options import check_nominal, check_options

# From the layouts, by `make consts`:
_RING_TAIL = const(2)
_ADWIN = const(4)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
_CELLS = const(11)
_MAX_NODES = const(12)
_NODES = const(13)
_MAX_LEAVES = const(14)
_LEAVES = const(15)
_SLOTS = const(16)
_ACTIVE = const(17)
_TOP_NODE = const(19)
_TOP_LEAF = const(21)
_GRACE = const(22)
_HALF_LN = const(23)
_TAU = const(24)
_RANGE = const(25)
_OMEGA = const(26)
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_CELL0 = const(32)
_CELL_STRIDE = const(33)
_WIDTH = const(34)
_ROWS = const(35)
_HEADER = const(37)
_MONITOR0 = const(37)
_MONITORS = const(38)
_MONITOR = const(39)
_MAP0 = const(40)
_SPARE = const(43)
_ADAPTIVE_HEADER = const(44)
_STATISTICS = const(6)
_GINI = const(4)
_WIDE = const(8)
_RACED = const(64)
_DROP_POOR = const(128)
_ADAPTIVE = const(256)
_MEMO = const(512)
_EXACT = const(1024)
_HELLINGER = const(2048)
_MAX_DEPTH_AT = const(13)
_NB_THRESHOLD_AT = const(19)
_STRICT_AT = const(4)
_NODE = const(6)
_LEAF = const(5)
_SLOT = const(4)
_WATCH = const(5)
_S_ROWS = const(18)
_MEMO_SAMPLES = const(2)
_X_ITEMS = const(4)

_ROOT2 = const(1448)  # sqrt(2) in Q10, the largest Hellinger distance
_BUCKETS = const(20)  # of a monitor: windows of up to 28,000 samples


def most(max, fits):
    """The largest number in 0..max that fits, by bisection; 0 is taken to fit."""
    low = 0
    while low < max:
        middle = (low + max + 1) // 2
        if fits(middle):
            low = middle
        else:
            max = middle - 1
    return low


class Plan:
    """How a budget is divided. Made by `plan`; read by `Tree` and by people."""

    def __init__(self, n_features, n_classes, budget, options, values, bins, wide, lanes):
        o = options
        self.n_features = n_features
        self.n_classes = n_classes
        self.budget = budget
        self.options = o
        self.values = values
        self.bins = bins
        self.wide = wide
        self.lanes = lanes
        if lanes < n_features:  # any feature may come to any lane: lanes are alike, many values are ordered
            self.values = values = bytes([k if k <= bins else 0 for k in values])
            self.cells = lanes * bins * n_classes
        else:
            self.cells = sum([k or bins for k in values]) * n_classes
        self.slot_words = _SLOT + lanes
        self.slot_halves = n_classes + (lanes if lanes < n_features else 0) + (self.cells if wide else 0)
        self.width = max(bins, max(values)) + 1
        self.header = _HEADER
        self.monitors = 0
        self.ring = o["pending"] and o["pending"] * (n_features + 1) + _RING_TAIL
        if o["adaptive"]:
            self.header = _ADAPTIVE_HEADER
            # About an eighth of the tree's budget; a monitor also needs a node, a leaf record, some scratch.
            each = 2 * (_WATCH + _ADWIN + _BUCKETS + _NODE + _LEAF + n_classes) + 12
            share = 1 if o["exact"] else 3  # the published tree monitors every split: as many as it can have
            self.monitors = min(255, max(1, (budget - 2 * self.ring >> share) // each))
        if o["strict"]:
            self.header += _STATISTICS
        # Room for the last sample scored and its answer halves the cost of learning: where it is cheap.
        self.memo = o["memo"]
        if self.memo is None:
            self.memo = (
                o["leaf"] != "mc"
                and o["nodes"] is None
                and 4 * (n_features + 2) <= budget >> 6
                and 2 * self.nbytes(3) <= budget
            )

    def lone(self, nodes):
        """Whether it is a leaf that never splits, for want of nodes, and so needs less scratch."""
        return nodes == 1 and not self.monitors and self.lanes == self.n_features

    def least(self):
        """The fewest nodes of use: a leaf that never splits needs naive Bayes, which does not ask lane 0."""
        if self.options["leaf"] == "mc" or self.monitors or self.lanes < min(3, self.n_features):
            return 3
        return 1

    def rows(self, nodes):
        """Words of scratch: a row of classes, for splits another and two of bins; the last sample scored."""
        n = self.n_classes
        if not self.lone(nodes):
            n += max(2 * self.width + 1, n)
        return n + (self.n_features + _MEMO_SAMPLES if self.memo else 0)

    def sizes(self, nodes, slots):
        """(words, halves, octets, scratch, places for samples that wait) for so many nodes and slots."""
        m = self.monitors
        leaves = (nodes + 1) // 2 + m
        return (
            self.header + slots * self.slot_words,
            self.lanes
            + (nodes + m) * _NODE
            + leaves * (_LEAF + self.n_classes)
            + slots * self.slot_halves
            + m * (_WATCH + _ADWIN + _BUCKETS)
            + self.ring,
            self.n_features + (0 if self.wide else slots * self.cells) + (nodes >> 1 if m else 0),
            _S_ROWS
            + self.rows(nodes)
            + (0 if self.lone(nodes) else self.lanes)
            + (_X_ITEMS + 3 * m if m else 0),
            self.options["pending"],
        )

    def fits(self, nodes, slots):
        return footprint(self.sizes(nodes, slots), self.n_features) <= self.budget

    def grow(self, nodes, max, slots):
        """Add as many pairs of nodes as fit, up to `max` nodes; nodes have 16-bit numbers."""
        n = (min(max, 65001) - nodes) // 2
        return nodes + 2 * most(n, lambda n: self.fits(nodes + 2 * n, slots))

    def split(self):
        """Divide the budget: as many slots and nodes as fit; False if not even one slot does."""
        if self.monitors and self.options["exact"]:  # one for each split, or as many as its share holds
            self.monitors = max(1, most(self.monitors, self._monitors_all))
        return self._divide()

    def _monitors_all(self, monitors):
        """Whether each of so many monitors can have a split."""
        self.monitors = monitors
        return self._divide() and monitors <= self.nodes >> 1

    def _divide(self):
        nodes = self.options["nodes"]
        if nodes is not None:
            slots = 0
            while slots < (nodes + 1) // 2 and self.fits(nodes, slots + 1):
                slots += 1
        else:
            # Nodes cost little: for each slot a few, so that the tree can outgrow its slots.
            slots = most(8000, lambda n: self.fits(min(4 * n + 3, 65001), n))
            nodes = min(4 * slots + 3, 65001)
            if not slots and self.lanes < self.n_features:
                nodes = self.least()  # naive Bayes at one leaf serves better than at one of two
            while slots < 8000 and self.fits(nodes, slots + 1):
                slots += 1
                nodes = self.grow(nodes, 4 * slots + 3, slots)
            nodes = self.grow(nodes, 8 * slots + 1, slots)
        self.nodes = nodes
        self.slots = slots
        return slots > 0

    def nbytes(self, nodes):
        """The smallest budget that holds this plan with one slot."""
        return footprint(self.sizes(nodes, 1), self.n_features)


def plan(n_features, n_classes, budget, **options):
    """Divide a budget; raise BudgetError when it is too small for even one leaf."""
    check_shape(n_features, n_classes, budget)
    o = check_options(options)
    values = check_nominal(o["nominal"], n_features)
    if o["lanes"] is not None and o["lanes"] > n_features:
        raise ValueError("lanes must be 1..%d, not %d" % (n_features, o["lanes"]))
    if o["criterion"] == "hellinger" and n_classes != 2:
        raise ValueError("the Hellinger distance is between two classes, not %d" % n_classes)
    wide = o["count_bits"] == 16  # 8 bits serve better, byte for byte: benchmarks/tree_policy.py
    few = 0 if o["leaf"] == "mc" else 4  # naive Bayes gains more by twice the bins than by a second leaf
    best = lone = smallest = None
    lanes = o["lanes"] or n_features
    while lanes:
        for bins in (o["bins"],) if o["bins"] else (16, 8, 4):
            p = Plan(n_features, n_classes, budget, o, values, bins, wide, lanes)
            if p.cells > 65535:
                continue
            divided = p.split()
            smallest = min(smallest or 1 << 28, p.nbytes(o["nodes"] or p.least()))
            if divided and (
                best is None or p.slots > best.slots and (p.cells == best.cells or not few and best.slots < 2)
            ):
                best = p
            if few and best is lone is None and p.lone(o["nodes"] or 1) and p.fits(1, 1):
                lone = p
        if lone and (best is None or best.bins == few < lone.bins):
            best = lone  # never to split is better than to see no more than four bins
            best.nodes = best.slots = 1
        # All features at once, if at all possible; else as many as fit race, at two leaves by majority.
        if o["lanes"] or best and (few or best.slots > 1 or best.lanes < n_features >> 1):
            break
        lanes -= (lanes + 7) >> 3
    if smallest is None:
        raise ValueError("%d lanes, %d classes: a leaf can't have so many counts" % (lanes, n_classes))
    while best is None and p.monitors > 1:  # rather fewer monitors than no tree
        p.monitors -= 1
        smallest = min(smallest, p.nbytes(o["nodes"] or 3))
        if p.split():
            best = p
    if best is None:
        raise BudgetError(
            "budget of %d bytes is too small for %d features and %d classes: the smallest that works is %d"
            % (budget, n_features, n_classes, smallest)
        )
    return best


def write_header(words, plan):
    """Put a plan into the header of a tree, after the words that every model has."""
    w, p, o = words, plan, plan.options
    raced = p.lanes < p.n_features
    c = p.n_classes
    w[_FLAGS] = (
        ("mc", "nb", "nba").index(o["leaf"])
        | (o["criterion"] == "gini") * _GINI
        | p.wide * _WIDE
        | o["strict"] << _STRICT_AT
        | raced * _RACED
        | bool(o["drop_poor"]) * _DROP_POOR
        | bool(p.memo) * _MEMO
        | bool(o["exact"]) * _EXACT
        | bool(p.monitors) * _ADAPTIVE
        | (o["criterion"] == "hellinger") * _HELLINGER
        | (o["max_depth"] or 0) << _MAX_DEPTH_AT
        | o["nb_threshold"] << _NB_THRESHOLD_AT
    )
    w[_BINS] = p.bins
    w[_LANES] = p.lanes
    w[_CELLS] = p.cells
    w[_MAX_NODES] = p.nodes
    w[_MAX_LEAVES] = (p.nodes + 1) // 2 + p.monitors
    w[_SLOTS] = p.slots
    w[_NODES] = w[_LEAVES] = w[_ACTIVE] = w[_TOP_NODE] = w[_TOP_LEAF] = 1
    w[_GRACE] = 65536 if p.lone(p.nodes) else o["grace"]  # in 65,536 samples no leaf gets that old
    w[_HALF_LN] = half_ln_inverse_q10(o["delta"])
    w[_TAU] = int(o["tau"] * 65536 + 0.5)
    w[_RANGE] = log2_q(c, 10) if o["exact"] and o["criterion"] == "gain" else 1024
    if o["criterion"] == "hellinger":
        w[_RANGE] = _ROOT2
    w[_OMEGA] = 0 if o["omega"] is None else int(o["omega"] * 1024 + 0.5)
    w[_NODE0] = p.lanes
    w[_LEAF0] = w[_NODE0] + (p.nodes + p.monitors) * _NODE
    w[_SLOT_HALVES0] = w[_LEAF0] + w[_MAX_LEAVES] * (_LEAF + c)
    w[_SLOT_HALVES] = p.slot_halves
    w[_SLOT_WORDS0] = p.header
    w[_SLOT_WORDS] = p.slot_words
    w[_WIDTH] = p.width
    w[_ROWS] = p.rows(p.nodes)
    if p.monitors:
        w[_MONITOR0] = w[_SLOT_HALVES0] + p.slots * p.slot_halves
        w[_MONITORS] = w[_SPARE] = p.monitors
        w[_MONITOR] = _WATCH + _ADWIN + _BUCKETS
        w[_MAP0] = p.n_features + (0 if p.wide else p.slots * p.cells)
    w[_CELL0] = w[_SLOT_HALVES0] + c + (p.lanes if raced else 0) if p.wide else p.n_features
    w[_CELL_STRIDE] = p.slot_halves if p.wide else p.cells
