"""What a model looks like over the stream: size, features used and their importances, at each point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki_host.device.memory_map import bytes_in_use
from niwaki_host.evaluation.features import depth, features_used
from niwaki_host.evaluation.metrics import GIB_HOURS
from niwaki_host.runtimes import Run

KINDS = ("mpg", "mdi")


@dataclass
class Note:
    """A model at one point of the stream."""

    features_used: int
    depth: int
    bytes_in_use: int
    importances: list[float]


@dataclass
class Ranking:
    """Importances over the stream: scores[i, f] is feature f's at sample at[i]."""

    kind: str
    names: list[str]
    at: NDArray[np.int64]
    scores: NDArray[np.float64]


def noter(kind: str | None) -> Callable[[Any], Note]:
    """A function that notes a model's state; it notes importances only if `kind` names a kind of them."""

    def note(model: Any) -> Note:
        ranks = _importances(model, kind) if kind else []
        return Note(features_used(model), depth(model), bytes_in_use(model), ranks)

    return note


def _importances(model: Any, kind: str) -> list[float]:
    from niwaki_host.inspect.importances import importance  # its package imports all that draws

    return importance(model, kind)


def sizes(at: NDArray[np.int64], run: Run, notes: list[Note]) -> dict[str, NDArray]:
    """Curves of size and cost at the points `at`; `notes` has one for each of them.

    A runtime notes no point for a last, shorter interval: the values at the end of the run stand in.
    """
    ends = {"nodes": run.nodes, "leaves": run.leaves}
    curves = {name: _to_the_end(run.curve[name], end, len(at)) for name, end in ends.items()}
    seconds = _to_the_end(run.clock, run.seconds, len(at))
    return {
        **curves,
        "features_used": np.array([note.features_used for note in notes]),
        "depth": np.array([note.depth for note in notes]),
        "bytes": np.full(len(at), run.model_bytes),
        "bytes_in_use": np.array([note.bytes_in_use for note in notes]),
        "seconds": seconds,
        "ram_hours": run.model_bytes * seconds / GIB_HOURS,
    }


def _to_the_end(values: NDArray, end: float, count: int) -> NDArray:
    return np.append(values, np.full(count - len(values), end, values.dtype))
