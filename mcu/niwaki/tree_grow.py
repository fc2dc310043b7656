"""Give observer slots to the leaves that promise most.

Runs once per grace period and leaf, so it stays bytecode, which costs no heap when it runs from ROM.
"""

from micropython import const

_CLASSES = const(6)
_FLAGS = const(8)
_LANES = const(10)
_SLOTS = const(16)
_ACTIVE = const(17)
_NODE0 = const(27)
_LEAF0 = const(28)
_SLOT_HALVES0 = const(29)
_SLOT_HALVES = const(30)
_SLOT_WORDS0 = const(31)
_SLOT_WORDS = const(32)
_NODE = const(6)
_LEAF = const(5)
_S_NODE = const(0)
_S_EMPTY = const(9)
_S_SHIFT = const(11)


def grow(at, x):
    """Look for a slot for the leaf in the scratch, or if it was split, for the child that has none.

    Names in the scratch the slots that are to be emptied for their new leaves.
    """
    words = at[0]
    halves = at[1]
    scratch = at[3]
    size = _LEAF + words[_CLASSES]
    node0 = words[_NODE0]
    leaf0 = words[_LEAF0]
    record0 = words[_SLOT_WORDS0]
    stride = words[_SLOT_WORDS]
    wanting = scratch[_S_NODE]
    here = node0 + wanting * _NODE
    child = halves[here + 1]
    heir = -1
    if child:
        here = node0 + child * _NODE
        heir = halves[here + 3] - 1
        wanting = child + 1
        if heir < 0:
            heir = halves[here + _NODE + 3] - 1
            wanting = child
        here = node0 + wanting * _NODE
    scratch[_S_EMPTY] = heir + 1
    scratch[_S_EMPTY + 1] = 0
    scratch[_S_SHIFT] = 16
    if halves[here + 3]:
        return 0  # the rules did not allow a split
    least = halves[leaf0 + halves[here + 2] * size + 2]
    taken = -1
    record = record0
    for i in range(words[_SLOTS]):
        n = words[record]
        if n < 0:
            taken = i
            break
        n = halves[leaf0 + halves[node0 + n * _NODE + 2] * size + 2]
        if n < least >> 1:  # twice the promise: a slot's observations are not given away lightly
            least = n * 2
            taken = i
        record += stride
    if taken >= 0:
        record = record0 + taken * stride
        n = words[record]
        if n < 0:
            words[_ACTIVE] += 1
        else:
            halves[node0 + n * _NODE + 3] = 0
            halves[node0 + n * _NODE + 4] = 0
        words[record] = wanting
        if child and words[_FLAGS] & 64:  # watch what has proved worth watching
            n = words[_SLOT_HALVES0] + words[_CLASSES]
            for i in range(n, n + words[_LANES]):
                halves[i + taken * words[_SLOT_HALVES]] = halves[i + heir * words[_SLOT_HALVES]]
        halves[here + 3] = taken + 1
        scratch[_S_EMPTY + 1] = taken + 1
        here = leaf0 + halves[here + 2] * size
        halves[here] = 0  # a new birth: so far naive Bayes could not be right
        halves[here + 1] = 0
    return 0
