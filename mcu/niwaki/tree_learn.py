"""Update the leaf that `predict` found: counts, the adaptive leaf's scores, the auto-ranging histograms."""

import micropython
from micropython import const

_CLASSES = const(6)
_SAMPLES = const(7)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
_CELLS = const(11)
_GRACE = const(22)
_NODE0 = const(27)
_LEAF0 = const(28)
_SLOT_HALVES0 = const(29)
_SLOT_HALVES = const(30)
_SLOT_WORDS0 = const(31)
_SLOT_WORDS = const(32)
_CELL0 = const(33)
_CELL_STRIDE = const(34)
_NODE = const(6)
_LEAF = const(3)
_SLOT = const(4)
_POOR = const(0x20000000)
_YOUNG = const(8)  # below so many samples a window grows at once


@micropython.viper
def learn(
    words: ptr32, halves: ptr16, octets: ptr8, x: ptr16, scratch: ptr32, log2: ptr16, y: int
) -> int:
    """Add one sample to its leaf. Returns the work that is due: 7 a split attempt, 6 a look for a slot.

    A window that has seen a few samples does not believe a single value outside it: the value is counted
    in the edge bin, and only when outsiders are more than about one in 64 does the window double towards
    them. So a glitch costs nothing, and a real change of range is followed within some samples.
    """
    classes = words[_CLASSES]
    at = words[_NODE0] + scratch[classes] * _NODE
    leaf = words[_LEAF0] + halves[at + 2] * (_LEAF + classes)
    counts = leaf + _LEAF
    slot = halves[at + 3] - 1
    flags = words[_FLAGS]
    if words[_SAMPLES] < 0x3FFFFFFF:
        words[_SAMPLES] += 1

    # Which of majority class and naive Bayes would have been right, since the leaf was born.
    if scratch[classes + 2] >= 0:
        if scratch[classes + 1] == y:
            halves[leaf] += 1
        if scratch[classes + 2] == y:
            halves[leaf + 1] += 1
        if halves[leaf] == 65535 or halves[leaf + 1] == 65535:
            halves[leaf] >>= 1
            halves[leaf + 1] >>= 1
    if scratch[classes + 1] != y:
        if halves[leaf + 2] < 65535:
            halves[leaf + 2] += 1  # promise: what a split could still win here
    halves[counts + y] += 1
    if halves[counts + y] == 65535:
        for c in range(classes):
            halves[counts + c] >>= 1

    if slot < 0:
        n = halves[at + 4] + 1
        if n >= words[_GRACE]:
            halves[at + 4] = 0
            return 6
        halves[at + 4] = n
        return 0

    wide = flags & 8
    limit = 255
    if wide:
        limit = 65535
    raced = flags & 64
    skip_poor = 0
    if flags & 3 == 0:
        skip_poor = _POOR  # naive Bayes needs poor attributes, a majority leaf does not
    bins = words[_BINS]
    born = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
    record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
    cell0 = words[_CELL0] + slot * words[_CELL_STRIDE]
    age = words[record + 1]
    full = 0

    for lane in range(words[_LANES]):
        f = lane
        if raced:
            f = halves[born + classes + lane]
        u = (x[f] + 32768) & 65535
        if u == 0:
            continue
        window = words[record + _SLOT + lane]
        if window & skip_poor:
            continue
        base = cell0 + halves[lane]
        b = octets[f]
        if b:
            if u - 32768 >= b or u < 32768:
                continue  # not one of the declared values: as good as missing
            b = u - 32768
        else:
            poor = window & _POOR
            window -= poor
            if window == 0:
                window = (u + 65536) << 12
                words[record + _SLOT + lane] = window | poor
            lo = (window >> 12) - 65536
            shift = window & 15
            b = (u - lo) >> shift
            while b < 0 or b >= bins:
                if age >= _YOUNG:
                    need = 1 + (age >> 6)
                    if need > 255:
                        need = 255
                    if (window >> 4) & 255 < need:
                        words[record + _SLOT + lane] = (window + 16) | poor
                        if b < 0:
                            b = 0
                        else:
                            b = bins - 1
                        break
                # Double the window, folding bins in pairs: towards bin 0 when it grows upwards.
                half = bins >> 1
                for i in range(half):
                    to = base + i * classes
                    source = to + i * classes
                    if b < 0:
                        to = base + (bins - 1 - i) * classes
                        source = base + (bins - 2 - 2 * i) * classes
                    for c in range(classes):
                        if wide:
                            n = halves[source + c] + halves[source + classes + c]
                        else:
                            n = octets[source + c] + octets[source + classes + c]
                        if n > limit:
                            n = limit
                        if wide:
                            halves[to + c] = n
                        else:
                            octets[to + c] = n
                # The emptied half: above when the window grew upwards, below when downwards.
                to = base + half * classes
                if b < 0:
                    to = base
                    lo -= bins << shift
                for c in range(half * classes):
                    if wide:
                        halves[to + c] = 0
                    else:
                        octets[to + c] = 0
                shift += 1
                window = ((lo + 65536) << 12) | shift
                words[record + _SLOT + lane] = window | poor
                b = (u - lo) >> shift
        cell = base + b * classes + y
        if wide:
            n = halves[cell] + 1
            halves[cell] = n
        else:
            n = octets[cell] + 1
            octets[cell] = n
        if n >= limit:
            full = 1

    halves[born + y] += 1
    words[record + 3] += 1
    if full or words[record + 3] == 65535:
        # Halve the whole leaf: proportions stay, and nothing wraps.
        words[record + 3] = 0
        for c in range(classes):
            n = halves[born + c] >> 1
            halves[born + c] = n
            words[record + 3] += n
        for c in range(cell0, cell0 + words[_CELLS]):
            if wide:
                halves[c] >>= 1
            else:
                octets[c] >>= 1
    if age < 65535:
        age += 1
        words[record + 1] = age
    elif words[record + 2]:
        words[record + 2] -= 1
    if age - words[record + 2] >= words[_GRACE]:
        words[record + 2] = age
        return 7
    return 0
