"""Take a sample into the window and keep every feature's order of it; say what is due then."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_SAMPLES = const(7)
_FOREVER = const(0x3FFFFFFF)
_WINDOW = const(8)
_SHRUBS = const(9)
_ROOM = const(10)
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
_DUE = const(29)
_TAKE = const(30)
_AGREE = const(31)
_WEIGHTS = const(32)
_LABELS = const(2)
_ORDERS = const(3)
_FULL = const(65536)
_DUE_GROW = const(1)
_DUE_AGREE = const(2)
_DUE_WEIGH = const(4)
_CANDIDATE = const(8)
_S_YOUNGEST = const(1)
_S_VOTES = const(2)

# An error of the youngest shrub buys its replacement: one in _PACE samples on average, _BURST in a row.
_PACE = const(8)
_BURST = const(64)
_BEHIND = const(-6554)  # the youngest is not worth replacing when the ensemble is 10 % better
_MEMORY = const(5)  # the lead is a mean over about 2 ** _MEMORY samples


@micropython.viper
def learn(at: ptr32, x: ptr16, y: int) -> int:
    """Lines 3 to 5 of Algorithm 1. Due: grow a shrub, compare it, weigh all.

    -1 refuses a label that does not exist. Expects what `predict` left in the scratch for this sample.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    window = words[_WINDOW]
    count = words[_COUNT]
    slot = words[_HEAD]
    classes = words[_CLASSES]
    if y < 0 or y >= classes:
        return -1
    if words[_AGREE]:
        # Agreements of the shrubs: those on the leaving sample leave, and first, since a count of 255 can't
        # grow; those on the coming one come.
        room = words[_ROOM]
        places = words[_SHRUBS] + 1
        votes = classes + _S_VOTES
        youngest = words[_YOUNGEST]
        if youngest >= 0:
            if words[youngest + _WEIGHTS] == 0:
                scratch[votes + youngest] = -1
        label = y
        change = 1
        turn = 1
        if count == window:
            n_codes = words[_FEATURES] * window
            cuts = n_codes + places * room
            root = _ORDERS * window + 1 + n_codes + 2 * places
            feature_at = root + places * room
            left_at = feature_at + places * room
            right_at = left_at + places * room
            m = places
            while m:
                m -= 1
                root -= 1
                cuts -= room
                feature_at -= room
                left_at -= room
                right_at -= room
                vote = -1
                if words[m + _WEIGHTS]:
                    node = octets[root]
                    while node < room:
                        if halves[octets[feature_at + node] * window + slot - 1] > halves[cuts + node]:
                            node = octets[right_at + node]
                        else:
                            node = octets[left_at + node]
                    vote = node - room
                scratch[votes + places + m] = vote
            label = (octets[_LABELS * window + slot] >> 1) - 1
            change = -1
            votes += places
            turn = 2
        while turn:
            row = words[_AGREE] + places * places
            m = places
            while m:
                m -= 1
                row -= places
                vote = scratch[votes + m]
                if vote >= 0:
                    if not vote - label:
                        octets[row + m] += change
                    other = m
                    while other:
                        other -= 1
                        if not scratch[votes + other] - vote:
                            octets[row + other] += change
            votes -= places
            label = y
            change = 1
            turn -= 1

    # In each order the leaving and the coming sample share a slot, so removal and insertion are one shift.
    f = words[_FEATURES]
    order = _ORDERS * window + 1 + f * window
    codes = f * window - 1
    while f:
        f -= 1
        order -= window
        codes -= window
        code = (x[f] + 32768) & 65535
        end = order + count
        place = end
        old = _FULL
        if not count - window:
            old = halves[codes + slot]
            place = order
            high = end
            while high - place:
                middle = (place + high) >> 1
                if halves[codes + octets[middle]] < old:
                    place = middle + 1
                else:
                    high = middle
            while octets[place] - slot:
                place += 1
        if code < old:
            low = order
            high = place
            while high - low:
                middle = (low + high) >> 1
                if halves[codes + octets[middle]] > code:
                    high = middle
                else:
                    low = middle + 1
            steps = place - low
            while steps:
                steps -= 1
                octets[place] = octets[place - 1]
                place -= 1
        else:
            low = place + 1
            high = end
            while high - low:
                middle = (low + high) >> 1
                if halves[codes + octets[middle]] < code:
                    low = middle + 1
                else:
                    high = middle
            steps = low - place - 1
            while steps:
                steps -= 1
                octets[place] = octets[place + 1]
                place += 1
        octets[place] = slot
        halves[codes + slot] = code
    octets[_LABELS * window + slot] = 2 * y + 2
    slot += 1
    if slot > window:
        slot = 1
    words[_HEAD] = slot
    if count - window:
        count += 1
        words[_COUNT] = count
    samples = words[_SAMPLES]
    if samples - _FOREVER:
        samples += 1
        words[_SAMPLES] = samples

    # How much better the youngest shrub alone has been than the ensemble.
    failed = 0
    if words[_RECENT] > 0 and words[_YOUNGEST] >= 0:
        gain = 0
        if not scratch[classes + _S_YOUNGEST] - y:
            gain = _FULL
        else:
            failed = 1
        if not scratch[classes] - y:
            gain -= _FULL
        words[_LEAD] += (gain - words[_LEAD]) >> _MEMORY
        if words[_TOKENS] < _BURST:
            words[_TOKENS] += 1

    due = 0
    words[_TRAIN_IN] -= 1
    words[_WEIGH_IN] -= 1
    if not words[_TRAIN_IN]:
        # After samples 1, 2, 4, 8, ... until the distance has grown to `every`.
        words[_TRAIN_IN] = words[_EVERY]
        if samples < words[_EVERY]:
            words[_TRAIN_IN] = samples
        words[_TAKE] = count
        due = _CANDIDATE | _DUE_GROW | _DUE_WEIGH
        if words[_AGREE]:
            due |= _DUE_AGREE
    elif failed and words[_TOKENS] >= _PACE and words[_LEAD] > _BEHIND:
        words[_TOKENS] -= _PACE
        words[_TAKE] = count
        if count > words[_RECENT]:
            words[_TAKE] = words[_RECENT]
        due = _DUE_GROW
    if not words[_WEIGH_IN]:
        due |= _DUE_WEIGH
    if due & _DUE_WEIGH:
        words[_WEIGH_IN] = words[_WEIGH]
    words[_DUE] = due
    return due & ~_CANDIDATE
