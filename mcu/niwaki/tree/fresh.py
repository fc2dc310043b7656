"""The state of a tree that has learned nothing: one leaf, which observes. Loaded to make or reset one."""

from micropython import const

from ..model import forget

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_HALVES = const(1)
_A_OCTETS = const(2)
_FEATURES = const(5)
_CLASSES = const(6)
_SHARED = const(8)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
_NODES = const(13)
_LEAVES = const(15)
_SLOTS = const(16)
_ACTIVE = const(17)
_FREE_PAIR = const(18)
_TOP_NODE = const(19)
_FREE_LEAF = const(20)
_TOP_LEAF = const(21)
_RANGE = const(25)
_NODE0 = const(10)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_WAIT = const(36)
_MONITORS = const(38)
_CANDIDATE = const(41)
_HITS = const(42)
_SPARE = const(43)
_STATISTICS = const(6)
_RACED = const(64)
_ADAPTIVE = const(256)
_EXACT = const(1024)
_STRICT = const(48)
_NODE_SLOT = const(3)

_TWO_CLASSES = const(1024)  # the range of the merit, in Q10, until a third class comes


def fill(arrays, header, values):
    """Write the header of a new tree, how many values its features have (None: numbers), and its leaf."""
    words = arrays[_A_WORDS]
    octets = arrays[_A_OCTETS]
    for i in range(_SHARED, header[_SLOT_WORDS0]):
        words[i] = header[i]
    for f in range(words[_FEATURES]):
        octets[f] = values[f] if values else 0
    begin(words, arrays[_A_HALVES], octets)


def begin(words, halves, octets):
    """Write the first leaf into arrays that have a header and the numbers of values, and are 0 otherwise."""
    features = words[_FEATURES]
    lanes = words[_LANES]
    raced = words[_FLAGS] & _RACED
    offset = 0
    for lane in range(lanes):
        halves[lane] = offset  # where its cells start
        offset += (words[_BINS] if raced else octets[lane] or words[_BINS]) * words[_CLASSES]
    for slot in range(words[_SLOTS]):
        words[words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]] = -1
        first = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES] + words[_CLASSES]
        for lane in range(lanes if raced else 0):
            halves[first + lane] = (slot * lanes + lane) % features
    words[words[_SLOT_WORDS0]] = 0  # the first slot observes the root
    halves[words[_NODE0] + _NODE_SLOT] = 1


def reset(self, seed=1):
    """Forget all that was learned: the tree is as its constructor made it. It draws nothing from a seed."""
    from ..blank import blank, seeded

    seeded(seed)
    words = self._arrays[_A_WORDS]
    blank(self, words[_SLOT_WORDS0], words[_FEATURES])
    for i in (_NODES, _LEAVES, _ACTIVE, _TOP_NODE, _TOP_LEAF):
        words[i] = 1
    for i in (_FREE_PAIR, _FREE_LEAF, _WAIT):
        words[i] = 0
    if words[_FLAGS] & _EXACT == 0:
        words[_RANGE] = _TWO_CLASSES
    if words[_FLAGS] & _ADAPTIVE:
        words[_CANDIDATE] = words[_HITS] = 0
        words[_SPARE] = words[_MONITORS]
    if words[_FLAGS] & _STRICT:
        for i in range(words[_SLOT_WORDS0] - _STATISTICS, words[_SLOT_WORDS0]):
            words[i] = 0
    begin(words, self._arrays[_A_HALVES], self._arrays[_A_OCTETS])
    forget("construct blank tree.fresh")
