"""How many features a model looks at."""

from __future__ import annotations

from typing import Any

_TREE = 1


def features_used(model: Any) -> int:
    """Distinct features in the splits that have a say: of the tree, or of the shrubs with weight.

    `model` is anything with the three arrays.
    """
    return len(_of_tree(model) if int(model.words[0]) >> 8 & 0xFF == _TREE else _of_shrubs(model))


def _of_tree(model: Any) -> set[int]:
    from niwaki.tree import layout as lay

    words, halves = model.words, model.halves
    used, waiting = set(), [0]
    while waiting:
        node = int(words[lay.NODE0]) + waiting.pop() * lay.NODE
        child = int(halves[node + 1])
        if child:
            used.add(int(halves[node + 2]))
            waiting += [child, child + 1]
    return used


def _of_shrubs(model: Any) -> set[int]:
    from niwaki.shrubs import layout as lay

    w, octets = model.words, model.octets
    window, places, room = int(w[lay.WINDOW]), int(w[lay.SHRUBS]) + 1, int(w[lay.ROOM])
    sizes = (3 + int(w[5])) * window + 1  # w[5]: the number of features
    features = sizes + 2 * places
    used: set[int] = set()
    for place in range(places):
        if w[lay.WEIGHTS + place]:
            first = features + place * room
            used.update(int(feature) for feature in octets[first : first + int(octets[sizes + place])])
    return used
