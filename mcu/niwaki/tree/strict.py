"""Strict VFDT: of the splits that the Hoeffding bound allows, only those that are worth a larger tree.

Turrisi da Costa et al., "Strict Very Fast Decision Tree", 2018. Running mean and deviation in O(1) memory:
how often VFDT's own rule held, then mean and variance of H (Q16, Q20), mean and variance of the gain (Q16,
Q20), mean of n (Q12).
"""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_CLASSES = const(6)
_FLAGS = const(8)
_TOP_NODE = const(19)
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_STATISTICS = const(6)
_HELD_VARIANCE = const(1)
_HELD_N = const(5)
_HELD_MOST = const(0x100000)
_STRICT_II = const(32)
_NODE_CHILD = const(1)
_NODE_LEAF = const(2)
_NODE_SLOT = const(3)
_NODE_SEEN = const(4)
_NODE = const(6)
_UNUSED = const(65535)
_LEAF = const(5)
_SLOT_AGE = const(1)
_S_NODE = const(5)
_S_BEST = const(8)
_S_SPLIT = const(13)


@micropython.viper
def strict(at: ptr32, x: ptr16) -> int:
    """Veto the split in the scratch unless it meets the constraints; then learn from it either way.

    c1  H >= mean - deviation of the entropies of all current leaves, computed anew (population deviation)
    c2  H >= mean - deviation, c3  gain >= mean - deviation, c4  n >= mean, over all the times that
        VFDT's own rule held, before this one (sample deviation). The text and the authors' code compare n
        with the mean; Algorithm 2 subtracts a deviation.
    SVFDT-II splits at once if gain >= mean + deviation **or** H >= mean + deviation: so the text and the
    code; Algorithm 2 says *and*. H is the entropy of what the leaf counts, n includes what it inherited.
    The statistics are updated after the decision, whatever it is.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    scratch = ptr32(at[3])
    log2 = ptr16(at[4])
    if scratch[_S_SPLIT] == 0:
        return 0
    classes = words[_CLASSES]
    own = 0
    mean = 0
    var = 0
    leaves = 0
    for node in range(words[_TOP_NODE] + 1):
        if node == words[_TOP_NODE]:
            node = scratch[_S_NODE]
            if node < words[_TOP_NODE]:
                break
            # the root of an alternate lies behind all other nodes
        p = words[_NODE0] + node * _NODE
        if halves[p + _NODE_CHILD] or halves[p + _NODE_LEAF] == _UNUSED:
            continue
        i = words[_LEAF0] + halves[p + _NODE_LEAF] * (_LEAF + classes) + _LEAF
        if halves[p + _NODE_SLOT]:
            i = words[_SLOT_HALVES0] + (halves[p + _NODE_SLOT] - 1) * words[_SLOT_HALVES]
        n_all = 0
        for c in range(classes):
            n_all += halves[i + c]
        scale = 0
        while n_all >> scale > 65535:
            scale += 1
        n_all = 0
        for c in range(classes):
            n_all += halves[i + c] >> scale
        h = 0  # n log2 n - sum n_c log2 n_c, Q10
        for c in range(classes + 1):
            n = n_all
            if c < classes:
                n = halves[i + c] >> scale
            m = n
            e = 0
            while m > 127:
                m >>= 2
                e += 2
            v = log2[m]
            v += ((log2[m + 1] - v) * (n - (m << e))) >> e
            v = ((n * (v & 7)) >> 3) + n * ((v >> 3) + (e << 10))
            if c < classes:
                h -= v
            else:
                h += v
        if h < 0 or n_all == 0:
            h = 0
        else:
            h = ((h // n_all) << 6) + ((h % n_all) << 6) // n_all
        if node == scratch[_S_NODE]:
            own = h
        leaves += 1
        v = h - mean
        mean += (v + (leaves >> 1)) // leaves
        var += (((v >> 6) * ((h - mean) >> 6)) - var + (leaves >> 1)) // leaves

    # The leaf's H, its gain, and its n.
    held = words[_SLOT_WORDS0] - _STATISTICS
    p = words[_NODE0] + scratch[_S_NODE] * _NODE
    n = (
        words[words[_SLOT_WORDS0] + (halves[p + _NODE_SLOT] - 1) * words[_SLOT_WORDS] + _SLOT_AGE]
        + halves[p + _NODE_SEEN]
    )
    if n > 65535:
        n = 65535
    good = 1
    great = 0
    for k in range(3):
        # k = 0: against the leaves; 1, 2: H and gain against the statistics
        h = own
        if k == 2:
            h = scratch[_S_BEST]
        if k:
            mean = words[held + 2 * k - 1]
            var = words[held + 2 * k]
        root = 0
        v = 0x4000
        while v:
            if (root + v) * (root + v) <= var:
                root += v
            v >>= 1
        root <<= 6
        if h + 64 < mean - root:  # rounding: of two leaves one lies exactly at the threshold
            good = 0
        if k and h >= mean + root:
            great = 1
    if n << 12 < words[held + _HELD_N]:
        good = 0
    if words[_FLAGS] & _STRICT_II and great:
        good = 1
    scratch[_S_SPLIT] = good

    e = words[held] + 1
    if e < _HELD_MOST:
        words[held] = e
    for k in range(1, 3):
        h = own
        if k == 2:
            h = scratch[_S_BEST]
        i = held + 2 * k
        v = h - words[i - _HELD_VARIANCE]
        words[i - _HELD_VARIANCE] += (v + (e >> 1)) // e
        v >>= 6
        if e > 1:
            words[i] += (v * v + (e >> 1)) // e - (words[i] + ((e - 1) >> 1)) // (e - 1)
    words[held + _HELD_N] += ((n << 12) - words[held + _HELD_N] + (e >> 1)) // e
    return 0
