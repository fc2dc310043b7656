"""Drift: put an alternate in the place of the subtree that it replaces; free subtrees that are not used."""

from micropython import const

# From the layouts, by `make consts`:
_CLASSES = const(6)
_MAX_NODES = const(12)
_NODES = const(13)
_LEAVES = const(15)
_ACTIVE = const(17)
_FREE_PAIR = const(18)
_FREE_LEAF = const(20)
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_MONITOR0 = const(37)
_MONITORS = const(38)
_MONITOR = const(39)
_MAP0 = const(40)
_CANDIDATE = const(41)
_SPARE = const(43)
_NODE_CHILD = const(1)
_NODE_LEAF = const(2)
_NODE_SLOT = const(3)
_NODE = const(6)
_UNUSED = const(65535)
_LEAF_NEXT = const(2)
_LEAF = const(5)
_MONITOR_AGE = const(1)
_MONITOR_ERRORS = const(2)
_REPLACE = const(65534)
_DROP = const(65535)
_S_PENDING = const(8)


def replace(at, x):
    """Carry out one verdict; return 0 when there is none left.

    An alternate also goes when its monitor has lost its node, by pruning or because a larger subtree went.
    """
    words = at[0]
    halves = at[1]
    octets = at[2]
    scratch = at[3]
    if scratch[_S_PENDING] == 0:
        return 0
    base = 0
    root = -1
    for m in range(words[_MONITORS]):
        base = words[_MONITOR0] + m * words[_MONITOR]
        verdict = halves[base + _MONITOR_AGE]
        if verdict == _REPLACE and halves[base]:
            root = halves[base] - 1
            break
        if verdict and (verdict == _DROP or halves[base] == 0):
            root = words[_MAX_NODES] + m
            break
    if root < 0:
        return 0

    # Collapse the subtree below `root`, from its ends, until it is one leaf.
    node0 = words[_NODE0]
    slot0 = words[_SLOT_WORDS0]
    size = _LEAF + words[_CLASSES]
    here = node0 + root * _NODE
    node = root
    while halves[here + _NODE_CHILD]:
        record = node0 + node * _NODE
        first = halves[record + _NODE_CHILD]
        child = node0 + first * _NODE
        if halves[child + _NODE_CHILD]:
            node = first
            continue
        if halves[child + _NODE + _NODE_CHILD]:
            node = first + 1
            continue
        for i in range(2):
            slot = halves[child + i * _NODE + _NODE_SLOT]
            if slot:
                words[slot0 + (slot - 1) * words[_SLOT_WORDS]] = -1
                words[_ACTIVE] -= 1
        leaf = halves[child + _NODE + _NODE_LEAF]
        halves[words[_LEAF0] + leaf * size + _LEAF_NEXT] = words[_FREE_LEAF]
        words[_FREE_LEAF] = leaf + 1
        halves[record + _NODE_CHILD] = 0
        halves[record + _NODE_LEAF] = halves[child + _NODE_LEAF]
        halves[record + _NODE_SLOT] = 0
        halves[child] = words[_FREE_PAIR]
        halves[child + _NODE_LEAF] = _UNUSED
        halves[child + _NODE + _NODE_LEAF] = _UNUSED
        words[_FREE_PAIR] = first
        words[_NODES] -= 2
        words[_LEAVES] -= 1
        i = words[_MAP0] + (first >> 1)
        mapped = octets[i]
        if mapped:
            octets[i] = 0
            if node != root:
                halves[words[_MONITOR0] + (mapped - 1) * words[_MONITOR]] = 0
                words[_SPARE] += 1
        if node != root:
            node = halves[record]

    # That leaf goes too.
    slot = halves[here + _NODE_SLOT]
    if slot:
        words[slot0 + (slot - 1) * words[_SLOT_WORDS]] = -1
        words[_ACTIVE] -= 1
    leaf = halves[here + _NODE_LEAF]
    halves[words[_LEAF0] + leaf * size + _LEAF_NEXT] = words[_FREE_LEAF]
    words[_FREE_LEAF] = leaf + 1
    words[_NODES] -= 1
    words[_LEAVES] -= 1
    halves[base + _MONITOR_AGE] = 0
    words[_CANDIDATE] = 0
    if root < words[_MAX_NODES]:
        alternate = node0 + (words[_MAX_NODES] + m) * _NODE
        for i in range(_NODE_CHILD, _NODE):
            halves[here + i] = halves[alternate + i]
            halves[alternate + i] = 0
        first = halves[here + _NODE_CHILD]
        if first:
            halves[node0 + first * _NODE] = root
            halves[node0 + (first + 1) * _NODE] = root
            octets[words[_MAP0] + (first >> 1)] = m + 1
        else:
            slot = halves[here + _NODE_SLOT]
            if slot:
                words[slot0 + (slot - 1) * words[_SLOT_WORDS]] = root
            halves[base] = 0
            words[_SPARE] += 1
        # Its monitor remembers the errors of a subtree that is gone: it starts anew.
        for i in range(base + _MONITOR_ERRORS, base + words[_MONITOR]):
            halves[i] = 0
    return 1
