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
_FLAGS = const(21)
_YOUNGEST = const(28)
_DUE = const(29)
_AGREE = const(31)
_WEIGHTS = const(32)
_EXACT = const(2)
_LABELS = const(2)
_ORDERS = const(3)
_FULL = const(65536)
_CANDIDATE = const(8)
_MEMBER_GRADIENT = const(1)
_MEMBER_VOTE = const(2)
_MEMBER = const(3)

_LOWEST = const(-0x3FFFFFFF)
_DEEP = const(1 << 20)  # a leaf's home is an index of octets plus its depth times this


@micropython.viper
def weigh(at: ptr32, x: ptr16) -> int:
    """Lines 8 to 12 of Algorithm 1: one gradient step on the window, then the prox operator.

    Gradient of equation 5 for shrubs that vote for one class: the mean over the window of
    f_c - [c = y] at the shrub's own class c, times 2 step / C; with cross-entropy softmax(f)_c - [c = y],
    times step / C. The prox operator keeps the M largest weights and projects them on the simplex:
    beta = max{ j : w_j > (w_1 + ... + w_j - 1) / j }, which is equation 8 with its bracket put right.
    Of equal weights that of the lower place goes first, the candidate's last.

    With EXACT a shrub votes for each class c by its part p_c of the leaf's samples: the gradient is the mean
    of the sum of p_c (f_c - [c = y]). The candidate's leaves, as `grow` left them, are counted first.
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
    n_codes = words[_FEATURES] * window
    roots = _ORDERS * window + 1 + n_codes + places
    features = roots + places

    first = classes
    exact = words[_FLAGS] & _EXACT
    counts = features + places * room * 3
    if exact:
        if words[_DUE] & _CANDIDATE:
            # Count the samples in the candidate's leaves, which `grow` has left in the scratch.
            m = words[_YOUNGEST]
            homes = 2 * classes + 3 + room
            leaf = octets[roots - places + m] + 1
            c = leaf * classes
            here = counts + m * (room + 1) * classes
            while c:
                c -= 1
                octets[here + c] = 0
            while leaf:
                leaf -= 1
                octets[scratch[homes + leaf] & (_DEEP - 1)] = room + leaf
                s = scratch[homes + room + 1 + leaf]
                while s:
                    octets[here + leaf * classes + (octets[_LABELS * window + s] >> 1) - 1] += 1
                    s = octets[window + s]
        if first <= room:
            first = room + 1  # a row has a vote per leaf first, and then per class
    # A record per shrub that takes part, the candidate last: its place, its gradient, its vote.
    member = first
    m = 0
    while m < places:
        if words[m + _WEIGHTS]:
            scratch[member] = m
            scratch[member + _MEMBER_GRADIENT] = 0
            member += _MEMBER
        m += 1
    if words[_DUE] & _CANDIDATE:
        scratch[member] = words[_YOUNGEST]
        scratch[member + _MEMBER_GRADIENT] = 0
        member += _MEMBER
    words[_DUE] = 0
    members = (member - first) // _MEMBER
    if members == 0:
        return 0

    if words[_AGREE]:
        # f_c at a shrub's own class is the weight of all that agree with it; itself it does on each sample.
        member = first
        j = members
        while j:
            j -= 1
            m = scratch[member]
            row = words[_AGREE] + m * places
            weight = words[m + _WEIGHTS]
            gradient = weight * count - (octets[row + m] << 16)
            other = first
            while member - other:
                rival = scratch[other]
                agreed = octets[row + rival]
                if rival > m:
                    agreed = octets[words[_AGREE] + rival * places + m]
                gradient += agreed * words[rival + _WEIGHTS]
                scratch[other + _MEMBER_GRADIENT] += agreed * weight
                other += _MEMBER
            scratch[member + _MEMBER_GRADIENT] = gradient
            member += _MEMBER
        s = 0
    else:
        s = count
    while s:
        c = first
        while c:
            c -= 1
            scratch[c] = 0
        member = first
        j = members
        while j:
            j -= 1
            m = scratch[member]
            feature_at = features + m * room
            left_at = feature_at + places * room
            right_at = left_at + places * room
            cuts = n_codes + m * room
            node = octets[roots + m]
            while node < room:
                if halves[octets[feature_at + node] * window + s - 1] > halves[cuts + node]:
                    node = octets[right_at + node]
                else:
                    node = octets[left_at + node]
            vote = node - room
            scratch[member + _MEMBER_VOTE] = vote
            scratch[vote] += words[m + _WEIGHTS]
            member += _MEMBER
        if exact:
            # Turn votes for leaves into votes for classes; a member's vote becomes its leaf's place.
            c = first
            while c:
                c -= 1
                scratch[c] = 0
            j = members
            while j:
                j -= 1
                member -= _MEMBER
                m = scratch[member]
                leaf = counts + (m * (room + 1) + scratch[member + _MEMBER_VOTE]) * classes
                scratch[member + _MEMBER_VOTE] = leaf
                n = 0
                c = classes
                while c:
                    c -= 1
                    n += octets[leaf + c]
                c = classes
                while c:
                    c -= 1
                    scratch[c] += words[m + _WEIGHTS] * octets[leaf + c] // n
        if entropy:
            # softmax; exp by six terms of its series, Q14
            whole = 0
            c = classes
            while c:
                c -= 1
                power = scratch[c] >> 2
                exp = 16384 + ((power * 2731) >> 14)
                exp = 16384 + ((((power * exp) >> 14) * 3277) >> 14)
                exp = 16384 + ((power * exp) >> 16)
                exp = 16384 + ((((power * exp) >> 14) * 5461) >> 14)
                exp = 16384 + ((power * exp) >> 15)
                exp = 16384 + ((power * exp) >> 14)
                scratch[c] = exp
                whole += exp
            c = classes
            while c:
                c -= 1
                scratch[c] = ((scratch[c] << 14) // whole) << 2
        label = (octets[_LABELS * window + s] >> 1) - 1
        error = scratch[label] - _FULL
        scratch[label] = error
        if exact:
            j = members
            while j:
                j -= 1
                leaf = scratch[member + _MEMBER_VOTE]
                n = 0
                gradient = 0
                c = classes
                while c:
                    c -= 1
                    n += octets[leaf + c]
                    gradient += octets[leaf + c] * scratch[c]
                scratch[member + _MEMBER_GRADIENT] += gradient // n
                member += _MEMBER
        elif error:  # 0: all weight is on the right class, and no gradient comes from here
            j = members
            while j:
                j -= 1
                member -= _MEMBER
                scratch[member + _MEMBER_GRADIENT] += scratch[scratch[member + _MEMBER_VOTE]]
        s -= 1

    # w - step * gradient, relative to the largest: what lies a whole below it can't survive anyway.
    top = _LOWEST
    member = first
    j = members
    while j:
        j -= 1
        mean = (scratch[member + _MEMBER_GRADIENT] << 5) // count
        step = (mean >> 10) * words[_STEP] + (((mean & 1023) * words[_STEP]) >> 10)
        if words[_STEP_SHIFT] < 0:
            step <<= 0 - words[_STEP_SHIFT]
        else:
            step >>= words[_STEP_SHIFT]
        weight = words[scratch[member] + _WEIGHTS] - step
        scratch[member + _MEMBER_GRADIENT] = weight
        if weight > top:
            top = weight
        member += _MEMBER
    # Insertion sort, decreasing and stable.
    member = first
    j = members
    while j:
        j -= 1
        m = scratch[member]
        weight = scratch[member + _MEMBER_GRADIENT] - top
        if weight < 0 - _FULL:
            weight = 0 - _FULL
        to = member
        while to > first and scratch[to + (_MEMBER_GRADIENT - _MEMBER)] < weight:
            scratch[to] = scratch[to - _MEMBER]
            scratch[to + _MEMBER_GRADIENT] = scratch[to + (_MEMBER_GRADIENT - _MEMBER)]
            to -= _MEMBER
        scratch[to] = m
        scratch[to + _MEMBER_GRADIENT] = weight
        member += _MEMBER

    beta = 0
    excess = 0
    total = 0 - _FULL
    member = first
    j = 0
    while j < members and j < limit:
        j += 1
        total += scratch[member + _MEMBER_GRADIENT]
        if scratch[member + _MEMBER_GRADIENT] * j > total:
            beta = j
            excess = total
        member += _MEMBER
    tau = excess // beta
    excess -= tau * beta  # what the division leaves over is taken from the largest, 1 from each
    member = first
    j = 0
    while j < members:
        weight = 0
        if j < beta:
            weight = scratch[member + _MEMBER_GRADIENT] - tau
            if j < excess:
                weight -= 1
        words[scratch[member] + _WEIGHTS] = weight
        member += _MEMBER
        j += 1
    return 0
