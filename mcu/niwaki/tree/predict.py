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
_NB_THRESHOLD_AT = const(19)
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
_LEAF_MAJORITY = const(4)
_LEAF = const(5)
_SLOT_AGE = const(1)
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
    if length - words[_FEATURES]:
        return -1
    # Test-then-train asks twice for the same sample: the second answer is ready.
    flags = words[_FLAGS]
    memo = 0
    if flags & _MEMO:
        memo = _S_ROWS + words[_ROWS] - length
        if not scratch[memo - _MEMO_SAMPLES] - words[_SAMPLES] - 1 and not scratch[_S_START]:
            f = length
            while f and not x[f - 1] - scratch[memo + f - 1]:
                f -= 1
            if not f:
                return scratch[memo - _MEMO_ANSWER]
        scratch[memo - _MEMO_SAMPLES] = 0
    # Sort to the leaf. A missing value goes where most of the split's samples went.
    node = scratch[_S_START]
    here = words[_NODE0] + node * _NODE
    child = halves[here + _NODE_CHILD]
    while child:
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
    scratch[_S_BAYES] = -1
    scratch[_S_LOGS] = 0
    classes = words[_CLASSES]
    leaf = words[_LEAF0] + halves[here + _NODE_LEAF] * (_LEAF + classes)
    slot = halves[here + _NODE_SLOT]
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
    c = classes
    while c:  # counting down is what a loop pays least for
        c -= 1
        scratch[_S_ROWS + c] = 0
    lane = words[_LANES]
    known = lane
    while lane:
        lane -= 1
        f = lane
        if raced:
            if not lane:
                known -= 1
                continue  # it has seen too little
            f = halves[born + classes + lane]
        code = (x[f] + 32768) & 65535
        if not code:
            known -= 1
            continue
        values = octets[f]
        extra = 1
        if values:
            b = code - 32768
            if b < 0 or b >= values:
                known -= 1
                continue
            extra = bins // values
            if not extra:
                extra = 1
        else:
            window = words[window0 + lane]
            b = (code + _LOW_BIAS - ((window >> _LOW_AT) & _LOW)) >> (window & _SHIFT)
            if b & outside:
                if not window & _WINDOW:
                    known -= 1
                    continue
                b = ~(b >> 31) & ~outside  # the first bin or the last
        cell = cell0 + halves[lane] + b * classes
        c = classes
        while c:
            c -= 1
            if wide:
                count = halves[cell + c]
            else:
                count = octets[cell + c]
            smoothed = (count << 2) + extra
            log = scratch[_S_ROWS + c]
            while smoothed >> 8:
                smoothed >>= 2
                log += 16384
            scratch[_S_ROWS + c] = log + log2[smoothed]

    bayes = 0
    most = _NEVER
    c = classes
    while c:
        c -= 1
        count = halves[leaf + _LEAF + c]
        if not count:
            scratch[_S_ROWS + c] = _NEVER
            continue
        log = scratch[_S_ROWS + c]
        while count >> 8:
            count >>= 2
            log += 16384
        log += log2[count]
        exponent = 0
        divisor = (halves[born + c] << 2) + bins
        while divisor >> 8:
            divisor >>= 2
            exponent += 16384
        log -= known * (log2[divisor] + exponent)
        scratch[_S_ROWS + c] = log
        if log >= most:
            most = log
            bayes = c
    scratch[_S_BAYES] = bayes
    scratch[_S_LOGS] = 1
    threshold = flags >> _NB_THRESHOLD_AT  # of the samples that the leaf has seen or inherited
    if (flags & _NBA and halves[leaf] < halves[leaf + _LEAF_BAYES_WRONG]) or (
        threshold and words[window0 - _SLOT + _SLOT_AGE] + halves[here + _NODE_SEEN] < threshold
    ):
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
