"""The Hoeffding tree in a fixed number of bytes: VFDT, and by option its strict and regularised forms."""

import micropython
from micropython import const

from .model import Model, forget
from .tree_empty import empty
from .tree_gain import splits
from .tree_grow import grow
from .tree_learn import learn
from .tree_predict import predict
from .tree_prune import prune
from .tree_rule import rule

_CLASSES = const(6)
_FLAGS = const(8)
_NODES = const(13)
_LEAVES = const(15)
_NODE0 = const(27)
_LEAF0 = const(28)
_NODE = const(6)
_LEAF = const(5)
_S_NODE = const(0)
_S_LOGS = const(2)
_S_SPLIT = const(8)
_S_ROWS = const(13)

byte = 8  # an object, as viper's operators want it beside another
adapt = watch = importances = None  # loaded on first use
length = len  # a name found at once; `len` is looked up in two tables, for 300 instructions

_variants = {}


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
    bins, count_bits, lanes, nodes, memo   override what `plan` chooses

    Domingos and Hulten, "Mining high-speed data streams", 2000.

    >>> clf = Tree(2, 2, 4096)
    >>> for i in range(1000): clf.learn([i % 100, 7], int(i % 100 > 50))
    >>> clf.predict([90, 7]), clf.predict([10, 7])
    (1, 0)
    """

    KERNELS = (predict, learn, empty, splits, rule, empty, prune, grow, empty)
    BYTECODE = (rule, prune, grow)
    LEARN_NEEDS_PREDICT = True

    def __init__(self, n_features, n_classes, budget, **options):
        from .tree_plan import plan, write_header

        p = plan(n_features, n_classes, budget, **options)
        self._allocate(1, budget, n_features, n_classes, p.sizes(p.nodes, p.slots))
        write_header(self.words, self.halves, self.octets, p)
        self._choose_kernels()
        forget("tree_plan", "options")

    def _choose_kernels(self):
        """Load what only some options need; models with the same options share their tuple of kernels."""
        flags = self.words[_FLAGS]
        self._bayes = flags & 3
        kind = flags & (4 | 48 | 256)
        if kind not in _variants:
            kernels = self.KERNELS
            if kind & 4:
                from .tree_gini import splits

                kernels = kernels[:3] + (splits,) + kernels[4:]
            if kind & 48:
                from .tree_strict import strict

                kernels = kernels[:5] + (strict,) + kernels[6:]
            if kind & 256:
                global adapt, watch
                from .tree_adapt import BYTECODE, KERNELS, adapt, watch

                kernels += KERNELS
                Tree.BYTECODE = (rule, prune, grow) + BYTECODE
            _variants[kind] = kernels
        self.KERNELS = _variants[kind]

    @property
    def AGAIN(self):
        if self.words[_FLAGS] & 256:
            return watch

    @property
    def n_nodes(self):
        return self.words[_NODES]

    @property
    def n_leaves(self):
        return self.words[_LEAVES]

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
        """Learn that sample `x` is of class `y`."""
        if y >> byte:  # a large int would arrive truncated; a float is refused by the shift itself
            self._refuse(y)
        if x is not self._seen:
            x = self._admit(x)
        at = self._at
        n = length(x)
        if self._bayes:
            predict(at, x, n)
        due = learn(at, x, n, y)
        if int(due) == 4096:  # an adaptive tree, and nothing else to do
            due = watch(at, x)
        if int(due):
            self._work(due, x, y)

    def _work(self, due, x, y):
        """What `Model._work` does, in fewer steps: KERNELS in their order, those in vain left out."""
        if due < 0:
            self._admit(x)
            self._refuse(y)
        if due > 127:
            return adapt(self, due, x, y)
        at = self._at
        if due & 1:
            empty(at, x)
        if due & 32:
            arrays = self._arrays
            if due & 2:
                kernels = self.KERNELS
                kernels[3](at, x)
                rule(arrays, x)
                if due & 8:
                    kernels[5](at, x)
                if not self._scratch[_S_SPLIT]:
                    return
                prune(arrays, x)
            grow(arrays, x)
            empty(at, x)

    def importances(self, out, kind="mpg"):
        """How much each feature matters, "mpg" or "mdi", into `out`, scaled to 65,536; see importance.py."""
        global importances
        if importances is None:
            from .importance import importances
        importances(self, out, kind)

    def scores(self, x, out):
        """Class probabilities of sample `x` into `out`, integers that sum to about 65,536."""
        n = self.n_classes
        if len(out) != n:
            raise ValueError("out has %d places for %d classes" % (len(out), n))
        try:
            out[0] = 65536
        except OverflowError:
            pass
        if out[0] != 65536:
            raise ValueError("out must be a list or an array('i')")
        best = self.predict(x)
        s = self._scratch
        total = 0
        if s[_S_LOGS]:  # logarithms in Q13
            top = s[_S_ROWS + best]
            for c in range(n):
                out[c] = exp2_q16(top - s[_S_ROWS + c])
                total += out[c]
            for c in range(n):
                out[c] = (out[c] << 12) // (total >> 4)
        else:
            w = self.words
            h = self.halves
            at = w[_LEAF0] + h[w[_NODE0] + s[_S_NODE] * _NODE + 2] * (_LEAF + n) + _LEAF
            for c in range(n):
                total += h[at + c]
            for c in range(n):
                out[c] = ((h[at + c] << 13) // total) << 3 if total else 65536 // n
        for c in range(best):
            if out[c] >= out[best]:  # equal but for rounding
                out[best] = out[c] + 1


def exp2_q16(minus):
    """2 ** -(minus / 8192) in Q16, by a quadratic within 0.2 %."""
    if minus >= 16 << 13:
        return 0
    f = minus & 8191
    # 2^-f = 1 - 0.6564 f + 0.1564 f^2 on [0, 1]
    return (65536 - ((f * 43018) >> 13) + ((((f * f) >> 13) * 10250) >> 13)) >> (minus >> 13)
