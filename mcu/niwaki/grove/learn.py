"""Take a sample into histograms, newest and memory; give credit to those who answered rightly before."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_SAMPLES = const(7)
_FOREVER = const(0x3FFFFFFF)
_MEMORY = const(8)
_RECENT = const(9)
_SHRUBS = const(10)
_ROOM = const(11)
_BINS = const(13)
_COUNT = const(15)
_HEAD = const(16)
_NEWEST = const(17)
_SEED = const(18)
_LEAVES = const(20)
_REST = const(22)
_FOLLOWS = const(23)
_HURRY = const(28)
_IDLE = const(29)
_WINDOWS = const(30)
_LO = const(131071)
_LO_SHIFT = const(12)
_OUTSIDER = const(16)
_OUTSIDERS = const(255)
_OUTSIDERS_SHIFT = const(4)
_SHIFT = const(15)
_FINE = const(6)
_NARROW = const(4)
_WIDE = const(256)
_STAND_ROWS = const(3)
_DUE_BEGIN = const(1)
_DUE_GROW = const(2)
_S_MARK = const(5)
_S_ASKED = const(7)
_S_VOTE = const(8)
_S_NEWEST = const(9)
_S_ROWS = const(13)

_OUTSIDE = const(-256)  # bits that a code within the window does not have
_YOUNG = const(8)  # below so many samples a window believes every value
_GROWN = const(64)  # below so many, a value that _NEARBY doublings reach; later it doubles once in a call
_NEARBY = const(3)
_FULL = const(65536)
_EAGER = const(600)  # a memory with fewer samples is in more of a hurry: see the end of `learn`
_DRAWS = const(64)  # random draws to find a sample of the largest class; then it is searched in order
_LONG = const(32)  # a lesson ends after so many times the samples that the memory keeps of the class
_FADE = const(7)  # credit is a mean over about 2 ** _FADE answers


@micropython.viper
def learn(at: ptr32, x: ptr16, y: int) -> int:
    """Learn that the sample is of class y. Return what is due now, or -1 for a label that does not exist.

    Expects what `predict` left in the scratch for this sample. Credit: how much more often the nearest of the
    newest, and the histograms, were right than the vote; only answers count that were given before the label
    was known.

    A window that has seen a few samples does not believe a single value outside it, as in a tree: only when
    outsiders are more than about one in 64 does it double towards them, one feature a call.

    Memory: when there is no place left, a sample of the class that has most gives way. A sample that was
    asked before always enters.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    features = words[_FEATURES]
    classes = words[_CLASSES]
    if y < 0 or y >= classes:
        return -1
    vote = scratch[_S_VOTE]
    if scratch[_S_ASKED] and vote >= 0:
        for turn in range(2):
            c = scratch[_S_NEWEST + turn]
            if c >= 0:
                gain = 0
                if c == y:
                    gain = _FULL
                if vote == y:
                    gain -= _FULL
                words[_FOLLOWS + turn] += (gain - words[_FOLLOWS + turn]) >> _FADE
    asked = scratch[_S_ASKED]
    scratch[_S_ASKED] = 0
    scratch[_S_MARK] = 0
    words[_IDLE] = 0

    memory = words[_MEMORY]
    places = memory + words[_RECENT]
    labels = places * features
    cells = labels + places
    bins = words[_BINS]
    stands = words[_SHRUBS] + 1
    room = words[_ROOM]
    feature_at = cells + features * bins * classes + features + _STAND_ROWS * stands
    codes = _S_ROWS + 2 * classes
    fine = 6 - (bins >> 3)  # a bin has 1 << fine codes
    age = words[_SAMPLES]
    folded = 0
    full = 0
    f = features
    while f:
        f -= 1
        u = (x[f] + 32768) & 65535
        scratch[codes + f] = 0
        if u == 0:
            continue
        window = words[_WINDOWS + f]
        if window == 0:
            window = (u - (_NARROW >> 1) + _FULL) << _LO_SHIFT
            words[_WINDOWS + f] = window
        lo = ((window >> _LO_SHIFT) & _LO) - _FULL
        shift = window & _SHIFT
        b = ((u - lo) << _FINE) >> shift
        if b & _OUTSIDE:
            # Count how often the window must double until the value is inside.
            down = b >> 31
            to = b
            k = 0
            while to & _OUTSIDE:
                k += 1
                if down:
                    to = (to + _WIDE) >> 1
                else:
                    to >>= 1
            outsiders = (window >> _OUTSIDERS_SHIFT) & _OUTSIDERS
            n = (age >> 6) + 1
            if n > _OUTSIDERS:
                n = _OUTSIDERS
            if age >= _GROWN and k:
                k = 1
            if age >= _YOUNG and outsiders < n and (age >= _GROWN or k > _NEARBY) or folded and age >= _GROWN:
                if outsiders < _OUTSIDERS:
                    words[_WINDOWS + f] = window + _OUTSIDER
            else:
                # Double the window, then fold what is known of the feature: cells, codes, thresholds.
                folded = 1
                i = k
                while i:
                    i -= 1
                    if down:
                        lo -= _NARROW << shift
                    shift += 1
                b = ((u - lo) << _FINE) >> shift
                words[_WINDOWS + f] = ((lo + _FULL) << _LO_SHIFT) | shift
                top = 0
                i = 0
                if down:
                    top = (bins << k) - bins
                    i = bins - 1
                while i - bins and i + 1:
                    source = cells + (f * bins + i) * classes
                    to = cells + (f * bins + ((i + top) >> k)) * classes
                    c = classes
                    while c:
                        c -= 1
                        n = octets[source]
                        octets[source] = 0
                        n += octets[to]
                        if n > 254:
                            n = 254  # so that one more sample fits
                        octets[to] = n
                        source += 1
                        to += 1
                    i += down | 1
                if down:
                    top = (_WIDE << k) - _WIDE
                # Fold the codes in the memory, then those among the newest.
                i = f
                end = words[_COUNT] * features
                turn = 2
                while turn:
                    turn -= 1
                    while i < end:
                        n = octets[i]
                        if n:
                            n = (n + top) >> k
                            if n == 0:
                                n = 1
                            octets[i] = n
                        i += features
                    i = memory * features + f
                    end = (memory + words[_NEWEST]) * features
                # Fold the thresholds of all splits by this feature.
                turn = stands
                while turn:
                    turn -= 1
                    i = feature_at + turn * room
                    end = i + octets[feature_at - _STAND_ROWS * stands + turn]
                    while i < end:
                        if octets[i] == f:
                            octets[i + stands * room] = (octets[i + stands * room] + top) >> k
                        i += 1
            if b < 0:
                b = 0
            elif b > 255:
                b = 255
        if b == 0:
            b = 1
        scratch[codes + f] = b
        if bins:
            i = cells + (f * bins + (b >> fine)) * classes + y
            n = octets[i] + 1
            octets[i] = n
            if n == 255:
                full = 1
    if age < _FOREVER:
        words[_SAMPLES] = age + 1

    # Count the sample in its class. When that count or a cell of a histogram is full, halve all of them.
    n = halves[classes + y] + 1
    halves[classes + y] = n
    if full or n == 65535:
        i = feature_at - _STAND_ROWS * stands - features
        while i > cells:
            i -= 1
            octets[i] = octets[i] >> 1
        for c in range(classes, 2 * classes):
            halves[c] = (halves[c] + 1) >> 1

    # Store the sample: among the newest, if these have places, and in the memory.
    place = memory
    turn = 0
    if words[_RECENT]:
        turn = 2
        place += words[_HEAD]
        words[_HEAD] += 1
        if words[_HEAD] == words[_RECENT]:
            words[_HEAD] = 0
        if words[_NEWEST] < words[_RECENT]:
            words[_NEWEST] += 1
    else:
        turn = 1
    while turn:
        if turn == 1:
            count = words[_COUNT]
            if count < memory:
                place = count
                words[_COUNT] = count + 1
            else:
                most = 0
                c = classes
                while c:
                    c -= 1
                    if halves[c] >= halves[most]:
                        most = c
                u = words[_SEED]
                if asked == 0 and halves[y] == halves[most]:
                    # All samples of a lesson are as likely to be kept; later the newest are: data may drift.
                    most = y
                    n = halves[classes + y]
                    if n > halves[y] * _LONG:
                        n = halves[y] * _LONG
                    u ^= (u << 7) & 65535
                    u ^= u >> 9
                    u ^= (u << 8) & 65535
                    words[_SEED] = u
                    if ((u >> 2) * n) >> 14 >= halves[y]:
                        break
                # Draw at random: where a shrub grew, samples of a class lie side by side, in no random order.
                i = _DRAWS
                while i:
                    i -= 1
                    u ^= (u << 7) & 65535
                    u ^= u >> 9
                    u ^= (u << 8) & 65535
                    place = ((u >> 1) * count) >> 15
                    if octets[labels + place] == most:
                        break
                words[_SEED] = u
                while octets[labels + place] != most:
                    place += 1
                    if place == count:
                        place = 0
                halves[most] -= 1
            halves[y] += 1
        octets[labels + place] = y
        i = place * features
        for f in range(features):
            octets[i + f] = scratch[codes + f]
        turn -= 1

    # A shrub is due each time that the memory has changed by one part in HURRY x SHRUBS; a small memory is
    # in more of a hurry, because each sample that it is taught changes it much.
    n = words[_REST] + words[_HURRY] * words[_SHRUBS] * (1 + _EAGER // words[_COUNT])
    k = words[_COUNT]
    if n > words[_SHRUBS] * k:
        n = words[_SHRUBS] * k  # all shrubs are due: more than that can't be
    words[_REST] = n
    if words[_LEAVES]:
        return _DUE_GROW
    if n >= k:
        return _DUE_BEGIN
    return 0
