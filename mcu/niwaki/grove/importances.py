"""Feature importances of a grove: mean positional gain and mean decrease of impurity.

Karax, Malucelli and Barddal, "Decision tree-based feature ranking in concept drifting data streams", 2019:
equations 2 and 1, over the shrubs that vote. J is a split's information gain in parts of log2(classes). At
most 128 samples of the memory are used to find it.
"""

import micropython
from micropython import const

from ..construct import choice, log2_q

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_OCTETS = const(2)
_A_SCRATCH = const(3)
_A_SAMPLE = const(5)
_FEATURES = const(5)
_CLASSES = const(6)
_MEMORY = const(8)
_RECENT = const(9)
_SHRUBS = const(10)
_ROOM = const(11)
_BINS = const(13)
_COUNT = const(15)
_GROWING = const(19)
_STAND_ROWS = const(3)
_S_ROWS = const(13)

_ASKED = const(128)  # samples at most: the table LOG2 has no logarithm of a larger number
_SIDE = const(16)  # a word counts what goes left in so many bits, and what goes right in those above
_LEFT = const(65535)


@micropython.viper
def gain(at: ptr32, x: ptr16, stand: int, node: int) -> int:
    """Information gain of a node, in Q13, times the samples of the memory that reach it.

    This uses the second row of the scratch, because `learn` and `scores` need what `predict` left in the
    first. It leaves there how many samples reach the node.
    """
    words = ptr32(at[0])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    log2 = ptr16(at[4])
    features = words[_FEATURES]
    classes = words[_CLASSES]
    room = words[_ROOM]
    stands = words[_SHRUBS] + 1
    places = words[_MEMORY] + words[_RECENT]
    labels = places * features
    first = labels + places + features * (words[_BINS] * classes + 1)
    feature_at = first + _STAND_ROWS * stands + stand * room
    threshold_at = feature_at + stands * room
    left_at = threshold_at + stands * room
    right_at = left_at + stands * room
    row = _S_ROWS + classes
    c = classes
    while c:
        c -= 1
        scratch[row + c] = 0
    count = words[_COUNT]
    stride = (count + _ASKED - 1) // _ASKED
    both = 0
    p = 0
    while p < count:
        k = octets[first + stands + stand]
        # A child has a higher number than its parent: a sample beyond the node can't come back to it.
        while k < room and k <= node:
            side = 1
            to = left_at
            if octets[p * features + octets[feature_at + k]] > octets[threshold_at + k]:
                side = 1 << _SIDE
                to = right_at
            if k == node:
                both += side
                scratch[row + octets[labels + p]] += side
                k = room
            else:
                k = octets[to + k]
        p += stride
    # g is n log2 n of both sides together, minus that of each side: g of all samples, minus g of each class
    total = 0
    c = classes
    while c + 1:
        k = both
        if c < classes:
            k = scratch[row + c]
        n = k & _LEFT
        k = k >> _SIDE
        k = (n + k) * log2[n + k] - n * log2[n] - k * log2[k]
        if c < classes:
            k = 0 - k
        total += k
        c -= 1
    scratch[row] = (both & _LEFT) + (both >> _SIDE)
    if total < 0:  # rounding
        total = 0
    return total


@micropython.viper
def depth(at: ptr32, x: ptr16, stand: int, node: int) -> int:
    """Splits above a node: parents have smaller numbers."""
    words = ptr32(at[0])
    octets = ptr8(at[2])
    features = words[_FEATURES]
    room = words[_ROOM]
    stands = words[_SHRUBS] + 1
    places = words[_MEMORY] + words[_RECENT]
    left_at = places * (features + 1) + features * (words[_BINS] * words[_CLASSES] + 1)
    left_at += _STAND_ROWS * stands + (2 * stands + stand) * room
    right_at = left_at + stands * room
    n = 0
    k = node
    while k:
        k -= 1
        if octets[left_at + k] == node or octets[right_at + k] == node:
            node = k
            n += 1
    return n


def importances(model, out, kind="mpg"):
    """Each feature's J, a mean over the shrubs that vote: weighed by position (mpg) or by samples (mdi)."""
    positional = choice("kind", kind, ("mdi", "mpg"))
    model._check_out(out, model.n_features)
    w = model._arrays[_A_WORDS]
    b = model._arrays[_A_OCTETS]
    at = model._at
    x = model._arrays[_A_SAMPLE]
    stands = w[_SHRUBS] + 1
    most = log2_q(w[_CLASSES], 13)
    voting = model.n_shrubs
    count = w[_COUNT]
    row = _S_ROWS + w[_CLASSES]
    first = (w[_MEMORY] + w[_RECENT]) * (w[_FEATURES] + 1) + w[_FEATURES] * (w[_BINS] * w[_CLASSES] + 1)
    for f in range(w[_FEATURES]):
        out[f] = 0
    if not most:  # one class: nothing to gain
        return
    stride = (count + _ASKED - 1) // _ASKED or 1
    asked = (count + stride - 1) // stride
    for m in range(stands):
        nodes = b[first + m]
        if not nodes or m == w[_GROWING] or not b[first + 2 * stands + m]:
            continue
        height = 0
        if positional:
            for k in range(nodes):
                height = max(height, depth(at, x, m, k) + 1)
        for k in range(nodes):
            g = gain(at, x, m, k)
            if g:
                n = model._arrays[_A_SCRATCH][row] if positional else asked
                v = (g // n << 13) // most << 3
                if positional:
                    v = v * (height - depth(at, x, m, k)) // (height * nodes)
                out[b[first + _STAND_ROWS * stands + m * w[_ROOM] + k]] += v // voting
