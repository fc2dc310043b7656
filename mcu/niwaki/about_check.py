"""Prove what an image tells about its model, before anything is made of it. The format: about.py."""

import struct

from micropython import const

from .model import ImageError, forget

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_SAMPLE = const(5)
_FEATURES = const(5)
_CLASSES = const(6)

MOST = 4096  # bytes
NAMES = ("labels", "features", "units", "encoder", "window")
TEXTS = 3  # the first three are lists of names
WINDOW = "<HHIi"
_LABELS = 1  # tags: the place in NAMES, from 1
_ENCODER = 4
_WINDOW = 5
_PER_AXIS = 6  # features that a Window makes of an axis

# How a feature is encoded. LEARNS may come with what has been seen so far.
LEARNS = 8
NOMINAL = 1  # number of values (2 bytes)
INT = 2  # lo and hi, or the margin, as 32-bit integers
LONG = 3  # as 64-bit integers
REAL = 4  # as doubles, which hold what a board's float is
FORMATS = {INT: "i", LONG: "q", REAL: "d"}


def attach(model, known):
    """Let the model carry `known`: a dict, the bytes of a section, or None."""
    arrays = model._arrays[: _A_SAMPLE + 1]
    if known:
        arrays += (known,)
    if model._at is model._arrays:
        model._at = arrays
    model._arrays = arrays


def _bad(text, *values):
    raise ImageError("damaged: " + text % values)


def entries(section):
    """Tags and contents, proved to be in order and whole."""
    entries = []
    at = last = 0
    while at < len(section):
        if at + 3 > len(section):
            _bad("what is told about the model ends too early")
        tag, n = struct.unpack("<BH", section[at : at + 3])
        at += 3
        if not last < tag <= len(NAMES) or at + n > len(section):
            _bad("entry %d of %d bytes in what is told about the model", tag, n)
        entries.append((tag, section[at : at + n]))
        at += n
        last = tag
    return entries


def check(section, n_features, n_classes):
    """Prove a section, for a model of that shape; nothing is made of it."""
    if not 0 < len(section) <= MOST:
        _bad("%d bytes about the model, of at most %d", len(section), MOST)
    found = dict(entries(section))
    axes = wanted = 0
    if _WINDOW in found:
        axes = _check_window(found[_WINDOW])
        wanted = _PER_AXIS * axes
        if wanted > n_features:
            _bad("the window makes %d features for a model of %d", wanted, n_features)
    if _ENCODER in found:
        n = _check_encoder(found[_ENCODER])
        if n != n_features and n != axes:
            _bad("the encoder has %d features, the model %d", n, n_features)
    for tag in range(1, TEXTS + 1):
        if tag in found:
            n = len(texts_of(found[tag]))
            if tag == _LABELS:
                if not 1 <= n <= n_classes:
                    _bad("%d labels for %d classes", n, n_classes)
            elif n != n_features and (n != axes or wanted != n_features):
                _bad("%d %s for %d features, and no window of as many axes", n, NAMES[tag - 1], n_features)


def texts_of(content):
    """A list of names."""
    texts = []
    at = 0
    while at < len(content):
        n = content[at]
        code = content[at + 1 : at + 1 + n]
        if len(code) < n:
            _bad("a name ends too early")
        for byte in code:
            if byte < 32 or byte == 127:
                _bad("a name has the control character %d", byte)
        try:
            texts.append(str(code, "utf-8"))
        except ValueError:
            _bad("a name is not UTF-8")
        at += 1 + n
    return texts


def _numbers(content, at, how, n):
    """n numbers that start at `at`, and where they end."""
    if how not in FORMATS:
        _bad("the encoder keeps a number as %d", how)
    kind = "<%d%s" % (n, FORMATS[how])
    end = at + struct.calcsize(kind)
    if end > len(content):
        _bad("the encoder ends too early")
    return struct.unpack(kind, content[at:end]), end


def _check_encoder(content):
    """Prove an encoder; returns its number of features."""
    n, left, margin, spans, learns = encoder_of(content)
    if not 1 <= n <= 4096 or not 0 <= margin or (left > 0) != (True in learns) or left > 1 << 28:
        _bad("the encoder of %d features, margin %r, learns from %d samples", n, margin, left)
    for f in range(n):
        span = spans[f]
        if isinstance(span, int):
            if not 1 <= span <= 32767:
                _bad("feature %d has %d values", f, span)
        elif span:
            lo, hi = span
            wide = hi - lo
            if learns[f]:  # what it has seen so far may be a single value; both ends are finite
                wide = 1 if lo <= hi and lo - lo == hi - hi == 0 else 0
            if wide - wide != 0 or not wide > 0:
                _bad("feature %d: a range needs lo < hi, both finite", f)
    return n


def encoder_of(content):
    """Number of features, samples to learn from, margin; per feature a span or None, and if it learns."""
    if len(content) < 7:
        _bad("the encoder ends too early")
    n, left, how = struct.unpack("<HIB", content[:7])
    margin, at = _numbers(content, 7, how, 1)
    spans = []
    learns = []
    for _ in range(n):
        if at >= len(content):
            _bad("the encoder ends too early")
        how = content[at]
        at += 1
        span = None
        if how == NOMINAL:
            if at + 2 > len(content):
                _bad("the encoder ends too early")
            span = content[at] | content[at + 1] << 8
            at += 2
        elif how != LEARNS:
            span, at = _numbers(content, at, how & ~LEARNS, 2)
        spans.append(span)
        learns.append(how & LEARNS != 0)
    if at != len(content):
        _bad("the encoder has more than its features")
    return n, left, margin[0], spans, learns


def _check_window(content):
    """Prove a window; returns its axes."""
    if len(content) != struct.calcsize(WINDOW):
        _bad("the window has %d bytes", len(content))
    axes, length, step, level = struct.unpack(WINDOW, content)
    if (
        not 1 <= axes <= 256
        or not 2 <= length <= 1024
        or not 1 <= step <= 1 << 20
        or not -1 <= level <= 65535
        or level == 0
    ):
        _bad("a window of %d axes, %d samples, step %d, level %d", axes, length, step, level)
    return axes


def prove(model, section):
    """Prove the section of an image and let the model carry it, as bytes until somebody asks."""
    words = model._arrays[_A_WORDS]
    check(section, words[_FEATURES], words[_CLASSES])
    attach(model, section)
    forget("about_check")
