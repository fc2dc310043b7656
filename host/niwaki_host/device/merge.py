"""One grove of several: a fleet learns together without sending its streams.

Histograms add. Memories are drawn together, balanced by class and evenly from each grove. The new window of a
feature is the widest one, doubled until it covers all others. Codes and cells of a window that equals the new
one are copied; all others are converted by the middle value that they stand for. Shrubs grow anew on the new
memory. Credit starts at 0, because it was earned on other streams; no sample is among the newest, or waits.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from niwaki.grove import layout as lay
from niwaki.layout import BUDGET, FOREVER, SAMPLES
from niwaki_host.device.views import GroveView, view
from niwaki_host.errors import UsageError

_BIAS = 65536
_MOST_CELL = 254
_MOST_COUNT = 65534
_MOST_VALUE = 65535

# The options that must be equal in all groves, each with the header word that holds it.
_EQUAL = {
    "memory": lay.MEMORY,
    "recent": lay.RECENT,
    "shrubs": lay.SHRUBS,
    "nodes": lay.ROOM,
    "take": lay.TAKE,
    "bins": lay.BINS,
    "neighbours": lay.NEIGHBOURS,
    "near": lay.NEAR,
    "bayes": lay.BAYES,
    "effort": lay.EFFORT,
    "hurry": lay.HURRY,
}

Window = tuple[int, int]  # the first value, log2 of how often it has doubled
Sample = tuple[list[int], int]  # narrow codes and label


def merge(groves: Sequence[Any], names: Sequence[str]) -> Any:
    """A new grove that knows what all of these were taught, in the same budget; errors use `names`."""
    import niwaki

    seen = [_grove(model, name) for model, name in zip(groves, names, strict=True)]
    first = seen[0]
    for other, name in zip(seen[1:], names[1:], strict=True):
        _same_shape(first, other, names[0], name)
    options = {name: first.word(at) for name, at in _EQUAL.items()}
    model: Any = niwaki.Grove(
        first.n_features,
        first.n_classes,
        groves[0].budget,
        pending=first.waiting_places,
        seed=first.word(lay.SEED),
        **options,
    )
    windows = [_common([_window(v, f) for v in seen]) for f in range(first.n_features)]
    for f, (lo, shift) in enumerate(w or (0, 0) for w in windows):
        model.words[lay.WINDOWS + f] = lo + _BIAS << lay.LO_SHIFT | shift if windows[f] else 0
    model.words[SAMPLES] = min(sum(v.samples for v in seen), FOREVER)
    _add_histograms(model, seen, windows)
    _fill_memory(model, seen, windows)
    model.settle()
    return model


def _grove(model: Any, name: str) -> GroveView:
    seen = view(model)
    if not isinstance(seen, GroveView):
        raise UsageError(f"{name}: holds no grove; only groves can be merged")
    return seen


def _same_shape(one: GroveView, other: GroveView, name: str, other_name: str) -> None:
    for mine, theirs in zip(_facts(one), _facts(other), strict=True):
        if mine != theirs:
            raise UsageError(
                f"{other_name}: {theirs}, but {name} has {mine}: "
                "groves can be merged when shape, budget and options are the same"
            )


def _facts(seen: GroveView) -> list[str]:
    """The properties that must be the same in all groves, as text."""
    return [
        f"{seen.n_features} features",
        f"{seen.n_classes} classes",
        f"{seen.word(BUDGET):,} bytes of budget",
        f"{seen.waiting_places} places for samples that wait",
        *(f"{option}={seen.word(at)}" for option, at in _EQUAL.items()),
    ]


def _window(seen: GroveView, feature: int) -> Window | None:
    word = seen.word(lay.WINDOWS + feature)
    return ((word >> lay.LO_SHIFT & lay.LO) - _BIAS, word & lay.SHIFT) if word else None


def _common(windows: Sequence[Window | None]) -> Window | None:
    """The widest window, doubled towards the others until it covers their values."""
    known = [window for window in windows if window]
    if not known:
        return None
    low = max(1, min(lo for lo, _ in known))
    high = min(_MOST_VALUE, max(lo + (lay.NARROW << shift) for lo, shift in known) - 1)
    lo, shift = max(known, key=lambda window: window[1])
    while lo > low or lo + (lay.NARROW << shift) <= high:
        if lo > low:
            lo -= lay.NARROW << shift
        shift += 1
    return lo, shift


def _recoded(narrow: int, window: Window | None, common: Window | None) -> int:
    """Convert a code from one window to another, by the middle of the values that it stands for."""
    if not narrow or window == common or not window or not common:
        return narrow
    middle = window[0] + (((2 * narrow + 1) << window[1]) >> (lay.FINE + 1))
    if narrow == 1 and window[1] < lay.FINE:
        middle = window[0]  # code 1 has the window's first value, because code 0 means missing
    return min(max(((middle - common[0]) << lay.FINE) >> common[1], 1), lay.WIDE - 1)


def _add_histograms(model: Any, seen: Sequence[GroveView], windows: Sequence[Window | None]) -> None:
    """Add up the cells and the class counts of all groves, and halve all of them until they fit."""
    new = view(model)
    assert isinstance(new, GroveView)
    classes, bins = new.n_classes, new.bins
    if not bins:
        return
    width = lay.WIDE // bins
    cells = [0] * (new.n_features * bins * classes)
    counts = [sum(int(v.halves[classes + c]) for v in seen) for c in range(classes)]
    for v in seen:
        for f in range(new.n_features):
            for i in range(bins):
                middle = _recoded(i * width + width // 2, _window(v, f), windows[f])
                to = (f * bins + middle // width) * classes
                for c in range(classes):
                    cells[to + c] += int(v.octets[v.cells_at + (f * bins + i) * classes + c])
    while max(cells) > _MOST_CELL or max(counts) > _MOST_COUNT:
        cells = [n >> 1 for n in cells]
        counts = [(n + 1) >> 1 for n in counts]
    model.octets[new.cells_at : new.cells_at + len(cells)] = bytes(cells)
    for c, n in enumerate(counts):
        model.halves[classes + c] = n


def _fill_memory(model: Any, seen: Sequence[GroveView], windows: Sequence[Window | None]) -> None:
    """Fill the memory, with one sample of each class in turn, taken evenly from each grove."""
    new = view(model)
    assert isinstance(new, GroveView)
    rng = random.Random(new.word(lay.SEED))
    waiting: list[list[Sample]] = [[] for _ in range(new.n_classes)]  # by class; the last is taken next
    for c in range(new.n_classes):
        of_each = []
        for v in seen:
            own = [sample for sample in _recoded_samples(v, windows) if sample[1] == c]
            rng.shuffle(own)
            of_each.append(own)
        while any(of_each):
            waiting[c] += [own.pop() for own in of_each if own]
        waiting[c].reverse()
    place = 0
    while place < new.memory and any(waiting):
        for c in range(new.n_classes):
            if waiting[c] and place < new.memory:
                codes, label = waiting[c].pop()
                row = place * new.n_features
                model.octets[row : row + new.n_features] = bytes(codes)
                model.octets[new.labels_at + place] = label
                model.halves[label] += 1
                place += 1
    model.words[lay.COUNT] = place


def _recoded_samples(seen: GroveView, windows: Sequence[Window | None]) -> list[Sample]:
    own = [_window(seen, f) for f in range(seen.n_features)]
    return [
        ([_recoded(code, own[f], windows[f]) for f, code in enumerate(codes)], label)
        for codes, label in seen.narrow()
    ]
