"""Samples that never get a label: learn those that the model is sure of. Loaded on first use.

A model that teaches itself may talk itself into anything: see benchmarks/results/partial_labels.md. Two rules
keep the harm small. At most one such sample is learned for each that had a label: only when the number of
samples learned is odd, and none but a labelled one makes it odd again. And a leaf that knows one class only
has no say.
"""

from micropython import const

from . import fetch

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_SAMPLE = const(5)
_IDENTITY = const(0)
_KIND_AT = const(8)
_KIND_MASK = const(255)
_KIND_GROVE = const(3)

_SURE = const(65536)
_WHERE = ("tree.margin", "shrubs.margin", "grove.margin")  # by the kind of model
_margins = {}


def margin_of(model):
    """The kernel that says how sure a model of this kind is of what it has just predicted."""
    kind = model._arrays[_A_WORDS][_IDENTITY] >> _KIND_AT & _KIND_MASK
    if kind not in _margins:
        _margins[kind] = fetch(_WHERE[kind - 1], "margin")
    return _margins[kind]


def learn_unlabelled(self, x, margin):
    """Learn sample `x` as what it is predicted to be, if the model is sure; returns whether it was.

    Sure means 65,536 x (1 - p2 / p1) >= margin, where p1 and p2 are the scores of the two best classes. Such
    samples are never more than those with a label.
    """
    if not isinstance(margin, int):
        raise TypeError("margin must be an int, not %r" % (margin,))
    if not 0 < margin <= _SURE:
        raise ValueError("margin must be 1..65536, not %d" % margin)
    if x is not self._seen or len(x) != len(self._arrays[_A_SAMPLE]):
        x = self._admit(x)
    seen = self._seen
    self._seen = x
    try:
        y = self.predict(x)
        if margin_of(self)(self._at, x) < margin:
            return False
        if self._arrays[_A_WORDS][_IDENTITY] >> _KIND_AT & _KIND_MASK == _KIND_GROVE:
            self.learn_late(x, y, -1)  # a guess is no label: nobody gets credit for it
        else:
            self.learn(x, y)
    finally:
        self._seen = seen
    return True
