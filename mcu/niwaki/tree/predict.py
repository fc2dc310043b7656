"""Sort a sample to its leaf; at leaves with naive Bayes, score the classes."""

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
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_CELL0 = const(32)
_CELL_STRIDE = const(33)
_ROWS = const(35)
_NBA = const(2)
_WIDE = const(8)
_RACED = const(64)
_MEMO = const(512)
_BAYES = const(3)
_NODE_CHILD = const(1)
_NODE_FEATURE = const(2)
_NODE_LEAF = const(2)
_NODE_THRESHOLD = const(3)
_NODE_SLOT = const(3)
_NODE_SHAPE = const(5)
_NODE = const(6)
_MISSING_RIGHT = const(1)
_NOMINAL = const(2)
_LEAF_BAYES_WRONG = const(1)
_LEAF_MAJORITY = const(4)
_LEAF = const(5)
_SLOT = const(4)
_SHIFT = const(15)
_LOW_AT = const(12)
_LOW = const(131071)
_LOW_BIAS = const(65536)
_WINDOW = const(0x1FFFFFFF)
_S_NODE = const(5)
_S_BAYES = const(6)
_S_LOGS = const(7)
_S_START = const(17)
_S_ROWS = const(18)
_MEMO_ANSWER = const(1)
_MEMO_SAMPLES = const(2)
_NEVER = const(-536870912)


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
    flags = words[_FLAGS]
    memo = 0
    if flags & _MEMO:
        memo = _S_ROWS + words[_ROWS] - length
        if scratch[memo - _MEMO_SAMPLES] == words[_SAMPLES] + 1 and scratch[_S_START] == 0:
            f = length
            while f and x[f - 1] == scratch[memo + f - 1]:
                f -= 1
            if not f:
                return scratch[memo - _MEMO_ANSWER]
        scratch[memo - _MEMO_SAMPLES] = 0
    # Sort to the leaf. A missing value goes where most of the split's samples went.
    node = scratch[_S_START]
    p = words[_NODE0] + node * _NODE
    child = halves[p + _NODE_CHILD]
    while child:
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
    scratch[_S_BAYES] = -1
    scratch[_S_LOGS] = 0
    classes = words[_CLASSES]
    leaf = words[_LEAF0] + halves[p + _NODE_LEAF] * (_LEAF + classes)
    slot = halves[p + _NODE_SLOT]
    if not slot or not flags & _BAYES:
        return halves[leaf + _LEAF_MAJORITY]

    slot -= 1
    wide = flags & _WIDE
    raced = flags & _RACED
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
                u = (u + _LOW_BIAS - ((n >> _LOW_AT) & _LOW)) >> (n & _SHIFT)
                if u & outside:
                    if not n & _WINDOW:
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
    if flags & _BAYES == _NBA and halves[leaf] < halves[leaf + _LEAF_BAYES_WRONG]:
        bayes = halves[leaf + _LEAF_MAJORITY]
        scratch[_S_LOGS] = 0
    if memo and scratch[_S_START] == 0 and words[_SAMPLES] < _FOREVER:
        scratch[memo - _MEMO_SAMPLES] = words[_SAMPLES] + 1
        scratch[memo - _MEMO_ANSWER] = bayes
        f = length
        while f:
            f -= 1
            scratch[memo + f] = x[f]
    return bayes
