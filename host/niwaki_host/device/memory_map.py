"""What a model's bytes are for, part by part, by the byte model of `niwaki.model`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from niwaki import layout
from niwaki_host.device import models
from niwaki_host.device.views import GroveView, ShrubsView, TreeView, view
from niwaki_host.ensembles.ensemble import Ensemble
from niwaki_host.errors import UsageError


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
        """The bytes in use: all bytes of a part that does not fill up, for which `used` is None."""
        return self.nbytes if self.used is None else self.used * self.each


def memory_map(model: Any) -> list[Part]:
    """Parts that sum to the model's nbytes, in the order of what a user can decide about."""
    from niwaki.construct import footprint

    seen = view(model)
    arrays = 4 * len(model.words) + 2 * len(model.halves) + len(model.octets)
    parts = _PARTS[type(seen)](seen)
    if seen.waiting_places:
        parts.append(Part("samples that wait for labels", seen.waiting_places, seen.waiting_bytes))
    parts += [
        Part("header and tables", 1, arrays - sum(part.nbytes for part in parts)),
        Part("sample buffer", model.n_features, 2),
        Part("scratch of the kernels", len(model._arrays[layout.A_SCRATCH]), 4),
        Part("objects of MicroPython", 1, footprint((0, 0, 0, 0), 0)),
    ]
    rest = model.nbytes - sum(part.nbytes for part in parts)
    return [*parts, Part("rounding to blocks of 16", 1, rest)] if rest else parts


def _tree(seen: TreeView) -> list[Part]:
    n = seen.n_monitors
    return [
        Part("slots: what an active leaf observes", seen.n_slots, seen.slot_bytes, seen.n_active),
        *([Part("monitors of drift", n, seen.monitor_bytes)] if n else []),
        Part("nodes", seen.max_nodes + n, seen.node_bytes, seen.n_nodes),
        Part("leaf records", seen.max_leaves, seen.leaf_bytes, seen.n_leaves),
    ]


def _shrubs(seen: ShrubsView) -> list[Part]:
    return [
        Part("window of samples", seen.window, seen.sample_bytes, seen.count),
        Part("shrubs, and one in training", seen.n_places, seen.shrub_bytes, len(seen.voters)),
    ]


def _grove(seen: GroveView) -> list[Part]:
    return [
        Part("memory balanced by class", seen.memory, seen.sample_bytes, seen.count),
        Part("newest samples", seen.recent, seen.sample_bytes, seen.newest),
        Part("histograms", seen.n_features, seen.histogram_bytes),
        Part("shrubs, and one that grows", seen.n_places, seen.shrub_bytes, len(seen.voters)),
    ]


_PARTS: dict[type, Callable[[Any], list[Part]]] = {TreeView: _tree, ShrubsView: _shrubs, GroveView: _grove}


def bytes_in_use(model: Any) -> int:
    """How many of the bytes that the model took when it was made hold something by now."""
    if isinstance(model, Ensemble):
        return model.bytes_beside + sum(bytes_in_use(grown.tree) for grown in model.trees)
    return sum(part.in_use for part in memory_map(model))


def capacity(model: Any) -> dict[str, int]:
    """The numbers that say what the model can hold."""
    seen = view(model)
    if isinstance(seen, TreeView):
        return {
            "nodes": seen.max_nodes,
            "leaves": seen.max_leaves,
            "slots": seen.n_slots,
            "bins": seen.bins,
            "count_bits": 16 if seen.wide else 8,
            "lanes": seen.n_lanes,
        }
    sizes = {"shrubs": seen.n_places - 1, "nodes_per_shrub": seen.room}
    if isinstance(seen, ShrubsView):
        return {"window": seen.window, **sizes}
    return {"memory": seen.memory, "newest": seen.recent, "bins": seen.bins, **sizes}


def smallest_budget(model: str, n_features: int, n_classes: int, works: int, settings: dict[str, Any]) -> int:
    """The smallest budget with which the model can be built; `works` is a budget that is large enough."""
    low, high = 0, works
    while high - low > 1:
        middle = (low + high) // 2
        try:
            models.build(model, n_features, n_classes, middle, **settings)
            high = middle
        except UsageError:
            low = middle
    return high
