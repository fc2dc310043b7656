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
    label = last
    while label >= 0:
        scratch[label] = 0
        scratch[label + 1] = 0
        label -= 2
    s = words[_COUNT]
    while s:
        here = octets[root]
        # Children have higher numbers than their parent: a sample past the node never comes back to it.
        while here < room and here <= node:
            right = 0
            if halves[octets[features + here] * window + s - 1] > halves[cuts + here]:
                right = 1
            if here == node:
                scratch[right] += 1
                scratch[octets[_LABELS * window + s] + right] += 1
                here = room
            else:
                here = octets[features + (1 + right) * places * room + here]
        s -= 1
    total = 0
    label = last
    while label >= 0:
        # n log2 n of the left and of the right, minus that of both
        gained = 0
        both = scratch[label] + scratch[label + 1]
        side = 3
        while side:
            side -= 1
            count = both
            if side < 2:
                count = scratch[label + side]
            if count > 128:
                bits = (count * (log2[count >> 1] + log2[(count + 1) >> 1] + 16384)) >> 1
            else:
                bits = count * log2[count]
            if side == 2:
                bits = 0 - bits
            gained += bits
        if label:
            total += gained
        else:
            total -= gained
        label -= 2
    if total < 0:  # rounding
        total = 0
    return total


def importances(model, out, kind="mpg"):
    """Sum of weight times J times the position in the tree, over its splits, or times the samples' share."""
    positional = choice("kind", kind, ("mdi", "mpg"))
    model._check_out(out, model.n_features)
    words = model._arrays[_A_WORDS]
    b = model._arrays[_A_OCTETS]
    s = model._arrays[_A_SCRATCH]
    own = 5 if model._at is s else 0  # see equip()
    room = words[_ROOM]
    places = words[_SHRUBS] + 1
    count = words[_COUNT]
    most = log2_q(words[_CLASSES], 13)
    depths = own + 2 * words[_CLASSES] + 2
    first = (words[_FEATURES] + _ORDERS) * words[_WINDOW] + 1
    for f in range(words[_FEATURES]):
        out[f] = 0
    for m in range(places):
        nodes = b[first + m]
        weight = words[_WEIGHTS + m]
        if not weight or not nodes:
            continue
        features = first + 2 * places + m * room
        height = 0
        s[depths] = 0
        for node in range(nodes):
            height = max(height, s[depths + node] + 1)
            for i in range(1, 3):
                child = b[features + i * places * room + node]
                if child < room:
                    s[depths + child] = s[depths + node] + 1
        for node in range(nodes):
            s[own] = m
            s[own + 1] = node
            gained = gain(model._at, model._arrays[_A_SAMPLE])
            if gained:
                samples = s[own] + s[own + 1] if positional else count
                importance = (weight * (((gained // samples) << 13) // most)) >> 13
                if positional:
                    importance = importance * (height - s[depths + node]) // (height * nodes)
                out[b[features + node]] += importance
