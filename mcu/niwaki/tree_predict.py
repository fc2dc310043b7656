"""Sort a sample to its leaf and score the classes there: majority class and naive Bayes."""

import micropython
from micropython import const

_CLASSES = const(6)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
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
_NEVER = const(-0x20000000)  # the score of a class that this leaf has never met
_S_NODE = const(0)
_S_MAJORITY = const(1)
_S_BAYES = const(2)
_S_LOGS = const(3)
_S_ROWS = const(14)


@micropython.viper
def predict(words: ptr32, halves: ptr16, octets: ptr8, x: ptr16, scratch: ptr32, log2: ptr16) -> int:
    """Return the class; leave the scores in scratch[0:C], then leaf, majority, naive Bayes, which served.

    Naive Bayes in log space, Q13: log P(c) + sum over known features of log((2 h + m / k) / (2 n_c + m)),
    where k is the feature's number of bins and m = bins the same for all, so that numeric features get half
    a count in each bin and one divisor serves all features. `learn` continues from here.
    """
    classes = words[_CLASSES]
    # Sort to the leaf. A missing value goes where most of the split's samples went.
    node = 0
    at = words[_NODE0]
    while halves[at + 1]:
        flags = halves[at + 5]
        u = (x[halves[at + 2]] + 32768) & 65535
        node = halves[at + 1]
        if u == 0:
            node += flags & 1
        elif flags & 2:
            if u != halves[at + 3]:
                node += 1
        elif u > halves[at + 3]:
            node += 1
        at = words[_NODE0] + node * _NODE
    leaf = words[_LEAF0] + halves[at + 2] * (_LEAF + classes)
    counts = leaf + _LEAF
    slot = halves[at + 3] - 1

    majority = 0
    most = -1
    for c in range(classes):
        n = halves[counts + c]
        scratch[c] = n
        if n > most:
            most = n
            majority = c
    scratch[classes + _S_NODE] = node
    scratch[classes + _S_MAJORITY] = majority
    scratch[classes + _S_BAYES] = -1
    scratch[classes + _S_LOGS] = 0
    kind = words[_FLAGS] & 3
    if slot < 0 or kind == 0:
        return majority
    if kind == 2:
        if halves[leaf] > halves[leaf + 1]:
            scratch[classes + _S_LOGS] = 1  # majority serves, but learn() wants to know naive Bayes' answer too
    tally = classes + _S_ROWS  # log scores

    for c in range(classes):
        n = halves[counts + c]
        e = 0
        while n > 127:
            n >>= 1
            e += 8192
        scratch[tally + c] = log2[n] + e

    wide = words[_FLAGS] & 8
    raced = words[_FLAGS] & 64
    born = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
    window0 = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS] + _SLOT
    cell0 = words[_CELL0] + slot * words[_CELL_STRIDE]
    bins = words[_BINS]
    known = 0
    for lane in range(words[_LANES]):
        f = lane
        if raced:
            f = halves[born + classes + lane]
        u = (x[f] + 32768) & 65535
        window = words[window0 + lane] & 0x1FFFFFFF
        k = octets[f]
        extra = 1
        if u == 0:
            continue
        if k:
            u -= 32768
            if u < 0 or u >= k:
                continue
            extra = bins // k
            if extra == 0:
                extra = 1
        elif window:
            u = (u - (window >> 12) + 65536) >> (window & 15)
            if u < 0:
                u = 0
            elif u >= bins:
                u = bins - 1
        else:
            continue
        known += 1
        cell = cell0 + halves[lane] + u * classes
        for c in range(classes):
            if wide:
                n = 2 * halves[cell + c] + extra
            else:
                n = 2 * octets[cell + c] + extra
            e = 0
            while n > 127:
                n >>= 1
                e += 8192
            scratch[tally + c] += log2[n] + e

    bayes = majority
    most = _NEVER
    for c in range(classes):
        if halves[counts + c] == 0:
            scratch[tally + c] = _NEVER
            continue
        n = 2 * halves[born + c] + bins
        e = 0
        while n > 127:
            n >>= 1
            e += 8192
        n = scratch[tally + c] - known * (log2[n] + e)
        scratch[tally + c] = n
        if n > most:
            most = n
            bayes = c
    scratch[classes + _S_BAYES] = bayes
    if scratch[classes + _S_LOGS]:
        scratch[classes + _S_LOGS] = 0
        return majority
    scratch[classes + _S_LOGS] = 1
    for c in range(classes):
        scratch[c] = scratch[tally + c]
    return bayes
