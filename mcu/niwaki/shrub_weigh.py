"""Stochastic proximal gradient descent on the weights of the shrubs."""

import micropython
from micropython import const

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
_WEIGHTS = const(32)
_FULL = const(65536)


@micropython.viper
def weigh(words: ptr32, halves: ptr16, octets: ptr8, x: ptr16, scratch: ptr32, log2: ptr16) -> int:
    """Lines 8 to 12 of Algorithm 1: one gradient step on the window, then the prox operator.

    Gradient of equation 5 for shrubs that vote for one class: the mean over the window of
    f_c - [c = y] at the shrub's own class c, times 2 step / C; with cross-entropy softmax(f)_c - [c = y],
    times step / C. The prox operator keeps the M largest weights and projects them on the simplex:
    beta = max{ j : w_j > (w_1 + ... + w_j - 1) / j }, which is equation 8 with its bracket put right.
    Of equal weights that of the lower place goes first, the candidate's last.
    """
    classes = words[_CLASSES]
    window = words[_WINDOW]
    room = words[_ROOM]
    count = words[_COUNT]
    limit = words[_SHRUBS]
    thresholds = words[_FEATURES] * window
    labels = thresholds
    trees = labels + 2 * window
    stride = 3 * room + 2

    # The shrubs that take part, the candidate last.
    active = classes + 2
    gradient = active + limit + 1
    votes = gradient + limit + 1
    members = 0
    for m in range(limit + 1):
        if words[_WEIGHTS + m]:
            scratch[active + members] = m
            scratch[gradient + members] = 0
            members += 1
    if words[_CANDIDATE]:
        words[_CANDIDATE] = 0
        scratch[active + members] = words[_YOUNGEST]
        scratch[gradient + members] = 0
        members += 1
    if members == 0 or count == 0:
        return 0

    for s in range(count):
        for c in range(classes):
            scratch[c] = 0
        for j in range(members):
            m = scratch[active + j]
            tree = trees + m * stride
            threshold = thresholds + m * room
            k = octets[tree + 1]
            while k < room:
                at = tree + 3 * k
                if halves[octets[at + 2] * window + s] > halves[threshold + k]:
                    k = octets[at + 4]
                else:
                    k = octets[at + 3]
            k -= room
            scratch[votes + j] = k
            scratch[k] += words[_WEIGHTS + m]
        if words[_ENTROPY]:
            # softmax; exp by six terms of its series, Q14
            m = 0
            for c in range(classes):
                k = scratch[c] >> 2
                e = 16384 + ((k * 2731) >> 14)
                e = 16384 + ((((k * e) >> 14) * 3277) >> 14)
                e = 16384 + ((k * e) >> 16)
                e = 16384 + ((((k * e) >> 14) * 5461) >> 14)
                e = 16384 + ((k * e) >> 15)
                e = 16384 + ((k * e) >> 14)
                scratch[c] = e
                m += e
            for c in range(classes):
                scratch[c] = ((scratch[c] << 14) // m) << 2
        scratch[octets[labels + s]] -= _FULL
        for j in range(members):
            scratch[gradient + j] += scratch[scratch[votes + j]]

    # w - step * gradient, relative to the largest: what lies a whole below it can't survive anyway.
    top = -0x3FFFFFFF
    for j in range(members):
        k = (scratch[gradient + j] << 5) // count
        k = (k >> 10) * words[_STEP] + (((k & 1023) * words[_STEP]) >> 10)
        if words[_STEP_SHIFT] < 0:
            k <<= 0 - words[_STEP_SHIFT]
        else:
            k >>= words[_STEP_SHIFT]
        k = words[_WEIGHTS + scratch[active + j]] - k
        scratch[gradient + j] = k
        if k > top:
            top = k
    for j in range(members):
        k = scratch[gradient + j] - top
        if k < 0 - _FULL:
            k = 0 - _FULL
        # insertion sort, decreasing and stable
        m = scratch[active + j]
        i = j
        while i > 0 and scratch[gradient + i - 1] < k:
            scratch[gradient + i] = scratch[gradient + i - 1]
            scratch[active + i] = scratch[active + i - 1]
            i -= 1
        scratch[gradient + i] = k
        scratch[active + i] = m

    beta = 0
    excess = 0
    total = 0 - _FULL
    for j in range(members):
        if j < limit:
            total += scratch[gradient + j]
            if scratch[gradient + j] * (j + 1) > total:
                beta = j + 1
                excess = total
    tau = excess // beta
    for j in range(members):
        k = 0
        if j < beta:
            k = scratch[gradient + j] - tau
        if j == 0:
            k -= excess - tau * beta  # what the division left over
        words[_WEIGHTS + scratch[active + j]] = k
    return 0
