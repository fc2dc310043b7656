"""Shrub Ensembles in a fixed number of bytes: small trees on a sliding window, weighed by their votes."""

from micropython import const

from .. import fetch
from ..model import INTERPRETED, Model, forget
from .agree import agree
from .grow import grow
from .learn import learn as update
from .predict import predict as count
from .weigh import weigh

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_OCTETS = const(2)
_A_SCRATCH = const(3)
_A_SAMPLE = const(5)
_IDENTITY = const(0)
_FEATURES = const(5)
_CLASSES = const(6)
_BUSY = const(0x2000000)
_WINDOW = const(8)
_SHRUBS = const(9)
_DUE = const(29)
_WEIGHTS = const(32)
_ORDERS = const(3)
_DUE_GROW = const(1)
_DUE_AGREE = const(2)
_DUE_WEIGH = const(4)

length = len  # a name found at once; `len` is looked up in two tables, for 300 instructions


class Shrubs(Model):
    """An ensemble of small trees, each grown on a window of the stream, that never exceeds `budget` bytes.

    n_features  codes per sample (a nominal one is split like a number); n_classes: labels 0..n_classes - 1
    every       a new shrub each so many samples; by default the window's size, 64 at most
    recent      an error of the youngest shrub calls for another, grown on so many newest samples; as long as
                it alone beats the ensemble, it answers alone. 0: there are none
    step        of the gradient descent on the weights, n_classes / 10; loss: "mse" or "ce"
    weigh       a gradient step each so many samples, `every` by default
    criterion   "gini" or "gain"; depth: at most so many splits above a leaf
    features    how many features a node of a new shrub tries, at random: all, or a third when `every` is
                less than a quarter of the window; random: one random threshold per feature; seed of both
    exact       Algorithm 1 of the paper: a shrub with each sample, fully grown or to `depth`, class shares at
                its leaves, none that leads: docs/papers.md
    pending     room for so many samples that wait for their labels: see defer()
    window, shrubs, nodes   override what `plan` chooses: samples, shrubs with weight, splits per shrub

    Also methods, loaded on first use (late.py): save(path), checkpoint(path, every), defer(x),
    label(ticket, y), learn_unlabelled(x, margin), novelty(x), restored(),
    importances(out, kind).

    Buschjäger, Hess and Morik, "Shrub Ensembles for Online Classification", AAAI 2022.

    >>> clf = Shrubs(2, 2, 2048)
    >>> for i in range(1000): clf.learn([i * 37 % 100, 7], int(i * 37 % 100 > 50))
    >>> clf.predict([90, 7]), clf.predict([10, 7])
    (1, 0)
    """

    def __init__(self, n_features, n_classes, budget, **options):
        # Where sources are compiled, one small file after another takes least of the heap.
        p = fetch("shrubs.plan", "plan")(n_features, n_classes, budget, **options)
        forget("shrubs.options")
        fetch("construct", "allocate")(self, 2, n_features, n_classes, budget, p.sizes())
        fetch("shrubs.header", "write_header")(self._arrays[_A_WORDS], p)
        forget("shrubs.plan shrubs.options shrubs.header construct")

    def predict(self, x):
        """The most likely class of sample `x`."""
        if x is not self._seen or length(x) != self._arrays[_A_WORDS][_FEATURES]:
            x = self._admit(x)
        return count(self._at, x)

    def learn(self, x, y):
        """Learn that sample `x` is of class `y`; returns what `predict` would have answered before."""
        at = self._at
        words = self._arrays[_A_WORDS]
        identity = words[_IDENTITY]
        if identity & _BUSY:
            self._nested(x)
        due = -1
        try:
            if y >> 8:  # a large int would reach the kernel truncated
                self._refuse(y)
            if x is not self._seen or length(x) != words[_FEATURES]:
                x = self._admit(x)
            words[_IDENTITY] = identity | _BUSY
            if words[_DUE]:  # an interrupt has come between the kernels
                self._settle()
            answer = count(at, x)
            due = update(at, x, y)
            if due:
                if due < 0:
                    self._refuse(y)
                self._settle()
        finally:
            words[_IDENTITY] &= ~_BUSY
            if due < 0:
                self._explain(y)
        return answer

    def _settle(self):
        """Do what is due. The header says what is left of it, so an interrupt between kernels loses nothing.

        It is the layout's SCHEDULE, unrolled for speed: see tests/test_schedule.py.
        """
        at = self._at
        words = self._arrays[_A_WORDS]
        x = self._arrays[_A_SAMPLE]
        if words[_DUE] & _DUE_GROW:
            grow(at, x)
        if words[_DUE] & _DUE_AGREE:
            agree(at, x)
        if words[_DUE] & _DUE_WEIGH:
            weigh(at, x)

    def _splits(self):
        """Splits of all shrubs with weight."""
        words = self._arrays[_A_WORDS]
        first = (words[_FEATURES] + _ORDERS) * words[_WINDOW] + 1
        n = 0
        for m in range(words[_SHRUBS] + 1):
            if words[_WEIGHTS + m]:
                n += self._arrays[_A_OCTETS][first + m]
        return n

    @property
    def n_shrubs(self):
        """Shrubs with weight."""
        n = 0
        for m in range(_WEIGHTS, len(self._arrays[_A_WORDS])):
            if self._arrays[_A_WORDS][m]:
                n += 1
        return n

    @property
    def n_nodes(self):
        return 2 * self._splits() + self.n_shrubs

    @property
    def n_leaves(self):
        return self._splits() + self.n_shrubs

    def scores(self, x, out):
        """Votes for each class on sample `x` into `out`, integers that sum to about 65,536."""
        classes = self._arrays[_A_WORDS][_CLASSES]
        self._check_out(out, classes)
        best = self.predict(x)
        scratch = self._arrays[_A_SCRATCH]
        first = 5 if self._at is scratch else 0  # see equip()
        total = 0
        for c in range(classes):
            out[c] = scratch[first + c]
            total += out[c]
        for c in range(classes):
            if total > 65536:  # the youngest shrub leads: its vote counts as much as all the others
                out[c] >>= 1
            elif not total:
                out[c] = 65536 // classes
        for c in range(best):
            if out[c] >= out[best]:
                out[best] = out[c] + 1


if INTERPRETED:
    fetch("torn", "guard")(Shrubs)
