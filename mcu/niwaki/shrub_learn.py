"""Take a sample into the window and keep every feature's order of it; say what is due then."""

import micropython
from micropython import const

_FEATURES = const(5)
_CLASSES = const(6)
_SAMPLES = const(7)
_WINDOW = const(8)
_SHRUBS = const(9)
_COUNT = const(11)
_HEAD = const(12)
_EVERY = const(13)
_WEIGH = const(14)
_TRAIN_IN = const(15)
_WEIGH_IN = const(16)
_RECENT = const(25)
_TOKENS = const(26)
_LEAD = const(27)
_YOUNGEST = const(28)
_CANDIDATE = const(29)
_TAKE = const(30)
_VOTES = const(31)
_FULL = const(65536)
_FOREVER = const(0x3FFFFFFF)
# An error of the youngest shrub buys its replacement: one in _PACE samples on average, _BURST in a row.
_PACE = const(8)
_BURST = const(64)
_BEHIND = const(-6554)  # the youngest is not worth replacing when the ensemble is 10 % better
_MEMORY = const(5)  # the lead is a mean over about 2 ** _MEMORY samples


@micropython.viper
def learn(at: ptr32, x: ptr16, y: int) -> int:
    """Lines 3 to 5 of Algorithm 1. Due: bit 0, train a shrub; bit 1, weigh the ensemble.

    Expects what `predict` left in the scratch for this sample: the ensemble's class and the youngest's.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    window = words[_WINDOW]
    count = words[_COUNT]
    slot = words[_HEAD]
    # In each order the leaving and the coming sample share a slot, so removal and insertion are one shift.
    f = words[_FEATURES]
    order = 3 * window + 1 + f * window
    codes = f * window - 1
    while f:
        f -= 1
        order -= window
        codes -= window
        u = (x[f] + 32768) & 65535
        end = order + count
        p = end
        old = _FULL
        if count == window:
            old = halves[codes + slot]
            p = order
            hi = end
            while p < hi:
                i = (p + hi) >> 1
                if halves[codes + octets[i]] < old:
                    p = i + 1
                else:
                    hi = i
            while octets[p] - slot:
                p += 1
        if u < old:
            lo = order
            hi = p
            while lo < hi:
                i = (lo + hi) >> 1
                if halves[codes + octets[i]] > u:
                    hi = i
                else:
                    lo = i + 1
            i = p - lo
            while i:
                i -= 1
                octets[p] = octets[p - 1]
                p -= 1
        else:
            lo = p + 1
            hi = end
            while lo < hi:
                i = (lo + hi) >> 1
                if halves[codes + octets[i]] < u:
                    lo = i + 1
                else:
                    hi = i
            i = lo - p - 1
            while i:
                i -= 1
                octets[p] = octets[p + 1]
                p += 1
        octets[p] = slot
        halves[codes + slot] = u
    octets[2 * window + slot] = 2 * y + 2
    classes = words[_CLASSES]
    if words[_VOTES]:
        k = words[_SHRUBS] + 1
        p = words[_VOTES] + slot * k
        while k:
            k -= 1
            octets[p + k] = scratch[classes + 2 + k]
    slot += 1
    if slot > window:
        slot = 1
    words[_HEAD] = slot
    if count < window:
        count += 1
        words[_COUNT] = count
    samples = words[_SAMPLES]
    if samples < _FOREVER:
        samples += 1
        words[_SAMPLES] = samples

    # How much better the youngest shrub alone has been than the ensemble.
    failed = 0
    if words[_RECENT] > 0 and words[_YOUNGEST] >= 0:
        gain = 0
        if scratch[classes + 1] == y:
            gain = _FULL
        else:
            failed = 1
        if scratch[classes] == y:
            gain -= _FULL
        words[_LEAD] += (gain - words[_LEAD]) >> _MEMORY
        if words[_TOKENS] < _BURST:
            words[_TOKENS] += 1

    due = 0
    words[_TRAIN_IN] -= 1
    words[_WEIGH_IN] -= 1
    if words[_TRAIN_IN] == 0:
        # After samples 1, 2, 4, 8, ... until the distance has grown to `every`.
        words[_TRAIN_IN] = words[_EVERY]
        if samples < words[_EVERY]:
            words[_TRAIN_IN] = samples
        words[_TAKE] = count
        words[_CANDIDATE] = 1
        due = 3
    elif failed and words[_TOKENS] >= _PACE and words[_LEAD] > _BEHIND:
        words[_TOKENS] -= _PACE
        words[_TAKE] = count
        if count > words[_RECENT]:
            words[_TAKE] = words[_RECENT]
        due = 1
    if words[_WEIGH_IN] == 0:
        due |= 2
    if due & 2:
        words[_WEIGH_IN] = words[_WEIGH]
    return due
