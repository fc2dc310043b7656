"""Fixed-point helpers: one table of logarithms, made with integers alone, and parameter conversion.

Nothing here uses `math`: a single-precision board and a double-precision desktop must build the same
table and the same parameters, bit for bit.
"""

from array import array


def log2_q(n, bits):
    """log2(n) with `bits` fractional bits, rounded, for an integer n >= 1.

    Bit by bit: squaring the mantissa doubles its logarithm, so each squaring yields one bit.
    """
    e = 0
    while n >> (e + 1):
        e += 1
    m = (n << 30) >> e
    r = e
    for _ in range(bits + 1):
        m = (m * m) >> 30
        r <<= 1
        if m >> 31:
            m >>= 1
            r |= 1
    return (r + 1) >> 1


# log2(n) in Q13 for n = 0..128 (entry 0 is 0, so that 0 * log2(0) = 0). Larger arguments are brought
# into 64..128 by shifts. It belongs to the code, not to a model's budget: 258 bytes, once.
LOG2 = array("H", [0] + [log2_q(n, 13) for n in range(1, 129)])


def to_q(value, bits):
    """A float parameter as an integer with `bits` fractional bits, rounded to nearest."""
    return int(value * (1 << bits) + 0.5)


def half_ln_inverse_q10(delta):
    """ln(1 / delta) / 2 in Q10, for the Hoeffding bound, 1e-12 <= delta < 1.

    Doubling a float is exact in every precision, so only the 12-bit mantissa is ever rounded.
    """
    e = 0
    while delta < 1:
        delta *= 2
        e += 1
    lg = (e << 16) - (log2_q(int(delta * 4096 + 0.5), 16) - (12 << 16))  # log2(1/delta) in Q16
    return (lg * 5678 + (1 << 19)) >> 20  # ln2 / 2 * 2^14 = 5678.2; Q16 * Q14 -> Q10
