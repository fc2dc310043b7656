"""Samples that never get a label: learn those that the model is sure of. Loaded on first use.

A model that teaches itself may talk itself into anything: see benchmarks/results/partial_labels.md. Two rules
keep the harm small. At most one such sample is learned for each that had a label: only when the number of
samples learned is odd, and none but a labelled one makes it odd again. And a leaf that knows one class only
has no say.
"""

import micropython
from micropython import const

_CLASSES = const(6)
_SAMPLES = const(7)
_NODE0 = const(10)
_LEAF0 = const(27)
_NODE = const(6)
_LEAF = const(5)
_S_NODE = const(5)
_S_LOGS = const(7)
_S_ROWS = const(18)
_NEVER = const(-0x20000000)  # naive Bayes' score of a class that the leaf has never met
_SURE = const(65536)


@micropython.viper
def tree_margin(at: ptr32, x: ptr16) -> int:
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
    leaf = words[_LEAF0] + halves[words[_NODE0] + scratch[_S_NODE] * _NODE + 2] * (_LEAF + classes) + _LEAF
    for c in range(classes):
        if logs:
            n = scratch[_S_ROWS + c]
        else:
            n = halves[leaf + c]
        if n > first:
            second = first
            first = n
        elif n > second:
            second = n
    if logs:
        if second == _NEVER:
            return 0
        n = first - second
        if n >= 131072:
            return _SURE
        # 2 ** -(n / 8192), as in Tree.scores
        k = n & 8191
        return _SURE - ((_SURE - ((k * 43018) >> 13) + ((((k * k) >> 13) * 10250) >> 13)) >> (n >> 13))
    if second == 0:
        return 0
    while first > 8191:
        first >>= 1
        second >>= 1
    return _SURE - (second << 16) // first


@micropython.viper
def shrub_margin(at: ptr32, x: ptr16) -> int:
    """The same by the votes of an ensemble."""
    words = ptr32(at[0])
    scratch = ptr32(at[3])
    first = 0
    second = 0
    if words[_SAMPLES] & 1 == 0:
        return 0
    for c in range(words[_CLASSES]):
        n = scratch[c]
        if n > first:
            second = first
            first = n
        elif n > second:
            second = n
    if first == 0:
        return 0
    return _SURE - (((second << 13) // first) << 3)


MARGINS = (tree_margin, shrub_margin)  # by the kind of model


def learn_unlabelled(self, x, margin):
    """Learn sample `x` as what it is predicted to be, if the model is sure; returns whether it was.

    Sure means 65,536 x (1 - p2 / p1) >= margin, where p1 and p2 are the scores of the two best classes. Such
    samples are never more than those with a label.
    """
    if not isinstance(margin, int):
        raise TypeError("margin must be an int, not %r" % (margin,))
    if not 0 < margin <= _SURE:
        raise ValueError("margin must be 1..65536, not %d" % margin)
    if x is not self._seen or len(x) != len(self._arrays[5]):
        x = self._admit(x)
    seen = self._seen
    self._seen = x
    try:
        y = self.predict(x)
        if MARGINS[(self._arrays[0][0] >> 8 & 255) - 1](self._at, x) < margin:
            return False
        self.learn(x, y)
    finally:
        self._seen = seen
    return True
