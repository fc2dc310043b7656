"""`reset()`: an ensemble as new. Loaded on first use: late.py."""

from micropython import const

from ..blank import blank, seeded
from ..model import forget

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_COUNT = const(11)
_HEAD = const(12)
_TRAIN_IN = const(15)
_WEIGH_IN = const(16)
_SEED = const(24)
_TOKENS = const(26)
_LEAD = const(27)
_YOUNGEST = const(28)
_DUE = const(29)
_TAKE = const(30)
_WEIGHTS = const(32)


def reset(self, seed=1):
    """Forget all that was learned: the ensemble is as its constructor made it, and draws from `seed` anew."""
    seed = seeded(seed)
    words = self._arrays[_A_WORDS]
    blank(self, _WEIGHTS)
    for i in (_COUNT, _TOKENS, _LEAD, _DUE, _TAKE):
        words[i] = 0
    for i in (_HEAD, _TRAIN_IN, _WEIGH_IN):
        words[i] = 1
    words[_YOUNGEST] = -1
    words[_SEED] = seed
    forget("construct blank shrubs.reset")
