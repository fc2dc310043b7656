"""What constructors need: the byte model, the arrays, which are made once, and the checks of arguments.

On a board a model lets go of this module once it has been made (`model.forget`). Nothing here uses `math`: a
single-precision board and a double-precision desktop must get the same parameters, bit for bit.
"""

from array import array

from micropython import const

from .model import LOG2, BudgetError, reach

# From the layouts, by `make consts`:
_IDENTITY = const(0)
_WORDS = const(1)
_BUDGET = const(4)
_FEATURES = const(5)
_CLASSES = const(6)
_MAGIC = const(0x4E0000)
_FORMAT = const(1)
_KIND_AT = const(8)
_KIND_MASK = const(255)
_KIND_SHRUBS = const(2)
_RING = const(0x1000000)
_RING_TAIL = const(2)

# The byte model (32-bit MicroPython): an array is a 16-byte object and its data in 16-byte blocks; the
# instance, its table of four attributes and the tuple of arrays take _INSTANCE bytes.
_INSTANCE = const(80)


class Zeros:
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


def footprint(sizes, n_features):
    """Bytes that a model takes, all included; `sizes` is (words, halves, octets, scratch)."""
    return (
        _INSTANCE
        + 5 * 16
        + blocks(4 * sizes[0])
        + blocks(2 * sizes[1])
        + blocks(sizes[2])
        + blocks(4 * sizes[3])
        + blocks(2 * n_features)
    )


def allocate(model, kind, n_features, n_classes, budget, sizes):
    """Make all arrays. `kind` is 1 for a tree, 2 for shrubs, 3 for a grove; `sizes` is (words, halves,
    octets, scratch, samples that can wait for their labels)."""
    try:
        # The longest first, as a rule, while the heap is least in pieces.
        octets = bytearray(sizes[2])
        halves = array("H", Zeros(sizes[1]))
        words = array("i", Zeros(sizes[0]))
        words[_IDENTITY] = _MAGIC | kind << _KIND_AT | _FORMAT
        equip(model, words, halves, octets, n_features, sizes[3])
    except MemoryError:
        raise MemoryError("no heap for a budget of %d bytes: take less, or code as .mpy or ROMFS" % budget)
    for i in range(3):
        words[_WORDS + i] = sizes[i]
    if sizes[4]:
        words[_IDENTITY] |= _RING
        halves[sizes[1] - _RING_TAIL] = sizes[4]
    words[_BUDGET] = budget
    words[_FEATURES] = n_features
    words[_CLASSES] = n_classes


def equip(model, words, halves, octets, n_features, scratch):
    """Make what is not state: the sample buffer, the scratch, the way to the arrays.

    Where kernels are native code, the scratch starts with the addresses of the five arrays. A tree uses these
    words for nothing else on any runtime. Shrubs do: in native code their scratch starts five words later.
    """
    scratch = array("i", Zeros(scratch))
    model._seen = array("h", Zeros(n_features))
    model._arrays = (words, halves, octets, scratch, LOG2, model._seen)
    model._at = reach(model._arrays, scratch)
    if words[_IDENTITY] >> _KIND_AT & _KIND_MASK == _KIND_SHRUBS and model._at is scratch:
        scratch[3] += 20


def choice(name, value, values):
    """The index of `value` among `values`."""
    if value not in values:
        raise ValueError("%s must be one of %s, not %r" % (name, ", ".join(map(str, values)), value))
    return values.index(value)


def number(name, value, min, max):
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError("%s must be a number, not %r" % (name, value))
    if not min <= value <= max:
        raise ValueError("%s must be in %s..%s, not %r" % (name, min, max, value))
    return value


def whole(name, value, min, max):
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("%s must be an int, not %r" % (name, value))
    return number(name, value, min, max)


def check_shape(n_features, n_classes, budget):
    whole("n_features", n_features, 1, 4096)
    whole("n_classes", n_classes, 2, 255)
    if isinstance(budget, int) and budget < 1:
        raise BudgetError("budget must be at least 1 byte, not %d" % budget)
    whole("budget", budget, 1, 1 << 28)


def read(n):
    """log2(n) from the table, which is still a string of bytes where native code reads it."""
    if isinstance(LOG2, array):
        return LOG2[n]
    return LOG2[2 * n] | LOG2[2 * n + 1] << 8


def log2_q(n, bits):
    """log2(n) with `bits` <= 13 fractional bits, 1 <= n < 2^16, by linear interpolation in the table."""
    exponent = 0
    while n >> exponent > 127:
        exponent += 1
    mantissa = n >> exponent
    log = read(mantissa)
    log += ((read(mantissa + 1) - log) * (n - (mantissa << exponent))) >> exponent
    return (log + (exponent << 13) + (1 << (13 - bits) >> 1)) >> (13 - bits)


def half_ln_inverse_q10(delta):
    """ln(1 / delta) / 2 in Q10, for the Hoeffding bound, 1e-12 <= delta < 1.

    Doubling a float is exact in every precision, so only the mantissa, of 13 bits, is ever rounded.
    """
    exponent = 0
    while delta < 1:
        delta *= 2
        exponent += 1
    log = ((exponent + 12) << 13) - log2_q(int(delta * 4096 + 0.5), 13)  # log2(1 / delta) in Q13
    return (log * 2839 + (1 << 15)) >> 16  # ln2 / 2 in Q13 is 2839.1
