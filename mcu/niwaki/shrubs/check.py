"""Prove that a stored ensemble is one that the constructor and `learn` could have left.

Each header word has a range; one that has none must be 0, so a change of the layout can't weaken the check
unseen. Then come the window and each feature's order of it, the weights, and the shrubs.
"""

from micropython import const

from ..construct import check_shape, footprint
from ..proof import Once, bad, between
from .plan import OPTIONS, Plan

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
_WINDOW = const(8)
_SHRUBS = const(9)
_ROOM = const(10)
_COUNT = const(11)
_HEAD = const(12)
_EVERY = const(13)
_WEIGH = const(14)
_TRAIN_IN = const(15)
_WEIGH_IN = const(16)
_STEP = const(17)
_STEP_SHIFT = const(18)
_ENTROPY = const(19)
_DEPTH = const(20)
_FLAGS = const(21)
_TRY = const(22)
_RANDOM = const(23)
_SEED = const(24)
_RECENT = const(25)
_TOKENS = const(26)
_LEAD = const(27)
_YOUNGEST = const(28)
_TAKE = const(30)
_AGREE = const(31)
_WEIGHTS = const(32)
_GAIN = const(1)
_EXACT = const(2)
_MAX_WINDOW = const(255)
_MAX_SHRUBS = const(64)
_MAX_EXACT = const(128)
_LABELS = const(2)
_ORDERS = const(3)

_RANGES = {
    _WINDOW: (2, _MAX_WINDOW),
    _SHRUBS: (1, _MAX_SHRUBS),
    _ROOM: (1, 254),
    _COUNT: (0, _MAX_WINDOW),
    _HEAD: (1, _MAX_WINDOW),
    _EVERY: (1, 1 << 20),
    _WEIGH: (1, 1 << 20),
    _TRAIN_IN: (1, 1 << 20),
    _WEIGH_IN: (1, 1 << 20),
    _STEP: (2048, 4095),
    _STEP_SHIFT: (-4, 17),  # a step of C * 512 .. C / 2048
    _ENTROPY: (0, 1),
    _DEPTH: (0, 254),
    _FLAGS: (0, _GAIN | _EXACT),
    _TRY: (0, 256),
    _RANDOM: (0, 1),
    _SEED: (1, 65535),
    _RECENT: (0, _MAX_WINDOW),
    _TOKENS: (0, 64),
    _LEAD: (-65536, 65536),
    _YOUNGEST: (-1, _MAX_SHRUBS),
    _TAKE: (0, _MAX_WINDOW),
    _AGREE: (0, 1 << 28),
}


_TOLD = {"window": _WINDOW, "shrubs": _SHRUBS, "nodes": _ROOM, "depth": _DEPTH}


class _Options:
    """The options that the header tells; the others leave no trace in the plan."""

    def __init__(self, words):
        self.words = words

    def __getitem__(self, name):
        if name == "exact":
            return bool(self.words[_FLAGS] & _EXACT)
        return self.words[_TOLD[name]] if name in _TOLD else OPTIONS[name]


def check_header(w, _values, places):
    """Prove the header and the number of places for samples that wait; returns the length of the scratch."""
    if len(w) < _WEIGHTS:
        bad("the header is too short")
    try:
        check_shape(w[_FEATURES], w[_CLASSES], w[_BUDGET])
    except ValueError as error:
        bad(str(error))
    between("features", w[_FEATURES], 1, 256)
    between("classes", w[_CLASSES], 2, 126)
    between("samples", w[_SAMPLES], 0, _FOREVER)
    for i in range(_SHARED, _WEIGHTS):
        low, high = _RANGES.get(i, (0, 0))
        between("header word %d" % i, w[i], low, high)
    _check_counters(w)
    p = Plan(w[_FEATURES], w[_CLASSES], w[_BUDGET], _Options(w))
    p.pending = places
    p.agree = lambda: w[_AGREE] > 0  # the plan's decision, which leaves no other trace
    if w[_AGREE] and w[_AGREE] != w[_OCTETS] - (w[_SHRUBS] + 1) * (w[_SHRUBS] + 1):
        bad("agreements at %d", w[_AGREE])
    if w[_FLAGS] & _EXACT:
        between("samples in an exact window", w[_WINDOW], 2, _MAX_EXACT)
        between("nodes of a fully grown shrub", w[_ROOM], p.room(), p.room())
        if w[_RECENT] or w[_AGREE]:
            bad("what no exact ensemble has")
    sizes = p.sizes()
    if sizes[:3] != (w[_WORDS], w[_HALVES], w[_OCTETS]):
        bad("the arrays have %d, %d, %d items, not %d, %d, %d", w[_WORDS], w[_HALVES], w[_OCTETS], *sizes[:3])
    if footprint(sizes, w[_FEATURES]) > w[_BUDGET]:
        bad("larger than its budget of %d bytes", w[_BUDGET])
    return sizes[3]


def _check_counters(w):
    """What one header word may be because of another."""
    between("nodes", w[_ROOM], -1, 256 - w[_CLASSES])
    between("samples in the window", w[_COUNT], -1, w[_WINDOW])
    between("features tried", w[_TRY], -1, w[_FEATURES])
    between("youngest", w[_YOUNGEST], -1, w[_SHRUBS])
    between("next shrub", w[_TRAIN_IN], -1, w[_EVERY])
    between("next step", w[_WEIGH_IN], -1, w[_WEIGH])
    between("recent samples", w[_RECENT], -1, w[_WINDOW])
    between("samples taken", w[_TAKE], -1, w[_COUNT])
    if w[_HEAD] > w[_WINDOW] or (w[_COUNT] < w[_WINDOW] and w[_HEAD] != w[_COUNT] + 1):
        bad("the next sample can't go to %d", w[_HEAD])


def _check_window(w, h, b):
    """Labels, and each feature's order: every slot in use once, by rising code."""
    window = w[_WINDOW]
    count = w[_COUNT]
    for s in range(_LABELS * window + 1, _LABELS * window + count + 1):
        if b[s] & 1:
            bad("label %d", b[s])
        between("label", b[s], 2, 2 * w[_CLASSES])
    for f in range(w[_FEATURES]):
        slots = Once("slot", count)
        code = 0
        at = (_ORDERS + f) * window + 1
        for i in range(at, at + count):
            slots.take(b[i] - 1)
            if h[f * window + b[i] - 1] < code:
                bad("the order of feature %d does not rise", f)
            code = h[f * window + b[i] - 1]


def _check_shrub(w, b, m):
    """A tree: nodes in the order of their birth, each the child of one before it."""
    room = w[_ROOM]
    places = w[_SHRUBS] + 1
    at = (_ORDERS + w[_FEATURES]) * w[_WINDOW] + 1
    n = between("nodes", b[at + m], 0, room)
    root = b[at + places + m]
    features = at + 2 * places + m * room
    nodes = Once("node", n)
    exact = w[_FLAGS] & _EXACT
    leaves = Once("leaf", n + 1)
    for k in range(-1, n):
        for side in range(2 if k >= 0 else 1):
            child = b[features + (1 + side) * places * room + k] if k >= 0 else root
            if child < room:
                if child <= k:
                    bad("node %d of a shrub has child %d", k, child)
                nodes.take(child)
            elif exact:
                leaves.take(child - room)
                counts = at + places * (3 * room + 2) + (m * (room + 1) + child - room) * w[_CLASSES]
                total = 0
                for i in range(counts, counts + w[_CLASSES]):
                    total += b[i]
                between("samples in a leaf", total, 1, w[_WINDOW])
            else:
                between("class at a leaf", child - room, 0, w[_CLASSES] - 1)
        if k >= 0:
            between("feature", b[features + k], 0, w[_FEATURES] - 1)
    nodes.all_taken()


def _check_places(w, b):
    """Weights that sum to a whole and leave a place free; shrubs."""
    total = 0
    free = 0
    at = (_ORDERS + w[_FEATURES]) * w[_WINDOW] + 1
    for m in range(w[_SHRUBS] + 1):
        weight = between("weight", w[_WEIGHTS + m], 0, 65536)
        total += weight
        if weight == 0:
            free += 1
            if m != w[_YOUNGEST] and b[at + m] == 0 and b[at + w[_SHRUBS] + 1 + m] == 0:
                continue  # nothing has ever grown there
        _check_shrub(w, b, m)
    if total not in (0, 65536) or not free:
        bad("the weights sum to %d, with %d places free", total, free)


def _vote(w, h, b, m, s):
    """The class that shrub m gives to the sample in slot s."""
    room = w[_ROOM]
    places = w[_SHRUBS] + 1
    at = (_ORDERS + w[_FEATURES]) * w[_WINDOW] + 1 + places
    features = at + places + m * room
    cuts = w[_FEATURES] * w[_WINDOW] + m * room
    k = b[at + m]
    while k < room:
        right = h[b[features + k] * w[_WINDOW] + s - 1] > h[cuts + k]
        k = b[features + (2 if right else 1) * places * room + k]
    return k - room


def _add_agreements(w, h, b, votes, change):
    """Add what the shrubs agree on, `change` a time, to the counts of the agreements."""
    places = w[_SHRUBS] + 1
    for s in range(1, w[_COUNT] + 1):
        label = (b[_LABELS * w[_WINDOW] + s] >> 1) - 1
        for m in range(places):
            votes[m] = _vote(w, h, b, m, s) if w[_WEIGHTS + m] else 255
        row = w[_AGREE]
        for m in range(places):
            if votes[m] != 255:
                for i in range(m + 1):
                    if votes[m] == (votes[i] if i < m else label):
                        if b[row + i] + change < 0:
                            bad("shrubs %d and %d agree more often than is known", m, i)
                        b[row + i] += change
            row += places


def _check_agreements(w, h, b):
    """They must be what a count of them gives: count down to 0, then up again."""
    votes = bytearray(w[_SHRUBS] + 1)
    _add_agreements(w, h, b, votes, -1)
    places = w[_SHRUBS] + 1
    for m in range(places):
        for i in range(m + 1):
            if w[_WEIGHTS + m] and w[_WEIGHTS + i] and b[w[_AGREE] + m * places + i]:
                bad("shrubs %d and %d agree less often than is known", m, i)
    _add_agreements(w, h, b, votes, 1)


def check(words, halves, octets):
    """Raise ImageError unless the arrays, whose header has been proved, are an ensemble's."""
    _check_counters(words)
    _check_window(words, halves, octets)
    _check_places(words, octets)
    if words[_AGREE]:
        _check_agreements(words, halves, octets)
