"""Take a sample into the window and keep every feature's order of it; say what is due then."""

import micropython
from micropython import const

_FEATURES = const(5)
_CLASSES = const(6)
_SAMPLES = const(7)
_WINDOW = const(8)
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
_FULL = const(65536)
_FOREVER = const(0x3FFFFFFF)
# An error of the youngest shrub buys its replacement: one in _PACE samples on average, _BURST in a row.
_PACE = const(8)
_BURST = const(64)
_BEHIND = const(-6554)  # the youngest is not worth replacing when the ensemble is 10 % better
_MEMORY = const(5)  # the lead is a mean over about 2 ** _MEMORY samples


@micropython.viper
def learn(words: ptr32, halves: ptr16, octets: ptr8, x: ptr16, scratch: ptr32, log2: ptr16, y: int) -> int:
    """Lines 3 to 5 of Algorithm 1. Due: bit 0, train a shrub; bit 1, weigh the ensemble.

    Expects what `predict` left in the scratch for this sample: the ensemble's class and the youngest's.
    """
    window = words[_WINDOW]
    count = words[_COUNT]
    slot = words[_HEAD]
    # In each order the leaving and the coming sample share a slot, so removal and insertion are one shift.
    base = 0
    for f in range(words[_FEATURES]):
        u = (x[f] + 32768) & 65535
        p = base + count
        if count == window:
            p = base
            while octets[p] != slot:
                p += 1
        while p > base and halves[base + octets[p - 1]] > u:
            octets[p] = octets[p - 1]
            p -= 1
        if count == window:
            last = base + window - 1
            while p < last and halves[base + octets[p + 1]] < u:
                octets[p] = octets[p + 1]
                p += 1
        octets[p] = slot
        halves[base + slot] = u
        base += window
    octets[base + slot] = y
    slot += 1
    if slot == window:
        slot = 0
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
        classes = words[_CLASSES]
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
        words[_TAKE] = words[_RECENT]
        due = 1
    if words[_WEIGH_IN] == 0:
        due |= 2
    if due & 2:
        words[_WEIGH_IN] = words[_WEIGH]
    return due
