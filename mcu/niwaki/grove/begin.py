"""Begin a shrub: choose the samples of the memory that it is grown on."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_MEMORY = const(8)
_RECENT = const(9)
_SHRUBS = const(10)
_ROOM = const(11)
_TAKE = const(12)
_BINS = const(13)
_COUNT = const(15)
_SEED = const(18)
_GROWING = const(19)
_LEAVES = const(20)
_TAKEN = const(21)
_REST = const(22)
_STAND_ROWS = const(3)
_NODE_ROWS = const(4)
_ROOT = const(255)
_S_ROWS = const(13)

_DRAWN = const(128)  # samples that are drawn in one call


@micropython.viper
def begin(at: ptr32, x: ptr16) -> int:
    """Begin the shrub that is due: one leaf, with the whole memory, or with TAKE samples of it.

    The samples of its leaf must lie side by side at the front of the memory. So each sample that is drawn
    changes places with one at the front. A call draws some of them only, so that it stays short.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    features = words[_FEATURES]
    classes = words[_CLASSES]
    labels = (words[_MEMORY] + words[_RECENT]) * features
    room = words[_ROOM]
    stand = words[_GROWING]
    stands = words[_SHRUBS] + 1
    nodes_at = labels + words[_MEMORY] + words[_RECENT] + features * (words[_BINS] * classes + 1)
    count = words[_COUNT]
    taken = words[_TAKE]
    if count <= taken:
        taken = count
    else:
        place = words[_TAKEN]
        last = place + _DRAWN
        if last > taken:
            last = taken
        seed = words[_SEED]
        while place < last:
            seed ^= (seed << 7) & 65535
            seed ^= seed >> 9
            seed ^= (seed << 8) & 65535
            other = place + (((seed >> 1) * (count - place)) >> 15)
            label = octets[labels + place]
            octets[labels + place] = octets[labels + other]
            octets[labels + other] = label
            code_at = place * features
            other *= features
            f = features
            while f:
                f -= 1
                code = octets[code_at + f]
                octets[code_at + f] = octets[other + f]
                octets[other + f] = code
            place += 1
        words[_SEED] = seed
        if last < taken:
            words[_TAKEN] = last
            return 0
    words[_TAKEN] = taken
    words[_REST] -= count

    # Its only leaf answers the class that most of the samples taken have.
    for c in range(_S_ROWS, _S_ROWS + classes):
        scratch[c] = 0
    place = taken
    while place:
        place -= 1
        scratch[_S_ROWS + octets[labels + place]] += 1
    known = 0
    most = 0
    major = 0
    c = classes
    while c:
        c -= 1
        if halves[c]:
            known += 1
        if scratch[_S_ROWS + c] >= most:
            most = scratch[_S_ROWS + c]
            major = c
    octets[nodes_at + stand] = 0
    octets[nodes_at + stands + stand] = room + major
    octets[nodes_at + 2 * stands + stand] = known
    octets[nodes_at + _STAND_ROWS * stands + _NODE_ROWS * stands * room] = _ROOT
    starts = 2 * classes
    ends = starts + room + 1
    errors = ends + room + 1
    halves[starts] = 0
    halves[ends] = taken
    halves[errors] = taken - most
    words[_LEAVES] = 1
    return 0
