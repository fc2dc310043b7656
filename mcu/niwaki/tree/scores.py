"""How likely each class is, from what `predict` leaves in the scratch: a method of Tree."""

from micropython import const

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_HALVES = const(1)
_A_SCRATCH = const(3)
_CLASSES = const(6)
_NODE0 = const(10)
_LEAF0 = const(27)
_NODE_LEAF = const(2)
_NODE = const(6)
_LEAF = const(5)
_S_NODE = const(5)
_S_LOGS = const(7)
_S_ROWS = const(18)


def scores(self, x, out):
    """Class probabilities of sample `x` into `out`, integers that sum to about 65,536."""
    classes = self._arrays[_A_WORDS][_CLASSES]
    self._check_out(out, classes)
    best = self.predict(x)  # type: ignore
    scratch = self._arrays[_A_SCRATCH]
    total = 0
    if scratch[_S_LOGS]:  # logarithms in Q13
        top = scratch[_S_ROWS + best]
        for c in range(classes):
            # 2 ** -(k / 8192) in Q16; on [0, 1] it is 1 - 0.6564 f + 0.1564 f^2 within 0.2 %
            distance = top - scratch[_S_ROWS + c]
            fraction = distance & 8191
            out[c] = 0
            if distance < 16 << 13:
                out[c] = (
                    65536 - ((fraction * 43018) >> 13) + ((((fraction * fraction) >> 13) * 10250) >> 13)
                ) >> (distance >> 13)
            total += out[c]
        for c in range(classes):
            out[c] = (out[c] << 12) // (total >> 4)
    else:
        words = self._arrays[_A_WORDS]
        halves = self._arrays[_A_HALVES]
        counts = (
            words[_LEAF0]
            + halves[words[_NODE0] + scratch[_S_NODE] * _NODE + _NODE_LEAF] * (_LEAF + classes)
            + _LEAF
        )
        for c in range(classes):
            total += halves[counts + c]
        for c in range(classes):
            out[c] = ((halves[counts + c] << 13) // total) << 3 if total else 65536 // classes
    for c in range(best):
        if out[c] >= out[best]:  # equal but for rounding
            out[best] = out[c] + 1
