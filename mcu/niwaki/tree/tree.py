"""The Hoeffding tree in a fixed number of bytes: VFDT, and by option its strict and regularised forms."""

from array import array

import micropython
from micropython import const

from .. import fetch
from ..model import Model, forget
from .gain import splits
from .grow import grow
from .learn import learn
from .predict import predict
from .prune import prune
from .rule import rule
from .shrink import shrink
from .sides import sides

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_HALVES = const(1)
_A_OCTETS = const(2)
_A_SCRATCH = const(3)
_CLASSES = const(6)
_SHARED = const(8)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
_NODES = const(13)
_LEAVES = const(15)
_SLOTS = const(16)
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_WAIT = const(36)
_LONGEST_HEADER = const(50)
_GINI = const(4)
_RACED = const(64)
_ADAPTIVE = const(256)
_BAYES = const(3)
_STRICT = const(48)
_VARIANT = const(308)
_NODE_LEAF = const(2)
_NODE_SLOT = const(3)
_NODE = const(6)
_LEAF = const(5)
_DUE_HALVE = const(1)
_DUE_SPLITS = const(2)
_DUE_RULE = const(4)
_DUE_STRICT = const(8)
_DUE_SIDES = const(32)
_DUE_GROW = const(64)
_DUE_ADWIN = const(256)
_DUE_TURN = const(8192)
_DUE_WATCH = const(16384)
_S_NODE = const(5)
_S_ANSWER = const(6)
_S_LOGS = const(7)
_S_PENDING = const(8)
_S_SPLIT = const(13)
_S_START = const(17)
_S_ROWS = const(18)


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
forget("tree.plan", "tree.options", "construct")


class Tree(Model):
    """An incremental decision tree that never exceeds `budget` bytes.

    n_features  codes per sample; n_classes: labels are 0..n_classes - 1
    leaf        "mc" majority class, "nb" naive Bayes, "nba" whichever was right more often at that leaf
    omega       0 < omega <= 1 turns regularisation on (HT-REG; 0.5 in the paper)
    adaptive    monitor splits, and grow alternates where the error rises (HAT; with omega HAT-REG)
    grace       samples at a leaf between split attempts; delta, tau: the Hoeffding bound and its ties
    criterion   "gain" or "gini"
    nominal     per feature its number of values, 0 for numeric; values are codes 0..k-1
    drop_poor   stop considering attributes that are worse than the best by more than the bound
    pending     room for so many samples that wait for their labels: see defer()
    bins, count_bits, lanes, nodes, memo   override what `plan` chooses

    Also methods, loaded on first use (late.py): save(path), checkpoint(path, every), defer(x),
    label(ticket, y), learn_unlabelled(x, margin), novelty(x), restored(),
    importances(out, kind).

    Domingos and Hulten, "Mining high-speed data streams", 2000.

    >>> clf = Tree(2, 2, 4096)
    >>> for i in range(1000): clf.learn([i % 100, 7], int(i % 100 > 50))
    >>> clf.predict([90, 7]), clf.predict([10, 7])
    (1, 0)
    """

    def __init__(self, n_features, n_classes, budget, **options):
        # A board's heap must not go to pieces: what outlives the planning is made before it, and whatever
        # planned is let go before the arrays are made.
        header = array("i", bytearray(4 * _LONGEST_HEADER))
        from .plan import plan, write_header

        p = plan(n_features, n_classes, budget, **options)
        write_header(header, p)
        for i in range(5):  # in the place of what is not known yet: the sizes
            header[i] = p.sizes(p.nodes, p.slots)[i]
        values = p.values if "nominal" in options else None
        p = plan = write_header = None
        forget("tree.plan", "tree.options", "construct")
        from ..construct import allocate

        allocate(self, 1, n_features, n_classes, budget, header)
        forget("construct")
        w = self._arrays[_A_WORDS]
        h = self._arrays[_A_HALVES]
        for i in range(_SHARED, header[_SLOT_WORDS0]):
            w[i] = header[i]
        lanes = w[_LANES]
        raced = w[_FLAGS] & _RACED
        for f in range(n_features):
            self._arrays[_A_OCTETS][f] = values[f] if values else 0
        n = 0
        for lane in range(lanes):
            h[lane] = n  # where its cells start
            n += (w[_BINS] if raced else self._arrays[_A_OCTETS][lane] or w[_BINS]) * n_classes
        for slot in range(w[_SLOTS]):
            w[w[_SLOT_WORDS0] + slot * w[_SLOT_WORDS]] = -1
            n = w[_SLOT_HALVES0] + slot * w[_SLOT_HALVES] + n_classes
            for lane in range(lanes if raced else 0):
                h[n + lane] = (slot * lanes + lane) % n_features
        w[w[_SLOT_WORDS0]] = 0  # the first slot observes the root
        h[w[_NODE0] + _NODE_SLOT] = 1
        self._choose_kernels()

    def _choose_kernels(self):
        """Load what only some options need; models with the same options share their tuple of kernels."""
        flags = self._arrays[_A_WORDS][_FLAGS]
        # Where leaves answer by majority, the kernel `learn` leaves the answer in the scratch.
        self._answers = None if flags & _BAYES else self._arrays[_A_SCRATCH]
        kind = flags & _VARIANT
        if kind not in _variants:
            kernels = (
                fetch("tree.gini", "splits") if kind & _GINI else splits,
                fetch("tree.strict", "strict") if kind & _STRICT else None,
            )
            if kind & _ADAPTIVE:
                global watch
                watch = fetch("tree.drift", "watch")
                kernels += fetch("tree.drift", "KERNELS")
            _variants[kind] = kernels
        if self._arrays[_A_WORDS][_WAIT]:
            self._find_gains(_variants[kind][_SPLITS])

    def _find_gains(self, splits):
        """Find the gains of a leaf that waits for its verdict: a model's file does not have them."""
        self._arrays[_A_SCRATCH][_S_NODE] = self._arrays[_A_WORDS][_WAIT] - 1
        splits(self._at, self._seen)

    @property
    def n_nodes(self):
        return self._arrays[_A_WORDS][_NODES]

    @property
    def n_leaves(self):
        return self._arrays[_A_WORDS][_LEAVES]

    # These two are native because of what a call costs on a board; they do nothing that a kernel does.
    @micropython.viper
    def predict(self, x):
        """The most likely class of sample `x`."""
        if x is not self._seen:
            x = self._admit(x)
        y = predict(self._at, x, length(x))
        if int(y) < 0:
            self._admit(x)
        return y

    @micropython.viper
    def learn(self, x, y):
        """Learn that sample `x` is of class `y`; returns what `predict` would have answered before."""
        if y >> bits:  # a large int would arrive truncated; a float is refused by the shift itself
            self._refuse(y)
        if x is not self._seen:
            x = self._admit(x)
        at = self._at
        n = length(x)
        answers = self._answers
        if answers:
            due = learn(at, x, n, y)
            answer = answers[_S_ANSWER]
        else:
            answer = predict(at, x, n)
            due = learn(at, x, n, y)
        if int(due) == _DUE_WATCH:  # an adaptive tree, and nothing else to do
            due = watch(at, x)  # type: ignore
        if int(due):
            self._work(due, x, y)
        return answer

    def _work(self, due, x, y):
        """Do what is due after `learn`, in the order of the layout's SCHEDULE, until nothing is.

        An attempt to split a leaf, in the words of the papers:

        1. DUE_SPLITS  gain.py or gini.py: the merit of every feature's best split, when a grace period ends
        2. DUE_RULE    rule.py: the best against the second best and the Hoeffding bound, ties, omega (HT-REG)
        3. DUE_STRICT  strict.py: the constraints of SVFDT-I and -II
        4. DUE_PRUNE   prune.py: room for two more nodes, or the split is put off
        5. DUE_SIDES   sides.py: the class counts that go left and right
        6. DUE_GROW    grow.py: two leaves instead of one; observer slots go where they promise most
        7. DUE_SHRINK  shrink.py: what the slots have counted is inherited or cleared
        8. DUE_TURN    the sample, which has waited for the decision, is predicted and learned

        Before it DUE_HALVE halves counts that have reached their limit. A leaf without a slot that looks for
        one has 4, 6 and 7 alone. In an adaptive tree `watch` follows upon all this, and says whether monitors
        have something to decide (DUE_MONITORS: drift.py, alternates.py, replace.py), or which alternate has
        its turn with the sample.

        Other runtimes go through the SCHEDULE and call each kernel whose bit is set. Here it is unrolled for
        speed, and kernels that would do nothing are left out: tests/test_schedule.py holds it to that.
        """
        if due < 0:
            self._admit(x)
            self._refuse(y)
        at = self._at
        arrays = self._arrays
        scratch = arrays[_A_SCRATCH]
        flags = arrays[_A_WORDS][_FLAGS]
        kernels = _variants[flags & _VARIANT]
        try:
            while due:
                if due & _DUE_HALVE:
                    shrink(at, x)
                if due & _DUE_SPLITS:
                    kernels[_SPLITS](at, x)
                if due & _DUE_GROW:
                    split = 1
                    if due & _DUE_RULE:
                        rule(arrays, x)
                        if due & _DUE_STRICT:
                            kernels[_STRICT_RULE](at, x)
                        split = scratch[_S_SPLIT]
                    if split:
                        prune(arrays, x)
                        if due & _DUE_SIDES:
                            sides(at, x)
                        grow(arrays, x)
                        shrink(at, x)
                if due & _DUE_ADWIN:
                    kernels[_ADWIN_KERNEL](at, x)
                    kernels[_JUDGE](at, x)
                    if scratch[_S_PENDING]:
                        kernels[_BEGIN](arrays, x)
                        while kernels[_REPLACE_KERNEL](arrays, x):
                            pass
                        shrink(at, x)
                if due & _DUE_TURN:
                    n = len(x)
                    if flags & _BAYES:
                        predict(at, x, n)
                    due = learn(at, x, n, y)
                elif flags & _ADAPTIVE:
                    due = watch(at, x)  # type: ignore
                else:
                    due = 0
        finally:
            scratch[_S_START] = 0  # whatever happens, predictions come from the main tree

    def scores(self, x, out):
        """Class probabilities of sample `x` into `out`, integers that sum to about 65,536."""
        n = self._arrays[_A_WORDS][_CLASSES]
        self._check_out(out, n)
        best = self.predict(x)  # type: ignore
        s = self._arrays[_A_SCRATCH]
        total = 0
        if s[_S_LOGS]:  # logarithms in Q13
            top = s[_S_ROWS + best]
            for c in range(n):
                # 2 ** -(k / 8192) in Q16; on [0, 1] it is 1 - 0.6564 f + 0.1564 f^2 within 0.2 %
                k = top - s[_S_ROWS + c]
                f = k & 8191
                out[c] = 0
                if k < 16 << 13:
                    out[c] = (65536 - ((f * 43018) >> 13) + ((((f * f) >> 13) * 10250) >> 13)) >> (k >> 13)
                total += out[c]
            for c in range(n):
                out[c] = (out[c] << 12) // (total >> 4)
        else:
            w = self._arrays[_A_WORDS]
            h = self._arrays[_A_HALVES]
            at = w[_LEAF0] + h[w[_NODE0] + s[_S_NODE] * _NODE + _NODE_LEAF] * (_LEAF + n) + _LEAF
            for c in range(n):
                total += h[at + c]
            for c in range(n):
                out[c] = ((h[at + c] << 13) // total) << 3 if total else 65536 // n
        for c in range(best):
            if out[c] >= out[best]:  # equal but for rounding
                out[best] = out[c] + 1
