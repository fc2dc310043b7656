"""How unlike a sample is to all those in an ensemble's window: the nearest decides. Loaded on first use."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_A_SAMPLE = const(5)
_FEATURES = const(5)
_WINDOW = const(8)
_COUNT = const(11)
_ORDERS = const(3)

_FAR = const(524280)  # 65,535 x 8: no feature counts for more than so many spreads / 8192
_LIMIT = const(65535)


@micropython.viper
def nearest(at: ptr32, x: ptr16) -> int:
    """Mean distance of the features of `x` from those of the nearest sample, 8,192 a spread.

    A feature's spread is what the middle three quarters of the window's values take. A value that is missing
    in the window is half a spread away.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    features = words[_FEATURES]
    window = words[_WINDOW]
    count = words[_COUNT]
    low = count >> 3
    high = count - 1 - low
    known = 0
    for f in range(features):
        if (x[f] + 32768) & 65535:
            known += 1
    if known == 0 or count == 0:
        return 0
    best = known * _FAR
    for slot in range(count):
        total = 0
        f = features
        while f and total < best:
            f -= 1
            code = (x[f] + 32768) & 65535
            if code:
                other = halves[f * window + slot]
                if other:
                    order = (_ORDERS + f) * window + 1
                    spread = halves[f * window + octets[order + high] - 1]
                    spread -= halves[f * window + octets[order + low] - 1]
                    distance = other - code
                    if distance < 0:
                        distance = 0 - distance
                    distance = (distance << 13) // (spread + 1)
                    if distance > _FAR:
                        distance = _FAR
                    total += distance
                else:
                    total += 4096
        if total < best:
            best = total
    mean = best // known
    if mean > _LIMIT:
        mean = _LIMIT
    return mean


def novelty(self, x):
    """How unlike sample `x` is to anything in the window, 0..65535.

    8,192 means that it is as far from the nearest sample, on average over the features, as the middle three
    quarters of the window's values are wide. 0 before anything is learned.
    """
    if x is not self._seen or len(x) != len(self._arrays[_A_SAMPLE]):
        x = self._admit(x)
    return nearest(self._at, x)
