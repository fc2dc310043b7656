"""How an ensemble divides its budget. The layout: layout.py; what is written into fresh arrays: header.py."""

from micropython import const

from ..construct import check_shape, footprint, whole
from ..model import BudgetError
from .options import check_options

# From the layouts, by `make consts`:
_RING_TAIL = const(2)
_WEIGHTS = const(32)
_MAX_EXACT = const(128)
_EVERY_MOST = const(64)
_ORDERS = const(3)

# The sizes that `plan` chooses among; more of each has brought nothing.
LEAST = (8, 2, 2)  # window, shrubs, nodes
MOST = (192, 32, 16)
SHRUBS_TRIED = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32)


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
