"""Information gain: the best split of every observed feature of a leaf."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_CLASSES = const(6)
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
_RANGE = const(25)
_NODE0 = const(10)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_CELL0 = const(32)
_CELL_STRIDE = const(33)
_WIDTH = const(34)
_ROWS = const(35)
_WAIT = const(36)
_WIDE = const(8)
_RACED = const(64)
_ADAPTIVE = const(256)
_NODE_SLOT = const(3)
_NODE = const(6)
_SLOT_HELD = const(3)
_SLOT = const(4)
_POOR = const(0x20000000)
_S_NODE = const(5)
_S_ROWS = const(18)
_GAIN_AT = const(8)

_TANGENT = const(1477)  # log2(e), Q10: the slope of n log2 n beyond what n log2 m has


@micropython.viper
def splits(at: ptr32, x: ptr16) -> int:
    """Leave in the scratch, for each lane, the gain of its best binary split (Q16) << 8 | its bin.

    Counts are those of the leaf's cells. N x gain = S(left) + S(right) - S(leaf) in Q10, where S is
    sum n_c log2 n_c - n log2 n. Both branches must hold more than 1 % of the samples. R, the range of the
    gain in the Hoeffding bound, grows with the classes.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    log2 = ptr16(at[4])
    classes = words[_CLASSES]
    slot = halves[words[_NODE0] + scratch[_S_NODE] * _NODE + _NODE_SLOT] - 1
    wide = words[_FLAGS] & _WIDE
    raced = words[_FLAGS] & _RACED
    born = words[_SLOT_HALVES0] + slot * words[_SLOT_HALVES]
    record = words[_SLOT_WORDS0] + slot * words[_SLOT_WORDS]
    width = words[_WIDTH]  # from the row of S to the row of samples by bin
    by_class = _S_ROWS + width + width
    present = 0
    c = classes
    while c:  # counting down is what a loop pays least for
        c -= 1
        if halves[born + c]:
            if not present:
                # R = log2(classes), but only of those that have come so far: a class to come must not cost
                # samples now.
                log_classes = (log2[c + 1] + 4) >> 3
                if log_classes > words[_RANGE]:
                    words[_RANGE] = log_classes
            present += 1
    lane = words[_LANES]
    while lane:
        lane -= 1
        scratch[_S_ROWS + words[_ROWS] + lane] = 0
        if words[record + _SLOT + lane] & _POOR or present < 2:
            continue  # a pure leaf has nothing to gain
        f = lane
        if raced:
            f = halves[born + classes + lane]
        nominal = octets[f]
        end = nominal
        if not nominal:
            end = words[_BINS]
        base = words[_CELL0] + slot * words[_CELL_STRIDE] + halves[lane]

        stop = by_class + classes
        c = stop
        while c - by_class:
            c -= 1
            scratch[c] = 0
        cell = base + end * classes
        end += _S_ROWS
        b = end
        right = 0
        while b - _S_ROWS:
            b -= 1
            scratch[b] = 0
            left = 0
            c = stop
            while c - by_class:
                c -= 1
                cell -= 1
                if wide:
                    count = halves[cell]
                else:
                    count = octets[cell]
                if count:
                    left += count
                    scratch[c] += count
            scratch[b + width] = left
            right += left
        if not right:
            continue
        scratch[stop] = right
        if nominal:
            scratch[end] = 0
            end += 1

        # Class by class, then for all together: S with nothing on the left, and behind each bin.
        n_all = right
        top = 0
        top_bin = 0
        whole = 0
        c = by_class - 1
        while c - stop:
            c += 1
            more = stop - c
            right = scratch[c]
            if not right:
                continue
            left = 0
            cell = base + c - by_class
            b = _S_ROWS
            bits = 0
            moved = 1
            while True:
                if moved | nominal:
                    if (left | right) >> 8:
                        bits = 0
                        count = left
                        sides = 2
                        while sides:
                            sides -= 1
                            if count >> 8:
                                mantissa = count >> 2
                                exponent = 2
                                while mantissa >> 8:
                                    mantissa >>= 2
                                    exponent += 2
                                log = log2[mantissa]
                                bits += ((count * (log & 7)) >> 3) + count * ((log >> 3) + (exponent << 10))
                                bits += (count - (mantissa << exponent)) * _TANGENT
                            else:
                                bits += (count * log2[count]) >> 3
                            count = right
                    else:
                        bits = (left * log2[left] + right * log2[right]) >> 3
                score = scratch[b]
                if more:
                    scratch[b] = score + bits
                else:
                    score -= bits + whole
                    if b == _S_ROWS:
                        whole = score
                    elif score > top and left * 100 > n_all and right * 100 > n_all:
                        top = score
                        top_bin = b - _S_ROWS - 1
                    moved = scratch[b + width]
                b += 1
                if b == end:
                    break
                if more:
                    if wide:
                        moved = halves[cell]
                    else:
                        moved = octets[cell]
                    cell += classes
                if nominal:
                    right += left  # a split on one value has only that on the left
                    left = 0
                left += moved
                right -= moved
        total = words[record + _SLOT_HELD]
        if raced:
            total = n_all  # this feature may have come to the lane later than the leaf was born
        if top > 0:
            scratch[_S_ROWS + words[_ROWS] + lane] = (
                (((top // total) << 6) + ((top % total) << 6) // total) << _GAIN_AT
            ) | top_bin
    if words[_FLAGS] & _ADAPTIVE == 0:  # only now is there something to decide: the leaf waits for it
        words[_WAIT] = scratch[_S_NODE] + 1
    return 0
