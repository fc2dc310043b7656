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
_EXACT = const(1024)
_BAYES = const(3)
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
_DUE_TURN = const(8192)
_DUE_WATCH = const(16384)
_DUE_VERDICT = const(252)
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
    """Add one sample to its leaf. Returns the bits of what is due, or -1 for a wrong length or label.

    Where leaves have naive Bayes, `predict` must have seen the sample just before. At the end of a grace
    period the gains are found; the next call finds the leaf waiting, and asks for the verdict before it
    changes anything. An adaptive tree does both at once, because several subtrees learn one sample.

    A window does not trust a single value that lies outside: it counts the value in the edge bin, and doubles
    only when more than about one value in 64 lies outside. So a glitch costs no resolution.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    classes = words[_CLASSES]
    if length - words[_FEATURES] or y >= classes:
        return -1
    if scratch[_S_SLOT] | scratch[_S_SLOT2]:  # an interrupt has kept `shrink` from its work: that comes first
        return _DUE_HALVE | _DUE_TURN
    flags = words[_FLAGS]
    node = scratch[_S_START]
    here = words[_NODE0] + node * _NODE
    child = halves[here + _NODE_CHILD]
    while child:  # as in predict(): a kernel that called another would pay for more than this loop
        node = child
        code = (x[halves[here + _NODE_FEATURE]] + 32768) & 65535
        shape = halves[here + _NODE_SHAPE]
        if not code:
            node += shape & _MISSING_RIGHT
        elif shape & _NOMINAL:
            if code - halves[here + _NODE_THRESHOLD]:
                node += 1
        elif code > halves[here + _NODE_THRESHOLD]:
            node += 1
        here = words[_NODE0] + node * _NODE
        child = halves[here + _NODE_CHILD]
    scratch[_S_NODE] = node
    leaf = words[_LEAF0] + halves[here + _NODE_LEAF] * (_LEAF + classes)
    slot = halves[here + _NODE_SLOT]
    majority = halves[leaf + _LEAF_MAJORITY]
    if not flags & _BAYES:
        scratch[_S_ANSWER] = majority
    waiting = words[_WAIT]
    if waiting:
        words[_WAIT] = 0
        scratch[_S_NODE] = waiting - 1
        return _DUE_VERDICT | _DUE_TURN
    samples = words[_SAMPLES]
    if scratch[_S_START]:
        samples -= 1  # an alternate: the main tree has counted the sample
    elif samples - _FOREVER:
        words[_SAMPLES] = samples + 1

    due = 0
    if flags & _ADAPTIVE:
        answer = majority
        if flags & _BAYES and scratch[_S_LOGS]:
            answer = scratch[_S_BAYES]
        scratch[_S_WRONG] = 0
        if answer - y:
            scratch[_S_WRONG] = 1  # the prediction was wrong
        due = _DUE_WATCH
    if flags & _BAYES:  # count which of the two would have been wrong, since the leaf was born
        majority_wrong = halves[leaf]
        bayes_wrong = halves[leaf + _LEAF_BAYES_WRONG]
        if majority - y:
            majority_wrong += 1
        if scratch[_S_BAYES] - y:
            bayes_wrong += 1
        if (majority_wrong | bayes_wrong) >> 16:
            majority_wrong >>= 1
            bayes_wrong >>= 1
        halves[leaf] = majority_wrong
        halves[leaf + _LEAF_BAYES_WRONG] = bayes_wrong
    if majority - y:
        promise = halves[leaf + _LEAF_PROMISE] + 1
        if not promise >> 16:
            halves[leaf + _LEAF_PROMISE] = promise  # promise: what a split could still win here
    # Class counts fade by half in each epoch, so that those of different leaves can be compared.
    counts = leaf + _LEAF
    epoch = (samples >> _EPOCH) & 65535
    if flags & _EXACT:
        epoch = 0  # published trees do not fade
    if epoch - halves[leaf + _LEAF_EPOCH] or not halves[counts + y] - 65534:
        halves[leaf + _LEAF_EPOCH] = epoch
        if halves[counts + majority] > 15:
            most = 0
            c = classes
            while c:  # counting down is what a loop pays least for
                c -= 1
                count = halves[counts + c] >> 1
                halves[counts + c] = count
                if count >= most:
                    most = count
                    majority = c
            halves[leaf + _LEAF_MAJORITY] = majority
    count = halves[counts + y] + 1
    halves[counts + y] = count
    if majority - y:
        most = halves[counts + majority]
        if count > most or (count == most and y < majority):
            halves[leaf + _LEAF_MAJORITY] = y
    if not slot:
        seen = halves[here + _NODE_SEEN] + 1
        if seen >= words[_GRACE]:
            seen = 0
            due |= _DUE_LOOK
        halves[here + _NODE_SEEN] = seen
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
        code = (x[f] + 32768) & 65535
        window = words[record + _SLOT + lane]
        values = octets[f]
        if not code or window & poor:
            continue
        if values:
            b = code - 32768
            if b < 0 or b >= values:
                continue  # not one of the declared values: as good as missing
        else:
            b = (code + _LOW_BIAS - ((window >> _LOW_AT) & _LOW)) >> (window & _SHIFT)
            if b & outside:
                if not window & _WINDOW:
                    window |= (code + _LOW_BIAS) << _LOW_AT  # the first value
                    b = 0
                outsiders = (window >> _OUTSIDERS_AT) & _OUTSIDERS
                if b and age >= _YOUNG and outsiders <= age >> 6 and outsiders < _OUTSIDERS:
                    window += _OUTSIDER
                elif b:  # double the window, once or until the value lies inside, and fold the bins
                    low = ((window >> _LOW_AT) & _LOW) - _LOW_BIAS
                    shift = window & _SHIFT
                    down = b >> 31
                    doublings = 0
                    while b & outside:
                        low -= (bins << shift) & down
                        shift += 1
                        doublings += 1
                        b = (code - low) >> shift
                        if age >= _YOUNG:
                            break
                    window = (window & _POOR) | ((low + _LOW_BIAS) << _LOW_AT) | shift
                    i = (bins - 1) & down  # folding downwards begins with the last bin
                    top = ((bins << doublings) - bins) & down
                    while i - bins and i + 1:
                        source = cell0 + halves[lane] - y
                        to = source + ((i + top) >> doublings) * classes
                        source += i * classes
                        c = classes
                        while c:
                            c -= 1
                            if wide:
                                count = halves[source + c]
                                halves[source + c] = 0
                                count += halves[to + c]
                            else:
                                count = octets[source + c]
                                octets[source + c] = 0
                                count += octets[to + c]
                            if count >= limit:
                                count = limit - 1  # one more must fit, and then halves the leaf
                            if wide:
                                halves[to + c] = count
                            else:
                                octets[to + c] = count
                        i += down | 1
                words[record + _SLOT + lane] = window
                if b & outside:
                    b = ~(b >> 31) & ~outside  # the first bin or the last
        cell = cell0 + halves[lane] + b * classes
        if wide:
            count = halves[cell] + 1
            halves[cell] = count
        else:
            count = octets[cell] + 1
            octets[cell] = count
        if not count - limit:  # it grows by 1, so it does not pass the limit unseen
            due |= _DUE_HALVE
    halves[born + y] += 1
    held = words[record + _SLOT_HELD] + 1
    words[record + _SLOT_HELD] = held
    if not held - 65535:
        due |= _DUE_HALVE
    tried = words[record + _SLOT_TRIED]
    if age - 65535:
        age += 1
        words[record + _SLOT_AGE] = age
    elif tried:
        tried -= 1  # an age that stands still must not stop the attempts
        words[record + _SLOT_TRIED] = tried
    if age - tried >= words[_GRACE]:
        if due & _DUE_HALVE and words[_GRACE] > 1:
            words[record + _SLOT_TRIED] = age + 1 - words[_GRACE]  # halve first, split with the next sample
        else:
            words[record + _SLOT_TRIED] = age
            due |= _DUE_SPLITS
            if flags & _ADAPTIVE:
                due |= _DUE_VERDICT
    if due & _DUE_HALVE:
        scratch[_S_SLOT] = slot + 1  # S_SLOT2 is 0: else this sample would wait, see above
        scratch[_S_SHIFT] = _SHIFT_HALVE
    return due
