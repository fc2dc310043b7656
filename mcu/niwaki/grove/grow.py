"""Grow a shrub on samples of the memory, some splits a call."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_MEMORY = const(8)
_RECENT = const(9)
_SHRUBS = const(10)
_ROOM = const(11)
_BINS = const(13)
_SEED = const(18)
_GROWING = const(19)
_LEAVES = const(20)
_TAKEN = const(21)
_EFFORT = const(27)
_STAND_ROWS = const(3)
_NODE_ROWS = const(4)
_EVEN = const(16)
_ROOT = const(255)
_RIGHT = const(1)
_S_ROWS = const(13)

_HEAVY = const(255)  # the most that a feature counts for
_SPLIT = const(8)  # what a split costs by itself, in samples
_LOOK = const(127)  # samples of a leaf that choose its split, at most: their squares stay within 30 bits
_TRIES = const(16)  # random draws to find a sample of another class; then the leaf is searched in order


@micropython.viper
def grow(at: ptr32, x: ptr16) -> int:
    """Go on with the shrub that was begun; stop when EFFORT samples were looked at, or when it is grown.

    1. Take the leaf with most errors. Draw two pairs of samples of different classes from it. Each feature
       gets two thresholds to try: the codes half-way between the two samples of either pair.
    2. Split by the feature and threshold with the best Gini index; in a large leaf, at most LOOK samples
       count, evenly spread. The samples of a leaf lie side by side in the memory: a split lets them change
       places, so that there is no need for a list of them.
    3. Go on until there is no error or no node left. Then the shrub votes, and the oldest one makes room.
    4. The more splits use a feature, the more it weighs in the distance between neighbours.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    features = words[_FEATURES]
    classes = words[_CLASSES]
    places = words[_MEMORY] + words[_RECENT]
    labels = places * features
    room = words[_ROOM]
    stands = words[_SHRUBS] + 1
    weights = labels + places + features * words[_BINS] * classes
    nodes_at = weights + features
    parents = nodes_at + _STAND_ROWS * stands + _NODE_ROWS * stands * room
    starts = 2 * classes
    ends = starts + room + 1
    errors = ends + room + 1
    totals = _S_ROWS
    first_row = totals + classes
    second_row = first_row + classes
    effort = words[_EFFORT]
    seed = words[_SEED]

    stand = words[_GROWING]
    feature_at = nodes_at + _STAND_ROWS * stands + stand * room
    threshold_at = feature_at + stands * room
    left_at = threshold_at + stands * room
    right_at = left_at + stands * room
    while True:
        leaves = words[_LEAVES]
        # The leaf with most errors.
        leaf = 0
        most = 0
        i = leaves
        while i:
            i -= 1
            if halves[errors + i] >= most:
                most = halves[errors + i]
                leaf = i
        if most == 0 or octets[nodes_at + stand] == room:
            # It is grown: it votes from now on, and the oldest makes room.
            words[_LEAVES] = 0
            words[_TAKEN] = 0
            stand = (stand + 1) % stands
            words[_GROWING] = stand
            for f in range(features):
                scratch[totals + f] = 0
            splits = 0
            for i in range(stands):
                if i != stand:
                    uses = nodes_at + _STAND_ROWS * stands + i * room
                    node = octets[nodes_at + i]
                    splits += node
                    while node:
                        node -= 1
                        scratch[totals + octets[uses + node]] += 1
            for f in range(features):
                weight = (2 * scratch[totals + f] + 1) * _EVEN * features // (features + 2 * splits)
                if weight < 1:
                    weight = 1
                elif weight > _HEAVY:
                    weight = _HEAVY
                octets[weights + f] = weight
            break
        low = halves[starts + leaf]
        high = halves[ends + leaf]
        size = high - low
        step = (size + _LOOK - 1) // _LOOK
        looked = size // step
        if effort < looked and effort < words[_EFFORT]:
            break
        effort -= looked + (size >> 3) + _SPLIT

        # Two pairs: one and other, third and fourth.
        one = 0
        other = 0
        third = 0
        fourth = 0
        turn = 2
        while turn:
            turn -= 1
            third = one
            fourth = other
            seed ^= (seed << 7) & 65535
            seed ^= seed >> 9
            seed ^= (seed << 8) & 65535
            one = low + (((seed >> 1) * size) >> 15)
            other = one
            i = _TRIES + size
            while i and octets[labels + other] == octets[labels + one]:
                i -= 1
                if i >= size:
                    seed ^= (seed << 7) & 65535
                    seed ^= seed >> 9
                    seed ^= (seed << 8) & 65535
                    other = low + (((seed >> 1) * size) >> 15)
                else:
                    other += 1
                    if other == high:
                        other = low
        one *= features
        other *= features
        third *= features
        fourth *= features

        for c in range(totals, first_row):
            scratch[c] = 0
        place = labels + low
        i = looked
        while i:
            i -= 1
            scratch[totals + octets[place]] += 1
            place += step
        best = 0
        best_feature = -1
        best_threshold = 0
        # Of equal splits the first wins: begin with a feature at random, and go down from there.
        seed ^= (seed << 7) & 65535
        seed ^= seed >> 9
        seed ^= (seed << 8) & 65535
        f = ((seed >> 1) * features) >> 15
        stride = step * features
        left = features
        while left:
            left -= 1
            f = (f + features - 1) % features
            lower = (octets[one + f] + octets[other + f]) >> 1
            upper = (octets[third + f] + octets[fourth + f]) >> 1
            if lower > upper:
                i = lower
                lower = upper
                upper = i
            for c in range(first_row, second_row + classes):
                scratch[c] = 0
            code_at = low * features + f
            place = labels + low
            i = looked
            while i:
                i -= 1
                if octets[code_at] <= upper:
                    c = octets[place]
                    scratch[second_row + c] += 1
                    if octets[code_at] <= lower:
                        scratch[first_row + c] += 1
                code_at += stride
                place += step
            row = first_row
            turn = 2
            while turn:
                turn -= 1
                # Gini: squared class counts, summed and divided by the size on either side.
                on_left = 0
                left_squares = 0
                right_squares = 0
                c = classes
                while c:
                    c -= 1
                    counted = scratch[row + c]
                    on_left += counted
                    left_squares += counted * counted
                    counted = scratch[totals + c] - counted
                    right_squares += counted * counted
                on_right = looked - on_left
                row += classes
                if on_left and on_right:
                    merit = ((left_squares * on_right + right_squares * on_left) << 8) // (on_left * on_right)
                    if merit > best:
                        best = merit
                        best_feature = f
                        best_threshold = lower
                        if turn == 0:
                            best_threshold = upper
        if best_feature < 0:
            halves[errors + leaf] = 0  # nothing tells these samples apart
            continue

        # The leaf becomes a node: its left side keeps its number, the right side gets a new one.
        middle = low
        end = high
        code_at = low * features
        other = high * features
        while middle < end:
            if octets[code_at + best_feature] <= best_threshold:
                middle += 1
                code_at += features
                continue
            end -= 1
            other -= features
            if octets[other + best_feature] <= best_threshold:
                label = octets[labels + middle]
                octets[labels + middle] = octets[labels + end]
                octets[labels + end] = label
                f = features
                while f:
                    f -= 1
                    code = octets[code_at + f]
                    octets[code_at + f] = octets[other + f]
                    octets[other + f] = code
        node = octets[nodes_at + stand]
        octets[nodes_at + stand] = node + 1
        octets[feature_at + node] = best_feature
        octets[threshold_at + node] = best_threshold
        parent = octets[parents + leaf]
        if parent == _ROOT:
            octets[nodes_at + stands + stand] = node
        elif parent & _RIGHT:
            octets[right_at + (parent >> 1)] = node
        else:
            octets[left_at + (parent >> 1)] = node
        words[_LEAVES] = leaves + 1
        halves[ends + leaf] = middle
        halves[starts + leaves] = middle
        halves[ends + leaves] = high
        octets[parents + leaf] = 2 * node
        octets[parents + leaves] = 2 * node + _RIGHT
        # Find the class that each side answers, and count its errors: the left side first, then the right.
        high = middle
        side_at = left_at
        turn = 2
        while turn:
            turn -= 1
            for c in range(first_row, second_row):
                scratch[c] = 0
            i = high - low
            place = labels + low
            while i:
                i -= 1
                scratch[first_row + octets[place]] += 1
                place += 1
            most = 0
            major = 0
            c = classes
            while c:
                c -= 1
                if scratch[first_row + c] >= most:
                    most = scratch[first_row + c]
                    major = c
            halves[errors + leaf] = high - low - most
            octets[side_at + node] = room + major
            leaf = leaves
            low = middle
            high = halves[ends + leaves]
            side_at = right_at
    words[_SEED] = seed
    return 0
