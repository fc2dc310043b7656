"""What `reset` of every model begins with: {tree/fresh,shrubs/reset,grove/reset}.py."""

from micropython import const

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_HALVES = const(1)
_A_OCTETS = const(2)
_A_SCRATCH = const(3)
_A_SAMPLE = const(5)
_IDENTITY = const(0)
_SAMPLES = const(7)
_RING = const(0x1000000)
_RING_TAIL = const(2)


def zero(data, start):
    for i in range(start, len(data)):
        data[i] = 0


def blank(model, first_word, first_octet=0):
    """Clear words and octets from these places on, and all halves, with the samples that wait for labels."""
    arrays = model._arrays
    words = arrays[_A_WORDS]
    halves = arrays[_A_HALVES]
    places = halves[len(halves) - _RING_TAIL] if words[_IDENTITY] & _RING else 0
    words[_SAMPLES] = 0
    zero(words, first_word)
    zero(halves, 0)
    zero(arrays[_A_OCTETS], first_octet)
    if places:
        halves[len(halves) - _RING_TAIL] = places
    # Native code finds the arrays' addresses at the start of the scratch: they stay. See construct.equip().
    zero(arrays[_A_SCRATCH], _A_SAMPLE if model._at is arrays[_A_SCRATCH] else 0)


def seeded(seed):
    """The seed as constructors take it."""
    from .construct import whole

    return whole("seed", seed, 0, 65535) or 1
