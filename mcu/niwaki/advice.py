"""What to do about a sample or a label that a model can't take. Loaded when there is one: late.py.

These are methods of a model, and each raises an error. On a desktop, niwaki_host/surface.py is asked first:
it takes numpy's rows and numbers, which then are not refused.
"""

from array import array


def _refuse(self, y):
    """Say what is wrong with label `y`."""
    last = self.n_classes - 1
    try:
        number = y.__index__() if hasattr(y, "__index__") else y
    except TypeError:  # an array of several
        number = None
    if isinstance(number, int) and not 0 <= number <= last:
        raise ValueError("label %d is not in 0..%d" % (number, last))
    hint = ""
    if isinstance(y, str):
        hint = ": keep a list of names, and learn names.index(%r)" % y
    elif y is None:
        hint = ": what has no label is for predict, or for learn_unlabelled"
    elif isinstance(number, int) or (isinstance(y, float) and y % 1 == 0):
        hint = ": learn int(y)"
    raise TypeError("label %r is not an int in 0..%d%s" % (y, last, hint))


def _explain(self, y):
    """Say what is wrong with label `y`, if that is why `learn` has failed."""
    try:
        y >> 8
    except TypeError:
        self._refuse(y)


def _nested(self, _x):
    """Say that a call has come before another one has ended."""
    raise RuntimeError(
        "learn is called from inside learn: a callback must keep its sample, and the program learn it later"
    )


def _admit_other(self, x):
    """Say what is wrong with sample `x`."""
    n = self.n_features
    try:
        k = len(x)
    except TypeError:
        raise TypeError("a sample is an array('h'), or a list or tuple, of %d ints, not %r" % (n, x))
    if k != n:
        hint = ""
        if k == 2 * n and (isinstance(x, bytes) or isinstance(x, bytearray)):
            hint = ": array('h', x) makes codes of bytes"
        elif k == n + 1:
            hint = ": is the label among them?"
        elif k == 1 and _is_row(x) and _is_row(x[0]):
            hint = ": learn one row at a time, x[0]"
        raise ValueError("expected %d features, got %d%s" % (n, k, hint))
    if not _is_row(x):
        if isinstance(x, array) or isinstance(x, memoryview):
            _check(x)
        raise TypeError("samples are array('h'), or lists or tuples of ints, not %s" % _kind(x))
    _check(x)


def _is_row(x):
    return isinstance(x, list) or isinstance(x, tuple)


def _kind(x):
    """What it is: with its type code if it is an array, as bytes if it is a view of them."""
    if isinstance(x, array):
        return "%s')" % repr(x)[:8]
    if isinstance(x, memoryview):
        return "a memoryview of other items than 'h'"
    return type(x).__name__


def _check(x):
    """Refuse the first value that is no code."""
    for i in range(len(x)):
        v = x[i]
        if v is None or v != v:
            raise TypeError("feature %d: %r is not an int; what is missing is niwaki.MISSING" % (i, v))
        if not isinstance(v, int):
            hint = "see Encoder for floats"
            if isinstance(v, str):
                hint = "keep a list of the names, and take names.index(%r)" % v
            elif isinstance(v, bool):
                hint = "int(x) makes one"
            elif _is_row(v):
                hint = "a sample is one row of numbers"
            raise TypeError("feature %d: %r is not an int; %s" % (i, v, hint))
        if not -32768 <= v <= 32767:
            raise ValueError(
                "feature %d: code %d is not in -32768..32767; see Encoder for wider ranges" % (i, v)
            )
