"""Let every shrub vote: the weighted classes, and beside them the vote of the youngest shrub."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_WINDOW = const(8)
_SHRUBS = const(9)
_ROOM = const(10)
_FLAGS = const(21)
_RECENT = const(25)
_LEAD = const(27)
_YOUNGEST = const(28)
_WEIGHTS = const(32)
_EXACT = const(2)
_ORDERS = const(3)
_FULL = const(65536)
_S_YOUNGEST = const(1)
_S_VOTES = const(2)


@micropython.viper
def predict(at: ptr32, x: ptr16) -> int:
    """Return the class; leave the scores in scratch[0:C], the ensemble's class, the youngest's, all votes.

    Equation 2 of the paper, f(x) = sum of w_i h_i(x), with h_i(x) one class and weights that sum to 65,536;
    with EXACT h_i(x) is the share of each class in its leaf.
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
    if words[_FLAGS] & _EXACT:
        counts = rights + places * (classes * (room + 1))
        while m:
            m -= 1
            root -= 1
            thresholds -= room
            features -= room
            lefts -= room
            rights -= room
            counts -= classes * (room + 1)
            weight = words[m + _WEIGHTS]
            if weight:
                node = octets[root]
                while node < room:
                    if (x[octets[features + node]] + 32768) & 65535 > halves[thresholds + node]:
                        node = octets[rights + node]
                    else:
                        node = octets[lefts + node]
                leaf = counts + (node - room) * classes
                n = 0
                c = classes
                while c:
                    c -= 1
                    n += octets[leaf + c]
                c = classes
                while c:
                    c -= 1
                    scratch[c] += weight * octets[leaf + c] // n
    while m:
        m -= 1
        root -= 1
        thresholds -= room
        features -= room
        lefts -= room
        rights -= room
        weight = words[m + _WEIGHTS]
        if weight or not m - youngest:
            node = octets[root]
            while node < room:
                if (x[octets[features + node]] + 32768) & 65535 > halves[thresholds + node]:
                    node = octets[rights + node]
                else:
                    node = octets[lefts + node]
            vote = node - room
            scratch[votes + m] = vote
            scratch[vote] += weight
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
        own = scratch[votes + youngest]
        scratch[classes + _S_YOUNGEST] = own
        if words[_LEAD] > 0:
            scratch[own] += _FULL + 1
            best = own
    return best
