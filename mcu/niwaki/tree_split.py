"""Carry out a split: two nodes, two leaf records, and the class counts that they inherit."""

import micropython
from micropython import const

_CLASSES = const(6)
_FLAGS = const(8)
_BINS = const(9)
_NODES = const(13)
_LEAVES = const(15)
_FREE_PAIR = const(18)
_TOP_NODE = const(19)
_FREE_LEAF = const(20)
_TOP_LEAF = const(21)
_NODE0 = const(27)
_LEAF0 = const(28)
_SLOT_HALVES0 = const(29)
_SLOT_HALVES = const(30)
_SLOT_WORDS0 = const(31)
_SLOT_WORDS = const(32)
_CELL0 = const(33)
_CELL_STRIDE = const(34)
_NODE = const(6)
_LEAF = const(5)
_SLOT = const(4)
_S_NODE = const(0)
_S_BEST = const(3)
_S_LANE = const(5)
_S_BIN = const(6)
_S_SPLIT = const(8)


@micropython.viper
def split(at: ptr32, x: ptr16) -> int:
    """Split the leaf in the scratch where the rules allow it; `prune` has made room.

    The children know at once the class counts on their side of the split, for prediction; whatever decides
    on further splits starts from nothing. The slot goes to the child with more to win.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    if scratch[_S_SPLIT] == 0:
        return 0
    classes = words[_CLASSES]
    size = _LEAF + classes
    node0 = words[_NODE0]
    node = scratch[_S_NODE]
    here = node0 + node * _NODE
    slot = halves[here + 3] - 1
    lane = scratch[_S_LANE]
    cut = scratch[_S_BIN]
    wide = words[_FLAGS] & 8
    f = lane
    if words[_FLAGS] & 64:
        f = halves[words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES] + classes + lane]
    nominal = octets[f]

    # Two nodes and one more leaf record.
    child = words[_FREE_PAIR]
    if child:
        words[_FREE_PAIR] = halves[node0 + child * _NODE]
    else:
        child = words[_TOP_NODE]
        words[_TOP_NODE] = child + 2
    other = words[_FREE_LEAF]
    if other:
        other -= 1
        words[_FREE_LEAF] = halves[words[_LEAF0] + other * size + 2]
    else:
        other = words[_TOP_LEAF]
        words[_TOP_LEAF] = other + 1
    words[_NODES] += 2
    words[_LEAVES] += 1
    own = halves[here + 2]
    left = words[_LEAF0] + own * size
    right = words[_LEAF0] + other * size
    epoch = halves[left + 3]
    for i in range(size):
        halves[left + i] = 0
        halves[right + i] = 0

    # The class counts on either side.
    i = words[_CELL0] + slot * words[_CELL_STRIDE] + halves[lane]
    n = nominal
    if nominal == 0:
        n = words[_BINS]
    for b in range(n):
        p = right + _LEAF
        if b == cut or (b < cut and nominal == 0):
            p = left + _LEAF
        for c in range(p, p + classes):
            if wide:
                halves[c] += halves[i]
            else:
                halves[c] += octets[i]
            i += 1

    depth = halves[here + 5] | 3
    p = left
    for i in range(2):
        n = 0
        most = 0
        for c in range(classes):
            k = halves[p + _LEAF + c]
            n += k
            if k > most:
                most = k
                halves[p + 4] = c
        halves[p + 3] = epoch
        halves[p + 2] = n - most
        p = node0 + (child + i) * _NODE
        halves[p] = node
        halves[p + 1] = 0
        halves[p + 2] = own
        halves[p + 3] = 0
        halves[p + 4] = n
        halves[p + 5] = depth + 1
        own = other
        p = right
    p = node0 + child * _NODE
    halves[here + 1] = child
    halves[here + 2] = f
    n = depth - 3
    if nominal:
        halves[here + 3] = cut + 32768
        n += 2
    else:
        k = words[words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS] + _SLOT + lane]
        halves[here + 3] = ((k >> 12) & 0x1FFFF) - 65536 + ((cut + 1) << (k & 15)) - 1
    if halves[p + _NODE + 4] > halves[p + 4]:
        n += 1
    halves[here + 5] = n
    n = scratch[_S_BEST] >> 4
    if n > 65535:
        n = 65535
    halves[here + 4] = n
    if halves[right + 2] > halves[left + 2]:
        p += _NODE
        child += 1
    halves[p + 3] = slot + 1
    words[words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]] = child
    return 0
