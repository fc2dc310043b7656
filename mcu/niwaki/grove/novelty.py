"""How strange a sample is, in a unit that needs no tuning. Loaded on first use.

A sample is strange when it is far from its nearest neighbour in the memory. Novelty is the share of the
remembered samples that are less strange than this one. If it is like them, each rank is as likely as any
other (as in conformal prediction): an alarm at 1/64 is wrong once in 64 samples. The memory is balanced by
class, the stream need not be: so a remembered sample counts by how often its class was taught.
"""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_HALVES = const(1)
_A_OCTETS = const(2)
_A_SAMPLE = const(5)
_FEATURES = const(5)
_CLASSES = const(6)
_MEMORY = const(8)
_RECENT = const(9)
_COUNT = const(15)
_WINDOWS = const(30)
_LO = const(131071)
_LO_SHIFT = const(12)
_OUTSIDERS = const(255)
_OUTSIDERS_SHIFT = const(4)
_SHIFT = const(15)
_FINE = const(6)
_S_ROWS = const(13)

_FAR = const(0x3FFFFFFF)
_BEYOND = const(4096)  # codes further out than that are equally strange
_UNKNOWN = const(32)  # how far a missing value is from any other
_ENOUGH = const(16)  # the search ends after so many stranger samples: this sample is not strange then
_FINER = const(4)  # bits after the point of what a remembered sample counts
_SMALL = const(14)


@micropython.viper
def nearest(at: ptr32, x: ptr16, place: int, enough: int) -> int:
    """The distance of a sample (place -1), or of a remembered one, from its nearest neighbour.

    The search stops as soon as the distance is below `enough`.
    """
    words = ptr32(at[0])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    features = words[_FEATURES]
    codes = _S_ROWS + 2 * words[_CLASSES]
    f = features
    while f:
        f -= 1
        if place < 0:
            u = (x[f] + 32768) & 65535
            window = words[_WINDOWS + f]
            if u and window:
                # A value outside the window is strange, so it is not held at the window's end. But where
                # learned values lay outside, they were held there: hold this one, too, to be fair to it.
                u = ((u + 65536 - ((window >> _LO_SHIFT) & _LO)) << _FINE) >> (window & _SHIFT)
                least = 0 - _BEYOND
                most = _BEYOND
                if (window >> _OUTSIDERS_SHIFT) & _OUTSIDERS:
                    least = 1
                    most = 255
                if u == 0:
                    u = 1
                elif u > most:
                    u = most
                elif u < least:
                    u = least
            else:
                u = 0
        else:
            u = octets[place * features + f]
        scratch[codes + f] = u
    best = _FAR
    i = words[_COUNT]
    while i and best >= enough:
        i -= 1
        if i != place:
            p = i * features
            total = 0
            f = features
            while f:
                f -= 1
                u = _UNKNOWN
                if octets[p + f] and scratch[codes + f]:
                    u = octets[p + f] - scratch[codes + f]
                    if u < 0:
                        u = 0 - u
                total += u
                if total >= best:
                    break
            if total < best:
                best = total
    return best


def novelty(self, x):
    """How strange sample `x` is, 0..65535: it is stranger than so much of 65,536 of what is remembered.

    65536 - 65536 // 64 or more is an alarm at 1/64: only one remembered sample in 64, or none, is as far from
    its own nearest neighbour. It takes the longer the less strange the sample is.
    """
    arrays = self._arrays
    if x is not self._seen or len(x) != len(arrays[_A_SAMPLE]):
        x = self._admit(x)
    at = self._at
    w = arrays[_A_WORDS]
    count = w[_COUNT]
    if count < 2:
        return 0
    h = arrays[_A_HALVES]
    classes = w[_CLASSES]
    labels = (w[_MEMORY] + w[_RECENT]) * w[_FEATURES]
    mine = nearest(at, x, -1, 0)
    stranger = 0  # remembered samples that are as far from their own nearest neighbour
    as_far = 0  # how much they count
    total = 0
    seen = 0
    while seen < count and stranger < _ENOUGH:
        c = arrays[_A_OCTETS][labels + seen]
        share = max(1, (h[classes + c] << _FINER) // h[c])
        if nearest(at, x, seen, mine) >= mine:
            stranger += 1
            as_far += share
        total += share
        seen += 1
    share = total // seen  # the sample itself is as far, and counts as one of them
    as_far += share
    total += share
    while total >> _SMALL:  # as_far << 16 must stay a small integer: no heap
        as_far >>= 1
        total >>= 1
    return 65536 - (as_far << 16) // total
