"""Fixed-point helpers: one table of logarithms, and parameter conversion.

Nothing here uses `math`: a single-precision board and a double-precision desktop must get the same table and
the same parameters, bit for bit. And nothing exceeds a small integer: making the table on the board would
leave 150 KB of garbage among the first objects of its heap. tests/test_fixed_point.py makes it anew.
"""

from array import array

# log2(n) in Q13 for n = 0..128, little-endian (entry 0 is 0, so that 0 * log2(0) = 0). Larger arguments are
# brought below 128 by shifts. It belongs to the code, not to a model's budget: 258 bytes, once.
LOG2 = array(
    "H",
    b"\x00\x00\x00\x00\x00\x20\xb8\x32\x00\x40\x4d\x4a\xb8\x52\xd6\x59\x00\x60\x70\x65"
    b"\x4d\x6a\xb4\x6e\xb8\x72\x6a\x76\xd6\x79\x05\x7d\x00\x80\xcc\x82\x70\x85\xef\x87"
    b"\x4d\x8a\x8e\x8c\xb4\x8e\xc1\x90\xb8\x92\x9a\x94\x6a\x96\x28\x98\xd6\x99\x75\x9b"
    b"\x05\x9d\x89\x9e\x00\xa0\x6c\xa1\xcc\xa2\x23\xa4\x70\xa5\xb4\xa6\xef\xa7\x22\xa9"
    b"\x4d\xaa\x71\xab\x8e\xac\xa4\xad\xb4\xae\xbd\xaf\xc1\xb0\xbf\xb1\xb8\xb2\xac\xb3"
    b"\x9a\xb4\x85\xb5\x6a\xb6\x4b\xb7\x28\xb8\x01\xb9\xd6\xb9\xa7\xba\x75\xbb\x3f\xbc"
    b"\x05\xbd\xc9\xbd\x89\xbe\x46\xbf\x00\xc0\xb7\xc0\x6c\xc1\x1d\xc2\xcc\xc2\x79\xc3"
    b"\x23\xc4\xcb\xc4\x70\xc5\x13\xc6\xb4\xc6\x52\xc7\xef\xc7\x8a\xc8\x22\xc9\xb9\xc9"
    b"\x4d\xca\xe0\xca\x71\xcb\x00\xcc\x8e\xcc\x1a\xcd\xa4\xcd\x2d\xce\xb4\xce\x39\xcf"
    b"\xbd\xcf\x40\xd0\xc1\xd0\x41\xd1\xbf\xd1\x3c\xd2\xb8\xd2\x32\xd3\xac\xd3\x24\xd4"
    b"\x9a\xd4\x10\xd5\x85\xd5\xf8\xd5\x6a\xd6\xdb\xd6\x4b\xd7\xba\xd7\x28\xd8\x95\xd8"
    b"\x01\xd9\x6c\xd9\xd6\xd9\x3f\xda\xa7\xda\x0e\xdb\x75\xdb\xda\xdb\x3f\xdc\xa2\xdc"
    b"\x05\xdd\x67\xdd\xc9\xdd\x29\xde\x89\xde\xe8\xde\x46\xdf\xa3\xdf\x00\xe0",
)


def log2_q(n, bits):
    """log2(n) with `bits` <= 13 fractional bits, 1 <= n < 2^16, by linear interpolation in the table."""
    e = 0
    while n >> e > 127:
        e += 1
    m = n >> e
    v = LOG2[m]
    v += ((LOG2[m + 1] - v) * (n - (m << e))) >> e
    return (v + (e << 13) + (1 << (13 - bits) >> 1)) >> (13 - bits)


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
    lg = ((e + 12) << 13) - log2_q(int(delta * 4096 + 0.5), 13)  # log2(1 / delta) in Q13
    return (lg * 2839 + (1 << 15)) >> 16  # ln2 / 2 in Q13 is 2839.1
