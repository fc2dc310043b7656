"""`copy()`: a second model with the same state, which then learns by itself. Loaded on first use: late.py."""

from micropython import const

from .model import forget

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_HALVES = const(1)
_A_OCTETS = const(2)
_A_SCRATCH = const(3)
_A_ABOUT = const(6)


def copy(self):
    """A second model with the same state; it takes as many bytes of the heap again."""
    from .construct import equip

    arrays = self._arrays
    model = object.__new__(type(self))
    # The longest first, as in allocate().
    octets = arrays[_A_OCTETS][:]
    halves = arrays[_A_HALVES][:]
    words = arrays[_A_WORDS][:]
    equip(model, words, halves, octets, self.n_features, len(arrays[_A_SCRATCH]))
    forget("construct duplicate")
    if hasattr(type(self), "_choose_kernels"):
        model._choose_kernels()
    if len(arrays) > _A_ABOUT:
        from .about_check import attach

        attach(model, arrays[_A_ABOUT])
    return model
