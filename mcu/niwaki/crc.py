"""CRC-32 for firmware whose `binascii` has none; the same as zlib's, slower.

The register is kept in two halves of 16 bits: every intermediate is a small integer, nothing is allocated.
"""

from array import array

# The table for one nibble, low halves first, then high halves: polynomial 0xEDB88320, reflected.
_TABLE = array("H", bytearray(64))


def _fill():
    for i in range(16):
        low, high = i, 0
        for _ in range(4):
            odd = low & 1
            low = low >> 1 | (high & 1) << 15
            high >>= 1
            if odd:
                low ^= 0x8320
                high ^= 0xEDB8
        _TABLE[i] = low
        _TABLE[i + 16] = high


_fill()


def crc32(data, crc=0):
    """CRC-32 of the bytes of `data`, continued from `crc`."""
    low = ~crc & 65535
    high = ~(crc >> 16) & 65535
    for byte in memoryview(data):
        low ^= byte
        for _ in range(2):
            i = low & 15
            low = (low >> 4 | (high & 15) << 12) ^ _TABLE[i]
            high = high >> 4 ^ _TABLE[i + 16]
    return (~high & 65535) << 16 | (~low & 65535)
