"""Byte sizes as people write them: `8k`, `1.5k`, `2M`, `8192`. k is 1024, as on a data sheet."""

from __future__ import annotations

import re

from niwaki_host.errors import UsageError

_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?\s*", re.IGNORECASE)


def parse_size(text: str | float) -> int:
    """The bytes that a text or a number states; UsageError unless they are a positive whole number."""
    text = str(text)
    match = _SIZE.fullmatch(text)
    if not match:
        raise UsageError(f"{text!r} is not a size: write bytes (8192) or a number with k or M (8k, 1.5k)")
    size = float(match[1]) * _UNITS[match[2].lower()]
    if size < 1 or not size.is_integer():
        raise UsageError(f"{text!r} is not a whole, positive number of bytes")
    return int(size)


def parse_sizes(text: str) -> list[int]:
    """A comma-separated list of sizes, in the order given, without repeats."""
    sizes = [parse_size(part) for part in text.split(",") if part.strip()]
    if not sizes:
        raise UsageError("no sizes given: write for example 2k,4k,8k")
    return list(dict.fromkeys(sizes))


def format_size(size: float) -> str:
    """Short and exact where it can be: 8192 -> 8k, 1536 -> 1.5k, 1000 -> 1000."""
    for unit, factor in (("G", 1024**3), ("M", 1024**2), ("k", 1024)):
        if size >= factor and size * 8 % factor == 0:
            return f"{size / factor:g}{unit}"
    return f"{size:g}" if size < 1e6 else f"{size / 1024**2:.1f}M"


def kib(size: float) -> str:
    """A size for a table: kibibytes with a sensible number of digits."""
    value = size / 1024
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f}"
