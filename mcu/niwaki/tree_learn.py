"""Update the leaf that `predict` found: counts, the adaptive leaf's scores, the auto-ranging histograms."""

import micropython
from micropython import const

_CLASSES = const(6)
_SAMPLES = const(7)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
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
_LEAF = const(4)
_SLOT = const(4)
_POOR = const(0x20000000)
_HALVE = const(1)  # bits of what is due, in the order of Tree.KERNELS
_ATTEMPT = const(58)  # all the others, but for the strict rules
_STRICT = const(4)
_LOOK = const(48)
_EPOCH = const(13)
_YOUNG = const(8)  # below so many samples a window grows at once
_S_NODE = const(0)
_S_MAJORITY = const(1)
_S_BAYES = const(2)
_S_EMPTY = const(10)
_S_SHIFT = const(12)


@micropython.viper
def learn(
    words: ptr32, halves: ptr16, octets: ptr8, x: ptr16, scratch: ptr32, log2: ptr16, y: int
) -> int:
    """Add one sample to its leaf. Returns the work that is due: halving, a split attempt, a look for a slot.

    A window that has seen a few samples does not believe a single value outside it: the value is counted
    in the edge bin, and only when outsiders are more than about one in 64 does the window double towards
    them. So a glitch costs nothing, and a real change of range is followed within some samples.
    """
    classes = words[_CLASSES]
    at = words[_NODE0] + scratch[classes + _S_NODE] * _NODE
    leaf = words[_LEAF0] + halves[at + 2] * (_LEAF + classes)
    counts = leaf + _LEAF
    slot = halves[at + 3] - 1
    flags = words[_FLAGS]
    if words[_SAMPLES] < 0x3FFFFFFF:
        words[_SAMPLES] += 1

    # Which of majority class and naive Bayes would have been right, since the leaf was born.
    if scratch[classes + _S_BAYES] >= 0:
        if scratch[classes + _S_MAJORITY] == y:
            halves[leaf] += 1
        if scratch[classes + _S_BAYES] == y:
            halves[leaf + 1] += 1
        if halves[leaf] == 65535 or halves[leaf + 1] == 65535:
            halves[leaf] >>= 1
            halves[leaf + 1] >>= 1
    if scratch[classes + _S_MAJORITY] != y:
        if halves[leaf + 2] < 65535:
            halves[leaf + 2] += 1  # promise: what a split could still win here
    # Class counts fade by half in each epoch, so that those of different leaves can be compared.
    n = (words[_SAMPLES] >> _EPOCH) & 65535
    if n != halves[leaf + 3] or halves[counts + y] == 65534:
        halves[leaf + 3] = n
        n = 0
        for c in range(classes):
            if halves[counts + c] > 15:
                n = 1
        if n:
            for c in range(classes):
                halves[counts + c] >>= 1
    halves[counts + y] += 1

    if slot < 0:
        n = halves[at + 4] + 1
        if n >= words[_GRACE]:
            halves[at + 4] = 0
            return _LOOK
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
            if b < 0 or b >= bins:
                need = 1 + (age >> 6)
                if need > 255:
                    need = 255
                if age >= _YOUNG and (window >> 4) & 255 < need:
                    words[record + _SLOT + lane] = (window + 16) | poor
                else:
                    # Double it, once or until the value is inside, and fold the bins.
                    down = 0
                    if b < 0:
                        down = 1
                    k = 0
                    while b < 0 or b >= bins:
                        if down:
                            lo -= bins << shift
                        shift += 1
                        k += 1
                        b = (u - lo) >> shift
                        if age >= _YOUNG:
                            break
                    words[record + _SLOT + lane] = ((lo + 65536) << 12) | shift | poor
                    for i in range(bins):
                        to = i >> k
                        j = i
                        if down:
                            j = bins - 1 - i
                            to = (j + (bins << k) - bins) >> k
                        j = base + j * classes
                        to = base + to * classes
                        for c in range(classes):
                            if wide:
                                n = halves[j + c]
                                halves[j + c] = 0
                                n += halves[to + c]
                            else:
                                n = octets[j + c]
                                octets[j + c] = 0
                                n += octets[to + c]
                            if n > limit:
                                n = limit
                            if wide:
                                halves[to + c] = n
                            else:
                                octets[to + c] = n
                if b < 0:
                    b = 0
                elif b >= bins:
                    b = bins - 1
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
    due = 0
    if full or words[record + 3] == 65535:
        scratch[classes + _S_EMPTY] = slot + 1
        scratch[classes + _S_EMPTY + 1] = 0
        scratch[classes + _S_SHIFT] = 1
        due = _HALVE
    if age < 65535:
        age += 1
        words[record + 1] = age
    elif words[record + 2]:
        words[record + 2] -= 1
    if age - words[record + 2] >= words[_GRACE]:
        words[record + 2] = age
        due |= _ATTEMPT
        if flags & 48:
            due |= _STRICT
    return due
