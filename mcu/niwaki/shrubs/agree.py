"""Count on how many samples of the window a new shrub agrees with each of the others."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_FEATURES = const(5)
_CLASSES = const(6)
_WINDOW = const(8)
_SHRUBS = const(9)
_ROOM = const(10)
_COUNT = const(11)
_YOUNGEST = const(28)
_DUE = const(29)
_AGREE = const(31)
_WEIGHTS = const(32)
_LABELS = const(2)
_ORDERS = const(3)
_DUE_GROW = const(1)
_DUE_AGREE = const(2)

_DEEP = const(1 << 20)


@micropython.viper
def agree(at: ptr32, x: ptr16) -> int:
    """The candidate's row of the agreements, from the leaves that `grow` left in the scratch.

    A shrub is right on most of the window it was grown on. Where it is, others agree with it exactly when
    they are right themselves, and how often they are is known; only the samples it errs on are looked at.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    window = words[_WINDOW]
    room = words[_ROOM]
    places = words[_SHRUBS] + 1
    table = words[_AGREE]
    new = words[_YOUNGEST]
    n_codes = words[_FEATURES] * window
    roots = _ORDERS * window + 1 + n_codes + places
    features = roots + places
    homes = 2 * words[_CLASSES] + 3 + room
    m = places
    while m:
        m -= 1
        entry = table + new * places + m
        if m > new:
            entry = table + m * places + new
        if m - new:
            octets[entry] = octets[table + m * places + m]
    right = words[_COUNT]
    leaf = octets[roots - places + new]
    while leaf >= 0:
        own = octets[scratch[homes + leaf] & (_DEEP - 1)] - room
        s = scratch[homes + room + 1 + leaf]
        while s:
            label = (octets[_LABELS * window + s] >> 1) - 1
            if label - own:
                right -= 1
                m = places
                while m:
                    m -= 1
                    if words[m + _WEIGHTS]:
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
                        entry = table + new * places + m
                        if m > new:
                            entry = table + m * places + new
                        if not vote - own:
                            octets[entry] += 1
                        elif not vote - label:
                            octets[entry] -= 1
            s = octets[window + s]
        leaf -= 1
    octets[table + new * places + new] = right
    words[_DUE] &= ~(_DUE_GROW | _DUE_AGREE)
    return 0
