"""ADWIN in integers: has the mean of a stream of zeros and ones changed?

Bifet and Gavalda, "Learning from time-changing data with adaptive windowing", 2007: keep a window of recent
values and forget its older part when that part's mean differs from the newer one's by more than chance
explains. The window is an exponential histogram: a few buckets of each size, and with one more the two oldest
merge.

The usual implementations put each value in a bucket of its own, keep five of a size and look for a cut every
32 values. Here the 32 values between two looks are one bucket from the start: cuts inside them could not be
significant anyway, a value costs a few instructions, and a bucket of zeros and ones needs one small integer,
its number of ones. Two or three of a size serve as well as five (benchmarks/results/adwin.md).

A monitor is 4 + capacity halves:

    ones, width in blocks of 32, values since the last block << 8 | ones among them, number of buckets,
    buckets, oldest first: log2(blocks) << 13 | ones

Capacity is 12 to 22 (two of a size) or 24 to 28 (three). It bounds the window: when it is used up, the oldest
bucket is forgotten. There are eight sizes, 32 to 4,096 values, so a window never exceeds 16 bits.
"""

import sys
from array import array

import micropython
from micropython import const

from .model import LOG2, BudgetError, forget, reach

# From the layouts, by `make consts`:
_ADWIN_ONES = const(0)
_ADWIN_WIDTH = const(1)
_ADWIN_RECENT = const(2)
_ADWIN_BUCKETS = const(3)
_ADWIN = const(4)
_RECENT_VALUE = const(256)
_RECENT_BLOCK = const(8192)
_BUCKET_AT = const(13)
_BUCKET_ONES = const(8191)
_S_LIST = const(7)
_LIST_CAPACITY = const(1)
_LIST_CONFIDENCE = const(2)
_LIST = const(3)


# words of a lone detector, whose list is followed by _S_LIST
_D_CHANGE = const(0)  # the latest: 1 the mean rose, 2 it fell
_D_BUDGET = const(1)
_D_LIST = const(2)  # its list starts here, with one monitor
_D_CAPACITY = const(3)
_D_CONFIDENCE = const(4)
_D_VALUE = const(6)
_D_WORDS = const(8)


@micropython.viper
def adwin(at: ptr32, x: ptr16) -> int:
    """Feed a list of monitors, each with one value; find out which of them see a change.

    scratch[_S_LIST] says where the list starts: number of monitors, their capacity, ln(1 / delta) in Q10,
    then for each monitor where it lies in halves, and its value, 0 or 1, which is replaced by the result: 0
    no change, 1 the mean rose, 2 the mean fell. Returns 0, as a model's work kernel does when it is done.

    A cut into n0 older and n1 newer values shows a change when |mean0 - mean1| > sqrt(2 m v dd) + 2/3 dd m,
    where m = 1 / (n0 - 4) + 1 / (n1 - 4), v the variance of the window and dd = ln(2 ln W / delta).
    All that is older than the oldest such cut is forgotten, and the rest is looked at again.
    """
    halves = ptr16(at[1])
    scratch = ptr32(at[3])
    log2 = ptr16(at[4])
    item = scratch[_S_LIST]
    capacity = scratch[item + _LIST_CAPACITY]
    confidence = scratch[item + _LIST_CONFIDENCE]
    last = item + _LIST + 2 * scratch[item]
    item += _LIST
    while item < last:
        base = scratch[item]
        value = halves[base + _ADWIN_RECENT] + _RECENT_VALUE + scratch[item + 1]
        scratch[item + 1] = 0
        if value < _RECENT_BLOCK:
            halves[base + _ADWIN_RECENT] = value
            item += 2
            continue

        # A block is complete: a new bucket.
        halves[base + _ADWIN_RECENT] = 0
        value -= _RECENT_BLOCK
        ones = halves[base] + value
        width = halves[base + _ADWIN_WIDTH] + 1
        buckets = halves[base + _ADWIN_BUCKETS]
        first = base + _ADWIN
        if buckets == capacity:
            oldest = halves[first]
            ones -= oldest & _BUCKET_ONES
            width -= 1 << (oldest >> _BUCKET_AT)
            buckets -= 1
            for i in range(first, first + buckets):
                halves[i] = halves[i + 1]
        halves[first + buckets] = value
        buckets += 1
        # Too many of a size: merge the two oldest. Then there may be too many of the next, just before them.
        most = 2
        if capacity > 23:
            most = 3
        end = buckets
        row = 0
        while end > most and row < 7:
            i = first + end - most - 1
            if halves[i] >> _BUCKET_AT != row:
                break
            halves[i] = halves[i] + halves[i + 1] - ((row - 1) << _BUCKET_AT)
            buckets -= 1
            for i in range(i + 1, first + buckets):
                halves[i] = halves[i + 1]
            end -= most
            row += 1

        looking = 1
        while looking:
            looking = 0
            # dd in Q10: ln(1 / delta) + ln(2 ln 2) + ln(log2 W)
            blocks = width
            log = 5 << 13
            while blocks > 127:
                blocks >>= 1
                log += 8192
            dd = confidence + (((log2[(log2[blocks] + log) >> 10] - 20716) * 710) >> 13)
            mean = (ones << 9) // width  # Q14
            spread = ((((mean * (16384 - mean)) >> 14) * dd) >> 14) + 1  # v dd in Q10
            end = first + buckets - 1
            bucket = first
            n0 = 0
            ones0 = 0
            while bucket < end:
                content = halves[bucket]
                bucket += 1
                n0 += 1 << (content >> _BUCKET_AT)
                ones0 += content & _BUCKET_ONES
                # Most cuts are far from significant, which needs no division to see: with h the smaller
                # of n0 and n1, (ones0 - mean n0)^2 > h v dd would have to hold.
                distance = (ones0 << 9) - mean * n0
                if distance < 0:
                    distance = 0 - distance
                distance = (distance >> 8) + 1
                n1 = width - n0
                smaller = n0
                if n1 < n0:
                    smaller = n1
                if distance * distance <= (smaller * spread) >> 3:
                    continue
                difference = ((ones - ones0) << 9) // n1 - (ones0 << 9) // n0
                change = 1
                if difference < 0:
                    difference = 0 - difference
                    change = 2
                spacing = 4194304 // ((n0 << 5) - 4) + 4194304 // ((n1 << 5) - 4)  # m, Q22
                difference -= (dd // 6 * spacing) >> 16
                if difference <= 0:
                    continue
                if difference * difference <= (spacing * spread) >> 3:
                    continue
                scratch[item + 1] = change
                width = n1
                ones -= ones0
                dropped = bucket - first
                buckets -= dropped
                for i in range(first, first + buckets):
                    halves[i] = halves[i + dropped]
                looking = 1
                break
        halves[base] = ones
        halves[base + _ADWIN_WIDTH] = width
        halves[base + _ADWIN_BUCKETS] = buckets
        item += 2
    return 0


class Adwin:
    """Tells when the rate of ones (errors, alarms, a sensor's high bit) has changed, in `budget` bytes.

    budget  bytes: 192 for a window of about 3,000 values, 208 for 28,000, 224 for 36,000 with more cuts in it
    delta   how unlikely a false alarm is to be, 0.0001..0.5

    >>> errors = Adwin(224)
    >>> [t for t in range(2000) if errors.update(t >= 1000 or t % 4 == 0)]
    [1055, 1119]
    """

    def __init__(self, budget, delta=0.002):
        from .construct import half_ln_inverse_q10

        if not isinstance(budget, int):
            raise TypeError("budget must be an int, not %r" % (budget,))
        if not isinstance(delta, (int, float)):
            raise TypeError("delta must be a number, not %r" % (delta,))
        if not 0.0001 <= delta <= 0.5:
            raise ValueError("delta must be in 0.0001..0.5, not %r" % (delta,))
        capacity = 28
        while footprint(capacity) > budget:
            capacity -= 8
            if capacity < 12:
                raise BudgetError(
                    "budget of %d bytes is too small: the smallest that works is %d" % (budget, footprint(12))
                )
        self.words = words = array("i", bytearray(4 * _D_WORDS))
        self.halves = array("H", bytearray(2 * (_ADWIN + capacity)))
        # `words` serves as the scratch too.
        self._at = reach((words, self.halves, words, words, LOG2), array("i", bytearray(20)))
        words[_D_BUDGET] = min(budget, 1 << 28)
        words[_S_LIST] = _D_LIST
        words[_D_LIST] = 1
        words[_D_CAPACITY] = capacity
        words[_D_CONFIDENCE] = 2 * half_ln_inverse_q10(delta)
        forget("construct")

    def update(self, error):
        """Add one value, 0 or 1. True when the mean is seen to have changed."""
        if error != 0 and error != 1:
            raise ValueError("a value is 0 or 1, not %r" % (error,))
        words = self.words
        words[_D_VALUE] = 1 if error else 0
        adwin(self._at, words)
        if words[_D_VALUE] == 0:
            return False
        words[_D_CHANGE] = words[_D_VALUE]
        return True

    @property
    def rising(self):
        """Whether the latest change was one to a higher mean."""
        return self.words[_D_CHANGE] == 1

    @property
    def window(self):
        """Values in the window."""
        halves = self.halves
        return (halves[_ADWIN_WIDTH] << 5) + (halves[_ADWIN_RECENT] >> 8)

    @property
    def ones(self):
        """Ones in the window."""
        halves = self.halves
        return halves[_ADWIN_ONES] + (halves[_ADWIN_RECENT] & 255)

    @property
    def mean(self):
        """Mean of the window, in 65,536ths."""
        return (self.ones << 14) // (self.window or 1) << 2

    @property
    def budget(self):
        """Bytes that it may take."""
        return self.words[_D_BUDGET]

    @property
    def nbytes(self):
        """Bytes of heap that this detector takes on a 32-bit MicroPython; never more than `budget`."""
        return footprint(self.words[_D_CAPACITY])


def footprint(capacity):
    """Bytes of a detector with room for so many buckets: its objects, the way to the arrays, the arrays."""
    return 96 + 32 + 4 * _D_WORDS + (2 * (_ADWIN + capacity) + 15 & -16)


if sys.implementation.name != "micropython":
    __import__("niwaki_host.surface", globals(), locals(), ("name",)).name(Adwin)
