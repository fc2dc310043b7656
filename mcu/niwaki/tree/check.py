"""Prove that a stored tree is one that the constructor and `learn` could have left: hostile files end here.

Every word of the header is either derived from the plan (then it must be what `write_header` would write),
or a parameter or part of the state (then it has a range). A new header word is refused until it has a range
here, so a change of the layout can't weaken the check unseen. Then come the tree, from its root, the free
lists, and every slot; beside the model this takes a bit per node.
"""

from ..construct import check_shape, footprint
from ..proof import Header, Once, bad, between
from .layout import (
    ACTIVE,
    BINS,
    CELL0,
    CELL_STRIDE,
    FLAGS,
    FREE_LEAF,
    FREE_PAIR,
    GRACE,
    HALF_LN,
    HEADER,
    LANES,
    LEAF,
    LEAF0,
    LEAVES,
    MAX_LEAVES,
    MAX_NODES,
    MONITOR,
    MONITOR0,
    MONITORS,
    NODE,
    NODE0,
    NODES,
    OMEGA,
    RANGE,
    SLOT,
    SLOT_HALVES,
    SLOT_HALVES0,
    SLOT_WORDS,
    SLOT_WORDS0,
    SLOTS,
    STATISTICS,
    TAU,
    TOP_LEAF,
    TOP_NODE,
    WAIT,
)
from .plan import OPTIONS, Plan, write_header

_POOR = 0x20000000
_UNUSED = 65535  # instead of a leaf record

# Header words that are no function of the plan, with their ranges; those that point are checked by the walk.
_RANGES = {
    7: (0, 0x3FFFFFFF),  # samples
    NODES: (1, 65535),
    LEAVES: (1, 65535),
    ACTIVE: (0, 65535),
    FREE_PAIR: (0, 65535),
    TOP_NODE: (1, 65535),
    FREE_LEAF: (0, 65535),
    TOP_LEAF: (1, 65535),
    GRACE: (1, 65535),
    HALF_LN: (355, 14148),  # delta 0.5 .. 1e-12
    TAU: (0, 16 << 16),
    OMEGA: (0, 1024),
    RANGE: (1024, 8192),
    WAIT: (0, 65535),
}
# The strict rules' statistics: entropy and gain are at most 8 bits, Q16; deviations Q10; n Q12.
_HELD = ((0, 1 << 20), (0, 8 << 16), (0, 1 << 27), (0, 8 << 16), (0, 1 << 27), (0, 65535 << 12))


class _Options:
    """The options that the flags stand for; those that leave no trace in the plan are the defaults."""

    def __init__(self, flags, places):
        self.flags = flags
        self.places = places

    def __getitem__(self, name):
        flags = self.flags
        if name == "leaf":
            return ("mc", "nb", "nba")[flags & 3]
        if name == "criterion":
            return ("gain", "gini")[flags >> 2 & 1]
        if name == "strict":
            return flags >> 4 & 3
        if name == "drop_poor":
            return bool(flags & 128)
        if name == "adaptive":
            return bool(flags & 256)
        if name == "memo":
            return bool(flags & 512)
        if name == "pending":
            return self.places
        return OPTIONS[name]


def _plan(w, values, places):
    """The plan that the header speaks of."""
    if len(w) < HEADER:
        bad("the header is too short")
    try:
        check_shape(w[5], w[6], w[4])
    except ValueError as error:
        bad(str(error))
    flags = w[FLAGS]
    between("leaf kind", flags & 3, 0, 2)
    between("strict", flags >> 4 & 3, 0, 2)
    if w[BINS] not in (4, 8, 16, 32, 64):
        bad("%d bins", w[BINS])
    between("lanes", w[LANES], 1, w[5])
    between("nodes", w[MAX_NODES], 1, 65535)
    between("slots", w[SLOTS], 1, 65534)
    if len(values) != w[5]:
        bad("the octets are too short")
    for f in range(w[5]):
        if values[f] == 1:
            bad("feature %d has one value", f)
    o = _Options(flags, places)
    p = Plan(w[5], w[6], w[4], o, values, w[BINS], bool(flags & 8), w[LANES])
    if len(w) < p.header:
        bad("the header is too short")
    if p.monitors:
        p.monitors = between("monitors", w[MONITORS], 1, p.monitors)
    p.nodes = w[MAX_NODES]
    p.slots = w[SLOTS]
    if p.cells > 65535:
        bad("%d cells in a slot", p.cells)
    return p


def check_header(w, values, places):
    """Prove the header, with the first octets at hand; returns the length of the scratch.

    `places` is how many samples can wait for their labels: what the last but one of the halves says.
    """
    p = _plan(w, values, places)
    flags = w[FLAGS]
    sizes = p.sizes(p.nodes, p.slots)
    if sizes[:3] != (w[1], w[2], w[3]):
        bad("the arrays have %d, %d, %d items, not %d, %d, %d", w[1], w[2], w[3], *sizes[:3])
    if footprint(sizes, w[5]) > w[4]:
        bad("larger than its budget of %d bytes", w[4])
    ranges = dict(_RANGES)
    if p.monitors:
        from .drift_check import RANGES

        ranges.update(RANGES)
    if flags >> 4 & 3:
        for i in range(STATISTICS):
            ranges[p.header - STATISTICS + i] = _HELD[i]
    if p.lone(p.nodes):
        ranges.pop(GRACE)  # then it is what the plan says
    for i in ranges:
        between("a word of the header", w[i], *ranges[i])
    header = Header(w, p.header, ranges)
    write_header(header, p)
    for f in range(w[5]):
        if values[f] != p.values[f]:
            bad("values of feature %d", f)
    header.finish(8)
    return sizes[3]


def _check_leaf(w, h, record):
    """A leaf record: nothing may overflow that grows by one, and the majority must be the majority."""
    classes = w[6]
    at = w[LEAF0] + record * (LEAF + classes)
    between("times wrong", max(h[at], h[at + 1]), 0, 65534)
    at += LEAF
    best = total = 0
    for c in range(classes):
        n = h[at + c]
        total += n
        if n > h[at + best]:
            best = c
    if h[at + best] == 65535 or total > 1 << 19:
        bad("leaf %d has counted too far", record)
    if h[at - LEAF + 4] != best:
        bad("leaf %d has majority %d, not %d", record, h[at - LEAF + 4], best)


def _check_nodes(w, h, b):
    """Walk the tree and its alternates; then the slots and the free lists."""
    nodes = Once("node", between("nodes used", w[TOP_NODE], 1, w[MAX_NODES]))
    leaves = Once("leaf", between("leaves used", w[TOP_LEAF], 1, w[MAX_LEAVES]))
    slots = Once("slot", w[SLOTS])
    _walk(w, h, b, 0, nodes, leaves, slots)
    _check_waiting(w, h, nodes)
    alternates = 0
    if w[FLAGS] & 256:
        from .drift_check import check_monitors

        check_monitors(w, h, b, nodes)
        for m in range(w[MONITORS]):
            if h[w[MONITOR0] + m * w[MONITOR] + 1]:
                alternates += 1
                _walk(w, h, b, w[MAX_NODES] + m, nodes, leaves, slots)
    if w[NODES] != nodes.taken + alternates or w[LEAVES] != leaves.taken or w[ACTIVE] != slots.taken:
        bad("numbers of nodes, leaves or active slots")
    for slot in range(w[SLOTS]):
        _check_features(w, h, slot)
        if slots.has(slot):
            _check_slot(w, h, b, slot)
        elif w[w[SLOT_WORDS0] + slot * w[SLOT_WORDS]] != -1:
            bad("slot %d observes a node that does not know it", slot)
    _check_free(w, h, nodes, leaves)


def _check_waiting(w, h, nodes):
    """The node whose split is to be decided next must be a leaf with a slot."""
    node = w[WAIT] - 1
    if node >= 0:
        at = w[NODE0] + node * NODE
        never = w[FLAGS] & 256 or w[GRACE] > 65535
        if never or node >= nodes.n or not nodes.has(node) or h[at + 1] or not h[at + 3]:
            bad("node %d can't be split", node)
        record = w[SLOT_WORDS0] + (h[at + 3] - 1) * w[SLOT_WORDS]
        if w[record + 1] == 0 or w[record + 1] != w[record + 2]:
            bad("node %d has not been looked at", node)


def _walk(w, h, b, root, nodes, leaves, slots):
    """From a root to all its leaves, without a stack: a child knows its parent."""
    node0 = w[NODE0]
    node = root
    depth = h[node0 + root * NODE + 5] >> 2 if root else 0
    while True:
        if node < w[MAX_NODES]:  # the roots of alternates have their own places
            nodes.take(node)
        at = node0 + node * NODE
        child = h[at + 1]
        if h[at + 5] >> 2 != depth or depth > 16000:
            bad("node %d is at depth %d", node, h[at + 5] >> 2)
        if child:
            _check_split(w, h, b, at, nodes.n)
            for i in (child, child + 1):
                if h[node0 + i * NODE] != node:
                    bad("node %d has node %d for a parent, not %d", i, h[node0 + i * NODE], node)
            node = child
            depth += 1
            continue
        leaves.take(h[at + 2])
        _check_leaf(w, h, h[at + 2])
        slot = h[at + 3] - 1
        if slot >= 0:
            slots.take(slot)
            if w[w[SLOT_WORDS0] + slot * w[SLOT_WORDS]] != node:
                bad("slot %d does not observe node %d", slot, node)
        while node != root and not node & 1:
            node = h[node0 + node * NODE]
            depth -= 1
        if node == root:
            break
        node += 1


def _check_split(w, h, b, at, n):
    child = h[at + 1]
    if not child & 1 or child + 1 >= n:
        bad("child %d of %d nodes", child, n)
    feature = between("feature", h[at + 2], 0, w[5] - 1)
    if bool(b[feature]) != bool(h[at + 5] & 2):
        bad("a split on feature %d is of the wrong kind", feature)
    if b[feature]:
        between("value", h[at + 3] - 32768, 0, b[feature] - 1)
    else:
        between("threshold", h[at + 3], 1, 65534)


def _check_free(w, h, nodes, leaves):
    node = w[FREE_PAIR]
    while node:
        if not node & 1:
            bad("free pair at node %d", node)
        for i in (node, node + 1):
            nodes.take(i)
            if h[w[NODE0] + i * NODE + 1] or h[w[NODE0] + i * NODE + 2] != _UNUSED:
                bad("node %d is free and in use", i)
        node = h[w[NODE0] + node * NODE]
    nodes.all_taken()
    leaf = w[FREE_LEAF]
    while leaf:
        leaves.take(leaf - 1)
        leaf = h[w[LEAF0] + (leaf - 1) * (LEAF + w[6]) + 2]
    leaves.all_taken()


def _check_features(w, h, slot):
    """Where lanes race, each of a slot watches another feature; also in a slot that waits for a leaf."""
    if w[FLAGS] & 64:
        features = Once("feature", w[5])
        at = w[SLOT_HALVES0] + slot * w[SLOT_HALVES] + w[6]
        for lane in range(at, at + w[LANES]):
            features.take(h[lane])


def _check_slot(w, h, b, slot):
    """Ages, windows and cells of a slot in use."""
    classes = w[6]
    record = w[SLOT_WORDS0] + slot * w[SLOT_WORDS]
    born = w[SLOT_HALVES0] + slot * w[SLOT_HALVES]
    age = between("age", w[record + 1], 0, 65535)
    between("last attempt", w[record + 2], max(0, age - w[GRACE] + 1), age)
    total = 0
    for c in range(classes):
        total += h[born + c]
    if w[record + 3] != total or total > 65534:
        bad("slot %d has counted %d samples, not %d", slot, total, w[record + 3])
    cell0 = w[CELL0] + slot * w[CELL_STRIDE]
    for lane in range(w[LANES]):
        feature = h[born + classes + lane] if w[FLAGS] & 64 else lane
        _check_lane(w, h, b, w[record + SLOT + lane], b[feature], cell0 + h[lane], born)


def _check_lane(w, h, b, window, values, cell, born):
    """A window that can grow as it must, and cells that hold no more samples than there were."""
    classes = w[6]
    bins = values or w[BINS]
    between("window", window, 0, 2 * _POOR - 1)
    window &= _POOR - 1
    lo = (window >> 12) - 65536
    shift = window & 15
    if values:
        if window:
            bad("a nominal feature has a window")
    elif bins << shift > 131072 or (bins << shift == 131072 and lo > 1):
        bad("a window is too wide")
    elif window and (lo < -65535 or lo + (bins << shift) <= 1):
        bad("a window starts at %d", lo)  # where it can't go, or all of it lies below the codes
    wide = w[FLAGS] & 8
    cells = h if wide else b
    limit = 65534 if wide else 254
    for c in range(classes):
        left = h[born + c]
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


def _check_lanes(w, h, b):
    """Where the cells of each lane start."""
    offset = 0
    for lane in range(w[LANES]):
        if h[lane] != offset:
            bad("lane %d starts at %d, not at %d", lane, h[lane], offset)
        offset += (w[BINS] if w[FLAGS] & 64 else b[lane] or w[BINS]) * w[6]


def check(words, halves, octets):
    """Raise ImageError unless the arrays, whose header has been proved, are a tree's."""
    _check_lanes(words, halves, octets)
    _check_nodes(words, halves, octets)
