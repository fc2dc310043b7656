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

_HEAVY = const(255)

_SPLIT = const(8)  # what a split costs by itself, in samples


@micropython.viper
def grow(at: ptr32, x: ptr16) -> int:
    """Go on with the shrub that grows, or begin one where it is due; stop when EFFORT samples were looked at.

    1. Draw TAKE samples from the memory; take all of one that has no more.
    2. Take the leaf with most errors. Of each feature try two thresholds, half of its span there apart and
       random otherwise, much as extremely randomised trees do; split by the one with the best Gini index.
       Features come downwards from a random one, because of equal splits the first wins. (Draws: one for
       the feature, 15 upper bits; then one for each feature that varies.)
    3. Go on until there is no error or no node left. Then the shrub votes, and the oldest one makes room for
       the next.
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
                u = i
                if taken < count:
                    seed ^= (seed << 7) & 65535
                    seed ^= seed >> 9
                    seed ^= (seed << 8) & 65535
                    u = ((seed >> 1) * count) >> 15
                halves[chosen + i] = u
            octets[nodes_at + stand] = 0
            octets[parents] = _ROOT
            halves[starts] = 0
            halves[ends] = taken
            n = 0
            c = classes
            while c:
                c -= 1
                if halves[c]:
                    n += 1
            octets[nodes_at + 2 * stands + stand] = n
            words[_LEAVES] = 1
            c = classes
            while c:
                c -= 1
                scratch[totals + c] = 0
            i = taken
            while i:
                i -= 1
                scratch[totals + octets[labels + halves[chosen + i]]] += 1
            most = 0
            k = 0
            c = classes
            while c:
                c -= 1
                n = scratch[totals + c]
                if n >= most:
                    most = n
                    k = c
            octets[nodes_at + stands + stand] = room + k
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
            stand += 1
            if stand == stands:
                stand = 0
            words[_GROWING] = stand
            f = features
            while f:
                f -= 1
                scratch[totals + f] = 0
            total = 0
            i = stands
            while i:
                i -= 1
                n = octets[nodes_at + i]
                if i == stand:
                    n = 0
                total += n
                p = nodes_at + _STAND_ROWS * stands + i * room
                while n:
                    n -= 1
                    scratch[totals + octets[p + n]] += 1
            f = features
            while f:
                f -= 1
                n = (2 * scratch[totals + f] + 1) * _EVEN * features // (features + 2 * total)
                if n < 1:
                    n = 1
                elif n > _HEAVY:
                    n = _HEAVY
                octets[weights + f] = n
            continue
        low = halves[starts + leaf]
        high = halves[ends + leaf]
        m = high - low
        if effort < m and effort < words[_EFFORT]:
            break
        effort -= m + _SPLIT
        first = chosen + low
        last = chosen + high

        c = classes
        while c:
            c -= 1
            scratch[totals + c] = 0
        i = low
        while i < high:
            scratch[totals + octets[labels + halves[chosen + i]]] += 1
            i += 1
        best = 0
        best_feature = -1
        best_threshold = 0
        # Of equal splits the first wins: begin with a feature at random.
        seed ^= (seed << 7) & 65535
        seed ^= seed >> 9
        seed ^= (seed << 8) & 65535
        f = ((seed >> 1) * features) >> 15
        left = features
        while left:
            left -= 1
            f -= 1
            if f < 0:
                f = features - 1
            least = 255
            greatest = 0
            i = first
            while i < last:
                u = octets[halves[i] * features + f]
                if u < least:
                    least = u
                if u > greatest:
                    greatest = u
                i += 1
            if least >= greatest:
                continue
            span = greatest - least
            # Half a span apart, the first one at random within the lower half.
            seed ^= (seed << 7) & 65535
            seed ^= seed >> 9
            seed ^= (seed << 8) & 65535
            t1 = least + ((seed * span) >> 17)
            t2 = t1 + (span >> 1)
            if t2 >= greatest:
                t2 = greatest - 1
            c = 2 * classes
            while c:
                c -= 1
                scratch[first_row + c] = 0
            second_row = first_row + classes
            i = first
            while i < last:
                p = halves[i]
                u = octets[p * features + f]
                if u <= t2:
                    c = octets[labels + p]
                    scratch[second_row + c] += 1
                    if u <= t1:
                        scratch[first_row + c] += 1
                i += 1
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
                    n = scratch[row + c]
                    on_left += n
                    left_squares += n * n
                    n = scratch[totals + c] - n
                    right_squares += n * n
                on_right = m - on_left
                n = ((left_squares * on_right + right_squares * on_left) << 8) // (on_left * on_right)
                if n > best:
                    best = n
                    best_feature = f
                    best_threshold = t1
                    if turn == 0:
                        best_threshold = t2
                row += classes
        if best_feature < 0:
            halves[errors + leaf] = 0  # nothing tells these samples apart
            continue

        # The leaf becomes a node: its left side keeps its number, the right side gets a new one.
        i = low
        k = high
        while i < k:
            p = halves[chosen + i]
            if octets[p * features + best_feature] > best_threshold:
                k -= 1
                halves[chosen + i] = halves[chosen + k]
                halves[chosen + k] = p
            else:
                i += 1
        node = octets[nodes_at + stand]
        octets[nodes_at + stand] = node + 1
        octets[feature_at + node] = best_feature
        octets[threshold_at + node] = best_threshold
        p = octets[parents + leaf]
        if p == _ROOT:
            octets[nodes_at + stands + stand] = node
        elif p & _RIGHT:
            octets[right_at + (p >> 1)] = node
        else:
            octets[left_at + (p >> 1)] = node
        words[_LEAVES] = leaves + 1
        halves[ends + leaf] = i
        halves[starts + leaves] = i
        halves[ends + leaves] = high
        octets[parents + leaf] = 2 * node
        octets[parents + leaves] = 2 * node + _RIGHT
        turn = 2
        while turn:
            turn -= 1
            if turn == 0:
                leaf = leaves
                low = i
            else:
                high = i
            c = classes
            while c:
                c -= 1
                scratch[first_row + c] = 0
            p = low
            while p < high:
                scratch[first_row + octets[labels + halves[chosen + p]]] += 1
                p += 1
            u = 0
            k = 0
            c = classes
            while c:
                c -= 1
                n = scratch[first_row + c]
                if n >= u:
                    u = n
                    k = c
            halves[errors + leaf] = high - low - u
            if turn:
                octets[left_at + node] = room + k
                high = halves[ends + leaves]
            else:
                octets[right_at + node] = room + k
    words[_SEED] = seed
    return 0
