"""For models whose kernels are all interpreted: `guard` keeps interrupts out of `learn`; `tear` tells of one.

Native code needs none of this: there it is loaded only for an interrupt that hold.py can't hold back.
"""

import sys

from micropython import const

from .hold import hold

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_IDENTITY = const(0)
_TORN = const(0x4000000)

_METHODS = (
    "learn predict scores save learn_late learn_unlabelled defer label importances novelty confidence "
    "forget settle answers"
)
_X = const(0)
_Y = const(1)
_ANSWER = const(2)


def _spoilt(*_arguments):
    raise RuntimeError(
        "an interrupt in the midst of learn may have left this model half changed: load the last saved one"
    )


def tear(model):
    """Spoil a model that an interrupt may have left half changed: whatever is asked of it says so."""
    model._arrays[_A_WORDS][_IDENTITY] |= _TORN
    for name in _METHODS.split():
        setattr(model, name, _spoilt)


def guard(cls):
    """Let no interrupt into the `learn` of a class, if that can be had; else notice it."""
    learn = cls.learn
    job = [None, 0, 0]

    def do(model):
        job[_ANSWER] = learn(model, job[_X], job[_Y])

    def held(self, x, y):
        job[_X] = x
        job[_Y] = y
        hold(do, self)
        return job[_ANSWER]

    cls.learn = held


if sys.implementation.name != "micropython":
    guard = __import__("niwaki_host.device.held", globals(), locals(), ("guard",)).guard
