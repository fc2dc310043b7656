"""A grove as new: `reset()`. Loaded when it is asked for: late.py."""

from micropython import const

from ..blank import blank, seeded
from ..model import forget

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_OCTETS = const(2)
_FEATURES = const(5)
_CLASSES = const(6)
_MEMORY = const(8)
_RECENT = const(9)
_BINS = const(13)
_COUNT = const(15)
_HEAD = const(16)
_NEWEST = const(17)
_SEED = const(18)
_GROWING = const(19)
_LEAVES = const(20)
_TAKEN = const(21)
_REST = const(22)
_FOLLOWS = const(23)
_KNOWS = const(24)
_IDLE = const(29)
_WINDOWS = const(30)
_EVEN = const(16)


def reset(self, seed=1):
    """Forget all that was learned: the grove is as its constructor made it, and draws from `seed` anew."""
    seed = seeded(seed)
    w = self._arrays[_A_WORDS]
    blank(self, _WINDOWS)
    for i in (_COUNT, _HEAD, _NEWEST, _GROWING, _LEAVES, _TAKEN, _REST, _FOLLOWS, _KNOWS, _IDLE):
        w[i] = 0
    w[_SEED] = seed
    # The weights of the features, behind memory and histograms.
    at = (w[_MEMORY] + w[_RECENT]) * (w[_FEATURES] + 1) + w[_FEATURES] * w[_BINS] * w[_CLASSES]
    for f in range(w[_FEATURES]):
        self._arrays[_A_OCTETS][at + f] = _EVEN
    forget("construct blank grove.reset")
