"""Feature importances of a shrub ensemble: mean positional gain and mean decrease of impurity.

Karax, Malucelli and Barddal, "Decision tree-based feature ranking in concept drifting data streams", 2019:
equations 2 and 1, with each shrub's weight in the place of 1 / |T|. J is the information gain on the present
window, in parts of log2(classes): what mattered when a shrub was grown, and no longer does, has no say.
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
_WINDOW = const(8)
_SHRUBS = const(9)
_ROOM = const(10)
_COUNT = const(11)
_WEIGHTS = const(32)
_LABELS = const(2)
_ORDERS = const(3)


@micropython.viper
def gain(at: ptr32, x: ptr16) -> int:
    """Samples times information gain, in Q13, of node scratch[1] of shrub scratch[0], on the window.

    Leaves how many samples go left and right in scratch[0] and scratch[1].
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    log2 = ptr16(at[4])
    window = words[_WINDOW]
    room = words[_ROOM]
    places = words[_SHRUBS] + 1
    m = scratch[0]
    node = scratch[1]
    cuts = words[_FEATURES] * window + m * room
    root = _ORDERS * window + 1 + words[_FEATURES] * window + places + m
    features = root - m + places + m * room
    # Samples on the left and on the right: at each label, and of all labels at 0.
    last = 2 * words[_CLASSES]
    c = last
    while c >= 0:
        scratch[c] = 0
        scratch[c + 1] = 0
        c -= 2
    s = words[_COUNT]
    while s:
        k = octets[root]
        # A child's number is above its parent's: past the node, a sample does not come back to it.
        while k < room and k <= node:
            right = 0
            if halves[octets[features + k] * window + s - 1] > halves[cuts + k]:
                right = 1
            if k == node:
                scratch[right] += 1
                scratch[octets[_LABELS * window + s] + right] += 1
                k = room
            else:
                k = octets[features + (1 + right) * places * room + k]
        s -= 1
    total = 0
    c = last
    while c >= 0:
        # n log2 n of the left and of the right, minus that of both
        e = 0
        n = scratch[c] + scratch[c + 1]
        k = 3
        while k:
            k -= 1
            v = n
            if k < 2:
                v = scratch[c + k]
            if v > 128:
                v = (v * (log2[v >> 1] + log2[(v + 1) >> 1] + 16384)) >> 1
            else:
                v = v * log2[v]
            if k == 2:
                v = 0 - v
            e += v
        if c:
            total += e
        else:
            total -= e
        c -= 2
    if total < 0:  # rounding
        total = 0
    return total


def importances(model, out, kind="mpg"):
    """Sum of weight times J times the position in the tree, over its splits, or times the samples' share."""
    positional = choice("kind", kind, ("mdi", "mpg"))
    model._check_out(out, model.n_features)
    w = model._arrays[_A_WORDS]
    b = model._arrays[_A_OCTETS]
    s = model._arrays[_A_SCRATCH]
    own = 5 if model._at is s else 0  # see equip()
    room = w[_ROOM]
    places = w[_SHRUBS] + 1
    count = w[_COUNT]
    most = log2_q(w[_CLASSES], 13)
    depths = own + 2 * w[_CLASSES] + 2
    first = (w[_FEATURES] + _ORDERS) * w[_WINDOW] + 1
    for f in range(w[_FEATURES]):
        out[f] = 0
    for m in range(places):
        nodes = b[first + m]
        weight = w[_WEIGHTS + m]
        if not weight or not nodes:
            continue
        features = first + 2 * places + m * room
        height = 0
        s[depths] = 0
        for k in range(nodes):
            height = max(height, s[depths + k] + 1)
            for i in range(1, 3):
                child = b[features + i * places * room + k]
                if child < room:
                    s[depths + child] = s[depths + k] + 1
        for k in range(nodes):
            s[own] = m
            s[own + 1] = k
            g = gain(model._at, model._arrays[_A_SAMPLE])
            if g:
                n = s[own] + s[own + 1] if positional else count
                v = (weight * (((g // n) << 13) // most)) >> 13
                if positional:
                    v = v * (height - s[depths + k]) // (height * nodes)
                out[b[features + k]] += v
