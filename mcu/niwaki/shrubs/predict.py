"""Let every shrub vote: the weighted classes, and beside them the vote of the youngest shrub."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_WINDOW = const(8)
_SHRUBS = const(9)
_ROOM = const(10)
_RECENT = const(25)
_LEAD = const(27)
_YOUNGEST = const(28)
_WEIGHTS = const(32)
_ORDERS = const(3)
_FULL = const(65536)
_S_YOUNGEST = const(1)
_S_VOTES = const(2)


@micropython.viper
def predict(at: ptr32, x: ptr16) -> int:
    """Return the class; leave the scores in scratch[0:C], the ensemble's class, the youngest's, all votes.

    Equation 2 of the paper, f(x) = sum of w_i h_i(x), with h_i(x) one class and weights that sum to 65,536.
    When the youngest shrub alone has been right more often of late, its vote outweighs all the others.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    classes = words[_CLASSES]
    room = words[_ROOM]
    window = words[_WINDOW]
    c = classes
    while c:
        c -= 1
        scratch[c] = 0
    youngest = -1
    if words[_RECENT]:
        youngest = words[_YOUNGEST]
    # From the last place to the first: loops that count down to 0 are the cheapest.
    places = words[_SHRUBS] + 1
    thresholds = words[_FEATURES] * window + places * room
    root = _ORDERS * window + 1 + words[_FEATURES] * window + 2 * places
    features = root + places * room
    lefts = features + places * room
    rights = lefts + places * room
    votes = classes + _S_VOTES
    m = places
    while m:
        m -= 1
        root -= 1
        thresholds -= room
        features -= room
        lefts -= room
        rights -= room
        weight = words[m + _WEIGHTS]
        if weight or m == youngest:
            k = octets[root]
            while k < room:
                if (x[octets[features + k]] + 32768) & 65535 > halves[thresholds + k]:
                    k = octets[rights + k]
                else:
                    k = octets[lefts + k]
            k -= room
            scratch[votes + m] = k
            scratch[k] += weight
        else:
            scratch[votes + m] = -1
    best = classes - 1
    most = scratch[best]
    c = best
    while c:
        c -= 1
        if scratch[c] >= most:
            most = scratch[c]
            best = c
    scratch[classes] = best
    if youngest >= 0:
        c = scratch[votes + youngest]
        scratch[classes + _S_YOUNGEST] = c
        if words[_LEAD] > 0:
            scratch[c] += _FULL + 1
            best = c
    return best
