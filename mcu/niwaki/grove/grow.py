"""Grow a shrub on samples drawn from the memory, some splits a call."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_MEMORY = const(8)
_RECENT = const(9)
_SHRUBS = const(10)
_ROOM = const(11)
_TAKE = const(12)
_BINS = const(13)
_COUNT = const(15)
_SEED = const(18)
_GROWING = const(19)
_LEAVES = const(20)
_TAKEN = const(21)
_REST = const(22)
_EFFORT = const(27)
_STAND_ROWS = const(3)
_NODE_ROWS = const(4)
_EVEN = const(16)
_ROOT = const(255)
_RIGHT = const(1)
_S_ROWS = const(13)

_HEAVY = const(255)  # the most that a feature counts for
_SPLIT = const(8)  # what a split costs by itself, in samples


@micropython.viper
def grow(at: ptr32, x: ptr16) -> int:
    """Go on with the shrub that grows, or begin one where it is due; stop when EFFORT samples were looked at.

    1. Draw TAKE samples from the memory; take all of one that has no more.
    2. Take the leaf with most errors. Of each feature try two thresholds, half of its span there apart and
       random otherwise, much as extremely randomised trees do; split by the one with the best Gini index.
    3. Go on until there is no error or no node left. Then the shrub votes, and the oldest one makes room.
    4. A feature counts among neighbours by how many splits use it.
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
    chosen = 2 * classes  # the list
    starts = chosen + words[_TAKE]
    ends = starts + room + 1
    errors = ends + room + 1
    totals = _S_ROWS
    first_row = totals + classes
    second_row = first_row + classes
    effort = words[_EFFORT]
    seed = words[_SEED]

    while True:
        stand = words[_GROWING]
        feature_at = nodes_at + _STAND_ROWS * stands + stand * room
        threshold_at = feature_at + stands * room
        left_at = threshold_at + stands * room
        right_at = left_at + stands * room
        leaves = words[_LEAVES]
        if leaves == 0:
            # Begin one, when it is due.
            count = words[_COUNT]
            if words[_REST] < count:
                break
            words[_REST] -= count
            taken = words[_TAKE]
            if count < taken:
                taken = count
            words[_TAKEN] = taken
            i = taken
            while i:
                i -= 1
                place = i
                if taken < count:
                    seed ^= (seed << 7) & 65535
                    seed ^= seed >> 9
                    seed ^= (seed << 8) & 65535
                    place = ((seed >> 1) * count) >> 15
                halves[chosen + i] = place
            octets[nodes_at + stand] = 0
            octets[parents] = _ROOT
            halves[starts] = 0
            halves[ends] = taken
            known = 0
            for c in range(classes):
                scratch[totals + c] = 0
                if halves[c]:
                    known += 1
            octets[nodes_at + 2 * stands + stand] = known
            words[_LEAVES] = 1
            i = taken
            while i:
                i -= 1
                scratch[totals + octets[labels + halves[chosen + i]]] += 1
            most = 0
            major = 0
            c = classes
            while c:
                c -= 1
                if scratch[totals + c] >= most:
                    most = scratch[totals + c]
                    major = c
            octets[nodes_at + stands + stand] = room + major
            halves[errors] = taken - most
            effort -= (taken >> 3) + 1
            continue

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
            continue
        low = halves[starts + leaf]
        high = halves[ends + leaf]
        size = high - low
        if effort < size and effort < words[_EFFORT]:
            break
        effort -= size + _SPLIT
        first = chosen + low

        for c in range(totals, first_row):
            scratch[c] = 0
        i = size
        while i:
            i -= 1
            scratch[totals + octets[labels + halves[first + i]]] += 1
        best = 0
        best_feature = -1
        best_threshold = 0
        # Of equal splits the first wins: begin with a feature at random, and go down from there.
        seed ^= (seed << 7) & 65535
        seed ^= seed >> 9
        seed ^= (seed << 8) & 65535
        f = ((seed >> 1) * features) >> 15
        left = features
        while left:
            left -= 1
            f = (f + features - 1) % features
            least = 255
            greatest = 0
            i = size
            while i:
                i -= 1
                code = octets[halves[first + i] * features + f]
                if code < least:
                    least = code
                if code > greatest:
                    greatest = code
            if least >= greatest:
                continue
            span = greatest - least
            # Half a span apart, the first one at random within the lower half.
            seed ^= (seed << 7) & 65535
            seed ^= seed >> 9
            seed ^= (seed << 8) & 65535
            lower = least + ((seed * span) >> 17)
            upper = lower + (span >> 1)
            if upper >= greatest:
                upper = greatest - 1
            c = 2 * classes
            while c:
                c -= 1
                scratch[first_row + c] = 0
            i = size
            while i:
                i -= 1
                place = halves[first + i]
                code = octets[place * features + f]
                if code <= upper:
                    c = octets[labels + place]
                    scratch[second_row + c] += 1
                    if code <= lower:
                        scratch[first_row + c] += 1
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
                on_right = size - on_left
                merit = ((left_squares * on_right + right_squares * on_left) << 8) // (on_left * on_right)
                if merit > best:
                    best = merit
                    best_feature = f
                    best_threshold = lower
                    if turn == 0:
                        best_threshold = upper
                row += classes
        if best_feature < 0:
            halves[errors + leaf] = 0  # nothing tells these samples apart
            continue

        # The leaf becomes a node: its left side keeps its number, the right side gets a new one.
        middle = low
        end = high
        while middle < end:
            place = halves[chosen + middle]
            if octets[place * features + best_feature] > best_threshold:
                end -= 1
                halves[chosen + middle] = halves[chosen + end]
                halves[chosen + end] = place
            else:
                middle += 1
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
        # What either side answers, and how many it gets wrong: the left one, then the right one.
        high = middle
        side_at = left_at
        turn = 2
        while turn:
            turn -= 1
            for c in range(first_row, second_row):
                scratch[c] = 0
            i = high - low
            first = chosen + low
            while i:
                i -= 1
                scratch[first_row + octets[labels + halves[first + i]]] += 1
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
