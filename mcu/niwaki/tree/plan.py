"""How a tree divides its budget: as many nodes and slots as fit. A file of its own has what writes the header
(header.py) and what the bytes are (room.py): a board that compiles sources has room for one small file."""

from ..construct import check_shape
from ..model import BudgetError
from .header import write_header  # noqa: F401  a constructor takes it from here, with the plan
from .options import check_nominal, check_options
from .room import Room


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


class Plan(Room):
    """How a budget is divided. Made by `plan`; read by `Tree` and by people."""

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
