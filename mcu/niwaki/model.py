"""What every model shares: three arrays, a byte model, validated samples, the order of the kernels.

The three arrays are the whole state. A kernel has no bounds checks, so nothing reaches one before it has
been validated here, and nothing here allocates once a model has been constructed.
"""

import gc
import sys
from array import array

import micropython
from micropython import const

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_SAMPLE = const(5)

MISSING = -32768

# log2(n) in Q13 for n = 0..255, little-endian (entry 0 is 0, so that 0 * log2(0) = 0). Larger arguments are
# brought below 256 by shifts. It is written down, not computed: boards with single-precision floats must
# have the same, and integers would leave 150 KB of garbage. It belongs to the code, not to a budget.
LOG2 = (
    b"\x00\x00\x00\x00\x00\x20\xb8\x32\x00\x40\x4d\x4a\xb8\x52\xd6\x59\x00\x60\x70\x65"
    b"\x4d\x6a\xb4\x6e\xb8\x72\x6a\x76\xd6\x79\x05\x7d\x00\x80\xcc\x82\x70\x85\xef\x87"
    b"\x4d\x8a\x8e\x8c\xb4\x8e\xc1\x90\xb8\x92\x9a\x94\x6a\x96\x28\x98\xd6\x99\x75\x9b"
    b"\x05\x9d\x89\x9e\x00\xa0\x6c\xa1\xcc\xa2\x23\xa4\x70\xa5\xb4\xa6\xef\xa7\x22\xa9"
    b"\x4d\xaa\x71\xab\x8e\xac\xa4\xad\xb4\xae\xbd\xaf\xc1\xb0\xbf\xb1\xb8\xb2\xac\xb3"
    b"\x9a\xb4\x85\xb5\x6a\xb6\x4b\xb7\x28\xb8\x01\xb9\xd6\xb9\xa7\xba\x75\xbb\x3f\xbc"
    b"\x05\xbd\xc9\xbd\x89\xbe\x46\xbf\x00\xc0\xb7\xc0\x6c\xc1\x1d\xc2\xcc\xc2\x79\xc3"
    b"\x23\xc4\xcb\xc4\x70\xc5\x13\xc6\xb4\xc6\x52\xc7\xef\xc7\x8a\xc8\x22\xc9\xb9\xc9"
    b"\x4d\xca\xe0\xca\x71\xcb\x00\xcc\x8e\xcc\x1a\xcd\xa4\xcd\x2d\xce\xb4\xce\x39\xcf"
    b"\xbd\xcf\x40\xd0\xc1\xd0\x41\xd1\xbf\xd1\x3c\xd2\xb8\xd2\x32\xd3\xac\xd3\x24\xd4"
    b"\x9a\xd4\x10\xd5\x85\xd5\xf8\xd5\x6a\xd6\xdb\xd6\x4b\xd7\xba\xd7\x28\xd8\x95\xd8"
    b"\x01\xd9\x6c\xd9\xd6\xd9\x3f\xda\xa7\xda\x0e\xdb\x75\xdb\xda\xdb\x3f\xdc\xa2\xdc"
    b"\x05\xdd\x67\xdd\xc9\xdd\x29\xde\x89\xde\xe8\xde\x46\xdf\xa3\xdf\x00\xe0\x5c\xe0"
    b"\xb7\xe0\x12\xe1\x6c\xe1\xc5\xe1\x1d\xe2\x75\xe2\xcc\xe2\x23\xe3\x79\xe3\xce\xe3"
    b"\x23\xe4\x77\xe4\xcb\xe4\x1e\xe5\x70\xe5\xc2\xe5\x13\xe6\x64\xe6\xb4\xe6\x03\xe7"
    b"\x52\xe7\xa1\xe7\xef\xe7\x3d\xe8\x8a\xe8\xd6\xe8\x22\xe9\x6e\xe9\xb9\xe9\x03\xea"
    b"\x4d\xea\x97\xea\xe0\xea\x29\xeb\x71\xeb\xb9\xeb\x00\xec\x47\xec\x8e\xec\xd4\xec"
    b"\x1a\xed\x5f\xed\xa4\xed\xe8\xed\x2d\xee\x70\xee\xb4\xee\xf7\xee\x39\xef\x7b\xef"
    b"\xbd\xef\xff\xef\x40\xf0\x81\xf0\xc1\xf0\x01\xf1\x41\xf1\x80\xf1\xbf\xf1\xfe\xf1"
    b"\x3c\xf2\x7a\xf2\xb8\xf2\xf5\xf2\x32\xf3\x6f\xf3\xac\xf3\xe8\xf3\x24\xf4\x5f\xf4"
    b"\x9a\xf4\xd5\xf4\x10\xf5\x4a\xf5\x85\xf5\xbe\xf5\xf8\xf5\x31\xf6\x6a\xf6\xa3\xf6"
    b"\xdb\xf6\x13\xf7\x4b\xf7\x83\xf7\xba\xf7\xf1\xf7\x28\xf8\x5f\xf8\x95\xf8\xcb\xf8"
    b"\x01\xf9\x36\xf9\x6c\xf9\xa1\xf9\xd6\xf9\x0a\xfa\x3f\xfa\x73\xfa\xa7\xfa\xdb\xfa"
    b"\x0e\xfb\x42\xfb\x75\xfb\xa7\xfb\xda\xfb\x0c\xfc\x3f\xfc\x71\xfc\xa2\xfc\xd4\xfc"
    b"\x05\xfd\x36\xfd\x67\xfd\x98\xfd\xc9\xfd\xf9\xfd\x29\xfe\x59\xfe\x89\xfe\xb8\xfe"
    b"\xe8\xfe\x17\xff\x46\xff\x75\xff\xa3\xff\xd2\xff"
)


@micropython.viper
def _address(buffer: ptr8) -> uint:  # type: ignore
    return uint(buffer)


# Native code reads the table where it lies, which can be in flash: at an odd address where that is allowed,
# on x86 and x64 (machine codes 1 and 2 of .mpy files) and from ARMv7-M to ARMv7E-M (5 to 8).
try:
    if _address(LOG2) & 1 and getattr(sys.implementation, "_mpy", 0) >> 10 & 15 not in b"\1\2\5\6\7\x08":
        raise TypeError
except (NameError, TypeError):  # there is no uint, or it is not a number
    LOG2 = array("H", LOG2)

# Whether kernels are interpreted, so that an interrupt can strike inside one: see torn.py.
try:
    INTERPRETED = not isinstance(_address(b""), int)
except NameError:
    INTERPRETED = True


class BudgetError(ValueError):
    """The budget cannot hold even one learning leaf; the message names the smallest one that works."""


class ImageError(ValueError):
    """A stored model is damaged, hostile, or of a format this version does not read."""


# The class is called slice (and arguments of choice() and others min and max) because the firmware has these
# names already: a new name would stay on the heap for ever.
class slice:
    def __getitem__(self, index):
        return index


_ALL = slice()[:]  # made once: writing `a[:] = b` would allocate a slice object for each sample
del slice


def forget(names):
    """On a board, let go of modules that only a constructor needs: they come back when they are imported.

    `names` is one string, because a board keeps each short string of a program as a name.
    """
    if sys.implementation.name == "micropython":
        for name in names.split():
            name = __name__[:-5] + name  # "niwaki.tree.plan"
            if sys.modules.pop(name, None):
                package, name = name.rsplit(".", 1)
                if hasattr(sys.modules[package], name):
                    delattr(sys.modules[package], name)
        gc.collect()


def reach(arrays, at):
    """The arrays as kernels take them: where they are native code, `at`, which gets the five addresses."""
    try:
        for i in range(5):
            address = _address(arrays[i])
            at[i] = address - (address >> 31 << 32)
        return at
    except (NameError, TypeError):
        return arrays


class Model:
    """A classifier in a fixed number of bytes. `Tree`, `Shrubs` and `Grove` say how it learns.

    Its kernels are `predict`, `learn`, and those that the SCHEDULE in its layout names. `learn` uses what
    `predict` left in the scratch for the sample, and returns the bits of what is due; -1 refuses the label.
    A kernel gets the model's arrays through its first argument. To native code that is an array of their
    addresses (nothing moves on MicroPython's heap), because handing five buffers over would cost more
    instructions than a whole prediction. To interpreted code it is a tuple of the arrays themselves.
    """

    words: array  # these eight through __getattr__
    halves: array
    octets: bytearray
    budget: int
    n_features: int
    n_classes: int
    samples: int
    nbytes: int
    _arrays: tuple  # words, halves, octets, scratch, the table of logarithms, a buffer for a sample
    _at: object  # the same as kernels take them
    _seen: array  # the sample that has been validated

    def __getattr__(self, name):
        """The three arrays, what stands in the header, the bytes of heap that all of it takes on a 32-bit
        MicroPython, never more than `budget`; or a method that is loaded on first use: late.py.

        An attribute would take 8 bytes of each model's budget, a property 44 bytes of heap.
        """
        names = ("words", "halves", "octets", "budget", "n_features", "n_classes", "samples")
        if name in names:
            i = names.index(name)
            return self._arrays[i] if i < 3 else self._arrays[_A_WORDS][i + 1]
        if name == "nbytes":
            from .construct import footprint

            a = self._arrays
            total = footprint((len(a[0]), len(a[1]), len(a[2]), len(a[3])), len(a[5]))
            forget("construct")
            return total
        from .late import late

        return late(self, name)

    def _admit(self, x):
        """Validate a sample; return an array('h') that kernels may read.

        An array is copied the first time that it is seen and read in place afterwards, so a firmware
        that fills one buffer again and again pays for the checks once. Its length is checked each time.
        """
        buf = self._arrays[_A_SAMPLE]
        if not isinstance(x, array):
            if isinstance(x, list) or isinstance(x, tuple):
                if len(x) != len(buf):
                    return self._admit_other(x)
                for i in range(len(buf)):
                    v = x[i]
                    if not isinstance(v, int) or not -32768 <= v <= 32767:
                        return self._admit_other(x)
                for i in range(len(buf)):
                    buf[i] = x[i]
                return buf
            if not isinstance(x, memoryview):
                return self._admit_other(x)
        if len(x) != len(buf):
            return self._admit_other(x)
        if x is self._seen:
            return x
        # CPython compares the type codes, MicroPython only the item sizes.
        try:
            buf[_ALL] = x
        except (TypeError, ValueError):
            return self._admit_other(x)
        for i in range(len(buf)):
            if buf[i] < 0:
                if x[i] >= 0:  # array('H'): a large value would arrive as another, negative one
                    return self._admit_other(x)
                if isinstance(x, array):  # but a view may begin at any address
                    self._seen = x
                    return x
        return buf

    def __repr__(self):
        return self._describe()

    def _check_out(self, out, n):
        """Refuse a result buffer that can't take n numbers of 17 bits: on a board an array would wrap."""
        if len(out) != n:
            raise ValueError("out has %d places for %d numbers" % (len(out), n))
        try:
            out[0] = 65536
        except (OverflowError, ValueError):
            pass
        if out[0] != 65536:
            raise ValueError("out must be a list or an array('i')")


if sys.implementation.name != "micropython":  # a desktop shows what a board loads on first use
    __import__("niwaki_host.surface", globals(), locals(), ("show",)).show(Model)
