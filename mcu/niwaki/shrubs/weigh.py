"""Stochastic proximal gradient descent on the weights of the shrubs."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_WINDOW = const(8)
_SHRUBS = const(9)
_ROOM = const(10)
_COUNT = const(11)
_STEP = const(17)
_STEP_SHIFT = const(18)
_ENTROPY = const(19)
_YOUNGEST = const(28)
_CANDIDATE = const(29)
_AGREE = const(31)
_WEIGHTS = const(32)
_LABELS = const(2)
_ORDERS = const(3)
_FULL = const(65536)
_MEMBER_GRADIENT = const(1)
_MEMBER_VOTE = const(2)
_MEMBER = const(3)

_LOWEST = const(-0x3FFFFFFF)


@micropython.viper
def weigh(at: ptr32, x: ptr16) -> int:
    """Lines 8 to 12 of Algorithm 1: one gradient step on the window, then the prox operator.

    Gradient of equation 5 for shrubs that vote for one class: the mean over the window of
    f_c - [c = y] at the shrub's own class c, times 2 step / C; with cross-entropy softmax(f)_c - [c = y],
    times step / C. The prox operator keeps the M largest weights and projects them on the simplex:
    beta = max{ j : w_j > (w_1 + ... + w_j - 1) / j }, which is equation 8 with its bracket put right.
    Of equal weights that of the lower place goes first, the candidate's last.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    classes = words[_CLASSES]
    window = words[_WINDOW]
    room = words[_ROOM]
    count = words[_COUNT]
    limit = words[_SHRUBS]
    entropy = words[_ENTROPY]
    places = limit + 1
    codes = words[_FEATURES] * window
    roots = _ORDERS * window + 1 + codes + places
    features = roots + places

    # A record per shrub that takes part, the candidate last: its place, its gradient, its vote.
    first = classes
    a = first
    m = 0
    while m < places:
        if words[m + _WEIGHTS]:
            scratch[a] = m
            scratch[a + _MEMBER_GRADIENT] = 0
            a += _MEMBER
        m += 1
    if words[_CANDIDATE]:
        words[_CANDIDATE] = 0
        scratch[a] = words[_YOUNGEST]
        scratch[a + _MEMBER_GRADIENT] = 0
        a += _MEMBER
    members = (a - first) // _MEMBER
    if members == 0:
        return 0

    if words[_AGREE]:
        # f_c at a shrub's own class is the weight of all that agree with it; itself it does on each sample.
        a = first
        j = members
        while j:
            j -= 1
            m = scratch[a]
            row = words[_AGREE] + m * places
            c = words[m + _WEIGHTS]
            k = c * count - (octets[row + m] << 16)
            e = first
            while e < a:
                i = scratch[e]
                v = octets[row + i]
                if i > m:
                    v = octets[words[_AGREE] + i * places + m]
                k += v * words[i + _WEIGHTS]
                scratch[e + _MEMBER_GRADIENT] += v * c
                e += _MEMBER
            scratch[a + _MEMBER_GRADIENT] = k
            a += _MEMBER
        s = 0
    else:
        s = count
    while s:
        c = classes
        while c:
            c -= 1
            scratch[c] = 0
        a = first
        j = members
        while j:
            j -= 1
            m = scratch[a]
            feature_at = features + m * room
            left_at = feature_at + places * room
            right_at = left_at + places * room
            cuts = codes + m * room
            k = octets[roots + m]
            while k < room:
                if halves[octets[feature_at + k] * window + s - 1] > halves[cuts + k]:
                    k = octets[right_at + k]
                else:
                    k = octets[left_at + k]
            k -= room
            scratch[a + _MEMBER_VOTE] = k
            scratch[k] += words[m + _WEIGHTS]
            a += _MEMBER
        if entropy:
            # softmax; exp by six terms of its series, Q14
            m = 0
            c = classes
            while c:
                c -= 1
                k = scratch[c] >> 2
                e = 16384 + ((k * 2731) >> 14)
                e = 16384 + ((((k * e) >> 14) * 3277) >> 14)
                e = 16384 + ((k * e) >> 16)
                e = 16384 + ((((k * e) >> 14) * 5461) >> 14)
                e = 16384 + ((k * e) >> 15)
                e = 16384 + ((k * e) >> 14)
                scratch[c] = e
                m += e
            c = classes
            while c:
                c -= 1
                scratch[c] = ((scratch[c] << 14) // m) << 2
        c = (octets[_LABELS * window + s] >> 1) - 1
        k = scratch[c] - _FULL
        scratch[c] = k
        if k:  # 0: all weight is on the right class, and no gradient comes from here
            j = members
            while j:
                j -= 1
                a -= _MEMBER
                scratch[a + _MEMBER_GRADIENT] += scratch[scratch[a + _MEMBER_VOTE]]
        s -= 1

    # w - step * gradient, relative to the largest: what lies a whole below it can't survive anyway.
    top = _LOWEST
    a = first
    j = members
    while j:
        j -= 1
        k = (scratch[a + _MEMBER_GRADIENT] << 5) // count
        k = (k >> 10) * words[_STEP] + (((k & 1023) * words[_STEP]) >> 10)
        if words[_STEP_SHIFT] < 0:
            k <<= 0 - words[_STEP_SHIFT]
        else:
            k >>= words[_STEP_SHIFT]
        k = words[scratch[a] + _WEIGHTS] - k
        scratch[a + _MEMBER_GRADIENT] = k
        if k > top:
            top = k
        a += _MEMBER
    # Insertion sort, decreasing and stable.
    a = first
    j = members
    while j:
        j -= 1
        m = scratch[a]
        k = scratch[a + _MEMBER_GRADIENT] - top
        if k < 0 - _FULL:
            k = 0 - _FULL
        c = a
        while c > first and scratch[c + (_MEMBER_GRADIENT - _MEMBER)] < k:
            scratch[c] = scratch[c - _MEMBER]
            scratch[c + _MEMBER_GRADIENT] = scratch[c + (_MEMBER_GRADIENT - _MEMBER)]
            c -= _MEMBER
        scratch[c] = m
        scratch[c + _MEMBER_GRADIENT] = k
        a += _MEMBER

    beta = 0
    excess = 0
    total = 0 - _FULL
    a = first
    j = 0
    while j < members and j < limit:
        j += 1
        total += scratch[a + _MEMBER_GRADIENT]
        if scratch[a + _MEMBER_GRADIENT] * j > total:
            beta = j
            excess = total
        a += _MEMBER
    tau = excess // beta
    excess -= tau * beta  # what the division leaves over is taken from the largest, 1 from each
    a = first
    j = 0
    while j < members:
        k = 0
        if j < beta:
            k = scratch[a + _MEMBER_GRADIENT] - tau
            if j < excess:
                k -= 1
        words[scratch[a] + _WEIGHTS] = k
        a += _MEMBER
        j += 1
    return 0
