"""What a person does with a grove now and then. Loaded on first use.

confidence(x) -> 0..65535   how sure the answer that predict(x) gives is
forget(y)                   a class that is to be taught anew
settle()                    grow all shrubs anew on the memory as it is now
"""

from micropython import const

from ..hold import hold
from .begin import begin
from .grow import grow

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_HALVES = const(1)
_A_OCTETS = const(2)
_A_SCRATCH = const(3)
_A_SAMPLE = const(5)
_FEATURES = const(5)
_CLASSES = const(6)
_MEMORY = const(8)
_RECENT = const(9)
_SHRUBS = const(10)
_BINS = const(13)
_COUNT = const(15)
_HEAD = const(16)
_NEWEST = const(17)
_LEAVES = const(20)
_TAKEN = const(21)
_REST = const(22)
_S_MARK = const(5)
_S_ROWS = const(13)


def confidence(self, x):
    """How sure the answer to sample `x` is, 0..65535: its share of the scores of all classes."""
    best = self.predict(x)
    w = self._arrays[_A_WORDS]
    s = self._arrays[_A_SCRATCH]
    total = 0
    for c in range(w[_CLASSES]):
        total += s[_S_ROWS + c]
    if not total:
        return 0
    return min(65535, (s[_S_ROWS + best] << 14) // total << 2)  # in steps that fit a small integer: no heap


def settle(self):
    """Grow all shrubs anew. After a lesson they know its last samples, too; no `learn` would take so long."""
    w = self._arrays[_A_WORDS]
    at = self._at
    x = self._arrays[_A_SAMPLE]
    w[_LEAVES] = 0
    w[_TAKEN] = 0
    if w[_COUNT]:
        for _ in range(w[_SHRUBS]):
            w[_REST] = w[_COUNT]
            while not w[_LEAVES]:
                begin(at, x)
            while w[_LEAVES]:
                grow(at, x)
    w[_REST] = 0
    self._arrays[_A_SCRATCH][_S_MARK] = 0  # a sample may get another answer now


def _drop(arrays, y, first, count):
    """Take the samples of a class out of `count` places from `first`; returns how many are left."""
    w = arrays[_A_WORDS]
    b = arrays[_A_OCTETS]
    d = w[_FEATURES]
    labels = (w[_MEMORY] + w[_RECENT]) * d
    i = first
    end = first + count
    while i < end:
        if b[labels + i] != y:
            i += 1
            continue
        end -= 1
        b[labels + i] = b[labels + end]
        b[labels + end] = 0
        for f in range(d):
            b[i * d + f] = b[end * d + f]
            b[end * d + f] = 0
    return end - first


_job = [0]  # the class that is to be forgotten


def _erase(model):
    """Take a class out of the memory and the histograms; no shrub votes until it is grown anew."""
    y = _job[0]
    arrays = model._arrays
    w = arrays[_A_WORDS]
    h = arrays[_A_HALVES]
    b = arrays[_A_OCTETS]
    classes = w[_CLASSES]
    w[_LEAVES] = 0
    w[_TAKEN] = 0
    w[_COUNT] = _drop(arrays, y, 0, w[_COUNT])
    n = _drop(arrays, y, w[_MEMORY], w[_NEWEST])
    if n < w[_NEWEST]:
        w[_NEWEST] = n
        w[_HEAD] = n
    h[y] = 0
    h[classes + y] = 0
    first = (w[_MEMORY] + w[_RECENT]) * (w[_FEATURES] + 1)
    for i in range(w[_FEATURES] * w[_BINS]):
        b[first + i * classes + y] = 0
    known = first + w[_FEATURES] * (w[_BINS] * classes + 1) + 2 * (w[_SHRUBS] + 1)
    for m in range(w[_SHRUBS] + 1):
        b[known + m] = 0


def forget(self, y):
    """Forget class `y`, in the histograms and in the memory, so that it can be taught anew."""
    if not isinstance(y, int):
        raise TypeError("a label is an int, not %r" % (y,))
    if not 0 <= y < self._arrays[_A_WORDS][_CLASSES]:
        self._refuse(y)
    _job[0] = y
    hold(_erase, self)
    settle(self)
