"""Prove that a stored tree is one that the constructor and `learn` could have left: hostile files end here.

After the header, header_check.py, come the tree, from its root, the free lists, and every slot; beside the
model this takes a bit per node.
"""

from micropython import const

from ..proof import Once, bad, between
from .header_check import check_header  # noqa: F401  the loader asks here for both

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
_MAX_NODES = const(12)
_NODES = const(13)
_MAX_LEAVES = const(14)
_LEAVES = const(15)
_SLOTS = const(16)
_ACTIVE = const(17)
_FREE_PAIR = const(18)
_TOP_NODE = const(19)
_FREE_LEAF = const(20)
_TOP_LEAF = const(21)
_GRACE = const(22)
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_CELL0 = const(32)
_CELL_STRIDE = const(33)
_WAIT = const(36)
_MONITOR0 = const(37)
_MONITORS = const(38)
_MONITOR = const(39)
_WIDE = const(8)
_RACED = const(64)
_ADAPTIVE = const(256)
_MAX_DEPTH_AT = const(13)
_MAX_DEPTH = const(63)
_NODE_CHILD = const(1)
_NODE_FEATURE = const(2)
_NODE_LEAF = const(2)
_NODE_THRESHOLD = const(3)
_NODE_SLOT = const(3)
_NODE_SHAPE = const(5)
_NODE = const(6)
_UNUSED = const(65535)
_NOMINAL = const(2)
_DEPTH_AT = const(2)
_LEAF_BAYES_WRONG = const(1)
_LEAF_NEXT = const(2)
_LEAF_MAJORITY = const(4)
_LEAF = const(5)
_SLOT_AGE = const(1)
_SLOT_TRIED = const(2)
_SLOT_HELD = const(3)
_SLOT = const(4)
_SHIFT = const(15)
_LOW_AT = const(12)
_LOW_BIAS = const(65536)
_POOR = const(0x20000000)
_MONITOR_AGE = const(1)


def _check_leaf(words, halves, record):
    """Prove a leaf record: nothing that grows by one may overflow, and the majority class has the most."""
    classes = words[_CLASSES]
    at = words[_LEAF0] + record * (_LEAF + classes)
    between("times wrong", max(halves[at], halves[at + _LEAF_BAYES_WRONG]), 0, 65534)
    at += _LEAF
    best = total = 0
    for c in range(classes):
        n = halves[at + c]
        total += n
        if n > halves[at + best]:
            best = c
    if halves[at + best] == 65535 or total > 1 << 19:
        bad("leaf %d has counted too far", record)
    if halves[at - _LEAF + _LEAF_MAJORITY] != best:
        bad("leaf %d has majority %d, not %d", record, halves[at - _LEAF + _LEAF_MAJORITY], best)


def _check_nodes(words, halves, b):
    """Walk the tree and its alternates; then the slots and the free lists."""
    nodes = Once("node", between("nodes used", words[_TOP_NODE], 1, words[_MAX_NODES]))
    leaves = Once("leaf", between("leaves used", words[_TOP_LEAF], 1, words[_MAX_LEAVES]))
    slots = Once("slot", words[_SLOTS])
    _walk(words, halves, b, 0, nodes, leaves, slots)
    _check_waiting(words, halves, nodes)
    alternates = 0
    if words[_FLAGS] & _ADAPTIVE:
        from .drift_check import check_monitors

        check_monitors(words, halves, b, nodes)
        for m in range(words[_MONITORS]):
            if halves[words[_MONITOR0] + m * words[_MONITOR] + _MONITOR_AGE]:
                alternates += 1
                _walk(words, halves, b, words[_MAX_NODES] + m, nodes, leaves, slots)
    if (
        words[_NODES] != nodes.taken + alternates
        or words[_LEAVES] != leaves.taken
        or words[_ACTIVE] != slots.taken
    ):
        bad("numbers of nodes, leaves or active slots")
    for slot in range(words[_SLOTS]):
        _check_features(words, halves, slot)
        if slots.has(slot):
            _check_slot(words, halves, b, slot)
        elif words[words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]] != -1:
            bad("slot %d observes a node that does not know it", slot)
    _check_free(words, halves, nodes, leaves)


def _check_waiting(words, halves, nodes):
    """The node whose split is to be decided next must be a leaf with a slot."""
    node = words[_WAIT] - 1
    if node >= 0:
        at = words[_NODE0] + node * _NODE
        never = words[_FLAGS] & _ADAPTIVE or words[_GRACE] > 65535
        if (
            never
            or node >= nodes.n
            or not nodes.has(node)
            or halves[at + _NODE_CHILD]
            or not halves[at + _NODE_SLOT]
        ):
            bad("node %d can't be split", node)
        record = words[_SLOT_WORDS0] + (halves[at + _NODE_SLOT] - 1) * words[_SLOT_WORDS]
        if words[record + _SLOT_AGE] == 0 or words[record + _SLOT_AGE] != words[record + _SLOT_TRIED]:
            bad("node %d has not been looked at", node)


def _walk(words, halves, b, root, nodes, leaves, slots):
    """From a root to all its leaves, without a stack: a child knows its parent."""
    node0 = words[_NODE0]
    node = root
    depth = halves[node0 + root * _NODE + _NODE_SHAPE] >> _DEPTH_AT if root else 0
    deepest = words[_FLAGS] >> _MAX_DEPTH_AT & _MAX_DEPTH or 16000
    while True:
        if node < words[_MAX_NODES]:  # the roots of alternates have their own places
            nodes.take(node)
        at = node0 + node * _NODE
        child = halves[at + _NODE_CHILD]
        if halves[at + _NODE_SHAPE] >> _DEPTH_AT != depth or depth > deepest:
            bad("node %d is at depth %d", node, halves[at + _NODE_SHAPE] >> _DEPTH_AT)
        if child:
            _check_split(words, halves, b, at, nodes.n)
            for i in (child, child + 1):
                if halves[node0 + i * _NODE] != node:
                    bad("node %d has node %d for a parent, not %d", i, halves[node0 + i * _NODE], node)
            node = child
            depth += 1
            continue
        leaves.take(halves[at + _NODE_LEAF])
        _check_leaf(words, halves, halves[at + _NODE_LEAF])
        slot = halves[at + _NODE_SLOT] - 1
        if slot >= 0:
            slots.take(slot)
            if words[words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]] != node:
                bad("slot %d does not observe node %d", slot, node)
        while node != root and not node & 1:
            node = halves[node0 + node * _NODE]
            depth -= 1
        if node == root:
            break
        node += 1


def _check_split(words, halves, b, at, n):
    child = halves[at + _NODE_CHILD]
    if not child & 1 or child + 1 >= n:
        bad("child %d of %d nodes", child, n)
    feature = between("feature", halves[at + _NODE_FEATURE], 0, words[_FEATURES] - 1)
    if bool(b[feature]) != bool(halves[at + _NODE_SHAPE] & _NOMINAL):
        bad("a split on feature %d is of the wrong kind", feature)
    if b[feature]:
        between("value", halves[at + _NODE_THRESHOLD] - 32768, 0, b[feature] - 1)
    else:
        between("threshold", halves[at + _NODE_THRESHOLD], 1, 65534)


def _check_free(words, halves, nodes, leaves):
    node = words[_FREE_PAIR]
    while node:
        if not node & 1:
            bad("free pair at node %d", node)
        for i in (node, node + 1):
            nodes.take(i)
            if halves[words[_NODE0] + i * _NODE + 1] or halves[words[_NODE0] + i * _NODE + 2] != _UNUSED:
                bad("node %d is free and in use", i)
        node = halves[words[_NODE0] + node * _NODE]
    nodes.all_taken()
    leaf = words[_FREE_LEAF]
    while leaf:
        leaves.take(leaf - 1)
        leaf = halves[words[_LEAF0] + (leaf - 1) * (_LEAF + words[_CLASSES]) + _LEAF_NEXT]
    leaves.all_taken()


def _check_features(words, halves, slot):
    """Where lanes race, each of a slot watches another feature; also in a slot that waits for a leaf."""
    if words[_FLAGS] & _RACED:
        features = Once("feature", words[_FEATURES])
        at = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES] + words[_CLASSES]
        for lane in range(at, at + words[_LANES]):
            features.take(halves[lane])


def _check_slot(words, halves, b, slot):
    """Ages, windows and cells of a slot in use."""
    classes = words[_CLASSES]
    record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
    born = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
    age = between("age", words[record + _SLOT_AGE], 0, 65535)
    between("last attempt", words[record + _SLOT_TRIED], max(0, age - words[_GRACE] + 1), age)
    total = 0
    for c in range(classes):
        total += halves[born + c]
    if words[record + _SLOT_HELD] != total or total > 65534:
        bad("slot %d has counted %d samples, not %d", slot, total, words[record + _SLOT_HELD])
    cell0 = words[_CELL0] + slot * words[_CELL_STRIDE]
    for lane in range(words[_LANES]):
        feature = halves[born + classes + lane] if words[_FLAGS] & _RACED else lane
        _check_lane(words, halves, b, words[record + _SLOT + lane], b[feature], cell0 + halves[lane], born)


def _check_lane(words, halves, b, window, values, cell, born):
    """A window that can grow as it must, and cells that hold no more samples than there were."""
    classes = words[_CLASSES]
    bins = values or words[_BINS]
    between("window", window, 0, 2 * _POOR - 1)
    window &= _POOR - 1
    lo = (window >> _LOW_AT) - _LOW_BIAS
    shift = window & _SHIFT
    if values:
        if window:
            bad("a nominal feature has a window")
    elif bins << shift > 131072 or (bins << shift == 131072 and lo > 1):
        bad("a window is too wide")
    elif window and (lo < -65535 or lo + (bins << shift) <= 1):
        bad("a window starts at %d", lo)  # where it can't go, or all of it lies below the codes
    wide = words[_FLAGS] & _WIDE
    cells = halves if wide else b
    limit = 65534 if wide else 254
    for c in range(classes):
        left = halves[born + c]
        for i in range(bins):
            n = cells[cell + i * classes + c]
            if n:
                left -= n
                if n > limit:
                    bad("a cell has counted too far")
                if not values and (lo + ((i + 1) << shift) <= 1 or lo + (i << shift) > 65535):
                    bad("a cell beyond the range of codes is not empty")
        if left < 0:
            bad("a lane has counted more samples than its leaf")


def _check_lanes(words, halves, b):
    """Where the cells of each lane start."""
    offset = 0
    for lane in range(words[_LANES]):
        if halves[lane] != offset:
            bad("lane %d starts at %d, not at %d", lane, halves[lane], offset)
        offset += (words[_BINS] if words[_FLAGS] & _RACED else b[lane] or words[_BINS]) * words[_CLASSES]


def check(words, halves, octets):
    """Raise ImageError unless the arrays, whose header has been proved, are a tree's."""
    _check_lanes(words, halves, octets)
    _check_nodes(words, halves, octets)
