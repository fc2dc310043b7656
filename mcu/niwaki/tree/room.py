"""What a tree takes: how many bytes so many nodes and slots are. How many there are, plan.py says."""

from micropython import const

from ..construct import footprint

# From the layouts, by `make consts`:
_RING_TAIL = const(2)
_ADWIN = const(4)
_HEADER = const(37)
_ADAPTIVE_HEADER = const(44)
_STATISTICS = const(6)
_NODE = const(6)
_LEAF = const(5)
_SLOT = const(4)
_WATCH = const(5)
_S_ROWS = const(18)
_MEMO_SAMPLES = const(2)
_X_ITEMS = const(4)

_BUCKETS = const(20)  # of a monitor: windows of up to 28,000 samples


class Room:
    """The sizes of a tree's arrays, for any number of nodes and slots."""

    nodes: int  # these two, how many there are, from plan.py or from a stored tree
    slots: int

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
        self.monitor = _WATCH + _ADWIN + _BUCKETS
        self.ring = o["pending"] and o["pending"] * (n_features + 1) + _RING_TAIL
        if o["adaptive"]:
            self.header = _ADAPTIVE_HEADER
            # About an eighth of the tree's budget; a monitor also needs a node, a leaf record, some scratch.
            each = 2 * (self.monitor + _NODE + _LEAF + n_classes) + 12
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
            + m * self.monitor
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

    def nbytes(self, nodes):
        """The smallest budget that holds this plan with one slot."""
        return footprint(self.sizes(nodes, 1), self.n_features)
