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
_FLAGS = const(21)
_TRY = const(22)
_RANDOM = const(23)
_SEED = const(24)
_YOUNGEST = const(28)
_DUE = const(29)
_TAKE = const(30)
_WEIGHTS = const(32)
_GAIN = const(1)
_EXACT = const(2)
_LABELS = const(2)
_ORDERS = const(3)
_DUE_GROW = const(1)
_DUE_AGREE = const(2)
_CANDIDATE_AT = const(3)

_LIFT = const(1 << 25)  # added to the information gain, so that every merit is above 0
_DEEP = const(1 << 20)  # a leaf's home is an index of octets plus its depth times this


@micropython.viper
def grow(at: ptr32, x: ptr16) -> int:
    """Grow the youngest shrub, in a place without weight, on the newest samples of the window.

    The leaf with the most errors is split first, so that those that find no room have the fewest. A
    leaf answers its majority class, of equals the lowest. Of equal splits the first one found is taken:
    features in visiting order, thresholds rising. A threshold lies half way between neighbouring codes; a
    missing value is the code 0, below all others. There is no minimum gain. While a leaf is searched,
    octets[s] holds the label of each of its samples, and 0 for samples of other leaves.
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
    labels = _LABELS * window
    orders = _ORDERS * window + 1
    # scratch: per class, at its label, samples on the left and twice all samples; per leaf errors, home, head
    errors = 2 * classes + 2
    homes = errors + room + 1
    heads = homes + room + 1
    gain = words[_FLAGS] & _GAIN
    gated = words[_RANDOM]
    limit = words[_TRY] * (words[_DUE] >> _CANDIDATE_AT)  # features to try; 0: all, as after an error

    shrub = 0
    while words[shrub + _WEIGHTS]:
        shrub += 1
    words[_YOUNGEST] = shrub
    places = words[_SHRUBS] + 1
    root = orders + features * window + places + shrub
    feature_at = orders + features * window + 2 * places + shrub * room
    left_at = feature_at + places * room
    right_at = left_at + places * room
    cuts = features * window + shrub * room

    for s in range(1, words[_COUNT] + 1):
        octets[s] = 0
    for label in range(2, errors, 2):
        scratch[label] = 0
    # The root, a leaf as yet. The samples of a leaf are a list.
    s = words[_HEAD]
    after = 0
    n = words[_TAKE]
    for i in range(n):
        s -= 1
        if s == 0:
            s = window
        octets[window + s] = after
        after = s
        scratch[octets[labels + s]] += 1
    scratch[heads] = after
    best = 2
    for label in range(2, errors, 2):
        if scratch[label] > scratch[best]:
            best = label
    octets[root] = room + (best >> 1) - 1
    scratch[errors] = n - scratch[best]
    scratch[homes] = root
    nodes = 0
    while nodes < room:
        leaf = nodes
        i = nodes
        while i:
            i -= 1
            if scratch[errors + i] >= scratch[errors + leaf]:
                leaf = i
        if scratch[errors + leaf] == 0:
            break
        scratch[errors + leaf] = 0
        home = scratch[homes + leaf]
        if words[_DEPTH] and home >= words[_DEPTH] * _DEEP:
            continue
        for label in range(2, errors, 2):
            scratch[label + 1] = 0
        s = scratch[heads + leaf]
        while s:
            label = octets[labels + s]
            octets[s] = label
            scratch[label + 1] += 2
            s = octets[window + s]
        twice = 0
        squares = 0
        for label in range(2, errors, 2):
            amount = scratch[label + 1]
            twice += amount
            squares += amount * amount
        n = twice >> 1
        squares = (squares >> 2) + n

        # Visit the features: in order, or with a random start and a random stride through all of them.
        f = 0
        stride = 1
        if limit or gated:
            random = words[_SEED]
            random ^= (random << 7) & 65535
            random ^= random >> 9
            random ^= (random << 8) & 65535
            words[_SEED] = random
            f = random % features
            stride = (random >> 4) % features
            common = 0
            while common != 1:  # the stride is good when its greatest common divisor with `features` is 1
                stride += 1
                common = stride
                divisor = features
                while divisor:
                    remainder = common % divisor
                    common = divisor
                    divisor = remainder
        tried = 0
        feature = -1
        cut = 0
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
            place = orders + f * window
            gate = -1
            if gated:
                while octets[octets[place]] == 0:
                    place += 1
                last = orders + f * window + words[_COUNT] - 1
                while octets[octets[last]] == 0:
                    last -= 1
                random = words[_SEED]
                random ^= (random << 7) & 65535
                random ^= random >> 9
                random ^= (random << 8) & 65535
                words[_SEED] = random
                gate = halves[codes + octets[place]]
                gate += ((halves[codes + octets[last]] - gate) * (random >> 2)) >> 14
            label = 2 * classes
            while label:
                scratch[label] = 0
                label -= 2
            pairs = 0  # of samples of one class on the left
            across = squares
            before = 0
            varies = 0
            n_right = n
            while n_right:
                s = octets[place]
                place += 1
                label = octets[s]
                if label:
                    code = halves[codes + s]
                    if code - before:
                        n_left = n - n_right
                        if gated and code <= gate:
                            n_left = 0
                        if n_left:
                            varies = 1
                            if gain:
                                # information gain: sum of n log2 n over the classes, minus the sides', Q13
                                merit = _LIFT - top
                                scratch[0] = n_left
                                scratch[1] = twice
                                other = 2 * classes
                                while other >= 0:
                                    part = scratch[other]
                                    sides = 2
                                    while sides:
                                        sides -= 1
                                        if part > 128:
                                            bits = log2[part >> 1] + log2[(part + 1) >> 1] + 16384
                                            bits = (part * bits) >> 1
                                        else:
                                            bits = part * log2[part]
                                        if other:
                                            merit += bits
                                        else:
                                            merit -= bits
                                        part = (scratch[other + 1] >> 1) - part
                                    other -= 2
                                scale = 1
                            else:
                                # Gini: sum of squared class counts / size, of both sides, as merit / scale
                                scale = n_left * n_right
                                merit = pairs * twice + n_left * across - top * scale
                            if merit > 0 and (merit >= scale or merit * parts > rest * scale):
                                merit += top * scale
                                top = merit // scale
                                rest = merit - top * scale
                                parts = scale
                                feature = f
                                cut = (before + code) >> 1
                                if gated:
                                    cut = gate
                                if top == perfect:
                                    more = 0
                                    break
                            if gated:
                                break
                        before = code
                    amount = scratch[label]
                    scratch[label] = amount + 1
                    pairs += amount
                    across -= scratch[label + 1]
                    n_right -= 1
            tried += varies
            if limit and tried >= limit:
                break
            f = (f + stride) % features

        s = scratch[heads + leaf]
        if feature < 0:
            while s:
                octets[s] = 0
                s = octets[window + s]
            continue
        # The leaf becomes a node: its left child keeps its number, the right one gets a new one.
        for label in range(2, errors, 2):
            scratch[label] = 0
        codes = feature * window - 1
        left_head = 0
        right_head = 0
        while s:
            after = octets[window + s]
            if halves[codes + s] > cut:
                octets[window + s] = right_head
                right_head = s
            else:
                octets[window + s] = left_head
                left_head = s
                scratch[octets[s]] += 1
            octets[s] = 0
            s = after
        octets[home & (_DEEP - 1)] = nodes
        halves[cuts + nodes] = cut
        octets[feature_at + nodes] = feature
        home = home - (home & (_DEEP - 1)) + _DEEP + nodes
        scratch[homes + leaf] = home + left_at
        scratch[heads + leaf] = left_head
        scratch[heads + nodes + 1] = right_head
        n_left = 0
        left_most = 0
        right_most = 0
        for label in range(2, errors, 2):
            amount = scratch[label]
            n_left += amount
            if amount > left_most:
                left_most = amount
                octets[left_at + nodes] = room + (label >> 1) - 1
            amount = (scratch[label + 1] >> 1) - amount
            if amount > right_most:
                right_most = amount
                octets[right_at + nodes] = room + (label >> 1) - 1
        scratch[errors + leaf] = n_left - left_most
        nodes += 1
        scratch[errors + nodes] = n - n_left - right_most
        scratch[homes + nodes] = home + right_at
    octets[root - places] = nodes
    if words[_DUE] & _DUE_AGREE == 0 and words[_FLAGS] & _EXACT == 0:  # else the next needs the scratch
        words[_DUE] &= ~_DUE_GROW
    return 0
