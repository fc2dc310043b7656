"""Prove that a stored ensemble is one that the constructor and `learn` could have left.

Each header word has a range; one that has none must be 0, so a change of the layout can't weaken the check
unseen. Then come the window and each feature's order of it, the weights, and the shrubs.
"""

from micropython import const

from ..construct import check_shape
from ..proof import Once, bad, between, fit
from .options import OPTIONS
from .plan import Plan

# From the layouts, by `make consts`:
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
    """The options as the header has them; the plan does not depend on the others."""

    def __init__(self, words):
        self.words = words

    def __getitem__(self, name):
        if name == "exact":
            return bool(self.words[_FLAGS] & _EXACT)
        return self.words[_TOLD[name]] if name in _TOLD else OPTIONS[name]


def check_header(words, _values, places):
    """Prove the header and the number of places for samples that wait; returns the length of the scratch."""
    if len(words) < _WEIGHTS:
        bad("the header is too short")
    try:
        check_shape(words[_FEATURES], words[_CLASSES], words[_BUDGET])
    except ValueError as error:
        bad(str(error))
    between("features", words[_FEATURES], 1, 256)
    between("classes", words[_CLASSES], 2, 126)
    between("samples", words[_SAMPLES], 0, _FOREVER)
    for i in range(_SHARED, _WEIGHTS):
        low, high = _RANGES.get(i, (0, 0))
        between("header word %d" % i, words[i], low, high)
    _check_counters(words)
    p = Plan(words[_FEATURES], words[_CLASSES], words[_BUDGET], _Options(words))
    p.pending = places
    p.agree = lambda: words[_AGREE] > 0  # the plan decides this, and stores it in no other word
    if words[_AGREE] and words[_AGREE] != words[_OCTETS] - (words[_SHRUBS] + 1) * (words[_SHRUBS] + 1):
        bad("agreements at %d", words[_AGREE])
    if words[_FLAGS] & _EXACT:
        between("samples in an exact window", words[_WINDOW], 2, _MAX_EXACT)
        between("nodes of a fully grown shrub", words[_ROOM], p.room(), p.room())
        if words[_RECENT] or words[_AGREE]:
            bad("what no exact ensemble has")
    sizes = p.sizes()
    fit(words, sizes)
    return sizes[3]


def _check_counters(words):
    """Prove the header words whose range depends on another word."""
    between("nodes", words[_ROOM], -1, 256 - words[_CLASSES])
    between("samples in the window", words[_COUNT], -1, words[_WINDOW])
    between("features tried", words[_TRY], -1, words[_FEATURES])
    between("youngest", words[_YOUNGEST], -1, words[_SHRUBS])
    between("next shrub", words[_TRAIN_IN], -1, words[_EVERY])
    between("next step", words[_WEIGH_IN], -1, words[_WEIGH])
    between("recent samples", words[_RECENT], -1, words[_WINDOW])
    between("samples taken", words[_TAKE], -1, words[_COUNT])
    if words[_HEAD] > words[_WINDOW] or (
        words[_COUNT] < words[_WINDOW] and words[_HEAD] != words[_COUNT] + 1
    ):
        bad("the next sample can't go to %d", words[_HEAD])


def _check_window(words, halves, b):
    """Labels, and each feature's order: every slot in use once, by rising code."""
    window = words[_WINDOW]
    count = words[_COUNT]
    for s in range(_LABELS * window + 1, _LABELS * window + count + 1):
        if b[s] & 1:
            bad("label %d", b[s])
        between("label", b[s], 2, 2 * words[_CLASSES])
    for f in range(words[_FEATURES]):
        slots = Once("slot", count)
        code = 0
        at = (_ORDERS + f) * window + 1
        for i in range(at, at + count):
            slots.take(b[i] - 1)
            if halves[f * window + b[i] - 1] < code:
                bad("the order of feature %d does not rise", f)
            code = halves[f * window + b[i] - 1]


def _check_shrub(words, b, m):
    """A tree: nodes in the order of their birth, each the child of one before it."""
    room = words[_ROOM]
    places = words[_SHRUBS] + 1
    at = (_ORDERS + words[_FEATURES]) * words[_WINDOW] + 1
    n = between("nodes", b[at + m], 0, room)
    root = b[at + places + m]
    features = at + 2 * places + m * room
    nodes = Once("node", n)
    exact = words[_FLAGS] & _EXACT
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
                counts = at + places * (3 * room + 2) + (m * (room + 1) + child - room) * words[_CLASSES]
                total = 0
                for i in range(counts, counts + words[_CLASSES]):
                    total += b[i]
                between("samples in a leaf", total, 1, words[_WINDOW])
            else:
                between("class at a leaf", child - room, 0, words[_CLASSES] - 1)
        if k >= 0:
            between("feature", b[features + k], 0, words[_FEATURES] - 1)
    nodes.all_taken()


def _check_places(words, b):
    """Weights that sum to a whole and leave a place free; shrubs."""
    total = 0
    free = 0
    at = (_ORDERS + words[_FEATURES]) * words[_WINDOW] + 1
    for m in range(words[_SHRUBS] + 1):
        weight = between("weight", words[_WEIGHTS + m], 0, 65536)
        total += weight
        if weight == 0:
            free += 1
            if m != words[_YOUNGEST] and b[at + m] == 0 and b[at + words[_SHRUBS] + 1 + m] == 0:
                continue  # nothing has ever grown there
        _check_shrub(words, b, m)
    if total not in (0, 65536) or not free:
        bad("the weights sum to %d, with %d places free", total, free)


def _vote(words, halves, b, m, s):
    """The class that shrub m gives to the sample in slot s."""
    room = words[_ROOM]
    places = words[_SHRUBS] + 1
    at = (_ORDERS + words[_FEATURES]) * words[_WINDOW] + 1 + places
    features = at + places + m * room
    cuts = words[_FEATURES] * words[_WINDOW] + m * room
    k = b[at + m]
    while k < room:
        right = halves[b[features + k] * words[_WINDOW] + s - 1] > halves[cuts + k]
        k = b[features + (2 if right else 1) * places * room + k]
    return k - room


def _add_agreements(words, halves, b, votes, change):
    """Add what the shrubs agree on, `change` a time, to the counts of the agreements."""
    places = words[_SHRUBS] + 1
    for s in range(1, words[_COUNT] + 1):
        label = (b[_LABELS * words[_WINDOW] + s] >> 1) - 1
        for m in range(places):
            votes[m] = _vote(words, halves, b, m, s) if words[_WEIGHTS + m] else 255
        row = words[_AGREE]
        for m in range(places):
            if votes[m] != 255:
                for i in range(m + 1):
                    if votes[m] == (votes[i] if i < m else label):
                        if b[row + i] + change < 0:
                            bad("shrubs %d and %d agree more often than is known", m, i)
                        b[row + i] += change
            row += places


def _check_agreements(words, halves, b):
    """Prove the agreements: subtract what the window gives, see that all counts are 0, and add it again."""
    votes = bytearray(words[_SHRUBS] + 1)
    _add_agreements(words, halves, b, votes, -1)
    places = words[_SHRUBS] + 1
    for m in range(places):
        for i in range(m + 1):
            if words[_WEIGHTS + m] and words[_WEIGHTS + i] and b[words[_AGREE] + m * places + i]:
                bad("shrubs %d and %d agree less often than is known", m, i)
    _add_agreements(words, halves, b, votes, 1)


def check(words, halves, octets):
    """Raise ImageError unless the arrays, whose header has been proved, are an ensemble's."""
    _check_counters(words)
    _check_window(words, halves, octets)
    _check_places(words, octets)
    if words[_AGREE]:
        _check_agreements(words, halves, octets)
