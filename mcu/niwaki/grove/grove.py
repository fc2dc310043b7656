"""A grove: it remembers what it was taught, and follows labels only where they come at once."""

from micropython import const

from .. import fetch
from ..model import INTERPRETED, Model, forget
from .begin import begin
from .credit import answers, asked, recall
from .grow import grow
from .learn import learn as update  # the method's name would be looked up more slowly: docs/dialect.md
from .predict import predict as sort

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_IDENTITY = const(0)
_FEATURES = const(5)
_CLASSES = const(6)
_BUSY = const(0x2000000)
_MEMORY = const(8)
_RECENT = const(9)
_SHRUBS = const(10)
_BINS = const(13)
_GROWING = const(19)
_LEAVES = const(20)
_DUE_GROW = const(2)
_S_ROWS = const(13)


def _hold(do, model):
    """Call do(model): native code is never interrupted. Interpreted kernels have hold.hold in its place."""
    do(model)


def _tend(grove):
    """Go on with the shrub that grows, or begin the one that is due."""
    if grove._arrays[_A_WORDS][_LEAVES]:
        grow(grove._at, grove._arrays[5])
    else:
        begin(grove._at, grove._arrays[5])


class Grove(Model):
    """A classifier that knows what it was taught, in `budget` bytes.

    Histograms count every sample; a memory, balanced by class, keeps some; shrubs grow on the memory, some
    splits a call; its nearest neighbours vote too. Whoever answered better than that vote when asked, before
    the label was known, answers alone.

    n_features  codes per sample; n_classes: labels are 0..n_classes - 1. One class alone is allowed: taught
                what is normal, a grove tells what is not by its novelty
    memory      samples that are kept; shrubs, nodes: so many shrubs of so many splits
    take        samples that a shrub is grown on at most; recent: newest samples that can lead
    bins        of the histograms: 0, 4, 8 or 16; neighbours: 3, or 0 to save their time
    near, bayes what a neighbour and the histograms weigh, of 4096 for all shrubs
    effort      samples that growing may look at in a call; hurry: how often all shrubs are renewed while the
                memory is; seed of what is random
    pending     room for so many samples that wait for their labels: see defer()
    """

    CREDIT = (answers, recall)

    def __init__(self, n_features, n_classes, budget, **options):
        p = fetch("grove.plan", "plan")(n_features, n_classes, budget, **options)
        fetch("construct", "allocate")(self, 3, n_features, n_classes, budget, p.sizes())
        fetch("grove.plan", "write_header")(self._arrays[0], self._arrays[2], p)
        forget("grove.plan construct")

    def predict(self, x):
        """The most likely class of sample `x`."""
        if x is not self._seen or len(x) != len(self._arrays[5]):
            x = self._admit(x)
        answer = sort(self._at, x)
        if answer < 0:  # nobody teaches: shrubs that are due grow first
            _hold(_tend, self)
            answer = sort(self._at, x)
        return answer

    def learn(self, x, y):
        """Learn that sample `x` is of class `y`. Returns what the answer would have been.

        If `x` is the sample that was asked last, those who answered it get their credit.
        """
        try:
            wrong = y >> 8 or y >= self._arrays[_A_WORDS][_CLASSES]  # checked before a question counts
        except TypeError:
            wrong = 1
        if wrong:
            self._refuse(y)
        words = self._arrays[_A_WORDS]
        if words[_IDENTITY] & _BUSY:
            self._nested(x)
        at = self._at
        try:
            words[_IDENTITY] |= _BUSY
            if x is not self._seen or len(x) != len(self._arrays[5]):
                x = self._admit(x)
            answer = asked(at, x, len(x))
            if answer < 0:
                answer = self.predict(x)
                recall(at, x, -1)
            due = update(at, x, y)
            if due == _DUE_GROW:
                grow(at, x)
            elif due > 0:
                begin(at, x)
        finally:
            words[_IDENTITY] &= ~_BUSY
        if due < 0:
            self._refuse(y)
        return answer

    def learn_late(self, x, y, answered):
        """Learn a sample that was asked earlier; `answered` is what `answers` gave then."""
        try:
            wrong = y >> 8 or y >= self._arrays[_A_WORDS][_CLASSES]
        except TypeError:
            wrong = 1
        if wrong:
            self._refuse(y)
        self.predict(x)
        recall(self._at, self._arrays[5], answered)
        return self.learn(x, y)

    def answers(self):
        """How the sample that was asked last was answered, as an int for `learn_late`."""
        return answers(self._at, self._arrays[5])

    def scores(self, x, out):
        """How likely each class is for sample `x`, into `out`, integers that sum to about 65,536."""
        n = self._arrays[0][_CLASSES]
        self._check_out(out, n)
        best = self.predict(x)
        s = self._arrays[3]
        total = 0
        for c in range(n):
            out[c] = s[_S_ROWS + c]
            total += out[c]
        for c in range(n):
            out[c] = (out[c] << 13) // total << 3 if total else 65536 // n  # small integers: no heap
        for c in range(best):
            if out[c] >= out[best]:
                out[best] = out[c] + 1

    def _splits(self):
        """Splits of all shrubs that vote."""
        w = self._arrays[0]
        at = (w[_MEMORY] + w[_RECENT]) * (w[_FEATURES] + 1) + w[_FEATURES] * (w[_BINS] * w[_CLASSES] + 1)
        n = 0
        for m in range(w[_SHRUBS] + 1):
            if m != w[_GROWING]:
                n += self._arrays[2][at + m]
        return n

    @property
    def n_shrubs(self):
        """Shrubs that vote."""
        w = self._arrays[0]
        at = (w[_MEMORY] + w[_RECENT]) * (w[_FEATURES] + 1) + w[_FEATURES] * (w[_BINS] * w[_CLASSES] + 1)
        n = 0
        for m in range(w[_SHRUBS] + 1):
            if m != w[_GROWING] and self._arrays[2][at + 2 * (w[_SHRUBS] + 1) + m]:
                n += 1
        return n

    @property
    def n_nodes(self):
        return 2 * self._splits() + self.n_shrubs

    @property
    def n_leaves(self):
        return self._splits() + self.n_shrubs


if INTERPRETED:
    _hold = fetch("hold", "hold")  # type: ignore
    fetch("torn", "guard")(Grove)
