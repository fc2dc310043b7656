"""Drift: start alternates, and choose the splits that are monitored."""

from micropython import const

# From the layouts, by `make consts`:
_CLASSES = const(6)
_SAMPLES = const(7)
_FLAGS = const(8)
_MAX_NODES = const(12)
_NODES = const(13)
_LEAVES = const(15)
_SLOTS = const(16)
_ACTIVE = const(17)
_FREE_LEAF = const(20)
_TOP_LEAF = const(21)
_HALF_LN = const(23)
_OMEGA = const(26)
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_MONITOR0 = const(37)
_MONITORS = const(38)
_MONITOR = const(39)
_MAP0 = const(40)
_CANDIDATE = const(41)
_HITS = const(42)
_SPARE = const(43)
_EXACT = const(1024)
_NODE_CHILD = const(1)
_NODE_LEAF = const(2)
_NODE_SLOT = const(3)
_NODE_MERIT = const(4)
_NODE_SEEN = const(4)
_NODE_SHAPE = const(5)
_NODE = const(6)
_DEEPER = const(4)
_DEPTH = const(65532)
_LEAF_PROMISE = const(2)
_LEAF_NEXT = const(2)
_LEAF_EPOCH = const(3)
_LEAF = const(5)
_EPOCH = const(12)
_MONITOR_AGE = const(1)
_MONITOR_ERRORS = const(2)
_MONITOR_RIVAL = const(3)
_MONITOR_TRAFFIC = const(4)
_PERIOD = const(1023)
_ALTERNATES = const(2)
_S_NODE = const(5)
_S_PENDING = const(8)
_S_WANTS = const(10)
_S_SLOT = const(14)
_S_SLOT2 = const(15)
_S_SHIFT = const(16)
_S_ROWS = const(18)
_SHIFT_CLEAR = const(16)


def begin(at, x):
    """Start the alternate that `judge` wants, with an empty leaf; give monitors to splits.

    In a regularised tree an alternate also starts where a split has lost its merit, though the error has not
    risen because what lies below has learned the new concept: such a split is complexity without need, and
    the importances would name its feature for ever. Once in a while the splits on a sample's path are held
    against the class counts that their leaves remember. A split has lost its merit when the two sides differ
    by no more than chance, chi squared below ln(1 / delta), although so many samples with the J* that it once
    had would show four times as much. (2 n J in nats is about chi squared; the same test as in `rule`.)
    """
    words = at[0]
    halves = at[1]
    octets = at[2]
    scratch = at[3]
    scratch[_S_SLOT] = 0
    scratch[_S_SLOT2] = 0
    scratch[_S_SHIFT] = _SHIFT_CLEAR
    if scratch[_S_PENDING] == 0:
        return 0
    start = scratch[_S_WANTS]
    node0 = words[_NODE0]
    monitor0 = words[_MONITOR0]
    size = words[_MONITOR]
    classes = words[_CLASSES]
    review = 0
    if words[_SAMPLES] & _PERIOD == _PERIOD:
        review = 1

    # The topmost split on the sample's path that has lost its merit.
    if start < 0 and review and words[_OMEGA] and words[_FLAGS] & _EXACT == 0:
        row = _S_ROWS + classes
        for c in range(_S_ROWS, row):
            scratch[c] = 0
        now = (words[_SAMPLES] >> _EPOCH) & 65535
        several = 0
        node = scratch[_S_NODE]
        root = node
        while True:
            # What the leaves below `root` remember, in `row`; the row before it is for those below `node`.
            for c in range(row, row + classes):
                scratch[c] = 0
            below = root
            while True:
                here = node0 + below * _NODE
                if halves[here + _NODE_CHILD]:
                    below = halves[here + _NODE_CHILD]
                    continue
                leaf = words[_LEAF0] + halves[here + _NODE_LEAF] * (_LEAF + classes)
                fade = (now - halves[leaf + _LEAF_EPOCH]) & 65535
                if fade < 16:
                    for c in range(classes):
                        scratch[row + c] += halves[leaf + _LEAF + c] >> fade
                while below != root and below & 1 == 0:
                    below = halves[node0 + below * _NODE]
                if below == root:
                    break
                below += 1
            if root != node:
                node = halves[node0 + node * _NODE]
                here = node0 + node * _NODE
                mapped = octets[words[_MAP0] + (halves[here + _NODE_CHILD] >> 1)]
                base = monitor0 + (mapped - 1) * size
                n_node = 0
                n_other = 0
                for c in range(_S_ROWS, row):
                    n_node += scratch[c]
                    n_other += scratch[c + classes]
                if mapped and halves[base + _MONITOR_AGE]:
                    several += 1
                    start = -1
                elif mapped and n_node and n_other and n_node + n_other < 65536:
                    chi_squared = 0
                    chance = 2 * words[_HALF_LN] - 2048
                    for c in range(_S_ROWS, row):
                        share = ((scratch[c] + scratch[c + classes]) << 12) // (n_node + n_other)
                        if share:
                            chance += 1024
                            difference = (scratch[c] << 12) // n_node - (
                                scratch[c + classes] << 12
                            ) // n_other
                            chi_squared += difference * difference // share
                    chi_squared *= n_node * n_other // (n_node + n_other)
                    if (
                        chi_squared >> 2 < chance
                        and ((n_node + n_other) >> 4) * halves[here + _NODE_MERIT] >> 8 > 3 * chance >> 10
                    ):
                        start = base
            for c in range(_S_ROWS, row):
                scratch[c] += scratch[c + classes]
            if node == 0:
                break
            root = ((node - 1) ^ 1) + 1
        if several >= _ALTERNATES:
            start = -1

    # Half of the slots are left to the main tree; one alternate may always run.
    if start >= 0:
        running = 0
        for m in range(words[_MONITORS]):
            if halves[monitor0 + m * size + _MONITOR_AGE]:
                running += 1
        if running and running >= words[_SLOTS] >> 1:
            start = -1
    if start >= 0:
        number = words[_FREE_LEAF]
        if number:
            number -= 1
            words[_FREE_LEAF] = halves[words[_LEAF0] + number * (_LEAF + words[_CLASSES]) + _LEAF_NEXT]
        else:
            number = words[_TOP_LEAF]
            words[_TOP_LEAF] = number + 1
        words[_NODES] += 1
        words[_LEAVES] += 1
        wanting = words[_MAX_NODES] + (start - monitor0) // size
        here = node0 + wanting * _NODE
        main = node0 + (halves[start] - 1) * _NODE
        halves[here] = halves[main]
        halves[here + _NODE_CHILD] = 0
        halves[here + _NODE_LEAF] = number
        halves[here + _NODE_SLOT] = 0
        halves[here + _NODE_SEEN] = 0
        halves[here + _NODE_SHAPE] = halves[main + _NODE_SHAPE] & _DEPTH
        leaf = words[_LEAF0] + number * (_LEAF + words[_CLASSES])
        for i in range(leaf, leaf + _LEAF + words[_CLASSES]):
            halves[i] = 0
        halves[leaf + _LEAF_EPOCH] = (words[_SAMPLES] >> _EPOCH) & 65535
        halves[start + _MONITOR_AGE] = 1
        halves[start + _MONITOR_ERRORS] = 0
        halves[start + _MONITOR_RIVAL] = 0
        # It needs a slot at once: a free one, or that of the leaf with the least to win.
        taken = -1
        least = 65536
        for i in range(words[_SLOTS]):
            observed = words[words[_SLOT_WORDS0] + i * words[_SLOT_WORDS]]
            if observed < 0:
                promise = -1
            else:
                promise = halves[
                    words[_LEAF0]
                    + halves[node0 + observed * _NODE + _NODE_LEAF] * (_LEAF + words[_CLASSES])
                    + _LEAF_PROMISE
                ]
            if promise < least:
                least = promise
                taken = i
        record = words[_SLOT_WORDS0] + taken * words[_SLOT_WORDS]
        loser = words[record]
        if loser < 0:
            words[_ACTIVE] += 1
        else:
            halves[node0 + loser * _NODE + _NODE_SLOT] = 0
            halves[node0 + loser * _NODE + _NODE_SEEN] = 0
        words[record] = wanting
        halves[here + _NODE_SLOT] = taken + 1
        scratch[_S_SLOT] = taken + 1

    # A monitor for the candidate: one that is free, or that of a node with less than half its traffic.
    wish = words[_CANDIDATE] - 1
    chosen = -1
    least = words[_HITS] >> 1
    for m in range(words[_MONITORS]):
        base = monitor0 + m * size
        if wish >= 0 and halves[base + _MONITOR_AGE] == 0:
            if halves[base] == 0:
                chosen = m
                least = -1
            elif review and halves[base + _MONITOR_TRAFFIC] < least:
                chosen = m
                least = halves[base + _MONITOR_TRAFFIC]
        if review:
            halves[base + _MONITOR_TRAFFIC] = 0
    if wish >= 0 and (review or words[_SPARE]):
        words[_CANDIDATE] = 0
    if chosen >= 0:
        # The candidate may have been pruned or replaced since: it must still be a split of the main tree.
        child = halves[node0 + wish * _NODE + _NODE_CHILD]
        node = wish
        while halves[node0 + node * _NODE + _NODE_SHAPE] >= _DEEPER and node < words[_MAX_NODES]:
            node = halves[node0 + node * _NODE]
        if child and node == 0:
            if octets[words[_MAP0] + (child >> 1)] == 0:
                base = monitor0 + chosen * size
                if halves[base]:
                    former = halves[node0 + (halves[base] - 1) * _NODE + _NODE_CHILD]
                    octets[words[_MAP0] + (former >> 1)] = 0
                else:
                    words[_SPARE] -= 1
                for i in range(base, base + size):
                    halves[i] = 0
                halves[base] = wish + 1
                octets[words[_MAP0] + (child >> 1)] = chosen + 1
    return 0
