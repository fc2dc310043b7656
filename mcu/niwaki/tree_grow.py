"""Carry out a split, and give observer slots to the leaves that promise most.

Runs once per grace period and leaf, so it stays bytecode, which costs no heap when it runs from ROM.
"""

from micropython import const

_FEATURES = const(5)
_CLASSES = const(6)
_FLAGS = const(8)
_LANES = const(10)
_NODES = const(13)
_LEAVES = const(15)
_SLOTS = const(16)
_ACTIVE = const(17)
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
_ROWS = const(42)
_NODE = const(6)
_LEAF = const(5)
_SLOT = const(4)
_S_NODE = const(0)
_S_BEST = const(3)
_S_LANE = const(5)
_S_BIN = const(6)
_S_SPLIT = const(8)
_S_EMPTY = const(9)
_S_SHIFT = const(11)
_S_ROWS = const(13)


def grow(at, x):
    """Split the leaf in scratch if the rules allow, or look for a slot if the leaf has none.

    The children know at once the class counts on their side of the split, for prediction; whatever decides
    on further splits starts from nothing. Names the slots to be emptied in the scratch.
    """
    words = at[0]
    halves = at[1]
    octets = at[2]
    scratch = at[3]
    classes = words[_CLASSES]
    node0 = words[_NODE0]
    node = scratch[_S_NODE]
    here = node0 + node * _NODE
    size = _LEAF + classes
    leaf = words[_LEAF0] + halves[here + 2] * size
    scratch[_S_EMPTY] = 0
    scratch[_S_EMPTY + 1] = 0
    scratch[_S_SHIFT] = 16
    slot = halves[here + 3] - 1
    wanting = node  # the leaf that could use a slot
    split = 0

    if slot >= 0:
        wanting = -1
        best = scratch[_S_BEST]
        lane = scratch[_S_LANE]
        split = scratch[_S_SPLIT]
        flags = words[_FLAGS]
        born = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
        record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
        feature = lane
        if flags & 64 and lane >= 0:
            feature = halves[born + classes + lane]
    if split:
        if flags & 512:  # the sample that was scored last may now have another leaf
            scratch[_S_ROWS + words[_ROWS] - words[_FEATURES] - 2] = 0
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

        # What the children inherit, for prediction: the class counts on their side.
        left = leaf
        right = words[_LEAF0] + other * size
        n_left = 0
        n_right = 0
        most_left = -1
        most_right = -1
        for c in range(classes):
            n = scratch[_S_ROWS + c]
            halves[left + _LEAF + c] = n
            n_left += n
            if n > most_left:
                most_left = n
                halves[left + 4] = c
            n = scratch[_S_ROWS + classes + c]
            halves[right + _LEAF + c] = n
            n_right += n
            if n > most_right:
                most_right = n
                halves[right + 4] = c
        for i in range(2):
            halves[left + i] = 0
            halves[right + i] = 0
        halves[right + 3] = halves[left + 3]
        halves[left + 2] = n_left - most_left
        halves[right + 2] = n_right - most_right

        depth = halves[here + 5] >> 2
        for i in range(2):
            p = node0 + (child + i) * _NODE
            halves[p] = node
            halves[p + 1] = 0
            halves[p + 2] = halves[here + 2]
            halves[p + 3] = 0
            halves[p + 4] = 0
            halves[p + 5] = (depth + 1) << 2
        halves[p + 2] = other
        halves[p + 4] = n_right
        halves[p + 4 - _NODE] = n_left
        halves[here + 1] = child
        halves[here + 2] = feature
        cut = scratch[_S_BIN]
        nominal = octets[feature]
        if nominal:
            halves[here + 3] = cut + 32768
        else:
            window = words[record + _SLOT + lane]
            halves[here + 3] = ((window >> 12) & 0x1FFFF) - 65536 + ((cut + 1) << (window & 15)) - 1
        n = best >> 4
        if n > 65535:
            n = 65535
        halves[here + 4] = n
        n = depth << 2
        if nominal:
            n |= 2
        if n_right > n_left:
            n |= 1
        halves[here + 5] = n

        # The slot goes to the child with more to win; the other one looks for another.
        heir = child
        wanting = child + 1
        if halves[right + 2] > halves[left + 2]:
            heir = child + 1
            wanting = child
        halves[node0 + heir * _NODE + 3] = slot + 1
        words[record] = heir
        scratch[_S_EMPTY] = slot + 1

    if wanting >= 0:
        here = node0 + wanting * _NODE
        promise = halves[words[_LEAF0] + halves[here + 2] * size + 2]
        taken = -1
        least = promise
        for i in range(words[_SLOTS]):
            record = words[_SLOT_WORDS0] + i * words[_SLOT_WORDS]
            n = words[record]
            if n < 0:
                taken = i
                break
            n = halves[words[_LEAF0] + halves[node0 + n * _NODE + 2] * size + 2]
            if n < least >> 1:  # twice the promise: a slot's observations are not given away lightly
                least = n * 2
                taken = i
        if taken >= 0:
            record = words[_SLOT_WORDS0] + taken * words[_SLOT_WORDS]
            if words[record] >= 0:
                halves[node0 + words[record] * _NODE + 3] = 0
                halves[node0 + words[record] * _NODE + 4] = 0
            else:
                words[_ACTIVE] += 1
            words[record] = wanting
            if split and flags & 64:
                for i in range(classes, classes + words[_LANES]):  # watch what has proved worth watching
                    halves[words[_SLOT_HALVES0] + taken * words[_SLOT_HALVES] + i] = halves[born + i]
            halves[here + 3] = taken + 1
            scratch[_S_EMPTY + 1] = taken + 1
            here = words[_LEAF0] + halves[here + 2] * size
            halves[here] = 0  # a new birth: so far naive Bayes could not be right
            halves[here + 1] = 0
    return 0
