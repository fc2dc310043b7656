"""Prove that a stored grove is one that the constructor and `learn` could have left.

Each header word has a range; one that has none must be 0, so a change of the layout can't weaken the check
unseen. Then come windows, histograms, the memory and its counts, the shrubs, and the shrub that grows.
"""

from micropython import const

from ..construct import check_shape, footprint
from ..proof import Once, bad, between
from .plan import BINS, Plan

# From the layouts, by `make consts`:
_WORDS = const(1)
_HALVES = const(2)
_OCTETS = const(3)
_BUDGET = const(4)
_FEATURES = const(5)
_CLASSES = const(6)
_SAMPLES = const(7)
_SHARED = const(8)
_FOREVER = const(0x3FFFFFFF)
_MEMORY = const(8)
_RECENT = const(9)
_SHRUBS = const(10)
_ROOM = const(11)
_TAKE = const(12)
_BINS = const(13)
_NEIGHBOURS = const(14)
_COUNT = const(15)
_HEAD = const(16)
_NEWEST = const(17)
_SEED = const(18)
_GROWING = const(19)
_LEAVES = const(20)
_TAKEN = const(21)
_REST = const(22)
_FOLLOWS = const(23)
_KNOWS = const(24)
_NEAR = const(25)
_BAYES = const(26)
_EFFORT = const(27)
_HURRY = const(28)
_IDLE = const(29)
_WINDOWS = const(30)
_LO = const(131071)
_LO_SHIFT = const(12)
_OUTSIDERS = const(255)
_OUTSIDERS_SHIFT = const(4)
_SHIFT = const(15)
_NARROW = const(4)
_STAND_ROWS = const(3)
_NODE_ROWS = const(4)
_ROOT = const(255)
_RIGHT = const(1)
_IDLE_MOST = const(255)
_MOST_FEATURES = const(256)
_MOST_CLASSES = const(126)
_MOST_SHRUBS = const(64)
_MOST_ROOM = const(64)
_MOST_TAKE = const(1024)
_MOST_MEMORY = const(32767)
_MOST_RECENT = const(64)

_MOST_CELL = const(254)  # learn must be able to count one more
_MOST_COUNTED = const(65534)

_RANGES = {
    _MEMORY: (2, _MOST_MEMORY),
    _RECENT: (0, _MOST_RECENT),
    _SHRUBS: (0, _MOST_SHRUBS),
    _ROOM: (1, _MOST_ROOM),
    _TAKE: (2, _MOST_TAKE),
    _BINS: (0, 16),
    _NEIGHBOURS: (0, 3),
    _COUNT: (0, _MOST_MEMORY),
    _HEAD: (0, _MOST_RECENT),
    _NEWEST: (0, _MOST_RECENT),
    _SEED: (1, 65535),
    _GROWING: (0, _MOST_SHRUBS),
    _LEAVES: (0, _MOST_ROOM + 1),
    _TAKEN: (0, _MOST_TAKE),
    _REST: (0, _MOST_SHRUBS * _MOST_MEMORY),
    _FOLLOWS: (-65536, 65536),
    _KNOWS: (-65536, 65536),
    _NEAR: (0, 4096),
    _BAYES: (0, 8192),
    _EFFORT: (1, 1 << 20),
    _HURRY: (1, 64),
    _IDLE: (0, _IDLE_MOST),
}

_TOLD = {
    "n_features": _FEATURES,
    "n_classes": _CLASSES,
    "memory": _MEMORY,
    "recent": _RECENT,
    "shrubs": _SHRUBS,
    "nodes": _ROOM,
    "take": _TAKE,
    "bins": _BINS,
}


class _Stored:
    """What Plan.sizes needs of a plan, read from a stored header."""

    sizes = Plan.sizes

    def __init__(self, words, pending):
        self.words = words
        self.pending = pending

    def __getattr__(self, name):
        return self.words[_TOLD[name]]


def check_header(w, _values, places):
    """Prove the header and the number of places for samples that wait; returns the length of the scratch."""
    if len(w) < _WINDOWS:
        bad("the header is too short")
    try:
        check_shape(w[_FEATURES], max(2, w[_CLASSES]), w[_BUDGET])
    except ValueError as error:
        bad(str(error))
    between("features", w[_FEATURES], 1, _MOST_FEATURES)
    between("classes", w[_CLASSES], 1, _MOST_CLASSES)
    between("samples", w[_SAMPLES], 0, _FOREVER)
    for i in range(_SHARED, _WINDOWS):
        low, high = _RANGES.get(i, (0, 0))
        between("header word %d" % i, w[i], low, high)
    if w[_BINS] not in BINS or w[_NEIGHBOURS] not in (0, 3) or (w[_RECENT] and not w[_NEIGHBOURS]):
        bad("%d bins, %d neighbours, %d newest", w[_BINS], w[_NEIGHBOURS], w[_RECENT])
    _check_counters(w)
    sizes = _Stored(w, places).sizes()
    if sizes[:3] != (w[_WORDS], w[_HALVES], w[_OCTETS]):
        bad("the arrays have %d, %d, %d items, not %d, %d, %d", w[_WORDS], w[_HALVES], w[_OCTETS], *sizes[:3])
    if footprint(sizes, w[_FEATURES]) > w[_BUDGET]:
        bad("larger than its budget of %d bytes", w[_BUDGET])
    return sizes[3]


def _check_counters(w):
    """Prove the header words whose limits depend on other header words."""
    between("samples in the memory", w[_COUNT], 0, min(w[_MEMORY], w[_SAMPLES]))
    between("newest samples", w[_NEWEST], 0, min(w[_RECENT], w[_SAMPLES]))
    between("next of the newest", w[_HEAD], 0, max(0, w[_RECENT] - 1))
    between("shrub that grows", w[_GROWING], 0, w[_SHRUBS])
    between("leaves that grow", w[_LEAVES], 0, w[_ROOM] + 1)
    between("samples taken", w[_TAKEN], 0, min(w[_TAKE], w[_COUNT]))
    between("samples since", w[_REST], 0, w[_SHRUBS] * w[_COUNT])
    if w[_NEWEST] < w[_RECENT] and w[_HEAD] != w[_NEWEST]:
        bad("the next of the newest can't go to %d", w[_HEAD])


def _check_windows(w):
    """A window covers at least one code, and can double until it covers all of them."""
    for f in range(w[_FEATURES]):
        window = w[_WINDOWS + f]
        if window == 0:
            continue
        between("window", window, 0, _LO << _LO_SHIFT | _OUTSIDERS << _OUTSIDERS_SHIFT | _SHIFT)
        lo = (window >> _LO_SHIFT) - 65536
        end = lo + (_NARROW << (window & _SHIFT))
        if lo > 65535 or end <= 1:
            bad("a window starts at %d", lo)
        if window & _SHIFT == _SHIFT and (lo > 1 or end <= 65535):  # it can't double any more
            bad("a window of full width starts at %d", lo)


def _check_histograms(w, h, b):
    """No cell is full, and no feature has more samples of a class than the class has."""
    classes = w[_CLASSES]
    bins = w[_BINS]
    at = (w[_MEMORY] + w[_RECENT]) * (w[_FEATURES] + 1)
    for c in range(classes):
        n = between("samples of a class", h[classes + c], 0, _MOST_COUNTED)
        for f in range(w[_FEATURES]):
            total = 0
            for i in range(f * bins, f * bins + bins):
                total += between("cell", b[at + i * classes + c], 0, _MOST_CELL)
            between("samples in a histogram", total, 0, n)
    at += w[_FEATURES] * bins * classes
    for f in range(w[_FEATURES]):
        between("how much a feature counts", b[at + f], 1, 255)


def _check_memory(w, h, b):
    """All labels exist, and each class counts its labels: count down to 0, then put the counts back."""
    places = w[_MEMORY] + w[_RECENT]
    labels = places * w[_FEATURES]
    for i in range(places):
        between("label", b[labels + i], 0, w[_CLASSES] - 1)
    for i in range(w[_COUNT]):
        c = b[labels + i]
        if h[c] == 0:
            bad("more samples of class %d than are known", c)
        h[c] -= 1
    for c in range(w[_CLASSES]):
        if h[c]:
            bad("%d samples of class %d are not there", h[c], c)
    for i in range(w[_COUNT]):
        h[b[labels + i]] += 1


def _check_shrub(w, b, at, m):
    """A shrub is a tree: each node is the child of one node with a smaller number; each leaf has a class."""
    room = w[_ROOM]
    stands = w[_SHRUBS] + 1
    n = between("nodes", b[at + m], 0, room)
    features = at + _STAND_ROWS * stands + m * room
    nodes = Once("node", n)
    for k in range(-1, n):
        for i in range(2 if k >= 0 else 1):
            child = b[features + (2 + i) * stands * room + k] if k >= 0 else b[at + stands + m]
            if child < room:
                if child <= k:
                    bad("node %d of a shrub has child %d", k, child)
                nodes.take(child)
            else:
                between("class at a leaf", child - room, 0, w[_CLASSES] - 1)
        if k >= 0:
            between("feature", b[features + k], 0, w[_FEATURES] - 1)
    nodes.all_taken()


def _check_growing(w, h, b, at):
    """The leaves of the shrub that grows share the samples taken; each has its own place in the tree."""
    m = w[_GROWING]
    room = w[_ROOM]
    stands = w[_SHRUBS] + 1
    leaves = w[_LEAVES]
    if leaves != b[at + m] + 1:
        bad("%d leaves of a shrub with %d nodes", leaves, b[at + m])
    starts = 2 * w[_CLASSES]
    parents = at + stands * (_STAND_ROWS + _NODE_ROWS * room)
    taken = Once("sample taken", w[_TAKEN])
    sides = Once("side", 2 * room)
    for leaf in range(leaves):
        start = h[starts + leaf]
        end = h[starts + room + 1 + leaf]
        if start > end:
            bad("a leaf's samples go from %d to %d", start, end)
        for i in range(start, end):
            taken.take(i)
        between("errors", h[starts + 2 * (room + 1) + leaf], 0, end - start)
        p = b[parents + leaf]
        if p == _ROOT and leaves == 1:
            continue
        sides.take(p)
        if (p >> 1) >= leaves - 1:
            bad("a leaf's parent is %d", p >> 1)
        if b[at + _STAND_ROWS * stands + (2 + (p & _RIGHT)) * stands * room + m * room + (p >> 1)] < room:
            bad("a leaf that grows is a node, below %d", p >> 1)
    taken.all_taken()


def check(words, halves, octets):
    """Raise ImageError unless the arrays, whose header has been proved, are a grove's."""
    _check_counters(words)
    _check_windows(words)
    _check_histograms(words, halves, octets)
    _check_memory(words, halves, octets)
    stands = words[_SHRUBS] + 1
    at = (words[_MEMORY] + words[_RECENT]) * (words[_FEATURES] + 1)
    at += words[_FEATURES] * (words[_BINS] * words[_CLASSES] + 1)
    for m in range(stands):
        grown = between("classes known", octets[at + 2 * stands + m], 0, words[_CLASSES])
        if grown or octets[at + m] or octets[at + stands + m]:  # else nothing has ever grown there
            _check_shrub(words, octets, at, m)
    if words[_LEAVES]:
        _check_growing(words, halves, octets, at)
