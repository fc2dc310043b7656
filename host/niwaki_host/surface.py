"""What a model can do, visible on a desktop: `dir(clf)` and `help(Tree)` show what a board loads late.

On a board a method costs 40 bytes of heap and a property 44, so Model.__getattr__ finds them when they are
asked for. Here they are in the class from the start, with the words that `help` prints, and what stands in
the header can't be shadowed by an assignment.
"""

from collections.abc import Callable
from typing import Any

VALUES = {
    "words": "The 32-bit words of the model: its header, then what its layout says.",
    "halves": "The 16-bit halves of the model.",
    "octets": "The bytes of the model.",
    "budget": "Bytes that the model may take.",
    "n_features": "Codes per sample.",
    "n_classes": "Labels are 0..n_classes - 1.",
    "samples": "Samples learned so far.",
}
METHODS = {
    "save": "save(path) -> bytes written. A power cut leaves the old or the new model: image.py.",
    "restored": "restored() -> str: why load took the previous model; empty if it took the newest.",
    "checkpoint": "checkpoint(path, every=1000): save after every so many learned samples.",
    "defer": "defer(x) -> ticket: keep a sample until its label comes; needs pending=n.",
    "label": "label(ticket, y) -> bool: learn that sample, unless it is no longer there.",
    "learn_unlabelled": "learn_unlabelled(x, margin) -> bool: learn a sample as predicted, if that is sure.",
    "novelty": "novelty(x) -> 0..65535: how unlike anything seen a sample is.",
    "importances": 'importances(out, kind="mpg"): how much each feature matters, "mpg" or "mdi", into `out`.',
}


def show(model_class: Any) -> None:
    """Give the class of all models a property for each value and a method for each that comes late."""
    for name, text in VALUES.items():
        setattr(model_class, name, _value(model_class, name, text))
    for name, text in METHODS.items():
        setattr(model_class, name, _method(name, text))


def _value(model_class: Any, name: str, text: str) -> property:
    def read(self: Any) -> Any:
        return model_class.__getattr__(self, name)

    return property(read, doc=text)


def _method(name: str, text: str) -> Callable:
    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        from niwaki.late import late

        return late(self, name)(*arguments, **options)

    call.__name__ = name
    call.__doc__ = text
    return call
