"""Update a sample's leaf: class counts, the adaptive leaf's scores, the auto-ranging histograms."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_SAMPLES = const(7)
_FOREVER = const(0x3FFFFFFF)
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
_WIDE = const(8)
_RACED = const(64)
_ADAPTIVE = const(256)
_BAYES = const(3)
_STRICT = const(48)
_NODE_CHILD = const(1)
_NODE_FEATURE = const(2)
_NODE_LEAF = const(2)
_NODE_THRESHOLD = const(3)
_NODE_SLOT = const(3)
_NODE_SEEN = const(4)
_NODE_SHAPE = const(5)
_NODE = const(6)
_MISSING_RIGHT = const(1)
_NOMINAL = const(2)
_LEAF_BAYES_WRONG = const(1)
_LEAF_PROMISE = const(2)
_LEAF_EPOCH = const(3)
_LEAF_MAJORITY = const(4)
_LEAF = const(5)
_EPOCH = const(12)
_SLOT_AGE = const(1)
_SLOT_TRIED = const(2)
_SLOT_HELD = const(3)
_SLOT = const(4)
_SHIFT = const(15)
_OUTSIDERS_AT = const(4)
_OUTSIDER = const(16)
_OUTSIDERS = const(255)
_LOW_AT = const(12)
_LOW = const(131071)
_LOW_BIAS = const(65536)
_WINDOW = const(0x1FFFFFFF)
_POOR = const(0x20000000)
_DUE_HALVE = const(1)
_DUE_SPLITS = const(2)
_DUE_STRICT = const(8)
_DUE_TURN = const(8192)
_DUE_WATCH = const(16384)
_DUE_VERDICT = const(244)
_DUE_LOOK = const(208)
_S_NODE = const(5)
_S_BAYES = const(6)
_S_ANSWER = const(6)
_S_LOGS = const(7)
_S_WRONG = const(7)
_S_SLOT = const(14)
_S_SLOT2 = const(15)
_S_SHIFT = const(16)
_S_START = const(17)
_SHIFT_HALVE = const(1)

_YOUNG = const(8)  # below so many samples a window grows at once


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
    node = scratch[_S_START]
    p = words[_NODE0] + node * _NODE
    child = halves[p + _NODE_CHILD]
    while child:  # as in predict(): a kernel that called another would pay for more than this loop
        node = child
        u = (x[halves[p + _NODE_FEATURE]] + 32768) & 65535
        k = halves[p + _NODE_SHAPE]
        if not u:
            node += k & _MISSING_RIGHT
        elif k & _NOMINAL:
            if u - halves[p + _NODE_THRESHOLD]:
                node += 1
        elif u > halves[p + _NODE_THRESHOLD]:
            node += 1
        p = words[_NODE0] + node * _NODE
        child = halves[p + _NODE_CHILD]
    scratch[_S_NODE] = node
    leaf = words[_LEAF0] + halves[p + _NODE_LEAF] * (_LEAF + classes)
    slot = halves[p + _NODE_SLOT]
    k = halves[leaf + _LEAF_MAJORITY]
    if not flags & _BAYES:
        scratch[_S_ANSWER] = k
    n = words[_WAIT]
    if n:
        words[_WAIT] = 0
        scratch[_S_NODE] = n - 1
        if flags & _STRICT:
            return _DUE_VERDICT | _DUE_STRICT | _DUE_TURN
        return _DUE_VERDICT | _DUE_TURN
    n = words[_SAMPLES]
    if n < _FOREVER:
        words[_SAMPLES] = n + 1

    # Which of majority class and naive Bayes would have been wrong, since the leaf was born.
    due = 0
    if flags & _ADAPTIVE:
        c = k
        if flags & _BAYES and scratch[_S_LOGS]:
            c = scratch[_S_BAYES]
        scratch[_S_WRONG] = 0
        if c - y:
            scratch[_S_WRONG] = 1  # the prediction was wrong
        due = _DUE_WATCH
    if flags & _BAYES:
        c = halves[leaf]
        u = halves[leaf + _LEAF_BAYES_WRONG]
        if k - y:
            c += 1
        if scratch[_S_BAYES] - y:
            u += 1
        if (c | u) >> 16:
            c >>= 1
            u >>= 1
        halves[leaf] = c
        halves[leaf + _LEAF_BAYES_WRONG] = u
    if k - y:
        c = halves[leaf + _LEAF_PROMISE] + 1
        if not c >> 16:
            halves[leaf + _LEAF_PROMISE] = c  # promise: what a split could still win here
    # Class counts fade by half in each epoch, so that those of different leaves can be compared.
    counts = leaf + _LEAF
    n = (n >> _EPOCH) & 65535
    if n - halves[leaf + _LEAF_EPOCH] or halves[counts + y] == 65534:
        halves[leaf + _LEAF_EPOCH] = n
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
            halves[leaf + _LEAF_MAJORITY] = k
    n = halves[counts + y] + 1
    halves[counts + y] = n
    u = halves[counts + k]
    if n > u or (n == u and y < k):
        halves[leaf + _LEAF_MAJORITY] = y

    if not slot:
        n = halves[p + _NODE_SEEN] + 1
        if n >= words[_GRACE]:
            halves[p + _NODE_SEEN] = 0
            return _DUE_LOOK | due
        halves[p + _NODE_SEEN] = n
        return due

    slot -= 1
    wide = flags & _WIDE
    limit = 255
    if wide:
        limit = 65535
    raced = flags & _RACED
    poor = _POOR
    if flags & _BAYES:
        poor = 0  # naive Bayes needs poor attributes, a majority leaf does not
    bins = words[_BINS]
    outside = 0 - bins
    born = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
    record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
    cell0 = words[_CELL0] + slot * words[_CELL_STRIDE] + y
    age = words[record + _SLOT_AGE]

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
            b = (u + _LOW_BIAS - ((n >> _LOW_AT) & _LOW)) >> (n & _SHIFT)
            if b & outside:
                if not n & _WINDOW:
                    n |= (u + _LOW_BIAS) << _LOW_AT  # the first value
                    b = 0
                k = (age >> 6) + 1
                if k > _OUTSIDERS:
                    k = _OUTSIDERS
                if b and age >= _YOUNG and (n >> _OUTSIDERS_AT) & _OUTSIDERS < k:
                    n += _OUTSIDER
                elif b:
                    # Double it, once or until the value is inside, and fold the bins.
                    lo = ((n >> _LOW_AT) & _LOW) - _LOW_BIAS
                    shift = n & _SHIFT
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
                    n = (n & _POOR) | ((lo + _LOW_BIAS) << _LOW_AT) | shift
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
            due |= _DUE_HALVE

    halves[born + y] += 1
    n = words[record + _SLOT_HELD] + 1
    words[record + _SLOT_HELD] = n
    if n == 65535:
        due |= _DUE_HALVE
    n = words[record + _SLOT_TRIED]
    if age < 65535:
        age += 1
        words[record + _SLOT_AGE] = age
    elif n:
        n -= 1  # an age that stands still must not stop the attempts
        words[record + _SLOT_TRIED] = n
    if age - n >= words[_GRACE]:
        if due & _DUE_HALVE and words[_GRACE] > 1:
            # One thing at a time: the next sample will do.
            words[record + _SLOT_TRIED] = age + 1 - words[_GRACE]
        else:
            words[record + _SLOT_TRIED] = age
            due |= _DUE_SPLITS
            if flags & _ADAPTIVE == 0:
                words[_WAIT] = node + 1
            else:
                due |= _DUE_VERDICT
                if flags & _STRICT:
                    due |= _DUE_STRICT
    if due & _DUE_HALVE:
        scratch[_S_SLOT] = slot + 1
        scratch[_S_SLOT2] = 0
        scratch[_S_SHIFT] = _SHIFT_HALVE
    return due
