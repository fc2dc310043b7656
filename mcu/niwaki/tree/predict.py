"""Sort a sample to its leaf; at leaves with naive Bayes, score the classes."""

import micropython
from micropython import const

_FEATURES = const(5)
_CLASSES = const(6)
_SAMPLES = const(7)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_CELL0 = const(32)
_CELL_STRIDE = const(33)
_ROWS = const(35)
_NODE = const(6)
_LEAF = const(5)
_SLOT = const(4)
_S_NODE = const(5)
_S_BAYES = const(6)
_S_LOGS = const(7)
_S_START = const(17)
_S_ROWS = const(18)
_NEVER = const(-0x20000000)  # the score of a class that this leaf has never met


@micropython.viper
def predict(at: ptr32, x: ptr16, length: int) -> int:
    """Return the class, -1 for a wrong length; leave the leaf and naive Bayes' log scores in the scratch.

    log P(c) + sum over known features of log((4 h + m / k) / (4 n_c + m)), where k is the feature's number
    of bins and m = bins the same for all, so that numeric features get a quarter of a count in each bin and
    one divisor serves all features.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    log2 = ptr16(at[4])
    if length != words[_FEATURES]:
        return -1
    # Test-then-train asks twice for the same sample: the second answer is ready.
    kind = words[_FLAGS]
    memo = 0
    if kind & 512:
        memo = _S_ROWS + words[_ROWS] - length
        if scratch[memo - 2] == words[_SAMPLES] + 1 and scratch[_S_START] == 0:
            f = length
            while f and x[f - 1] == scratch[memo + f - 1]:
                f -= 1
            if not f:
                return scratch[memo - 1]
        scratch[memo - 2] = 0
    # Sort to the leaf. A missing value goes where most of the split's samples went.
    node = scratch[_S_START]
    p = words[_NODE0] + node * _NODE
    child = halves[p + 1]
    while child:
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
    scratch[_S_BAYES] = -1
    scratch[_S_LOGS] = 0
    classes = words[_CLASSES]
    leaf = words[_LEAF0] + halves[p + 2] * (_LEAF + classes)
    slot = halves[p + 3]
    if not slot or not kind & 3:
        return halves[leaf + 4]

    slot -= 1
    wide = kind & 8
    raced = kind & 64
    born = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
    window0 = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS] + _SLOT
    cell0 = words[_CELL0] + slot * words[_CELL_STRIDE]
    bins = words[_BINS]
    outside = 0 - bins
    known = 0
    c = classes
    while c:  # counting down is what a loop pays least for
        c -= 1
        scratch[_S_ROWS + c] = 0
    lane = words[_LANES]
    while lane:
        lane -= 1
        f = lane
        if raced:
            if not lane:
                continue  # it has seen too little
            f = halves[born + classes + lane]
        u = (x[f] + 32768) & 65535
        k = octets[f]
        extra = 1
        if u:
            if k:
                u -= 32768
                if u < 0 or u >= k:
                    continue
                extra = bins // k
                if not extra:
                    extra = 1
            else:
                n = words[window0 + lane]
                u = (u + 65536 - ((n >> 12) & 0x1FFFF)) >> (n & 15)
                if u & outside:
                    if not n & 0x1FFFFFFF:
                        continue
                    u = ~(u >> 31) & ~outside  # the first bin or the last
            known += 1
            c = cell0 + halves[lane] + u * classes
            k = classes
            while k:
                k -= 1
                if wide:
                    n = halves[c + k]
                else:
                    n = octets[c + k]
                n = (n << 2) + extra
                e = scratch[_S_ROWS + k]
                while n >> 8:
                    n >>= 2
                    e += 16384
                scratch[_S_ROWS + k] = e + log2[n]

    bayes = 0
    most = _NEVER
    c = classes
    while c:
        c -= 1
        n = halves[leaf + _LEAF + c]
        if not n:
            scratch[_S_ROWS + c] = _NEVER
            continue
        e = scratch[_S_ROWS + c]
        while n >> 8:
            n >>= 2
            e += 16384
        e += log2[n]
        k = 0
        n = (halves[born + c] << 2) + bins
        while n >> 8:
            n >>= 2
            k += 16384
        e -= known * (log2[n] + k)
        scratch[_S_ROWS + c] = e
        if e >= most:
            most = e
            bayes = c
    scratch[_S_BAYES] = bayes
    scratch[_S_LOGS] = 1
    if kind & 3 == 2 and halves[leaf] < halves[leaf + 1]:
        bayes = halves[leaf + 4]
        scratch[_S_LOGS] = 0
    if memo and scratch[_S_START] == 0 and words[_SAMPLES] < 0x3FFFFFFF:
        scratch[memo - 2] = words[_SAMPLES] + 1
        scratch[memo - 1] = bayes
        f = length
        while f:
            f -= 1
            scratch[memo + f] = x[f]
    return bayes
