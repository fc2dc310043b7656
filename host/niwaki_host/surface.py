"""What a model can do, visible on a desktop: `dir(clf)` and `help(Tree)` show what a board loads late.

On a board a method costs 40 bytes of heap and a property 44, so Model.__getattr__ finds them when they are
asked for. On a desktop they are in the class from the start, with the words that `help` prints. So an
assignment can't hide a value of the header. Samples and labels may be numpy's, which no board has.
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
    "nbytes": "Bytes of heap that the model takes on a 32-bit MicroPython; never more than `budget`.",
}
METHODS = {
    "save": "save(path) -> int: to a file, if it has changed; after a power cut the old or the new.",
    "restored": "restored() -> str: why load took the previous model; empty if it took the newest.",
    "checkpoint": "checkpoint(path, every=1000) -> what saves at every so many calls of its tick().",
    "defer": "defer(x) -> ticket: keep a sample until its label comes; needs pending=n.",
    "label": "label(ticket, y) -> bool: learn that sample, unless it is no longer there.",
    "learn_unlabelled": "learn_unlabelled(x, margin) -> bool: learn a sample as predicted, if that is sure.",
    "novelty": "novelty(x) -> 0..65535: how unlike anything seen a sample is.",
    "about": "about(labels=..., ...) -> dict: what is saved beside it: names, units, encoder, window.",
    "reset": "reset(seed=1): as new, with the same options.",
    "copy": "copy(): a second model with the same state.",
    "importances": 'importances(out, kind="mpg"): how much each feature matters, "mpg" or "mdi", into `out`.',
}
OF_A_GROVE = {
    "confidence": "confidence(x) -> 0..65535: how sure the answer to sample `x` is.",
    "forget": "forget(y): forget class `y`, so that it can be taught anew.",
    "settle": "settle(): grow all shrubs anew, when a lesson ends.",
}


def show(model_class: Any) -> None:
    """Give the class of all models a property for each value and a method for each that comes late."""
    for name, text in VALUES.items():
        setattr(model_class, name, _value(model_class, name, text))
    for name, text in METHODS.items():
        setattr(model_class, name, _method(name, text))
    model_class._admit_other = _admit_other
    model_class.__init_subclass__ = classmethod(_show_more)


def _show_more(cls: Any) -> None:
    """Give the class Grove, when Python makes it, the late methods that no other model has."""
    if cls.__name__ == "Grove":
        for name, text in OF_A_GROVE.items():
            setattr(cls, name, _method(name, text))


def name(cls: Any) -> None:
    """Give Encoder, Window and Adwin a repr that tells their settings: on a board that would cost heap."""
    texts = {"Encoder": _encoder, "Window": _window, "Adwin": _adwin}
    cls.__repr__ = texts[cls.__name__]


def _encoder(self: Any) -> str:
    unknown = "" if self.ready else f", {self.left} samples to learn from"
    return f"<Encoder: {self.n_features} features{unknown}>"


def _window(self: Any) -> str:
    axes, length, step = self._state[:3]
    return f"<Window: {axes} axes, {length} samples, a new one each {step}, {self.n_features} features>"


def _adwin(self: Any) -> str:
    return f"<Adwin: {self.nbytes} of {self.budget} bytes, {self.ones} ones in a window of {self.window}>"


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


def _admit_other(self: Any, x: Any) -> Any:
    """Admit a sample whose numbers are numpy's; refuse any other as a board does, and say what is wrong."""
    from niwaki.advice import _admit_other as refuse

    if getattr(x, "ndim", 1) != 1:
        raise ValueError(f"a sample is one row of {self.n_features} numbers, not of shape {tuple(x.shape)}")
    if hasattr(x, "dtype") or (isinstance(x, memoryview) and x.format in "hH"):
        x = x.tolist()
    if isinstance(x, list | tuple):
        x = [value.item() if hasattr(value, "dtype") else value for value in x]
        fits = len(x) == self.n_features
        if fits and all(isinstance(value, int) and -32768 <= value <= 32767 for value in x):
            return self._admit(x)
    return refuse(self, x)
