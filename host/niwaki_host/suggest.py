"""What the user probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like this one, in any case; None when none is."""
    names = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), names, n=1, cutoff=0.5)
    return names[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`: did you mean 'plan'?`, or the whole list when nothing is near."""
    known = list(known)
    near = nearest(word, known)
    return f": did you mean {near!r}?" if near else f"; there are {', '.join(known)}"
