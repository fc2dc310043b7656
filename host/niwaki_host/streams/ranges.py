"""Ranges of features in a JSON file: what a data sheet says, or what an Encoder has learned."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from niwaki_host.errors import UsageError
from niwaki_host.suggest import nearest

MOST_VALUES = 32767  # the most values of a nominal feature: codes have 16 bits, and a sign

Range = tuple[float, float] | int | None
"""(lo, hi), or the number of values of a nominal feature, or None: to be learned."""


def read_ranges(path: str) -> tuple[list[str] | None, list[Range]]:
    """Read ranges in a list, or in an object by feature's name: [lo, hi], a number of values or null."""
    try:
        found = json.loads(Path(path).read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not JSON ({error})") from None
    if not isinstance(found, dict | list):
        raise UsageError(f"{path}: ranges are a list, or an object by name of feature")
    names = list(found) if isinstance(found, dict) else None
    items = found.values() if isinstance(found, dict) else found
    return names, [_range(path, j, item) for j, item in enumerate(items)]


def ranges_for(path: str, features: Sequence[str]) -> list[Range]:
    """One range for each of these features; the range of a feature that an object lacks is to be learned."""
    names, ranges = read_ranges(path)
    if names is None:
        if len(ranges) != len(features):
            raise UsageError(f"{path}: {len(ranges)} ranges, but the stream has {len(features)} features")
        return ranges
    for name in names:
        if name not in features:
            near = nearest(name, features)
            hint = f"did you mean {near!r}?" if near else f"it has {', '.join(features[:20])}"
            raise UsageError(f"{path}: the stream has no feature {name!r}; {hint}")
    known = dict(zip(names, ranges, strict=True))
    return [known.get(feature) for feature in features]


def _range(path: str, j: int, item: Any) -> Range:
    if item is None or (type(item) is int and 0 < item <= MOST_VALUES):
        return item
    if isinstance(item, list) and len(item) == 2 and all(type(end) in (int, float) for end in item):
        lo, hi = (float(end) if abs(end) <= sys.float_info.max else math.inf for end in item)
        if lo < hi and math.isfinite(hi - lo):
            return lo, hi
    raise UsageError(
        f"{path}: feature {j}: {item!r} is no range; write [lo, hi], a number of values, or null"
    )
