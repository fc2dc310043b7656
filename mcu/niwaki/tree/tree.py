"""The Hoeffding tree in a fixed number of bytes: VFDT, and by option its strict and regularised forms."""

from array import array

import micropython
from micropython import const

from .. import fetch
from ..hold import hold
from ..model import INTERPRETED, Model, forget
from .gain import splits
from .grow import grow
from .learn import learn as update
from .predict import predict as sort
from .prune import prune
from .rule import rule
from .scores import scores
from .shrink import shrink
from .sides import sides

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_SCRATCH = const(3)
_IDENTITY = const(0)
_BUSY = const(0x2000000)
_FLAGS = const(8)
_LANES = const(10)
_NODES = const(13)
_LEAVES = const(15)
_ROWS = const(35)
_WAIT = const(36)
_LONGEST_HEADER = const(50)
_GINI = const(4)
_ADAPTIVE = const(256)
_HELLINGER = const(2048)
_BAYES = const(3)
_STRICT = const(48)
_VARIANT = const(2356)
_DUE_HALVE = const(1)
_DUE_SPLITS = const(2)
_DUE_RULE = const(4)
_DUE_GROW = const(64)
_DUE_ADWIN = const(256)
_DUE_REPLACE = const(2048)
_DUE_TURN = const(8192)
_DUE_WATCH = const(16384)
_S_NODE = const(5)
_S_ANSWER = const(6)
_S_PENDING = const(8)
_S_SPLIT = const(13)
_S_START = const(17)
_S_ROWS = const(18)

# Kernels are `sort` and `update` here: MicroPython remembers one place for each name, in whatever table, so a
# kernel with the name of the method that calls it would cost 150 instructions more.

bits = 8  # an object, as viper's operators want it beside another
watch = None  # of drift.py, when an adaptive tree has been made
length = len  # a name found at once; `len` is looked up in two tables, for 300 instructions

# The kernels that options choose, by their flags: `splits` by its criterion, `strict`, those of drift.py. A
# model that needs others than a plain tree loads and adds them.
_variants = {0: (splits,)}
_SPLITS = const(0)
_STRICT_RULE = const(1)
_ADWIN_KERNEL = const(2)
_JUDGE = const(3)
_BEGIN = const(4)
_REPLACE_KERNEL = const(5)

# MicroPython keeps every name that it has met: let those of the constructor be met now, not by a model.
fetch("tree.plan", "plan")
fetch("tree.fresh", "begin")
forget("tree.plan tree.options tree.room tree.header tree.fresh construct")


# `hold` lets nothing interrupt these three, whose kernels are bytecode.
def _verdict(tree):
    """May the leaf split? Then let it."""
    arrays = tree._arrays
    x = tree._seen
    flags = arrays[_A_WORDS][_FLAGS]
    rule(arrays, x)
    if flags & _STRICT:
        _variants[flags & _VARIANT][_STRICT_RULE](tree._at, x)
    if arrays[_A_SCRATCH][_S_SPLIT]:
        prune(arrays, x)
        sides(tree._at, x)
        grow(arrays, x)
        shrink(tree._at, x)


def _look(tree):
    """A leaf looks for a slot."""
    prune(tree._arrays, tree._seen)
    grow(tree._arrays, tree._seen)
    shrink(tree._at, tree._seen)


def _tell(tree):
    """Tell the monitors, which an exception has put off, and decide."""
    kernels = _variants[tree._arrays[_A_WORDS][_FLAGS] & _VARIANT]
    kernels[_ADWIN_KERNEL](tree._at, tree._seen)
    kernels[_JUDGE](tree._at, tree._seen)
    _decide(tree)


def _decide(tree):
    """Begin alternates, and carry out the verdicts about others; nothing, the second time."""
    arrays = tree._arrays
    x = tree._seen
    kernels = _variants[arrays[_A_WORDS][_FLAGS] & _VARIANT]
    kernels[_BEGIN](arrays, x)
    while kernels[_REPLACE_KERNEL](arrays, x):
        pass
    shrink(tree._at, x)
    arrays[_A_SCRATCH][_S_PENDING] = 0


class Tree(Model):
    """An incremental decision tree that never exceeds `budget` bytes.

    n_features  codes per sample; n_classes: labels are 0..n_classes - 1
    leaf        "mc" majority class, "nb" naive Bayes, "nba" whichever was right more often at that leaf
    strict      1 or 2: split where SVFDT-I or SVFDT-II would
    omega       0 < omega <= 1 turns regularisation on (HT-REG; 0.5 in the paper)
    adaptive    monitor splits, and grow alternates where the error rises (HAT; with omega HAT-REG)
    grace       samples at a leaf between split attempts; delta, tau: the Hoeffding bound and its ties
    criterion   "gain", "gini", or, of two classes, "hellinger", which does not mind how rare one of them is
    max_depth   a leaf with so many splits above it stays one; None: the budget is the limit
    nb_threshold   so many samples must a leaf have seen or inherited before naive Bayes answers there
    nominal     per feature its number of values, 0 for numeric; values are codes 0..k-1
    drop_poor   stop considering attributes that are worse than the best by more than the bound
    exact       as the papers have it, without what we found better: docs/papers.md
    pending     room for so many samples that wait for their labels: see defer()
    bins, count_bits, lanes, nodes, memo   override what `plan` chooses

    Methods that late.py lists are loaded on first use: save, checkpoint, defer, label, importances, ...

    Domingos and Hulten, "Mining high-speed data streams", 2000.

    >>> clf = Tree(2, 2, 4096)
    >>> for i in range(1000): clf.learn([i % 100, 7], int(i % 100 > 50))
    >>> clf.predict([90, 7]), clf.predict([10, 7])
    (1, 0)
    """

    def __init__(self, n_features, n_classes, budget, **options):
        # A board's heap must stay in one piece: what outlives the plan is made before it, and the plan goes
        # before the arrays are made. Where sources are compiled, one small file after another takes least.
        header = array("i", bytearray(4 * _LONGEST_HEADER))
        from .plan import plan, write_header

        p = plan(n_features, n_classes, budget, **options)
        write_header(header, p)
        for i in range(5):  # in the place of what is not known yet: the sizes
            header[i] = p.sizes(p.nodes, p.slots)[i]
        values = p.values if "nominal" in options else None
        p = plan = write_header = None
        forget("tree.plan tree.options tree.room tree.header construct")
        from ..construct import allocate

        allocate(self, 1, n_features, n_classes, budget, header)
        forget("construct")
        from .fresh import fill

        fill(self._arrays, header, values)
        forget("tree.fresh")
        self._choose_kernels()

    def _choose_kernels(self):
        """Load what only some options need; models with the same options share their tuple of kernels."""
        flags = self._arrays[_A_WORDS][_FLAGS]
        kind = flags & _VARIANT
        if kind not in _variants:
            kernels = (
                fetch("tree.gini" if kind & _GINI else "tree.hellinger", "splits")
                if kind & (_GINI | _HELLINGER)
                else splits,
                fetch("tree.strict", "strict") if kind & _STRICT else None,
            )
            if kind & _ADAPTIVE:
                global watch
                watch = fetch("tree.drift", "watch")
                kernels += fetch("tree.drift", "KERNELS")
            _variants[kind] = kernels
        if self._arrays[_A_WORDS][_WAIT]:  # a leaf waits for its verdict, and a file does not have its gains
            self._arrays[_A_SCRATCH][_S_NODE] = self._arrays[_A_WORDS][_WAIT] - 1
            _variants[kind][_SPLITS](self._at, self._seen)

    @property
    def n_nodes(self):
        return self._arrays[_A_WORDS][_NODES]

    @property
    def n_leaves(self):
        return self._arrays[_A_WORDS][_LEAVES]

    # These two are native to make a call cheaper on a board; the work itself is done by kernels.
    @micropython.viper
    def predict(self, x):
        """The most likely class of sample `x`."""
        if x is not self._seen:
            x = self._admit(x)
        y = sort(self._at, x, length(x))
        if int(y) < 0:
            self._admit(x)
        return y

    @micropython.viper
    def learn(self, x, y) -> int:
        """Learn that sample `x` is of class `y`; returns what `predict` would have answered before."""
        at = self._at
        arrays = ptr32(at)
        words = ptr32(arrays[_A_WORDS])
        identity = words[_IDENTITY]
        if identity & _BUSY:
            self._nested(x)
        due = -1
        answer = 0
        try:
            if y >> bits:  # a large int would arrive truncated
                self._refuse(y)
            if x is not self._seen:
                x = self._admit(x)
            n = length(x)
            words[_IDENTITY] = identity | _BUSY
            if words[_FLAGS] & _BAYES:
                answer = int(sort(at, x, n))
                due = int(update(at, x, n, y))
            else:
                due = int(update(at, x, n, y))
                scratch = ptr32(arrays[_A_SCRATCH])
                answer = scratch[_S_ANSWER]
            if due:
                if due == _DUE_WATCH:  # an adaptive tree, and nothing else to do
                    due = int(watch(at, x))  # type: ignore
                if due:
                    self._work(due, x, y)
        finally:
            words[_IDENTITY] &= ~_BUSY
            if due < 0:  # viper has no `raise` that hands an exception on
                self._explain(y)
        return answer

    def _work(self, due, x, y):
        """Do what is due after `learn`, in the order of the layout's SCHEDULE, until nothing is.

        An attempt to split a leaf, in the words of the papers:

        1. DUE_SPLITS  gain.py, gini.py or hellinger.py: when a grace period ends, the merit of every
                       feature's best split
        2. DUE_RULE    rule.py: the best against the second best and the Hoeffding bound, ties, omega (HT-REG)
        3. DUE_STRICT  strict.py: the constraints of SVFDT-I and -II
        4. DUE_PRUNE   prune.py: room for two more nodes, or the split is put off
        5. DUE_SIDES   sides.py: the class counts that go left and right
        6. DUE_GROW    grow.py: two leaves instead of one; observer slots go where they promise most
        7. DUE_SHRINK  shrink.py: what the slots have counted is inherited or cleared
        8. DUE_TURN    the sample, which has waited for the decision, is predicted and learned

        DUE_HALVE comes first, when counts have reached their limit. A leaf that has no slot and looks for one
        has 4, 6 and 7 alone. In an adaptive tree `watch` comes last: it tells the monitors, and says whether
        they have something to decide (DUE_MONITORS: drift.py, alternates.py, replace.py) or which alternate
        learns the sample next. Other runtimes go by the SCHEDULE; this leaves out what would do nothing.
        """
        at = self._at
        arrays = self._arrays
        scratch = arrays[_A_SCRATCH]
        flags = arrays[_A_WORDS][_FLAGS]
        kernels = _variants[flags & _VARIANT]
        try:
            if due < 0:
                self._admit(x)
                self._refuse(y)
            while due:
                if due & _DUE_HALVE:
                    shrink(at, x)
                if due & _DUE_SPLITS:
                    kernels[_SPLITS](at, x)
                if due & _DUE_GROW:
                    hold(_verdict if due & _DUE_RULE else _look, self)
                if due & _DUE_ADWIN:
                    due -= _DUE_ADWIN
                    # Native kernels, and no jump between them: Ctrl-C strikes before the first or after both.
                    kernels[_ADWIN_KERNEL](at, x)
                    kernels[_JUDGE](at, x)
                    if scratch[_S_PENDING]:
                        hold(_decide, self)
                if due & _DUE_TURN:
                    n = len(x)
                    if flags & _BAYES:
                        sort(at, x, n)
                    due = update(at, x, n, y)
                elif flags & _ADAPTIVE:
                    due = watch(at, x)  # type: ignore
                else:
                    due = 0
        except BaseException:
            scratch[_S_START] = 0  # whatever happens, predictions come from the main tree
            if due > 0 and flags & _ADAPTIVE:
                if due & _DUE_ADWIN:  # what was counted is told; alternates go without this sample
                    hold(_tell, self)
                elif due & _DUE_REPLACE:
                    hold(_decide, self)
                scratch[_S_ROWS + arrays[_A_WORDS][_ROWS] + arrays[_A_WORDS][_LANES]] = 0
            raise

    def _settle(self):
        """Do what an interrupt has left undone: slots that wait for `shrink`."""
        shrink(self._at, self._seen)

    scores = scores


if INTERPRETED:
    fetch("torn", "guard")(Tree)
