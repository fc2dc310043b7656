"""How sure a tree is of its answer. Loaded on first use, by learn_unlabelled."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_CLASSES = const(6)
_SAMPLES = const(7)
_NODE0 = const(10)
_LEAF0 = const(27)
_NODE_LEAF = const(2)
_NODE = const(6)
_LEAF = const(5)
_S_NODE = const(5)
_S_LOGS = const(7)
_S_ROWS = const(18)
_NEVER = const(-536870912)

_SURE = const(65536)


@micropython.viper
def margin(at: ptr32, x: ptr16) -> int:
    """65,536 x (1 - p2 / p1) for the two best classes of the sample that predict() has just seen, or 0."""
    words = ptr32(at[0])
    halves = ptr16(at[1])
    scratch = ptr32(at[3])
    if words[_SAMPLES] & 1 == 0:
        return 0
    classes = words[_CLASSES]
    first = _NEVER
    second = _NEVER
    logs = scratch[_S_LOGS]
    counts = (
        words[_LEAF0]
        + halves[words[_NODE0] + scratch[_S_NODE] * _NODE + _NODE_LEAF] * (_LEAF + classes)
        + _LEAF
    )
    for c in range(classes):
        if logs:
            score = scratch[_S_ROWS + c]
        else:
            score = halves[counts + c]
        if score > first:
            second = first
            first = score
        elif score > second:
            second = score
    if logs:
        if second == _NEVER:
            return 0
        distance = first - second
        if distance >= 131072:
            return _SURE
        # 2 ** -(n / 8192), as in Tree.scores
        fraction = distance & 8191
        return _SURE - (
            (_SURE - ((fraction * 43018) >> 13) + ((((fraction * fraction) >> 13) * 10250) >> 13))
            >> (distance >> 13)
        )
    if second == 0:
        return 0
    while first > 8191:
        first >>= 1
        second >>= 1
    return _SURE - (second << 16) // first
