"""What every model shares: three arrays, a byte model, validated samples, the order of the kernels.

The three arrays are the whole state. A kernel has no bounds checks, so nothing reaches one before it has
been validated here, and nothing here allocates once a model has been constructed.
"""

import sys
from array import array

import micropython

from .errors import BudgetError
from .fixed import LOG2

MISSING = -32768

# The byte model (32-bit MicroPython): an array is a 16-byte object and its data in 16-byte blocks; the
# instance, its attribute table and the tuple of kernels take _INSTANCE bytes.
_INSTANCE = 192
_FORMAT = 1


class _Slice:
    def __getitem__(self, index):
        return index


_ALL = _Slice()[:]  # made once: writing `a[:] = b` would allocate a slice object for each sample
_LISTS = (list, tuple)  # the same for tuples


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


def forget(*names):
    """On a board, let go of modules that only a constructor needs: they come back when they are imported."""
    if sys.implementation.name == "micropython":
        package = sys.modules["niwaki"]
        for name in names:
            if sys.modules.pop("niwaki." + name, None) and hasattr(package, name):
                delattr(package, name)


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


@micropython.viper
def _address(buffer: ptr8) -> uint:
    return uint(buffer)


@micropython.viper
def _shifted(n: int) -> int:
    return n << 16


def reach(arrays):
    """The arrays as kernels take them: an array of their addresses where kernels are native code."""
    if _shifted(65536) == 0:  # only a native register is full at 32 bits
        return array("I", [_address(a) for a in arrays])
    return arrays


class Model:
    """A classifier in a fixed number of bytes. `Tree` and `Shrubs` say how it learns.

    KERNELS is (predict, learn, work, ...). `learn` returns a bit mask of the work that is due: bit k stands
    for the k-th work kernel, which is called until it returns 0; -1 refuses the label. A kernel gets the
    model's arrays through its first argument. To native code that is an array of their addresses (nothing
    moves on MicroPython's heap), because handing five buffers over would cost more instructions than a whole
    prediction. To interpreted code it is a tuple of the arrays themselves; BYTECODE lists the kernels that
    are never native.
    """

    KERNELS = ()
    BYTECODE = ()
    AGAIN = None  # a kernel called when all work is done, until it returns 0: more work; 8192: predict, learn
    LEARN_NEEDS_PREDICT = False  # learn() uses what predict() left in the scratch

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
        """Make what is not state: the sample buffer, the scratch, the way to the arrays."""
        self._x = array("h", _Zeros(n_features))
        self._scratch = array("i", _Zeros(n_scratch))
        self._seen = self._x
        self._n = n_features
        self._arrays = (self.words, self.halves, self.octets, self._scratch, LOG2)
        self._at = reach(self._arrays)

    def _choose_kernels(self):
        """Load what only some options need; a model that has been read from a file gets here too."""

    def save(self, path):
        """Save to a file, so that a power cut leaves the previous or the new model; see image.py."""
        from .image import save

        return save(self, path)

    def checkpoint(self, path, every=1000):
        """From now on save after every so many learned samples; see checkpoint.py."""
        from .checkpoint import Checkpoint

        return Checkpoint(self, path, every)

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

    def _admit(self, x):
        """Validate a sample; return an array('h') that kernels may read.

        An array is copied the first time that it is seen and read in place afterwards, so a firmware
        that fills one buffer again and again pays for the checks once. Its length is checked each time.
        """
        buf = self._x
        if len(x) != len(buf):
            raise ValueError("expected %d features, got %d" % (len(buf), len(x)))
        if isinstance(x, array):
            if x is self._seen:
                return x
            # CPython compares the type codes, MicroPython only the item sizes.
            try:
                buf[_ALL] = x
            except (TypeError, ValueError):
                raise TypeError("samples are array('h'), or lists or tuples of ints")
            for i in range(len(buf)):
                if buf[i] < 0:
                    if x[i] < 0:
                        self._seen = x
                        return x
                    # array('H'): a large value would arrive as another, negative one
                    raise ValueError("feature %d: code %d is not in -32768..32767" % (i, x[i]))
            return buf
        if not isinstance(x, _LISTS):
            raise TypeError("samples are array('h'), or lists or tuples of ints")
        for i in range(len(buf)):
            v = x[i]
            if not isinstance(v, int):
                raise TypeError("feature %d: %r is not an int; see Encoder for floats" % (i, v))
            if not -32768 <= v <= 32767:
                raise ValueError("feature %d: code %d is not in -32768..32767" % (i, v))
        for i in range(len(buf)):
            buf[i] = x[i]
        return buf

    def predict(self, x):
        """The most likely class of sample `x`."""
        if x is not self._seen or len(x) != self._n:
            x = self._admit(x)
        return self.KERNELS[0](self._at, x)

    def learn(self, x, y):
        """Learn that sample `x` is of class `y`."""
        if x is not self._seen or len(x) != self._n:
            x = self._admit(x)
        if self.LEARN_NEEDS_PREDICT:
            self.KERNELS[0](self._at, x)
        due = self.KERNELS[1](self._at, x, y)
        if due:
            self._work(due, x, y)

    def _refuse(self, y):
        raise ValueError("label %d is not in 0..%d" % (y, self.n_classes - 1))

    def _work(self, due, x, y):
        """Do what a learn kernel said is due."""
        if due < 0:
            self._refuse(y)
        k = 2
        while due:
            if due & 1:
                kernel = self.KERNELS[k]
                at = self._arrays if kernel in self.BYTECODE else self._at
                while kernel(at, x):
                    pass
            due >>= 1
            k += 1
