"""What few programs ask of a model: loaded on first use, and from then on a method of its class.

    save(path)                    to a file, so that a power cut leaves the old or the new model: image.py
    restored() -> str             why `load` took the other of two files, "" if it did not: generations.py
    checkpoint(path, every=1000)  what saves at every so many calls of its tick(): checkpoint.py
    defer(x) -> ticket            keep a sample until its label comes, needs pending=n: pending.py
    label(ticket, y) -> bool      learn it, unless it is no longer there
    learn_unlabelled(x, margin)   learn a sample as what it is predicted to be, if that is sure: unlabelled.py
    novelty(x) -> 0..65535        how unlike anything seen a sample is: {tree,shrubs,grove}/novelty.py
    importances(out, kind="mpg")  how much each feature matters, "mpg" or "mdi", into `out`, scaled to 65,536:
                                  {tree,shrubs,grove}/importances.py
    confidence(x), forget(y), settle()    of a grove: grove/tend.py
    about(labels=...) -> dict     what its image carries beside it: names, units, encoder, window: about.py
    reset(seed=1)                 forget all that was learned: tree/fresh.py, {shrubs,grove}/reset.py
    copy()                        a second model with the same state: duplicate.py
    repr(model)                   what it is: describe.py
    _refuse(y), _admit_other(x), _nested(x)   what is wrong with a label, a sample, a call: advice.py

A method costs 40 bytes of a board's heap, wherever its code is; these take none until they are called.
"""

from micropython import const

from . import fetch
from .model import forget

# From the layouts, by `make consts`:
_IDENTITY = const(0)
_KIND_AT = const(8)
_KIND_MASK = const(255)

_WHERE = {
    "save": "image",
    "restored": "generations",
    "checkpoint": "checkpoint",
    "defer": "pending",
    "label": "pending",
    "learn_unlabelled": "unlabelled",
    "novelty": ("tree.novelty", "shrubs.novelty", "grove.novelty"),
    "importances": ("tree.importances", "shrubs.importances", "grove.importances"),
    "confidence": ("", "", "grove.tend"),
    "forget": ("", "", "grove.tend"),
    "settle": ("", "", "grove.tend"),
    "about": "about",
    "reset": ("tree.fresh", "shrubs.reset", "grove.reset"),
    "copy": "duplicate",
    "_describe": "describe",
    "_refuse": "advice",
    "_admit_other": "advice",
    "_nested": "advice",
    "_explain": "advice",
}


def late(model, name):
    """The method `name` of a model whose class does not have it yet."""
    if name not in _WHERE:
        raise AttributeError("a model has no %s" % name)
    where = _WHERE[name]
    if isinstance(where, tuple):
        where = where[(model.words[_IDENTITY] >> _KIND_AT & _KIND_MASK) - 1]
        if not where:
            raise AttributeError("only a Grove has %s" % name)
    setattr(type(model), name, fetch(where, name))
    forget("late")
    return getattr(model, name)
