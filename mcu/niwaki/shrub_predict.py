"""Let every shrub vote: the weighted classes, and beside them the vote of the youngest shrub."""

import micropython
from micropython import const

_FEATURES = const(5)
_CLASSES = const(6)
_WINDOW = const(8)
_SHRUBS = const(9)
_ROOM = const(10)
_RECENT = const(25)
_LEAD = const(27)
_YOUNGEST = const(28)
_WEIGHTS = const(32)
_FULL = const(65536)


@micropython.viper
def predict(words: ptr32, halves: ptr16, octets: ptr8, x: ptr16, scratch: ptr32, log2: ptr16) -> int:
    """Return the class; leave the scores in scratch[0:C], then the ensemble's class and the youngest's.

    Equation 2 of the paper, f(x) = sum of w_i h_i(x), with h_i(x) one class and weights that sum to 65,536.
    When the youngest shrub alone has been right more often of late, its vote outweighs all the others.
    """
    classes = words[_CLASSES]
    room = words[_ROOM]
    window = words[_WINDOW]
    for c in range(classes):
        scratch[c] = 0
    youngest = -1
    if words[_RECENT]:
        youngest = words[_YOUNGEST]
    vote = 0
    threshold = words[_FEATURES] * window
    tree = threshold + 2 * window
    for m in range(words[_SHRUBS] + 1):
        weight = words[_WEIGHTS + m]
        if weight or m == youngest:
            k = octets[tree + 1]
            while k < room:
                at = tree + 3 * k
                if (x[octets[at + 2]] + 32768) & 65535 > halves[threshold + k]:
                    k = octets[at + 4]
                else:
                    k = octets[at + 3]
            k -= room
            scratch[k] += weight
            if m == youngest:
                vote = k
        tree += 3 * room + 2
        threshold += room
    best = 0
    most = scratch[0]
    for c in range(1, classes):
        if scratch[c] > most:
            most = scratch[c]
            best = c
    scratch[classes] = best
    scratch[classes + 1] = vote
    if youngest >= 0 and words[_LEAD] > 0:
        scratch[vote] += _FULL + 1
        return vote
    return best
