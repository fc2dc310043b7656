"""What every model shares: three arrays, a byte model, validated samples, the order of the kernels.

The three arrays are the whole state. A kernel has no bounds checks, so nothing reaches one before it has
been validated here, and nothing here allocates once a model has been constructed.
"""

from array import array

from .errors import BudgetError
from .fixed import LOG2

MISSING = -32768

# The byte model (32-bit MicroPython): an array is a 16-byte object and its data in 16-byte blocks; the
# instance, its attribute table and the tuple of kernels take _INSTANCE bytes.
_INSTANCE = 160
_FORMAT = 1


class _Slice:
    def __getitem__(self, index):
        return index


_ALL = _Slice()[:]  # made once: writing `a[:] = b` would allocate a slice object for each sample


class _Zeros:
    """n zeros for array(): it allocates exactly n items, without a temporary copy of them."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __iter__(self):
        for _ in range(self.n):
            yield 0


def blocks(nbytes):
    """Bytes that an allocation takes from the heap."""
    return (nbytes + 15) & -16


def footprint(n_words, n_halves, n_octets, n_features, n_scratch):
    """Bytes that a model with these sizes takes, all included."""
    return (
        _INSTANCE
        + 5 * 16
        + blocks(4 * n_words)
        + blocks(2 * n_halves)
        + blocks(n_octets)
        + blocks(2 * n_features)
        + blocks(4 * n_scratch)
    )


def check_shape(n_features, n_classes, budget):
    for name, value, low, high in (
        ("n_features", n_features, 1, 4096),
        ("n_classes", n_classes, 2, 255),
        ("budget", budget, 1, 1 << 28),
    ):
        if not isinstance(value, int):
            raise TypeError("%s must be an int, not %r" % (name, value))
        if name == "budget" and value < low:
            raise BudgetError("budget must be at least 1 byte, not %d" % value)
        if not low <= value <= high:
            raise ValueError("%s must be %d..%d, not %d" % (name, low, high, value))


class Model:
    """A classifier in a fixed number of bytes. `Tree` and `Shrubs` say how it learns.

    KERNELS is (predict, learn, work, ...). `learn` returns a bit mask of the work that is due: bit k stands
    for the k-th work kernel, which is called until it returns 0.
    """

    KERNELS = ()
    LEARN_NEEDS_PREDICT = False  # learn() continues from what predict() left in the scratch

    def _allocate(self, kind, budget, n_features, n_classes, sizes):
        """Make the arrays. `sizes` is (words, halves, octets, scratch)."""
        self.words = words = array("i", _Zeros(sizes[0]))
        self.halves = array("H", _Zeros(sizes[1]))
        self.octets = bytearray(sizes[2])
        self._equip(n_features, sizes[3])
        words[0] = 0x4E0000 | kind << 8 | _FORMAT
        words[1] = sizes[0]
        words[2] = sizes[1]
        words[3] = sizes[2]
        words[4] = budget
        words[5] = n_features
        words[6] = n_classes

    def _equip(self, n_features, n_scratch):
        """Make what is not state: the sample buffer and the scratch."""
        self._x = array("h", _Zeros(n_features))
        self._scratch = array("i", _Zeros(n_scratch))
        self._kernels = self.KERNELS

    @property
    def budget(self):
        return self.words[4]

    @property
    def n_features(self):
        return self.words[5]

    @property
    def n_classes(self):
        return self.words[6]

    @property
    def samples(self):
        return self.words[7]

    @property
    def nbytes(self):
        """Bytes of heap that this model takes on a 32-bit MicroPython; never more than `budget`."""
        w = self.words
        return footprint(w[1], w[2], w[3], w[5], len(self._scratch))

    def _take(self, x):
        """Validate a sample and copy it into the sample buffer."""
        buf = self._x
        if len(x) != len(buf):
            raise ValueError("expected %d features, got %d" % (len(buf), len(x)))
        if isinstance(x, array):
            # CPython compares the type codes, MicroPython only the item sizes.
            try:
                buf[_ALL] = x
            except (TypeError, ValueError):
                raise TypeError("samples are array('h'), or lists or tuples of ints")
            i = 0
            for v in buf:
                if v < 0:
                    if x[i] >= 0:  # array('H'): a large value would arrive as another, negative one
                        raise ValueError("feature %d: code %d is not in -32768..32767" % (i, x[i]))
                    break
                i += 1
            return
        if not isinstance(x, (list, tuple)):
            raise TypeError("samples are array('h'), or lists or tuples of ints")
        for i in range(len(buf)):
            v = x[i]
            if not isinstance(v, int):
                raise TypeError("feature %d: %r is not an int; see Encoder for floats" % (i, v))
            if not -32768 <= v <= 32767:
                raise ValueError("feature %d: code %d is not in -32768..32767" % (i, v))
            buf[i] = v

    def predict(self, x):
        """The most likely class of sample `x`."""
        self._take(x)
        return self._kernels[0](self.words, self.halves, self.octets, self._x, self._scratch, LOG2)

    def learn(self, x, y):
        """Learn that sample `x` is of class `y`."""
        if not isinstance(y, int):
            raise TypeError("a label is an int, not %r" % (y,))
        words = self.words
        if not 0 <= y < words[6]:
            raise ValueError("label %d is not in 0..%d" % (y, words[6] - 1))
        self._take(x)
        kernels = self._kernels
        halves = self.halves
        octets = self.octets
        buf = self._x
        scratch = self._scratch
        if self.LEARN_NEEDS_PREDICT:
            kernels[0](words, halves, octets, buf, scratch, LOG2)
        due = kernels[1](words, halves, octets, buf, scratch, LOG2, y)
        k = 2
        while due:
            if due & 1:
                while kernels[k](words, halves, octets, buf, scratch, LOG2):
                    pass
            due >>= 1
            k += 1

    def save(self, path):
        """Save to a file, so that a power cut leaves the previous or the new model; see image.py."""
        from .image import save

        return save(self, path)

    def checkpoint(self, path, every=1000):
        """From now on save after every so many learned samples; see checkpoint.py."""
        from .checkpoint import Checkpoint

        return Checkpoint(self, path, every)
