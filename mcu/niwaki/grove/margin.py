"""How sure a grove is of its answer. Loaded on first use, by learn_unlabelled."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_CLASSES = const(6)
_SAMPLES = const(7)
_S_ROWS = const(13)

_SURE = const(65536)


@micropython.viper
def margin(at: ptr32, x: ptr16) -> int:
    """65,536 x (1 - v2 / v1) for the scores of the two best classes, just after predict(), or 0."""
    words = ptr32(at[0])
    scratch = ptr32(at[3])
    first = 0
    second = 0
    if words[_SAMPLES] & 1 == 0:
        return 0
    for c in range(words[_CLASSES]):
        n = scratch[_S_ROWS + c]
        if n > first:
            second = first
            first = n
        elif n > second:
            second = n
    if first == 0:
        return 0
    return _SURE - (((second << 13) // first) << 3)
