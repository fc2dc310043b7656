"""Collapse a split: one that is worth nothing any more, or the least useful one, if a better one waits.

Seldom needed, so it stays bytecode, which costs no heap when it runs from ROM.
"""

from micropython import const

# From the layouts, by `make consts`:
_CLASSES = const(6)
_SAMPLES = const(7)
_FLAGS = const(8)
_MAX_NODES = const(12)
_NODES = const(13)
_LEAVES = const(15)
_ACTIVE = const(17)
_FREE_PAIR = const(18)
_TOP_NODE = const(19)
_FREE_LEAF = const(20)
_HALF_LN = const(23)
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_MONITOR0 = const(37)
_MONITOR = const(39)
_MAP0 = const(40)
_SPARE = const(43)
_ADAPTIVE = const(256)
_EXACT = const(1024)
_NODE_CHILD = const(1)
_NODE_LEAF = const(2)
_NODE_SLOT = const(3)
_NODE_MERIT = const(4)
_NODE_SEEN = const(4)
_NODE = const(6)
_UNUSED = const(65535)
_LEAF_PROMISE = const(2)
_LEAF_NEXT = const(2)
_LEAF_EPOCH = const(3)
_LEAF_MAJORITY = const(4)
_LEAF = const(5)
_EPOCH = const(12)
_S_NODE = const(5)
_S_BEST = const(8)
_S_SPLIT = const(13)


def prune(at, x):
    """Make room for the split that the rules allow, or put it off; undo one where a leaf lacks a slot.

    The worth of a split of two leaves is its Gini gain times its traffic, from class counts that fade with
    the epochs, so that a split which served an old concept loses its worth. The waiting split is worth
    about half its information gain in bits times its leaf's traffic. It must be worth twice as much. When the
    least is the split right above the waiting leaf, that is undone instead: the two leaves are one again,
    and what this one has found it will find once more, for both.

    A leaf that looks for a slot knows only its majority class. When the split above it, of two leaves, is
    worth less than ln(1 / delta) samples, which is about what chance would give, and less than a quarter of
    what its J once promised, it costs more than it brings: the two become one leaf, which promises as much as
    both and looks for a slot in their place.
    """
    words = at[0]
    halves = at[1]
    octets = at[2]
    scratch = at[3]
    node0 = words[_NODE0]
    node = scratch[_S_NODE]
    here = node0 + node * _NODE
    stop = words[_TOP_NODE]
    if halves[here + _NODE_SLOT]:
        if stop + 2 <= words[_MAX_NODES] or words[_FREE_PAIR] or scratch[_S_SPLIT] == 0:
            return 0
        look = 0
    else:
        look = 1
    if words[_FLAGS] & _EXACT:
        scratch[_S_SPLIT] = 0  # no published tree undoes a split
        return 0
    classes = words[_CLASSES]
    leaf0 = words[_LEAF0]
    size = _LEAF + classes
    now = (words[_SAMPLES] >> _EPOCH) & 65535
    own = halves[here]
    start = 0
    spared = -1
    if look:
        if node == 0 or node >= words[_MAX_NODES]:
            return 0  # the root, of the tree or an alternate
        least = words[_HALF_LN] >> 5
        start = own
        stop = own + 1
    else:
        counts = leaf0 + halves[here + _NODE_LEAF] * size + _LEAF
        traffic = 0
        for c in range(classes):
            traffic += halves[counts + c]
        least = ((scratch[_S_BEST] >> 10) * traffic) >> 4  # worth of the waiting split / 2, Q4
        if node >= words[_MAX_NODES]:
            spared = own  # the split above an alternate's root belongs to the main tree
            own = -1
    victim = -1
    for node in range(start, stop):
        here = node0 + node * _NODE
        first = halves[here + _NODE_CHILD]
        if first == 0 or node == spared:
            continue
        child = node0 + first * _NODE
        if halves[child + _NODE_CHILD] or halves[child + _NODE + _NODE_CHILD]:
            continue
        left = leaf0 + halves[child + _NODE_LEAF] * size
        right = leaf0 + halves[child + _NODE + _NODE_LEAF] * size
        n_left = 0
        n_right = 0
        fade_left = (now - halves[left + _LEAF_EPOCH]) & 65535
        fade_right = (now - halves[right + _LEAF_EPOCH]) & 65535
        if fade_left > 16:
            fade_left = 16
        if fade_right > 16:
            fade_right = 16
        for c in range(_LEAF, size):
            n_left += halves[left + c] >> fade_left
            n_right += halves[right + c] >> fade_right
        worth = 0
        if n_left and n_right:
            for c in range(_LEAF, size):
                in_left = halves[left + c] >> fade_left
                in_right = halves[right + c] >> fade_right
                worth += (in_left << 10) // n_left * in_left + (in_right << 10) // n_right * in_right
                worth -= ((in_left + in_right) << 10) // (n_left + n_right) * (in_left + in_right)
            worth >>= 6
        if look:
            promised = ((n_left + n_right) >> 3) * halves[here + _NODE_MERIT] >> 8
            if promised < least:
                least = promised
        if worth < least:
            least = worth
            victim = node
    if victim < 0:
        scratch[_S_SPLIT] = 0
        return 0
    if victim == own:
        scratch[_S_NODE] = victim  # where the sample's leaf is now
        scratch[_S_SPLIT] = 0

    # The victim becomes a leaf with the counts of both, and keeps one of their slots.
    here = node0 + victim * _NODE
    first = halves[here + _NODE_CHILD]
    child = node0 + first * _NODE
    left = leaf0 + halves[child + _NODE_LEAF] * size
    right = leaf0 + halves[child + _NODE + _NODE_LEAF] * size
    for i in range(size):
        merged = halves[left + i] + halves[right + i]
        if i < _LEAF_PROMISE:
            merged = 0  # not counted yet: how often its majority and its naive Bayes are wrong
        if i == _LEAF_EPOCH:
            merged = halves[left + i]
        if merged > 65000:
            merged = 65000
        if i == _LEAF_MAJORITY:
            merged = 0
        halves[left + i] = merged
    for c in range(classes):
        if halves[left + _LEAF + c] > halves[left + _LEAF + halves[left + _LEAF_MAJORITY]]:
            halves[left + _LEAF_MAJORITY] = c
    halves[here + _NODE_CHILD] = 0
    halves[here + _NODE_LEAF] = halves[child + _NODE_LEAF]
    halves[here + _NODE_SLOT] = 0
    halves[here + _NODE_SEEN] = 0
    halves[right + _LEAF_NEXT] = words[_FREE_LEAF]
    words[_FREE_LEAF] = halves[child + _NODE + _NODE_LEAF] + 1
    for i in range(2):
        slot = halves[child + i * _NODE + _NODE_SLOT] - 1
        if slot >= 0:
            words[words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]] = -1
            words[_ACTIVE] -= 1
    halves[child] = words[_FREE_PAIR]
    halves[child + _NODE_LEAF] = _UNUSED
    halves[child + _NODE + _NODE_LEAF] = _UNUSED
    words[_FREE_PAIR] = first
    words[_NODES] -= 2
    words[_LEAVES] -= 1
    if words[_FLAGS] & _ADAPTIVE:
        mapped = words[_MAP0] + (first >> 1)
        if octets[mapped]:  # the victim was monitored
            halves[words[_MONITOR0] + (octets[mapped] - 1) * words[_MONITOR]] = 0
            words[_SPARE] += 1
            octets[mapped] = 0
    return 0
