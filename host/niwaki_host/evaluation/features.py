"""How many features a trained model looks at."""

from __future__ import annotations

from typing import Any

_TREE = 1


def features_used(run: Any) -> int | None:
    """Distinct features in the splits of a tree; None for a model that has none to count."""
    from niwaki import tree_layout as lay

    words, halves = run.words, run.halves
    if int(words[0]) >> 8 & 0xFF != _TREE:
        return None
    used, waiting = set(), [0]
    while waiting:
        node = int(words[lay.NODE0]) + waiting.pop() * lay.NODE
        child = int(halves[node + 1])
        if child:
            used.add(int(halves[node + 2]))
            waiting += [child, child + 1]
    return len(used)
