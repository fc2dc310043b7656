"""What a model's bytes are for, part by part, by the byte model of `niwaki.model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from niwaki_host.device import models
from niwaki_host.errors import UsageError

_RING = 0x1000000  # in words[0]: see niwaki.pending


@dataclass(frozen=True)
class Part:
    """`count` things of `each` bytes, of which the model has `used` so far."""

    name: str
    count: int
    each: int
    used: int | None = None

    @property
    def nbytes(self) -> int:
        return self.count * self.each

    @property
    def in_use(self) -> int:
        """Bytes; a part that does not fill up is in use from the start."""
        return self.nbytes if self.used is None else self.used * self.each


def memory_map(model: Any) -> list[Part]:
    """Parts that sum to the model's nbytes, in the order of what a user can decide about."""
    from niwaki.construct import footprint

    arrays = 4 * len(model.words) + 2 * len(model.halves) + len(model.octets)
    parts = _tree(model) if type(model).__name__ == "Tree" else _shrubs(model)
    if model.words[0] & _RING:
        places = model.halves[model.words[2] - 2]
        parts.append(Part("samples that wait for labels", places, 2 * model.n_features + 2))
    parts += [
        Part("header and tables", 1, arrays - sum(part.nbytes for part in parts)),
        Part("sample buffer", model.n_features, 2),
        Part("scratch of the kernels", len(model._arrays[3]), 4),
        Part("objects of MicroPython", 1, footprint((0, 0, 0, 0), 0)),
    ]
    rest = model.nbytes - sum(part.nbytes for part in parts)
    return [*parts, Part("rounding to blocks of 16", 1, rest)] if rest else parts


def _tree(model: Any) -> list[Part]:
    from niwaki.tree import layout as lay

    w = model.words
    cells = 0 if w[lay.FLAGS] >> 3 & 1 else w[lay.CELLS]
    slot = 4 * w[lay.SLOT_WORDS] + 2 * w[lay.SLOT_HALVES] + cells
    monitors = w[lay.MONITORS] if w[lay.FLAGS] >> 8 & 1 else 0
    watching = [Part("monitors of drift", monitors, 2 * w[lay.MONITOR])] if monitors else []
    return [
        Part("slots: what an active leaf observes", w[lay.SLOTS], slot, w[lay.ACTIVE]),
        *watching,
        Part("nodes", w[lay.MAX_NODES] + monitors, 2 * lay.NODE, w[lay.NODES]),
        Part("leaf records", w[lay.MAX_LEAVES], 2 * (lay.LEAF + model.n_classes), w[lay.LEAVES]),
    ]


def _shrubs(model: Any) -> list[Part]:
    from niwaki.shrubs import layout as lay

    w = model.words
    growing = sum(w[lay.WEIGHTS + place] > 0 for place in range(w[lay.SHRUBS] + 1))
    return [
        Part("window of samples", w[lay.WINDOW], 3 * model.n_features + 3, w[lay.COUNT]),
        Part("shrubs, and one in training", w[lay.SHRUBS] + 1, 4 + 5 * w[lay.ROOM] + 2, growing),
    ]


def bytes_in_use(model: Any) -> int:
    """Of the bytes that the model took when it was made, those that hold something by now."""
    return sum(part.in_use for part in memory_map(model))


def capacity(model: Any) -> dict[str, int]:
    """The numbers that say what the model can hold."""
    w = model.words
    if type(model).__name__ == "Tree":
        from niwaki.tree import layout as lay

        bits = 16 if w[lay.FLAGS] >> 3 & 1 else 8
        names = {"nodes": lay.MAX_NODES, "leaves": lay.MAX_LEAVES, "slots": lay.SLOTS, "bins": lay.BINS}
        return {**{name: w[at] for name, at in names.items()}, "count_bits": bits, "lanes": w[lay.LANES]}
    from niwaki.shrubs import layout as lay

    return {"window": w[lay.WINDOW], "shrubs": w[lay.SHRUBS], "nodes_per_shrub": w[lay.ROOM]}


def smallest_budget(model: str, n_features: int, n_classes: int, works: int, settings: dict[str, Any]) -> int:
    """The smallest budget with which the model can be built; `works` is one."""
    low, high = 0, works
    while high - low > 1:
        middle = (low + high) // 2
        try:
            models.build(model, n_features, n_classes, middle, **settings)
            high = middle
        except UsageError:
            low = middle
    return high
