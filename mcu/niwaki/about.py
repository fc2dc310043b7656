"""What an image carries beside its model: names of labels and features, units, the encoder, the window.

    clf.about(labels=["rest", "wave"], features=["x", "y", "z"], units=["g"] * 3, encoder=encoder, window=win)
    clf.save("model")
    ...
    about = load("model").about()                # a dict of what is known: about["encoder"].encode(x, out)

It is no part of what the model has learned: not of its arrays, its digest or its budget, and a model without
it pays nothing. A model that has it keeps it on the heap, and each `save` of the model, or of a copy, writes
it behind the arrays, as an image of format 2. The model keeps the encoder itself, so ranges that it learns
later are saved too. Of a window it keeps the settings, not the samples.

The section is at most 4,096 bytes: entries of a tag, a length (2 bytes) and the content, tags in order.

    1, 2, 3   labels, features, units: per name one byte that says how long it is, then UTF-8
    4         encoder: features (2), samples still to learn from (4), margin; per feature how it is encoded
              (a byte, below) and what that needs
    5         window: axes (2), length (2), step (4), level + 32768 (4; -1 for None)

Numbers are little-endian. While an image is loaded, about_check.py proves all of this: a section that `about`
could not have made is refused, and the model with it.
"""

import struct

from micropython import const

from . import fetch
from .about_check import (
    FORMATS,
    INT,
    LEARNS,
    LONG,
    MOST,
    NAMES,
    NOMINAL,
    REAL,
    TEXTS,
    WINDOW,
    attach,
    check,
    encoder_of,
    entries,
    texts_of,
)
from .model import ImageError

# From the layouts, by `make consts`:
_A_ABOUT = const(6)

_WIDEST = 16  # bytes of two numbers


def about(self, **what):
    """What is known around the model, as a dict; with arguments, set these first (None: no longer known)."""
    known = _known(self)
    if what:
        known = dict(known)
        for name in what:
            if name not in NAMES:
                raise TypeError("about knows %s, not %s" % (", ".join(NAMES), name))
            known[name] = what[name]
            if what[name] is None:
                del known[name]
            elif not isinstance(what[name], str) and NAMES.index(name) < TEXTS:
                known[name] = list(what[name])  # a program may change its own
        if known:
            _fits(known, self.n_features, self.n_classes)
        attach(self, known or None)
    return {name: list(what) if isinstance(what, list) else what for name, what in known.items()}


def _known(model):
    """What the model carries, unpacked on first use."""
    if len(model._arrays) <= _A_ABOUT:
        return {}
    known = model._arrays[_A_ABOUT]
    if isinstance(known, bytes):
        known = _unpack(known)
        attach(model, known)
    return known


def _fits(known, n_features, n_classes):
    """Refuse what can't be saved, now or when the encoder has learned its ranges."""
    for name, kind in (("encoder", "Encoder"), ("window", "Window")):
        if name in known and type(known[name]).__name__ != kind:
            raise TypeError("about: %s is a niwaki.%s, not %r" % (name, kind, known[name]))
    section = pack(known)
    longest = len(section)
    if "encoder" in known:
        for span in known["encoder"].ranges:
            longest += _WIDEST if span is None else 0
    if longest > MOST:
        raise ValueError("about would take %d bytes of an image, of at most %d: give less" % (longest, MOST))
    try:
        check(section, n_features, n_classes)
    except ImageError as error:
        raise ValueError(str(error).replace("damaged", "about"))


def pack(known):
    """The section, as bytes."""
    if isinstance(known, bytes):
        return known
    section = b""
    for tag in range(len(NAMES)):
        if NAMES[tag] in known:
            what = known[NAMES[tag]]
            content = (_pack_texts, _pack_encoder, _pack_window)[max(0, tag - 2)](NAMES[tag], what)
            section += struct.pack("<BH", tag + 1, len(content)) + content
    return section


def _pack_texts(name, texts):
    if isinstance(texts, str):
        raise TypeError("about: %s is a list of names, not %r" % (name, texts))
    content = b""
    for text in texts:
        if not isinstance(text, str):
            raise TypeError("about: a name among %s is a str, not %r" % (name, text))
        code = text.encode()
        if len(code) > 255:
            raise ValueError("about: %s has a name of %d bytes, more than 255" % (name, len(code)))
        content += bytes((len(code),)) + code
        if len(content) > MOST:
            raise ValueError("about: %s take more than %d bytes: give less" % (name, MOST))
    return content


def _pack_numbers(*numbers):
    """How the numbers are kept, and their bytes."""
    how = INT
    for number in numbers:
        if not isinstance(number, int) or not -(1 << 63) <= number < 1 << 63:
            how = REAL
        elif how == INT and not -(1 << 31) <= number < 1 << 31:
            how = LONG
    if how == REAL:
        numbers = [float(number) for number in numbers]
    return how, struct.pack("<%d%s" % (len(numbers), FORMATS[how]), *numbers)


def _pack_encoder(_, encoder):
    how, margin = _pack_numbers(encoder.margin)
    content = struct.pack("<HIB", encoder.n_features, encoder.left, how) + margin
    ranges = encoder.ranges
    for f in range(encoder.n_features):
        if isinstance(ranges[f], int):
            content += struct.pack("<BH", NOMINAL, ranges[f])
            continue
        ends = ranges[f] or (encoder._lo[f], encoder._hi[f])
        how, numbers = _pack_numbers(*ends) if ends[0] is not None else (0, b"")
        content += bytes((how if ranges[f] else how | LEARNS,)) + numbers
    if len(content) > MOST:
        raise ValueError("about: the encoder takes more than %d bytes" % MOST)
    return content


def _pack_window(_, window):
    return struct.pack(WINDOW, *window._state[:4])  # its first four words: axes, length, step, level


def _unpack(section):
    """What a section that was proved says."""
    known = {}
    for tag, content in entries(section):
        if tag <= TEXTS:
            known[NAMES[tag - 1]] = texts_of(content)
        elif NAMES[tag - 1] == "encoder":
            known["encoder"] = _make_encoder(content)
        else:
            axes, length, step, level = struct.unpack(WINDOW, content)
            level = None if level < 0 else level - 32768
            known["window"] = fetch("window", "Window")(axes, length, step, level)
    return known


def _make_encoder(content):
    n, left, margin, spans, learns = encoder_of(content)
    ranges = [None if learns[f] else spans[f] for f in range(n)]
    encoder = fetch("encoder", "Encoder")(n, ranges, left or 1, margin)
    for f in range(n):
        if learns[f] and spans[f]:
            encoder._lo[f], encoder._hi[f] = spans[f]
    return encoder
