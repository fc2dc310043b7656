"""Train a shrub: CART on the window, from the kept orders, without a sort and without copying them."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
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
_CANDIDATE = const(29)
_TAKE = const(30)
_WEIGHTS = const(32)
_LABELS = const(2)
_ORDERS = const(3)

_LIFT = const(1 << 25)  # added to the information gain, so that every merit is above 0
_DEEP = const(1 << 20)  # a leaf's home is an index of octets plus its depth times this


@micropython.viper
def grow(at: ptr32, x: ptr16) -> int:
    """Grow the youngest shrub, in a place without weight, on the newest samples of the window.

    The leaf with the most errors is split first, so that a tree which outgrows its room is cut where it
    costs the fewest errors; a leaf is its majority class (the lowest of equals). The best split is the
    first of equals: features in visiting order, thresholds rising. A threshold lies half way between
    neighbouring codes; a missing value is the code 0, below all others. There is no minimum gain.

    While a leaf is searched, octets[s] holds the label of each of its samples and 0 for all others.
    """
    octets = ptr8(at[2])
    words = ptr32(at[0])
    halves = ptr16(at[1])
    scratch = ptr32(at[3])
    log2 = ptr16(at[4])
    features = words[_FEATURES]
    classes = words[_CLASSES]
    window = words[_WINDOW]
    room = words[_ROOM]
    count = words[_COUNT]
    nexts = window
    labels = _LABELS * window
    orders = _ORDERS * window + 1
    # scratch: per class the samples on the left and twice all samples, at its label; then per leaf
    errors = 2 * classes + 2
    homes = errors + room + 1
    heads = homes + room + 1
    gain = words[_GAIN]
    gated = words[_RANDOM]
    limit = 0  # features to try; a shrub after an error tries all
    if words[_CANDIDATE]:
        limit = words[_TRY]

    shrub = 0
    while words[shrub + _WEIGHTS]:
        shrub += 1
    words[_YOUNGEST] = shrub
    i = words[_SHRUBS] + 1
    here = orders + features * window + shrub
    root = here + i
    feature_at = orders + features * window + 2 * i + shrub * room
    left_at = feature_at + i * room
    right_at = left_at + i * room
    cuts = features * window + shrub * room

    s = count
    while s:
        octets[s] = 0
        s -= 1
    c = 2 * classes
    while c:
        scratch[c] = 0
        c -= 2
    # The root, a leaf as yet. The samples of a leaf are a list.
    s = words[_HEAD]
    k = 0
    n = words[_TAKE]
    i = n
    while i:
        i -= 1
        s -= 1
        if s == 0:
            s = window
        octets[nexts + s] = k
        k = s
        scratch[octets[labels + s]] += 1
    scratch[heads] = k
    best = 2
    c = 2 * classes
    while c:
        if scratch[c] >= scratch[best]:
            best = c
        c -= 2
    octets[root] = room + (best >> 1) - 1
    scratch[errors] = n - scratch[best]
    scratch[homes] = root
    nodes = 0

    while nodes < room:
        leaf = nodes
        k = nodes
        while k:
            k -= 1
            if scratch[errors + k] >= scratch[errors + leaf]:
                leaf = k
        if scratch[errors + leaf] == 0:
            break
        scratch[errors + leaf] = 0
        home = scratch[homes + leaf]
        if words[_DEPTH] and home >= words[_DEPTH] * _DEEP:
            continue

        c = 2 * classes
        while c:
            scratch[c + 1] = 0
            c -= 2
        s = scratch[heads + leaf]
        while s:
            c = octets[labels + s]
            octets[s] = c
            scratch[c + 1] += 2
            s = octets[nexts + s]
        twice = 0
        squares = 0
        c = 2 * classes
        while c:
            k = scratch[c + 1]
            twice += k
            squares += k * k
            c -= 2
        n = twice >> 1
        squares = (squares >> 2) + n

        # Visit the features: in order, or with a random start and a random stride through all of them.
        f = 0
        stride = 1
        if limit or gated:
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
                i = features
                while i:
                    u = k % i
                    k = i
                    i = u
        tried = 0
        feature = -1
        cut = 0
        gate = 0
        top = 0  # the best merit so far is top + rest / parts; no merit is above `perfect`
        rest = 0
        parts = 1
        perfect = n
        if gain:
            perfect = _LIFT
        more = features
        while more:
            more -= 1
            codes = f * window - 1
            p = orders + f * window
            gate = -1
            if gated:
                while octets[octets[p]] == 0:
                    p += 1
                i = orders + f * window + count - 1
                while octets[octets[i]] == 0:
                    i -= 1
                u = words[_SEED]
                u ^= (u << 7) & 65535
                u ^= u >> 9
                u ^= (u << 8) & 65535
                words[_SEED] = u
                gate = halves[codes + octets[p]]
                gate += ((halves[codes + octets[i]] - gate) * (u >> 2)) >> 14
            c = 2 * classes
            while c:
                scratch[c] = 0
                c -= 2
            pairs = 0  # of samples of one class on the left
            z = squares
            before = 0
            varies = 0
            nr = n
            while nr:
                s = octets[p]
                p += 1
                c = octets[s]
                if c:
                    u = halves[codes + s]
                    if u != before:
                        nl = n - nr
                        if gated:
                            if u <= gate:
                                nl = 0
                        if nl:
                            varies = 1
                            if gain:
                                # information gain: sum of n log2 n over the classes, minus the sides', Q13
                                k = _LIFT - top
                                i = 2 * classes
                                while i >= 0:
                                    q = 2
                                    while q:
                                        v = scratch[i]
                                        if q == 1:
                                            v = (scratch[i + 1] >> 1) - v
                                        if i == 0:
                                            v = nl
                                            if q == 1:
                                                v = nr
                                        if v > 128:
                                            v = (v * (log2[v >> 1] + log2[(v + 1) >> 1] + 16384)) >> 1
                                        else:
                                            v = v * log2[v]
                                        if i:
                                            k += v
                                        else:
                                            k -= v
                                        q -= 1
                                    i -= 2
                                i = 1
                            else:
                                # Gini: squared class counts, summed and divided by the size on either side,
                                # minus the best; the exact fraction k / i
                                i = nl * nr
                                k = pairs * twice + nl * z - top * i
                            if k > 0:
                                if k >= i or k * parts > rest * i:
                                    k += top * i
                                    top = k // i
                                    rest = k - top * i
                                    parts = i
                                    feature = f
                                    cut = (before + u) >> 1
                                    if gated:
                                        cut = gate
                                    if top == perfect:
                                        more = 0
                                        break
                            if gated:
                                break
                        before = u
                    k = scratch[c]
                    scratch[c] = k + 1
                    pairs += k
                    z -= scratch[c + 1]
                    nr -= 1
            tried += varies
            if limit and tried >= limit:
                break
            f += stride
            while f >= features:
                f -= features

        s = scratch[heads + leaf]
        if feature < 0:
            while s:
                octets[s] = 0
                s = octets[nexts + s]
            continue
        # The leaf becomes a node: its left child keeps its number, the right one gets a new one.
        c = 2 * classes
        while c:
            scratch[c] = 0
            c -= 2
        codes = feature * window - 1
        p = 0
        q = 0
        while s:
            i = octets[nexts + s]
            if halves[codes + s] > cut:
                octets[nexts + s] = q
                q = s
            else:
                octets[nexts + s] = p
                p = s
                scratch[octets[s]] += 1
            octets[s] = 0
            s = i
        octets[home & (_DEEP - 1)] = nodes
        halves[cuts + nodes] = cut
        octets[feature_at + nodes] = feature
        home = home - (home & (_DEEP - 1)) + _DEEP + nodes
        scratch[homes + leaf] = home + left_at
        scratch[heads + leaf] = p
        scratch[heads + nodes + 1] = q
        # Majorities: p and q of k and i samples, which make up nl and n - nl.
        nl = 0
        k = 0
        i = 0
        c = 2 * classes
        while c:
            u = scratch[c]
            nl += u
            if u >= k:
                k = u
                p = c
            u = (scratch[c + 1] >> 1) - u
            if u >= i:
                i = u
                q = c
            c -= 2
        octets[left_at + nodes] = room + (p >> 1) - 1
        octets[right_at + nodes] = room + (q >> 1) - 1
        scratch[errors + leaf] = nl - k
        nodes += 1
        scratch[errors + nodes] = n - nl - i
        scratch[homes + nodes] = home + right_at
    octets[here] = nodes
    return 0
