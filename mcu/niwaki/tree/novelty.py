"""How unlike a sample is to what its leaf has seen, by the leaf's histograms. Loaded on first use.

A feature's surprise, for a class, is how many times less often its value came than the most usual one, in
bits: log2((2 h_most + 1) / (2 h + 1)). A value outside the observed window counts as one that never came, and
8 bits more for each doubling of its distance. The class that the sample surprises least decides; classes that
are rare at the leaf have no say, since nothing surprises them.
"""

import micropython
from micropython import const

from .predict import predict

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_HALVES = const(1)
_A_SCRATCH = const(3)
_A_SAMPLE = const(5)
_FEATURES = const(5)
_CLASSES = const(6)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
_SLOTS = const(16)
_NODE0 = const(10)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_CELL0 = const(32)
_CELL_STRIDE = const(33)
_ROWS = const(35)
_WIDE = const(8)
_RACED = const(64)
_MEMO = const(512)
_NODE_SLOT = const(3)
_NODE = const(6)
_SLOT = const(4)
_SHIFT = const(15)
_LOW_AT = const(12)
_LOW_BIAS = const(65536)
_WINDOW = const(0x1FFFFFFF)
_S_NODE = const(5)
_S_ROWS = const(18)
_MEMO_SAMPLES = const(2)

_RARE = const(32)  # a class with less than 1/32 of the samples of the leaf's largest
_LIMIT = const(65535)


@micropython.viper
def surprise(at: ptr32, x: ptr16, slot: int) -> int:
    """Mean surprise of the features of `x` at a slot, 1,024 a bit, at most 65,535."""
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    log2 = ptr16(at[4])
    classes = words[_CLASSES]
    wide = words[_FLAGS] & _WIDE
    raced = words[_FLAGS] & _RACED
    born = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
    window0 = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS] + _SLOT
    cell0 = words[_CELL0] + slot * words[_CELL_STRIDE]
    for c in range(classes):
        scratch[_S_ROWS + c] = 0
    known = 0
    outside = 0
    for lane in range(words[_LANES]):
        f = lane
        if raced:
            f = halves[born + classes + lane]
        code = (x[f] + 32768) & 65535
        bins = octets[f]
        window = words[window0 + lane] & _WINDOW
        if code == 0 or (bins == 0 and window == 0):
            continue
        known += 1
        if bins:
            b = code - 32768
        else:
            bins = words[_BINS]
            b = (code + _LOW_BIAS - (window >> _LOW_AT)) >> (window & _SHIFT)
        beyond = 0  # how many bins outside
        if b < 0:
            beyond = 0 - b
        elif b >= bins:
            beyond = b + 1 - bins
        if beyond:
            beyond += 1
            log = 0
            while beyond > 127:
                beyond >>= 1
                log += 8192
            outside += log2[beyond] + log
            b = -1
        for c in range(classes):
            most = 0
            here = 0
            cell = cell0 + halves[lane] + c
            for i in range(bins):
                if wide:
                    count = halves[cell]
                else:
                    count = octets[cell]
                if count > most:
                    most = count
                if i == b:
                    here = count
                cell += classes
            # Of both, the logarithm in Q10.
            odds = 2 * most + 1
            log = 0
            while odds > 127:
                odds >>= 1
                log += 8192
            log += log2[odds]
            odds = 2 * here + 1
            while odds > 127:
                odds >>= 1
                log -= 8192
            scratch[_S_ROWS + c] += (log - log2[odds]) >> 3
    if known == 0:
        return 0
    most = 0
    for c in range(classes):
        if halves[born + c] > most:
            most = halves[born + c]
    least = -1
    for c in range(classes):
        count = halves[born + c]
        if count and count * _RARE >= most:
            surprised = scratch[_S_ROWS + c]
            if least < 0 or surprised < least:
                least = surprised
    if least < 0:
        return 0
    mean = (least + outside) // known
    if mean > _LIMIT:
        mean = _LIMIT
    return mean


def novelty(self, x):
    """How unlike sample `x` is to anything that its leaf has seen, 0..65535.

    0 is the most usual sample, 1,024 one whose features are half as usual, and so on. Where the leaf has no
    histograms at present, the most familiar of all others counts; 0 before anything is learned.
    """
    if x is not self._seen or len(x) != len(self._arrays[_A_SAMPLE]):
        x = self._admit(x)
    at = self._at
    predict(at, x, len(x))
    words = self._arrays[_A_WORDS]
    s = self._arrays[_A_SCRATCH]
    slot = self._arrays[_A_HALVES][words[_NODE0] + s[_S_NODE] * _NODE + _NODE_SLOT] - 1
    if words[_FLAGS] & _MEMO:  # surprises take the place of the last sample's scores
        s[_S_ROWS + words[_ROWS] - words[_FEATURES] - _MEMO_SAMPLES] = 0
    if slot >= 0:
        return surprise(at, x, slot)
    least = -1
    for slot in range(words[_SLOTS]):
        if words[words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]] >= 0:
            surprised = surprise(at, x, slot)
            if least < 0 or surprised < least:
                least = surprised
    return max(least, 0)
