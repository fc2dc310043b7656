"""What the user probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`: did you mean 'plan'?`, or the whole list when nothing is near."""
    known = list(known)
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f": did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"
