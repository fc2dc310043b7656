"""Carry out a split, and give observer slots to the leaves that promise most.

Runs once per grace period and leaf, so it stays bytecode, which costs no heap when it runs from ROM.
"""

from micropython import const

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_FLAGS = const(8)
_LANES = const(10)
_MAX_NODES = const(12)
_NODES = const(13)
_LEAVES = const(15)
_SLOTS = const(16)
_ACTIVE = const(17)
_FREE_PAIR = const(18)
_TOP_NODE = const(19)
_FREE_LEAF = const(20)
_TOP_LEAF = const(21)
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_ROWS = const(35)
_RACED = const(64)
_MEMO = const(512)
_BAYES = const(3)
_EMPTY = const(1032)
_NODE_CHILD = const(1)
_NODE_FEATURE = const(2)
_NODE_LEAF = const(2)
_NODE_THRESHOLD = const(3)
_NODE_SLOT = const(3)
_NODE_MERIT = const(4)
_NODE_SEEN = const(4)
_NODE_SHAPE = const(5)
_NODE = const(6)
_MISSING_RIGHT = const(1)
_NOMINAL = const(2)
_DEEPER = const(4)
_DEPTH = const(65532)
_LEAF_BAYES_WRONG = const(1)
_LEAF_PROMISE = const(2)
_LEAF_NEXT = const(2)
_LEAF_EPOCH = const(3)
_LEAF_MAJORITY = const(4)
_LEAF = const(5)
_SLOT = const(4)
_SHIFT = const(15)
_LOW_AT = const(12)
_LOW = const(131071)
_LOW_BIAS = const(65536)
_S_NODE = const(5)
_S_BEST = const(8)
_S_LANE = const(10)
_S_BIN = const(11)
_S_SPLIT = const(13)
_S_SLOT = const(14)
_S_SLOT2 = const(15)
_S_SHIFT = const(16)
_S_ROWS = const(18)
_SHIFT_INHERIT = const(2)
_SHIFT_CLEAR = const(16)
_MEMO_SAMPLES = const(2)


def grow(at, x):
    """Split the leaf in scratch if the rules allow, or look for a slot if the leaf has none.

    The children know at once the class counts on their side of the split. Naive Bayes with counts of 8 bits
    also starts with a quarter of what the parent had observed, at both: it is blind no longer while they see
    their first samples, and these soon outweigh it. Otherwise whatever decides on further splits starts from
    nothing. Names the slots to be emptied in the scratch.
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
    leaf0 = words[_LEAF0]
    scratch[_S_SLOT] = 0
    scratch[_S_SLOT2] = 0
    scratch[_S_SHIFT] = _SHIFT_CLEAR
    slot = halves[here + _NODE_SLOT] - 1
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
        if flags & _RACED and lane >= 0:
            feature = halves[born + classes + lane]
    if split:
        if flags & _MEMO:  # the sample that was scored last may now have another leaf
            scratch[_S_ROWS + words[_ROWS] - words[_FEATURES] - _MEMO_SAMPLES] = 0
        # Two nodes and one more leaf record.
        first = words[_FREE_PAIR]
        if first:
            words[_FREE_PAIR] = halves[node0 + first * _NODE]
        else:
            first = words[_TOP_NODE]
            words[_TOP_NODE] = first + 2
        other = words[_FREE_LEAF]
        if other:
            other -= 1
            words[_FREE_LEAF] = halves[leaf0 + other * size + _LEAF_NEXT]
        else:
            other = words[_TOP_LEAF]
            words[_TOP_LEAF] = other + 1
        words[_NODES] += 2
        words[_LEAVES] += 1

        # What the children inherit, for prediction: the class counts on their side.
        own = halves[here + _NODE_LEAF]
        left = leaf0 + own * size
        right = leaf0 + other * size
        child = node0 + first * _NODE
        halves[child + _NODE_LEAF] = own
        halves[child + _NODE + _NODE_LEAF] = other
        to_left = left + _LEAF - _S_ROWS
        to_right = right + _LEAF - _S_ROWS
        n_left = 0
        n_right = 0
        left_most = -1
        right_most = -1
        left_class = 0
        right_class = 0
        for i in range(_S_ROWS, _S_ROWS + classes):
            count = scratch[i]
            halves[to_left + i] = count
            n_left += count
            if count > left_most:
                left_most = count
                left_class = i
            count = scratch[i + classes]
            halves[to_right + i] = count
            n_right += count
            if count > right_most:
                right_most = count
                right_class = i
        halves[left] = 0
        halves[left + _LEAF_BAYES_WRONG] = 0
        halves[right] = 0
        halves[right + _LEAF_BAYES_WRONG] = 0
        left_promise = n_left - left_most
        right_promise = n_right - right_most
        halves[left + _LEAF_PROMISE] = left_promise
        halves[right + _LEAF_PROMISE] = right_promise
        halves[right + _LEAF_EPOCH] = halves[left + _LEAF_EPOCH]
        halves[left + _LEAF_MAJORITY] = left_class - _S_ROWS
        halves[right + _LEAF_MAJORITY] = right_class - _S_ROWS

        depth = halves[here + _NODE_SHAPE] & _DEPTH
        for i in range(2):
            halves[child] = node
            halves[child + _NODE_CHILD] = 0
            halves[child + _NODE_SLOT] = 0
            halves[child + _NODE_SEEN] = n_left
            halves[child + _NODE_SHAPE] = depth + _DEEPER
            child += _NODE
        halves[child + _NODE_SEEN - _NODE] = n_right
        halves[here + _NODE_CHILD] = first
        halves[here + _NODE_FEATURE] = feature
        cut = scratch[_S_BIN]
        nominal = octets[feature]
        if nominal:
            halves[here + _NODE_THRESHOLD] = cut + 32768
        else:
            window = words[record + _SLOT + lane]
            halves[here + _NODE_THRESHOLD] = (
                ((window >> _LOW_AT) & _LOW) - _LOW_BIAS + ((cut + 1) << (window & _SHIFT)) - 1
            )
        merit = best >> 4
        if merit > 65535:
            merit = 65535
        halves[here + _NODE_MERIT] = merit
        if nominal:
            depth |= _NOMINAL
        if n_right > n_left:
            depth |= _MISSING_RIGHT
        halves[here + _NODE_SHAPE] = depth

        # The slot goes to the child with more to win; the other one looks for another.
        heir = first
        wanting = first + 1
        if right_promise > left_promise:
            heir = first + 1
            wanting = first
        halves[node0 + heir * _NODE + _NODE_SLOT] = slot + 1
        words[record] = heir
        scratch[_S_SLOT] = slot + 1
        if flags & _BAYES and flags & _EMPTY == 0:
            # But not of the split's own feature: `sides` has emptied its cells; a new window may be narrower.
            scratch[_S_SHIFT] = _SHIFT_INHERIT
            words[record + _SLOT + lane] = 0

    if wanting >= 0:
        here = node0 + wanting * _NODE
        leaf = leaf0 + halves[here + _NODE_LEAF] * size
        least = halves[leaf + _LEAF_PROMISE]
        taken = -1
        record = words[_SLOT_WORDS0]
        step = words[_SLOT_WORDS]
        end = words[_MAX_NODES]
        for i in range(words[_SLOTS]):
            observed = words[record]
            record += step
            if observed < 0:
                taken = i
                break
            if observed >= end:
                continue  # the root of an alternate: without a slot it would be in vain
            promise = halves[leaf0 + halves[node0 + observed * _NODE + _NODE_LEAF] * size + _LEAF_PROMISE]
            if promise < least >> 1:  # twice the promise: a slot's observations are not given away lightly
                least = promise * 2
                taken = i
        if taken >= 0:
            record = words[_SLOT_WORDS0] + taken * step
            loser = words[record]
            if loser >= 0:
                halves[node0 + loser * _NODE + _NODE_SLOT] = 0
                halves[node0 + loser * _NODE + _NODE_SEEN] = 0
            else:
                words[_ACTIVE] += 1
            words[record] = wanting
            if split and flags & _RACED:
                for i in range(classes, classes + words[_LANES]):  # watch what has proved worth watching
                    halves[words[_SLOT_HALVES0] + taken * words[_SLOT_HALVES] + i] = halves[born + i]
            halves[here + _NODE_SLOT] = taken + 1
            scratch[_S_SLOT2] = taken + 1
            halves[leaf] = 0  # without a slot naive Bayes could only be wrong: count anew
            halves[leaf + _LEAF_BAYES_WRONG] = 0
    return 0
