"""Shrub Ensembles in a fixed number of bytes: small trees on a sliding window, weighed by their votes."""

from micropython import const

from ..model import Model, forget
from .agree import agree
from .grow import grow
from .learn import learn
from .predict import predict
from .weigh import weigh

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_OCTETS = const(2)
_A_SCRATCH = const(3)
_A_SAMPLE = const(5)
_FEATURES = const(5)
_CLASSES = const(6)
_WINDOW = const(8)
_SHRUBS = const(9)
_WEIGHTS = const(32)
_ORDERS = const(3)
_DUE_GROW = const(1)
_DUE_AGREE = const(2)
_DUE_WEIGH = const(4)


class Shrubs(Model):
    """An ensemble of small trees, each grown on a window of the stream, that never exceeds `budget` bytes.

    n_features  codes per sample (a nominal one is split like a number); n_classes: labels 0..n_classes - 1
    every       a new shrub each so many samples (1 is the paper; by default the window's size, 64 at most)
    recent      an error of the youngest shrub calls for another, grown on so many newest samples; as long as
                it alone beats the ensemble, it answers alone. 0: as in the paper, there are none
    step        of the gradient descent on the weights, n_classes / 10; loss: "mse" or "ce"
    weigh       a gradient step each so many samples, `every` by default
    criterion   "gini" or "gain"; depth: at most so many splits above a leaf
    features    how many features a node of a new shrub tries, at random: all, or a third when `every` is
                less than a quarter of the window; random: one random threshold per feature; seed of both
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
        from ..construct import allocate
        from .plan import plan, write_header

        p = plan(n_features, n_classes, budget, **options)
        allocate(self, 2, n_features, n_classes, budget, p.sizes())
        write_header(self._arrays[_A_WORDS], p)
        forget("shrubs.plan", "construct")

    def predict(self, x):
        """The most likely class of sample `x`."""
        if x is not self._seen or len(x) != len(self._arrays[_A_SAMPLE]):
            x = self._admit(x)
        return predict(self._at, x)

    def learn(self, x, y):
        """Learn that sample `x` is of class `y`; returns what `predict` would have answered before."""
        if y >> 8:  # a large int would reach the kernel truncated; a float is refused by the shift itself
            self._refuse(y)
        if x is not self._seen or len(x) != len(self._arrays[_A_SAMPLE]):
            x = self._admit(x)
        at = self._at
        answer = predict(at, x)
        due = learn(at, x, y)
        if due < 0:
            self._refuse(y)
        if due & _DUE_GROW:  # the layout's SCHEDULE, unrolled for speed: see tests/test_schedule.py
            grow(at, x)
        if due & _DUE_AGREE:
            agree(at, x)
        if due & _DUE_WEIGH:
            weigh(at, x)
        return answer

    def _splits(self):
        """Splits of all shrubs with weight."""
        w = self._arrays[_A_WORDS]
        first = (w[_FEATURES] + _ORDERS) * w[_WINDOW] + 1
        n = 0
        for m in range(w[_SHRUBS] + 1):
            if w[_WEIGHTS + m]:
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
        n = self._arrays[_A_WORDS][_CLASSES]
        self._check_out(out, n)
        best = self.predict(x)
        s = self._arrays[_A_SCRATCH]
        first = 5 if self._at is s else 0  # see equip()
        total = 0
        for c in range(n):
            out[c] = s[first + c]
            total += out[c]
        for c in range(n):
            if total > 65536:  # the youngest shrub leads: its vote counts as much as all the others
                out[c] >>= 1
            elif not total:
                out[c] = 65536 // n
        for c in range(best):
            if out[c] >= out[best]:
                out[best] = out[c] + 1
