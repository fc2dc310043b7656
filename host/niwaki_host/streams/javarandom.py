"""java.util.Random in numba: it defines MOA's streams, and gives the same numbers on every machine.

Its state is an int64 array: [0] the 48-bit seed, [1] 1 when a second Gaussian is waiting, [2] the bits of
that Gaussian. Definitions: the Java SE documentation of java.util.Random, which fixes the algorithm.
"""

import math

import numpy as np

from niwaki_host.jit import njit

_MULTIPLIER = 0x5DEECE66D
_MASK = (1 << 48) - 1

# The log of fdlibm: Java demands its rounding (StrictMath), and the C library may differ in the last bit.
_LN2_HI = 6.93147180369123816490e-01
_LN2_LO = 1.90821492927058770002e-10
_LG1 = 6.666666666666735130e-01
_LG2 = 3.999999999940941908e-01
_LG3 = 2.857142874366239149e-01
_LG4 = 2.222219843214978396e-01
_LG5 = 1.818357216161805012e-01
_LG6 = 1.531383769920937332e-01
_LG7 = 1.479819860511658591e-01


def seeded(seed: int) -> np.ndarray:
    """A fresh generator, as `new Random(seed)`."""
    state = np.zeros(3, np.int64)
    state[0] = (seed ^ _MULTIPLIER) & _MASK
    return state


@njit(cache=True)
def next_bits(rng, bits):
    """The top `bits` bits of the next state, unsigned."""
    rng[0] = (rng[0] * 0x5DEECE66D + 0xB) & 0xFFFFFFFFFFFF
    return rng[0] >> (48 - bits)


@njit(cache=True)
def next_int32(rng):
    """nextInt(): any of the 2**32 ints."""
    value = next_bits(rng, 32)
    if value >= 1 << 31:
        value -= 1 << 32
    return value


@njit(cache=True)
def next_int(rng, bound):
    """nextInt(bound): uniform in 0..bound-1, by rejection of the incomplete last block."""
    if bound & (bound - 1) == 0:
        return (bound * next_bits(rng, 31)) >> 31
    while True:
        bits = next_bits(rng, 31)
        value = bits % bound
        if bits - value + bound - 1 < 1 << 31:
            return value


@njit(cache=True)
def next_double(rng):
    high = next_bits(rng, 26)
    return ((high << 27) + next_bits(rng, 27)) * 2.0**-53


@njit(cache=True)
def next_boolean(rng):
    return next_bits(rng, 1) != 0


@njit(cache=True)
def percent(rng, share):
    """True in `share` percent of all calls, as MOA draws it."""
    return 1 + next_int(rng, 100) <= share


@njit(cache=True)
def next_gaussian(rng):
    """Marsaglia's polar method, two values at a time."""
    kept = rng.view(np.float64)
    if rng[1] != 0:
        rng[1] = 0
        return kept[2]
    while True:
        v1 = 2 * next_double(rng) - 1
        v2 = 2 * next_double(rng) - 1
        s = v1 * v1 + v2 * v2
        if s < 1 and s != 0:
            break
    scale = math.sqrt(-2 * strict_log(s) / s)
    kept[2] = v2 * scale
    rng[1] = 1
    return v1 * scale


@njit(cache=True)
def strict_log(x):
    """ln x of a normal x > 0, rounded as fdlibm's __ieee754_log rounds."""
    mantissa, k = math.frexp(x)
    mantissa *= 2.0  # [1, 2)
    k -= 1
    high = int((mantissa - 1.0) * 1048576.0)  # the 20 upper bits of the fraction
    if high + 0x95F64 >= 0x100000:  # keep the mantissa within sqrt(1/2) .. sqrt(2)
        mantissa *= 0.5
        k += 1
    f = mantissa - 1.0
    if (high + 2) & 0xFFFFF < 3:  # |f| < 2**-20
        if f == 0.0:
            if k == 0:
                return 0.0
            return k * _LN2_HI + k * _LN2_LO
        r = f * f * (0.5 - 0.33333333333333333 * f)
        if k == 0:
            return f - r
        return k * _LN2_HI - ((r - k * _LN2_LO) - f)
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    t1 = w * (_LG2 + w * (_LG4 + w * _LG6))
    t2 = z * (_LG1 + w * (_LG3 + w * (_LG5 + w * _LG7)))
    r = t2 + t1
    if (high - 0x6147A) | (0x6B851 - high) > 0:
        half = 0.5 * f * f
        if k == 0:
            return f - (half - s * (half + r))
        return k * _LN2_HI - ((half - (s * (half + r) + k * _LN2_LO)) - f)
    if k == 0:
        return f - s * (f - r)
    return k * _LN2_HI - ((s * (f - r) - k * _LN2_LO) - f)


def hash_order(values: list[int]) -> list[int]:
    """The order in which a java.util.HashSet of a few small ints is walked: by the lowest four bits."""
    return sorted(dict.fromkeys(values), key=lambda value: value & 15)
