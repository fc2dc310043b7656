"""Prove that a stored ensemble is one that the constructor and `learn` could have left.

Each header word has a range; one that has none must be 0, so a change of the layout can't weaken the check
unseen. Then come the window and each feature's order of it, the weights, and the shrubs.
"""

from ..construct import check_shape, footprint
from ..proof import Once, bad, between
from .layout import (
    AGREE,
    COUNT,
    DEPTH,
    ENTROPY,
    EVERY,
    GAIN,
    HEAD,
    LEAD,
    MAX_SHRUBS,
    MAX_WINDOW,
    RANDOM,
    RECENT,
    ROOM,
    SEED,
    SHRUBS,
    STEP,
    STEP_SHIFT,
    TAKE,
    TOKENS,
    TRAIN_IN,
    TRY,
    WEIGH,
    WEIGH_IN,
    WEIGHTS,
    WINDOW,
    YOUNGEST,
)
from .plan import OPTIONS, Plan

_RANGES = {
    WINDOW: (2, MAX_WINDOW),
    SHRUBS: (1, MAX_SHRUBS),
    ROOM: (1, 254),
    COUNT: (0, MAX_WINDOW),
    HEAD: (1, MAX_WINDOW),
    EVERY: (1, 1 << 20),
    WEIGH: (1, 1 << 20),
    TRAIN_IN: (1, 1 << 20),
    WEIGH_IN: (1, 1 << 20),
    STEP: (2048, 4095),
    STEP_SHIFT: (-4, 17),  # a step of C * 512 .. C / 2048
    ENTROPY: (0, 1),
    DEPTH: (0, 254),
    GAIN: (0, 1),
    TRY: (0, 256),
    RANDOM: (0, 1),
    SEED: (1, 65535),
    RECENT: (0, MAX_WINDOW),
    TOKENS: (0, 64),
    LEAD: (-65536, 65536),
    YOUNGEST: (-1, MAX_SHRUBS),
    TAKE: (0, MAX_WINDOW),
    AGREE: (0, 1 << 28),
}


_TOLD = {"window": WINDOW, "shrubs": SHRUBS, "nodes": ROOM}


class _Options:
    """The options that the header tells; the others leave no trace in the plan."""

    def __init__(self, words):
        self.words = words

    def __getitem__(self, name):
        return self.words[_TOLD[name]] if name in _TOLD else OPTIONS[name]


def check_header(w, _values, places):
    """Prove the header and the number of places for samples that wait; returns the length of the scratch."""
    if len(w) < WEIGHTS:
        bad("the header is too short")
    try:
        check_shape(w[5], w[6], w[4])
    except ValueError as error:
        bad(str(error))
    between("features", w[5], 1, 256)
    between("classes", w[6], 2, 126)
    between("samples", w[7], 0, 0x3FFFFFFF)
    for i in range(8, WEIGHTS):
        low, high = _RANGES.get(i, (0, 0))
        between("header word %d" % i, w[i], low, high)
    for name, i, high in (
        ("nodes", ROOM, 256 - w[6]),
        ("samples in the window", COUNT, w[WINDOW]),
        ("features tried", TRY, w[5]),
        ("youngest", YOUNGEST, w[SHRUBS]),
        ("next shrub", TRAIN_IN, w[EVERY]),
        ("next step", WEIGH_IN, w[WEIGH]),
        ("recent samples", RECENT, w[WINDOW]),
        ("samples taken", TAKE, w[COUNT]),
    ):
        between(name, w[i], -1, high)
    if w[HEAD] > w[WINDOW] or (w[COUNT] < w[WINDOW] and w[HEAD] != w[COUNT] + 1):
        bad("the next sample can't go to %d", w[HEAD])

    p = Plan(w[5], w[6], w[4], _Options(w))
    p.pending = places
    p.agree = lambda: w[AGREE] > 0  # the plan's decision, which leaves no other trace
    if w[AGREE] and w[AGREE] != w[3] - (w[SHRUBS] + 1) * (w[SHRUBS] + 1):
        bad("agreements at %d", w[AGREE])
    sizes = p.sizes()
    if sizes[:3] != (w[1], w[2], w[3]):
        bad("the arrays have %d, %d, %d items, not %d, %d, %d", w[1], w[2], w[3], *sizes[:3])
    if footprint(sizes, w[5]) > w[4]:
        bad("larger than its budget of %d bytes", w[4])
    return sizes[3]


def _check_window(w, h, b):
    """Labels, and each feature's order: every slot in use once, by rising code."""
    window = w[WINDOW]
    count = w[COUNT]
    for s in range(2 * window + 1, 2 * window + count + 1):
        if b[s] & 1:
            bad("label %d", b[s])
        between("label", b[s], 2, 2 * w[6])
    for f in range(w[5]):
        slots = Once("slot", count)
        code = 0
        at = (3 + f) * window + 1
        for i in range(at, at + count):
            slots.take(b[i] - 1)
            if h[f * window + b[i] - 1] < code:
                bad("the order of feature %d does not rise", f)
            code = h[f * window + b[i] - 1]


def _check_shrub(w, b, m):
    """A tree: nodes in the order of their birth, each the child of one before it."""
    room = w[ROOM]
    places = w[SHRUBS] + 1
    at = (3 + w[5]) * w[WINDOW] + 1
    n = between("nodes", b[at + m], 0, room)
    root = b[at + places + m]
    features = at + 2 * places + m * room
    nodes = Once("node", n)
    for k in range(-1, n):
        for i in range(2 if k >= 0 else 1):
            child = b[features + (1 + i) * places * room + k] if k >= 0 else root
            if child < room:
                if child <= k:
                    bad("node %d of a shrub has child %d", k, child)
                nodes.take(child)
            else:
                between("class at a leaf", child - room, 0, w[6] - 1)
        if k >= 0:
            between("feature", b[features + k], 0, w[5] - 1)
    nodes.all_taken()


def _check_places(w, b):
    """Weights that sum to a whole and leave a place free; shrubs."""
    total = 0
    free = 0
    at = (3 + w[5]) * w[WINDOW] + 1
    for m in range(w[SHRUBS] + 1):
        weight = between("weight", w[WEIGHTS + m], 0, 65536)
        total += weight
        if weight == 0:
            free += 1
            if m != w[YOUNGEST] and b[at + m] == 0 and b[at + w[SHRUBS] + 1 + m] == 0:
                continue  # nothing has ever grown there
        _check_shrub(w, b, m)
    if total not in (0, 65536) or not free:
        bad("the weights sum to %d, with %d places free", total, free)


def _vote(w, h, b, m, s):
    """The class that shrub m gives to the sample in slot s."""
    room = w[ROOM]
    places = w[SHRUBS] + 1
    at = (3 + w[5]) * w[WINDOW] + 1 + places
    features = at + places + m * room
    cuts = w[5] * w[WINDOW] + m * room
    k = b[at + m]
    while k < room:
        right = h[b[features + k] * w[WINDOW] + s - 1] > h[cuts + k]
        k = b[features + (2 if right else 1) * places * room + k]
    return k - room


def _add_agreements(w, h, b, votes, change):
    """Add what the shrubs agree on, `change` a time, to the counts of the agreements."""
    places = w[SHRUBS] + 1
    for s in range(1, w[COUNT] + 1):
        label = (b[2 * w[WINDOW] + s] >> 1) - 1
        for m in range(places):
            votes[m] = _vote(w, h, b, m, s) if w[WEIGHTS + m] else 255
        row = w[AGREE]
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
    votes = bytearray(w[SHRUBS] + 1)
    _add_agreements(w, h, b, votes, -1)
    places = w[SHRUBS] + 1
    for m in range(places):
        for i in range(m + 1):
            if w[WEIGHTS + m] and w[WEIGHTS + i] and b[w[AGREE] + m * places + i]:
                bad("shrubs %d and %d agree less often than is known", m, i)
    _add_agreements(w, h, b, votes, 1)


def check(words, halves, octets):
    """Raise ImageError unless the arrays, whose header has been proved, are an ensemble's."""
    _check_window(words, halves, octets)
    _check_places(words, octets)
    if words[AGREE]:
        _check_agreements(words, halves, octets)
