"""Update a sample's leaf: class counts, the adaptive leaf's scores, the auto-ranging histograms."""

import micropython
from micropython import const

_FEATURES = const(5)
_CLASSES = const(6)
_SAMPLES = const(7)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
_GRACE = const(22)
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_CELL0 = const(32)
_CELL_STRIDE = const(33)
_WAIT = const(36)
_NODE = const(6)
_LEAF = const(5)
_SLOT = const(4)
_POOR = const(0x20000000)
_HALVE = const(1)  # bits of what is due, in the order of tree._variants
_SPLITS = const(2)
_STRICT = const(8)
_VERDICT = const(244)  # rule, prune, sides, grow, empty
_LOOK = const(208)  # prune, grow, empty
_TURN = const(8192)  # then predict and learn the sample once more
_AGAIN = const(16384)  # in an adaptive tree: `watch`
_EPOCH = const(12)
_YOUNG = const(8)  # below so many samples a window grows at once
_S_NODE = const(5)
_S_BAYES = const(6)
_S_LOGS = const(7)
_S_EMPTY = const(14)
_S_SHIFT = const(16)
_S_START = const(17)


@micropython.viper
def learn(at: ptr32, x: ptr16, length: int, y: int) -> int:
    """Add one sample to its leaf. Returns the work that is due: halving, a split attempt, a look for a slot;
    -1 for a wrong length or a label that does not exist.

    With naive Bayes at the leaves, `predict` must have seen the sample just before.

    A split attempt has two halves, so that no call takes too long: the gains are found when the leaf's grace
    period ends, the decision is taken when `learn` is called next, before anything has changed. In an
    adaptive tree, where several trees learn the same sample, both are due at once.

    A window that has seen a few samples does not believe a single value outside it: the value is counted
    in the edge bin, and only when outsiders are more than about one in 64 does the window double towards
    them. So a glitch costs nothing, and a real change of range is followed within some samples.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    classes = words[_CLASSES]
    if length != words[_FEATURES] or y >= classes:
        return -1
    flags = words[_FLAGS]
    n = words[_WAIT]
    if n:
        words[_WAIT] = 0
        scratch[_S_NODE] = n - 1
        if flags & 48:
            return _VERDICT | _STRICT | _TURN
        return _VERDICT | _TURN
    node = scratch[_S_START]
    p = words[_NODE0] + node * _NODE
    child = halves[p + 1]
    while child:  # as in predict(): a kernel that called another would pay for more than this loop
        node = child
        u = (x[halves[p + 2]] + 32768) & 65535
        k = halves[p + 5]
        if not u:
            node += k & 1
        elif k & 2:
            if u - halves[p + 3]:
                node += 1
        elif u > halves[p + 3]:
            node += 1
        p = words[_NODE0] + node * _NODE
        child = halves[p + 1]
    scratch[_S_NODE] = node
    leaf = words[_LEAF0] + halves[p + 2] * (_LEAF + classes)
    slot = halves[p + 3]
    n = words[_SAMPLES]
    if n < 0x3FFFFFFF:
        words[_SAMPLES] = n + 1

    # Which of majority class and naive Bayes would have been wrong, since the leaf was born.
    k = halves[leaf + 4]
    due = 0
    if flags & 256:
        c = k
        if flags & 3 and scratch[_S_LOGS]:
            c = scratch[_S_BAYES]
        scratch[_S_LOGS] = 0
        if c - y:
            scratch[_S_LOGS] = 1  # the prediction was wrong
        due = _AGAIN
    if flags & 3:
        c = halves[leaf]
        u = halves[leaf + 1]
        if k - y:
            c += 1
        if scratch[_S_BAYES] - y:
            u += 1
        if (c | u) >> 16:
            c >>= 1
            u >>= 1
        halves[leaf] = c
        halves[leaf + 1] = u
    if k - y:
        c = halves[leaf + 2] + 1
        if not c >> 16:
            halves[leaf + 2] = c  # promise: what a split could still win here
    # Class counts fade by half in each epoch, so that those of different leaves can be compared.
    counts = leaf + _LEAF
    n = (n >> _EPOCH) & 65535
    if n - halves[leaf + 3] or halves[counts + y] == 65534:
        halves[leaf + 3] = n
        if halves[counts + k] > 15:
            u = 0
            c = classes
            while c:  # counting down is what a loop pays least for
                c -= 1
                n = halves[counts + c] >> 1
                halves[counts + c] = n
                if n >= u:
                    u = n
                    k = c
            halves[leaf + 4] = k
    n = halves[counts + y] + 1
    halves[counts + y] = n
    u = halves[counts + k]
    if n > u or (n == u and y < k):
        halves[leaf + 4] = y

    if not slot:
        n = halves[p + 4] + 1
        if n >= words[_GRACE]:
            halves[p + 4] = 0
            return _LOOK | due
        halves[p + 4] = n
        return due

    slot -= 1
    wide = flags & 8
    limit = 255
    if wide:
        limit = 65535
    raced = flags & 64
    poor = _POOR
    if flags & 3:
        poor = 0  # naive Bayes needs poor attributes, a majority leaf does not
    bins = words[_BINS]
    outside = 0 - bins
    born = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
    record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
    cell0 = words[_CELL0] + slot * words[_CELL_STRIDE] + y
    age = words[record + 1]

    lane = words[_LANES]
    while lane:
        lane -= 1
        f = lane
        if raced:
            f = halves[born + classes + lane]
        u = (x[f] + 32768) & 65535
        n = words[record + _SLOT + lane]
        k = octets[f]
        if not u or n & poor:
            continue
        if k:
            u -= 32768
            if u < 0 or u >= k:
                continue  # not one of the declared values: as good as missing
        else:
            b = (u + 65536 - ((n >> 12) & 0x1FFFF)) >> (n & 15)
            if b & outside:
                if not n & 0x1FFFFFFF:
                    n |= (u + 65536) << 12  # the first value
                    b = 0
                k = (age >> 6) + 1
                if k > 255:
                    k = 255
                if b and age >= _YOUNG and (n >> 4) & 255 < k:
                    n += 16
                elif b:
                    # Double it, once or until the value is inside, and fold the bins.
                    lo = ((n >> 12) & 0x1FFFF) - 65536
                    shift = n & 15
                    down = b >> 31
                    k = 0
                    while b & outside:
                        if down:
                            lo -= bins << shift
                        shift += 1
                        k += 1
                        b = (u - lo) >> shift
                        if age >= _YOUNG:
                            break
                    n = (n & _POOR) | ((lo + 65536) << 12) | shift
                    i = 0
                    top = 0
                    if down:
                        i = bins - 1
                        top = (bins << k) - bins
                    while i - bins and i + 1:
                        source = cell0 + halves[lane] - y
                        to = source + ((i + top) >> k) * classes
                        source += i * classes
                        c = classes
                        while c:
                            c -= 1
                            if wide:
                                v = halves[source]
                                halves[source] = 0
                                v += halves[to]
                            else:
                                v = octets[source]
                                octets[source] = 0
                                v += octets[to]
                            if v >= limit:
                                v = limit - 1  # one more must fit, and then halves the leaf
                            if wide:
                                halves[to] = v
                            else:
                                octets[to] = v
                            source += 1
                            to += 1
                        i += down | 1
                words[record + _SLOT + lane] = n
                if b < 0:
                    b = 0
                elif b >= bins:
                    b = bins - 1
            u = b
        k = cell0 + halves[lane] + u * classes
        if wide:
            n = halves[k] + 1
            halves[k] = n
        else:
            n = octets[k] + 1
            octets[k] = n
        if n >= limit:
            due |= _HALVE

    halves[born + y] += 1
    n = words[record + 3] + 1
    words[record + 3] = n
    if n == 65535:
        due |= _HALVE
    n = words[record + 2]
    if age < 65535:
        age += 1
        words[record + 1] = age
    elif n:
        n -= 1  # an age that stands still must not stop the attempts
        words[record + 2] = n
    if age - n >= words[_GRACE]:
        if due & _HALVE and words[_GRACE] > 1:
            words[record + 2] = age + 1 - words[_GRACE]  # one thing at a time: the next sample will do
        else:
            words[record + 2] = age
            due |= _SPLITS
            if flags & 256 == 0:
                words[_WAIT] = node + 1
            else:
                due |= _VERDICT
                if flags & 48:
                    due |= _STRICT
    if due & _HALVE:
        scratch[_S_EMPTY] = slot + 1
        scratch[_S_EMPTY + 1] = 0
        scratch[_S_SHIFT] = 1
    return due
