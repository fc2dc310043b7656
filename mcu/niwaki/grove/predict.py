"""Ask everybody: the shrubs, the histograms, the neighbours in the memory, the nearest of the newest."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_SAMPLES = const(7)
_MEMORY = const(8)
_RECENT = const(9)
_SHRUBS = const(10)
_ROOM = const(11)
_BINS = const(13)
_NEIGHBOURS = const(14)
_COUNT = const(15)
_NEWEST = const(17)
_GROWING = const(19)
_LEAVES = const(20)
_REST = const(22)
_FOLLOWS = const(23)
_KNOWS = const(24)
_NEAR = const(25)
_BAYES = const(26)
_IDLE = const(29)
_WINDOWS = const(30)
_LO = const(131071)
_LO_SHIFT = const(12)
_SHIFT = const(15)
_FINE = const(6)
_WHOLE = const(4096)
_UNREADY = const(-1)
_UNBEGUN = const(-2)
_IDLE_MOST = const(255)
_PRINT = const(0xFFFFF)
_S_MARK = const(5)
_S_PRINT = const(6)
_S_ASKED = const(7)
_S_VOTE = const(8)
_S_NEWEST = const(9)
_S_BAYES = const(10)
_S_ANSWER = const(11)
_S_TENDED = const(12)
_S_ROWS = const(13)

_AGREED = const(3276)  # of 4096: where so many agree (0.8), the shrubs alone vote
_KNOWING = const(4)  # votes of a shrub that knows all classes of the memory; any other shrub has one vote
_MISSED = const(128)  # what a missing value counts as among neighbours: the middle
_FAR = const(0x3FFFFFFF)
_NEVER = const(-0x20000000)  # the score of a class that the histograms have never met
_LEAD = const(1311)  # of 65,536: whoever is right so much more often than the vote answers alone
_Q13 = const(8191)
_FOLLOWED = const(32)  # questions after the last label for which the newest may lead


@micropython.viper
def predict(at: ptr32, x: ptr16) -> int:
    """Return the class; leave everybody's answer, and the scores of the classes, in the scratch.

    The shrubs vote (4096 in all). Where fewer than 80 % agree, nearest neighbours (3, 2 and 1 times NEAR) and
    naive Bayes (BAYES in all) vote, too: its log P is log P(c) + sum of log((4 h + 1) / (4 n_c + bins)).
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    log2 = ptr16(at[4])
    features = words[_FEATURES]
    classes = words[_CLASSES]
    rows = _S_ROWS + classes  # the row of logarithms; the row of scores comes before it, the codes after it
    codes = rows + classes

    # Find the sample's codes and fingerprint. The sample that was asked last has its answer already.
    fingerprint = 0
    f = features
    while f:
        f -= 1
        code = (x[f] + 32768) & 65535
        fingerprint = (fingerprint * 31 + code) & _PRINT
        window = words[_WINDOWS + f]
        if code and window:
            code = ((code + 65536 - ((window >> _LO_SHIFT) & _LO)) << _FINE) >> (window & _SHIFT)
            if code < 1:
                code = 1
            elif code > 255:
                code = 255
        else:
            code = 0
        scratch[codes + f] = code
    if scratch[_S_MARK] == words[_SAMPLES] + 1 and scratch[_S_PRINT] == fingerprint:
        return scratch[_S_ANSWER]
    idle = words[_IDLE]  # if nobody teaches, a question has time to grow shrubs that are due
    count = words[_COUNT]
    if idle and count and (words[_LEAVES] or words[_REST] >= count) and scratch[_S_TENDED] == 0:
        scratch[_S_TENDED] = 1
        if words[_LEAVES]:
            return _UNREADY
        return _UNBEGUN
    scratch[_S_TENDED] = 0
    if idle < _IDLE_MOST:
        words[_IDLE] = idle + 1
    scratch[_S_MARK] = 0  # no answer is ready until this call ends
    places = words[_MEMORY] + words[_RECENT]
    labels = places * features
    cells = labels + places
    bins = words[_BINS]
    weights = cells + features * bins * classes
    stands = words[_SHRUBS] + 1
    room = words[_ROOM]
    roots = weights + features + stands
    known = roots + stands
    all_known = 0
    for c in range(classes):
        scratch[_S_ROWS + c] = 0
        if halves[c]:
            all_known += 1

    # The shrubs.
    votes = 0
    growing = words[_GROWING]
    tier = stands * room
    feature_at = known + stands + tier
    m = stands
    while m:
        m -= 1
        feature_at -= room
        knows = octets[known + m]
        if knows and m != growing:
            vote = 1
            if knows >= all_known:
                vote = _KNOWING
            threshold_at = feature_at + tier
            left_at = threshold_at + tier
            right_at = left_at + tier
            node = octets[roots + m]
            while node < room:
                if scratch[codes + octets[feature_at + node]] > octets[threshold_at + node]:
                    node = octets[right_at + node]
                else:
                    node = octets[left_at + node]
            scratch[_S_ROWS + node - room] += vote
            votes += _KNOWING  # a shrub that has one vote leaves the rest of its share to the others
    sure = 0
    if votes:
        c = classes
        while c:
            c -= 1
            share = scratch[_S_ROWS + c] * _WHOLE // votes
            scratch[_S_ROWS + c] = share
            if share > sure:
                sure = share

    # The histograms.
    bayes = -1
    if bins:
        for c in range(rows, codes):
            scratch[c] = 0
        fine = 6 - (bins >> 3)  # a bin has 1 << fine codes
        met = 0
        f = features
        while f:
            f -= 1
            code = scratch[codes + f]
            if code:
                met += 1
                cell = cells + (f * bins + (code >> fine)) * classes
                c = classes
                while c:
                    c -= 1
                    counted = (octets[cell + c] << 2) + 1
                    score = scratch[rows + c]
                    while counted >> 8:
                        counted >>= 2
                        score += 16384
                    scratch[rows + c] = score + log2[counted]
        most = _NEVER
        c = classes
        while c:
            c -= 1
            counted = halves[classes + c]
            score = _NEVER
            if counted:
                whole = (counted << 2) + bins
                score = scratch[rows + c]
                while counted >> 8:
                    counted >>= 2
                    score += 16384
                score += log2[counted]
                divisor = 0
                while whole >> 8:
                    whole >>= 2
                    divisor += 16384
                score -= met * (log2[whole] + divisor)
                if score >= most:
                    most = score
                    bayes = c
            scratch[rows + c] = score
        if bayes >= 0 and sure < _AGREED:
            # Probabilities: 2 ** -(below / 8192); on [0, 1] that is 1 - 0.6564 x + 0.1564 x^2 within 0.2 %
            total = 0
            for c in range(classes):
                below = most - scratch[rows + c]
                likely = 0
                if below < 12 << 13:
                    part = below & _Q13
                    likely = 4096 - ((part * 2689) >> 13) + ((((part * part) >> 13) * 641) >> 13)
                    likely >>= below >> 13
                scratch[rows + c] = likely
                total += likely
            for c in range(classes):
                scratch[_S_ROWS + c] += scratch[rows + c] * words[_BAYES] // total
    scratch[_S_BAYES] = bayes

    # The nearest of the newest, then, where the shrubs do not agree, of the memory.
    newest = -1
    if words[_NEIGHBOURS]:
        for f in range(features):
            if scratch[codes + f] == 0:
                scratch[codes + f] = _MISSED
        turn = 0
        place = words[_MEMORY] * features
        end = place + words[_NEWEST] * features
        while turn < 2:
            first = _FAR
            second = _FAR
            third = _FAR
            c1 = -1
            c2 = -1
            c3 = -1
            while place < end:
                total = 0
                f = features
                while f:
                    f -= 1
                    apart = octets[place + f] - scratch[codes + f]
                    if apart < 0:
                        apart = 0 - apart
                    total += apart * octets[weights + f]
                    if total >= third:
                        break
                place += features
                if total < third:
                    label = octets[labels + place // features - 1]
                    if total < first:
                        third = second
                        c3 = c2
                        second = first
                        c2 = c1
                        first = total
                        c1 = label
                    elif total < second:
                        third = second
                        c3 = c2
                        second = total
                        c2 = label
                    else:
                        third = total
                        c3 = label
            turn += 1
            if turn == 1:
                newest = c1
                place = 0
                end = words[_COUNT] * features
                if sure >= _AGREED:
                    turn = 2
            else:
                near = words[_NEAR]
                if c1 >= 0:
                    scratch[_S_ROWS + c1] += near * 3
                if c2 >= 0:
                    scratch[_S_ROWS + c2] += near * 2
                if c3 >= 0:
                    scratch[_S_ROWS + c3] += near
    scratch[_S_NEWEST] = newest

    best = 0
    most = 0
    c = classes
    while c:
        c -= 1
        score = scratch[_S_ROWS + c]
        if score >= most:
            most = score
            best = c
    scratch[_S_VOTE] = best
    if most == 0:
        scratch[_S_VOTE] = -1
    # Whoever has been right more often than the vote, when asked, answers alone.
    follows = words[_FOLLOWS]
    if newest >= 0 and follows > _LEAD and follows >= words[_KNOWS] and idle < _FOLLOWED:
        best = newest
        scratch[_S_ROWS + best] += 2 * _WHOLE
    elif bayes >= 0 and words[_KNOWS] > _LEAD:
        best = bayes
        scratch[_S_ROWS + best] += 2 * _WHOLE
    scratch[_S_ANSWER] = best
    scratch[_S_ASKED] = 1
    scratch[_S_PRINT] = fingerprint
    scratch[_S_MARK] = words[_SAMPLES] + 1
    return best
