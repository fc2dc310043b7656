"""Prove the header of a stored tree: the first step of check.py.

Every word is either derived from the plan (then it must be what `write_header` would write), or a parameter
or part of the state (then it has a range). A new header word is refused until it has a range here, so that a
change of the layout can't weaken the check unseen.
"""

from micropython import const

from ..construct import check_shape
from ..proof import Header, bad, between, fit
from .header import write_header
from .options import OPTIONS
from .room import Room

# From the layouts, by `make consts`:
_BUDGET = const(4)
_FEATURES = const(5)
_CLASSES = const(6)
_SAMPLES = const(7)
_SHARED = const(8)
_FOREVER = const(0x3FFFFFFF)
_FLAGS = const(8)
_BINS = const(9)
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
_GRACE = const(22)
_HALF_LN = const(23)
_TAU = const(24)
_RANGE = const(25)
_OMEGA = const(26)
_WAIT = const(36)
_HEADER = const(37)
_MONITORS = const(38)
_STATISTICS = const(6)
_WIDE = const(8)
_DROP_POOR = const(128)
_ADAPTIVE = const(256)
_MEMO = const(512)
_EXACT = const(1024)
_HELLINGER = const(2048)
_MAX_DEPTH_AT = const(13)
_MAX_DEPTH = const(63)
_NB_THRESHOLD_AT = const(19)
_NB_THRESHOLD = const(2047)
_BAYES = const(3)
_STRICT = const(48)
_STRICT_AT = const(4)
_GINI_AT = const(2)

# Header words that are no function of the plan, with their ranges; those that point are checked by the walk.
_RANGES = {
    _SAMPLES: (0, _FOREVER),
    _NODES: (1, 65535),
    _LEAVES: (1, 65535),
    _ACTIVE: (0, 65535),
    _FREE_PAIR: (0, 65535),
    _TOP_NODE: (1, 65535),
    _FREE_LEAF: (0, 65535),
    _TOP_LEAF: (1, 65535),
    _GRACE: (1, 65535),
    _HALF_LN: (355, 14148),  # delta 0.5 .. 1e-12
    _TAU: (0, 16 << 16),
    _OMEGA: (0, 1024),
    _RANGE: (1024, 8192),
    _WAIT: (0, 65535),
}
# The strict rules' statistics: entropy and gain are at most 8 bits, Q16; deviations Q10; n Q12.
_HELD = ((0, 1 << 20), (0, 8 << 16), (0, 1 << 27), (0, 8 << 16), (0, 1 << 27), (0, 65535 << 12))


class _Options:
    """The options that the flags stand for; others get their defaults, as no plan depends on them."""

    def __init__(self, flags, places):
        self.flags = flags
        self.places = places

    def __getitem__(self, name):
        flags = self.flags
        if name == "leaf":
            return ("mc", "nb", "nba")[flags & _BAYES]
        if name == "criterion":
            return "hellinger" if flags & _HELLINGER else ("gain", "gini")[flags >> _GINI_AT & 1]
        if name == "strict":
            return (flags & _STRICT) >> _STRICT_AT
        if name == "drop_poor":
            return bool(flags & _DROP_POOR)
        if name == "adaptive":
            return bool(flags & _ADAPTIVE)
        if name == "memo":
            return bool(flags & _MEMO)
        if name == "exact":
            return bool(flags & _EXACT)
        if name == "max_depth":
            return flags >> _MAX_DEPTH_AT & _MAX_DEPTH
        if name == "nb_threshold":
            return flags >> _NB_THRESHOLD_AT & _NB_THRESHOLD
        if name == "pending":
            return self.places
        return OPTIONS[name]


def _plan(words, values, places):
    """The plan that the header speaks of."""
    if len(words) < _HEADER:
        bad("the header is too short")
    try:
        check_shape(words[_FEATURES], words[_CLASSES], words[_BUDGET])
    except ValueError as error:
        bad(str(error))
    flags = words[_FLAGS]
    between("leaf kind", flags & _BAYES, 0, 2)
    between("strict", (flags & _STRICT) >> _STRICT_AT, 0, 2)
    if flags & _HELLINGER and words[_CLASSES] != 2:
        bad("a Hellinger distance between %d classes", words[_CLASSES])
    if words[_BINS] not in (4, 8, 16, 32, 64):
        bad("%d bins", words[_BINS])
    between("lanes", words[_LANES], 1, words[_FEATURES])
    between("nodes", words[_MAX_NODES], 1, 65535)
    between("slots", words[_SLOTS], 1, 65534)
    if len(values) != words[_FEATURES]:
        bad("the octets are too short")
    for f in range(words[_FEATURES]):
        if values[f] == 1:
            bad("feature %d has one value", f)
    o = _Options(flags, places)
    p = Room(
        words[_FEATURES],
        words[_CLASSES],
        words[_BUDGET],
        o,
        values,
        words[_BINS],
        bool(flags & _WIDE),
        words[_LANES],
    )
    if len(words) < p.header:
        bad("the header is too short")
    if p.monitors:
        p.monitors = between("monitors", words[_MONITORS], 1, p.monitors)
    p.nodes = words[_MAX_NODES]
    p.slots = words[_SLOTS]
    if p.cells > 65535:
        bad("%d cells in a slot", p.cells)
    return p


def check_header(words, values, places):
    """Prove the header, with the first octets at hand; returns the length of the scratch.

    `places` is how many samples can wait for their labels: what the last but one of the halves says.
    """
    p = _plan(words, values, places)
    flags = words[_FLAGS]
    sizes = p.sizes(p.nodes, p.slots)
    fit(words, sizes)
    ranges = dict(_RANGES)
    if p.monitors:
        from .drift_check import RANGES

        ranges.update(RANGES)
    if flags & _STRICT:
        for i in range(_STATISTICS):
            ranges[p.header - _STATISTICS + i] = _HELD[i]
    if p.lone(p.nodes):
        ranges.pop(_GRACE)  # then it is what the plan says
    for i in ranges:
        between("a word of the header", words[i], *ranges[i])
    header = Header(words, p.header, ranges)
    write_header(header, p)
    for f in range(words[_FEATURES]):
        if values[f] != p.values[f]:
            bad("values of feature %d", f)
    header.finish(_SHARED)
    return sizes[3]
