"""What an ensemble's plan writes into its fresh arrays. The layout: layout.py."""

from micropython import const

from .options import CRITERIA, LOSSES

# From the layouts, by `make consts`:
_OCTETS = const(3)
_WINDOW = const(8)
_SHRUBS = const(9)
_ROOM = const(10)
_HEAD = const(12)
_EVERY = const(13)
_WEIGH = const(14)
_TRAIN_IN = const(15)
_WEIGH_IN = const(16)
_STEP = const(17)
_STEP_SHIFT = const(18)
_ENTROPY = const(19)
_DEPTH = const(20)
_FLAGS = const(21)
_TRY = const(22)
_RANDOM = const(23)
_SEED = const(24)
_RECENT = const(25)
_YOUNGEST = const(28)
_AGREE = const(31)
_GAIN = const(1)
_EXACT = const(2)
_EVERY_MOST = const(64)


def fraction(value):
    """value as (mantissa, exponent), value = mantissa / 2 ** exponent, 2048 <= mantissa < 4096.

    Doubling and halving are exact in every precision, so only the 12-bit mantissa is ever rounded.
    """
    exponent = 0
    while value < 2048:
        value *= 2
        exponent += 1
    while value >= 4095.5:
        value /= 2
        exponent -= 1
    return int(value + 0.5), exponent


def write_header(words, p):
    """Put a plan into freshly allocated words."""
    o = p.options
    entropy = LOSSES.index(o["loss"])
    mantissa, exponent = fraction(p.n_classes / 10 if o["step"] is None else o["step"])
    scaled, shift = fraction((mantissa << (8 if entropy else 9)) // p.n_classes)
    words[_WINDOW] = p.window
    words[_SHRUBS] = p.shrubs
    words[_ROOM] = p.nodes
    words[_EVERY] = o["every"] or min(_EVERY_MOST, p.window)
    words[_WEIGH] = o["weigh"] or words[_EVERY]
    words[_HEAD] = 1
    words[_TRAIN_IN] = 1
    words[_WEIGH_IN] = 1
    words[_STEP] = scaled
    words[_STEP_SHIFT] = shift + exponent + 8 - 5
    words[_ENTROPY] = entropy
    words[_DEPTH] = o["depth"] or 0
    words[_FLAGS] = CRITERIA.index(o["criterion"]) * _GAIN | bool(o["exact"]) * _EXACT
    features = o["features"]
    if features is None:
        # Shrubs that come more often than that see nearly the same window; random features make them differ.
        features = p.n_features if 4 * words[_EVERY] >= p.window else (p.n_features + 2) // 3
    words[_TRY] = 0 if features == p.n_features else features
    words[_RANDOM] = int(bool(o["random"]))
    words[_SEED] = o["seed"] or 1
    recent = o["recent"]
    words[_RECENT] = min(p.window, 24 if recent is None else recent)
    words[_YOUNGEST] = -1
    if p.agree():
        words[_AGREE] = words[_OCTETS] - (p.shrubs + 1) * (p.shrubs + 1)
