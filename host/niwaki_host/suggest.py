"""What the user probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like this one, whatever its capitals; None when no word is like it.

    Of words that are equally few letters away it takes the shortest: `seaa` is `sea`, not the preset `sea_a`.
    """
    names = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), names, n=3, cutoff=0.5)
    return names[min(near, key=lambda name: (_edits(word.lower(), name), len(name)))] if near else None


def _edits(word: str, other: str) -> int:
    """How many letters must be added, taken away or changed (Levenshtein's distance)."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        before, row[0] = row[0], i
        for j, wanted in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (letter != wanted))
    return row[-1]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`: did you mean 'plan'?`, or the whole list when nothing is near."""
    known = list(known)
    near = nearest(word, known)
    return f": did you mean {near!r}?" if near else f"; there are {', '.join(known)}"
