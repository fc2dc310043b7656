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
_LANES = const(10)
_TOP_NODE = const(19)
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_ROWS = const(35)
_STATISTICS = const(6)
_HELD_VARIANCE = const(1)
_HELD_N = const(5)
_HELD_MOST = const(0x100000)
_STRICT_II = const(32)
_DROP_POOR = const(128)
_NODE_CHILD = const(1)
_NODE_LEAF = const(2)
_NODE_SLOT = const(3)
_NODE_SEEN = const(4)
_NODE = const(6)
_UNUSED = const(65535)
_LEAF = const(5)
_SLOT_AGE = const(1)
_SLOT = const(4)
_POOR = const(0x20000000)
_S_NODE = const(5)
_S_BEST = const(8)
_S_BOUND = const(12)
_S_SPLIT = const(13)
_S_ROWS = const(18)
_GAIN_AT = const(8)


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
    variance = 0
    leaves = 0
    for node in range(words[_TOP_NODE] + 1):
        if node == words[_TOP_NODE]:
            node = scratch[_S_NODE]
            if node < words[_TOP_NODE]:
                break
            # the root of an alternate lies behind all other nodes
        here = words[_NODE0] + node * _NODE
        if halves[here + _NODE_CHILD] or halves[here + _NODE_LEAF] == _UNUSED:
            continue
        counts = words[_LEAF0] + halves[here + _NODE_LEAF] * (_LEAF + classes) + _LEAF
        if halves[here + _NODE_SLOT]:
            counts = words[_SLOT_HALVES0] + (halves[here + _NODE_SLOT] - 1) * words[_SLOT_HALVES]
        n_all = 0
        for c in range(classes):
            n_all += halves[counts + c]
        scale = 0
        while n_all >> scale > 65535:
            scale += 1
        n_all = 0
        for c in range(classes):
            n_all += halves[counts + c] >> scale
        entropy = 0  # n log2 n - sum n_c log2 n_c, Q10
        for c in range(classes + 1):
            count = n_all
            if c < classes:
                count = halves[counts + c] >> scale
            mantissa = count
            exponent = 0
            while mantissa > 127:
                mantissa >>= 2
                exponent += 2
            log = log2[mantissa]
            log += ((log2[mantissa + 1] - log) * (count - (mantissa << exponent))) >> exponent
            bits = ((count * (log & 7)) >> 3) + count * ((log >> 3) + (exponent << 10))
            if c < classes:
                entropy -= bits
            else:
                entropy += bits
        if entropy < 0 or n_all == 0:
            entropy = 0
        else:
            entropy = ((entropy // n_all) << 6) + ((entropy % n_all) << 6) // n_all
        if node == scratch[_S_NODE]:
            own = entropy
        leaves += 1
        difference = entropy - mean
        mean += (difference + (leaves >> 1)) // leaves
        variance += (((difference >> 6) * ((entropy - mean) >> 6)) - variance + (leaves >> 1)) // leaves

    # The leaf's H, its gain, and its n.
    held = words[_SLOT_WORDS0] - _STATISTICS
    here = words[_NODE0] + scratch[_S_NODE] * _NODE
    samples = (
        words[words[_SLOT_WORDS0] + (halves[here + _NODE_SLOT] - 1) * words[_SLOT_WORDS] + _SLOT_AGE]
        + halves[here + _NODE_SEEN]
    )
    if samples > 65535:
        samples = 65535
    good = 1
    great = 0
    for measure in range(3):
        # k = 0: against the leaves; 1, 2: H and gain against the statistics
        value = own
        if measure == 2:
            value = scratch[_S_BEST]
        if measure:
            mean = words[held + 2 * measure - 1]
            variance = words[held + 2 * measure]
        root = 0
        bit = 0x4000
        while bit:
            if (root + bit) * (root + bit) <= variance:
                root += bit
            bit >>= 1
        root <<= 6
        if value + 64 < mean - root:  # rounding: of two leaves one lies exactly at the threshold
            good = 0
        if measure and value >= mean + root:
            great = 1
    if samples << 12 < words[held + _HELD_N]:
        good = 0
    if words[_FLAGS] & _STRICT_II and great:
        good = 1
    scratch[_S_SPLIT] = good
    if words[_FLAGS] & _DROP_POOR and good == 0:  # line 30 of Algorithm 1; `rule` has not refused
        window0 = words[_SLOT_WORDS0] + (halves[here + _NODE_SLOT] - 1) * words[_SLOT_WORDS] + _SLOT
        for lane in range(words[_LANES]):
            merit = scratch[_S_ROWS + words[_ROWS] + lane] >> _GAIN_AT
            if scratch[_S_BEST] - merit > scratch[_S_BOUND]:
                words[window0 + lane] |= _POOR

    times = words[held] + 1
    if times < _HELD_MOST:
        words[held] = times
    for measure in range(1, 3):
        value = own
        if measure == 2:
            value = scratch[_S_BEST]
        statistic = held + 2 * measure
        difference = value - words[statistic - _HELD_VARIANCE]
        words[statistic - _HELD_VARIANCE] += (difference + (times >> 1)) // times
        difference >>= 6
        if times > 1:
            words[statistic] += (difference * difference + (times >> 1)) // times - (
                words[statistic] + ((times - 1) >> 1)
            ) // (times - 1)
    words[held + _HELD_N] += ((samples << 12) - words[held + _HELD_N] + (times >> 1)) // times
    return 0
