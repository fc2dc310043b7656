"""Train a shrub: CART on the window, from the kept orders, without a sort and without copying them."""

import micropython
from micropython import const

_FEATURES = const(5)
_CLASSES = const(6)
_WINDOW = const(8)
_SHRUBS = const(9)
_ROOM = const(10)
_COUNT = const(11)
_HEAD = const(12)
_DEPTH = const(20)
_GAIN = const(21)
_TRY = const(22)
_RANDOM = const(23)
_SEED = const(24)
_YOUNGEST = const(28)
_TAKE = const(30)
_WEIGHTS = const(32)
_OUTSIDE = const(255)
_DEEP = const(1 << 20)  # a leaf's home is an index of octets plus its depth times this


@micropython.viper
def grow(words: ptr32, halves: ptr16, octets: ptr8, x: ptr16, scratch: ptr32, log2: ptr16) -> int:
    """Grow the youngest shrub, in the place of one without weight, on the newest samples of the window.

    The leaf with the most errors is split first, so that a tree which outgrows its room is cut where it
    costs the fewest errors; a leaf is its majority class (the lowest of equals). The best split is the
    first of equals: features in visiting order, thresholds rising. A threshold lies half way between
    neighbouring codes; a missing value is the code 0, below all others. There is no minimum gain.
    """
    features = words[_FEATURES]
    classes = words[_CLASSES]
    window = words[_WINDOW]
    room = words[_ROOM]
    count = words[_COUNT]
    labels = features * window
    where = labels + window
    total = classes + 2
    left = total + classes
    errors = left + classes
    homes = errors + room + 1

    shrub = 0
    while words[_WEIGHTS + shrub]:
        shrub += 1
    words[_YOUNGEST] = shrub
    tree = where + window + shrub * (3 * room + 2)
    threshold = labels + shrub * room

    # The root, a leaf as yet. Each sample knows the leaf it is in.
    for c in range(classes):
        scratch[total + c] = 0
    age = words[_HEAD] - 1
    if age < 0:
        age += window
    for s in range(count):
        if age < words[_TAKE]:
            octets[where + s] = 0
            scratch[total + octets[labels + s]] += 1
        else:
            octets[where + s] = _OUTSIDE
        age -= 1
        if age < 0:
            age += window
    best = 0
    n = scratch[total]
    for c in range(1, classes):
        n += scratch[total + c]
        if scratch[total + c] > scratch[total + best]:
            best = c
    octets[tree + 1] = room + best
    scratch[errors] = n - scratch[total + best]
    scratch[homes] = tree + 1
    nodes = 0

    while nodes < room:
        leaf = 0
        for k in range(1, nodes + 1):
            if scratch[errors + k] > scratch[errors + leaf]:
                leaf = k
        if scratch[errors + leaf] == 0:
            break
        scratch[errors + leaf] = 0
        home = scratch[homes + leaf]
        if words[_DEPTH] and home >= words[_DEPTH] * _DEEP:
            continue

        for c in range(classes):
            scratch[total + c] = 0
        for s in range(count):
            if octets[where + s] == leaf:
                scratch[total + octets[labels + s]] += 1
        n = 0
        squares = 0
        for c in range(classes):
            k = scratch[total + c]
            n += k
            squares += k * k

        # Visit the features: in order, or with a random start and a random stride through all of them.
        f = 0
        stride = 1
        if words[_TRY] or words[_RANDOM]:
            u = words[_SEED]
            u ^= (u << 7) & 65535
            u ^= u >> 9
            u ^= (u << 8) & 65535
            words[_SEED] = u
            f = u % features
            stride = (u >> 4) % features
            k = 0
            while k != 1:  # the stride is good when its greatest common divisor with `features` is 1
                stride += 1
                k = stride
                q = features
                while q:
                    u = k % q
                    k = q
                    q = u
        tried = 0
        feature = -1
        cut = 0
        top = 0  # the best merit so far is top + rest / parts
        rest = 0
        parts = 1
        for q in range(features):
            base = f * window
            gate = -1
            if words[_RANDOM]:
                p = base
                while octets[where + octets[p]] != leaf:
                    p += 1
                i = base + count - 1
                while octets[where + octets[i]] != leaf:
                    i -= 1
                u = words[_SEED]
                u ^= (u << 7) & 65535
                u ^= u >> 9
                u ^= (u << 8) & 65535
                words[_SEED] = u
                gate = halves[base + octets[p]]
                gate += ((halves[base + octets[i]] - gate) * (u >> 2)) >> 14
            for c in range(classes):
                scratch[left + c] = 0
            varies = 0
            nl = 0
            ql = 0  # squares of the class counts on the left and on the right
            qr = squares
            before = 0
            for p in range(base, base + count):
                s = octets[p]
                if octets[where + s] == leaf:
                    u = halves[base + s]
                    if u != before:
                        if nl and u > gate:
                            varies = 1
                            nr = n - nl
                            if words[_GAIN]:
                                # sum of n log2 n over the classes, minus the two sides': Q13
                                merit = 1 << 25
                                for c in range(classes + 1):
                                    if c < classes:
                                        k = scratch[left + c]
                                        i = scratch[total + c] - k
                                    else:
                                        k = nl
                                        i = nr
                                        merit = 0 - merit
                                    if k > 128:
                                        merit += k * (log2[k >> 1] + log2[(k + 1) >> 1] + 16384) >> 1
                                    else:
                                        merit += k * log2[k]
                                    if i > 128:
                                        merit += i * (log2[i >> 1] + log2[(i + 1) >> 1] + 16384) >> 1
                                    else:
                                        merit += i * log2[i]
                                k = 0 - merit - top
                                i = 1
                            else:
                                # ql / nl + qr / nr, compared as exact fractions
                                i = nl * nr
                                k = ql * nr + qr * nl - top * i
                            if k > 0:
                                if k >= i or k * parts > rest * i:
                                    k += top * i
                                    top = k // i
                                    rest = k - top * i
                                    parts = i
                                    feature = f
                                    cut = (before + u) >> 1
                                    if gate >= 0:
                                        cut = gate
                            if gate >= 0:
                                break
                        before = u
                    c = octets[labels + s]
                    k = scratch[left + c]
                    ql += 2 * k + 1
                    qr -= 2 * (scratch[total + c] - k) - 1
                    scratch[left + c] = k + 1
                    nl += 1
                    if nl == n:
                        break
            tried += varies
            if words[_TRY] and tried >= words[_TRY]:
                break
            f += stride
            while f >= features:
                f -= features
        if feature < 0:
            continue

        # The leaf becomes a node: its left child keeps its number, the right one gets a new one.
        octets[home & (_DEEP - 1)] = nodes
        at = tree + 3 * nodes + 2
        halves[threshold + nodes] = cut
        octets[at] = feature
        nodes += 1
        for c in range(classes):
            scratch[left + c] = 0
        base = feature * window
        for s in range(count):
            if octets[where + s] == leaf:
                if halves[base + s] > cut:
                    octets[where + s] = nodes
                else:
                    scratch[left + octets[labels + s]] += 1
        nl = 0
        p = 0
        q = 0
        for c in range(classes):
            k = scratch[left + c]
            nl += k
            if k > scratch[left + p]:
                p = c
            k = scratch[total + c] - k
            if k > scratch[total + q] - scratch[left + q]:
                q = c
        octets[at + 1] = room + p
        octets[at + 2] = room + q
        scratch[errors + leaf] = nl - scratch[left + p]
        scratch[errors + nodes] = n - nl - (scratch[total + q] - scratch[left + q])
        home = home - (home & (_DEEP - 1)) + _DEEP + at + 1
        scratch[homes + leaf] = home
        scratch[homes + nodes] = home + 1
    octets[tree] = nodes
    return 0
