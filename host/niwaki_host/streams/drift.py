"""Concept drift: samples of an old and a new stream, mixed along a sigmoid, as MOA's ConceptDriftStream."""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from niwaki_host.errors import UsageError
from niwaki_host.jit import njit
from niwaki_host.streams.base import Drift
from niwaki_host.streams.generator import Fill
from niwaki_host.streams.javarandom import next_double, seeded


@njit(cache=True)
def _choose(rng, new, start, position, width):
    """new[i] = 1 with P = 1 / (1 + exp(-4 (t - position) / width)), t counted from 1."""
    count = 0
    for i in range(len(new)):
        t = start + 1 + i
        probability = 1.0 / (1.0 + math.exp(min(-4.0 * (t - position) / width, 700.0)))
        new[i] = next_double(rng) <= probability
        count += new[i]
    return count


def mix(old: Fill, new: Fill, features: int, drift: Drift, seed: int) -> Fill:
    """Old samples before the drift, new ones after it; each stream moves on only when it is drawn."""
    rng = seeded(seed)
    seen = 0

    def fill(X: np.ndarray, y: np.ndarray) -> None:
        nonlocal seen
        chosen = np.empty(len(y), np.bool_)
        count = _choose(rng, chosen, seen, drift.position, drift.width)
        seen += len(y)
        if count == 0:
            old(X, y)
        elif count == len(y):
            new(X, y)
        else:
            for source, rows in ((old, ~chosen), (new, chosen)):
                part = np.empty((int(rows.sum()), features))
                labels = np.empty(len(part), y.dtype)
                source(part, labels)
                X[rows, :features] = part
                y[rows] = labels

    return fill


def chain(starts: list[Callable[[], Fill]], features: int, drifts: list[Drift], seed: int) -> Fill:
    """Several drifts, nested as in MOA: (1 -> (2 -> (3 -> 4))).

    An inner stream counts only the samples drawn from it, so each drift's position is counted from the drift
    before.
    """
    fill = starts[-1]()
    for k in range(len(drifts) - 1, -1, -1):
        before = drifts[k - 1].position if k else 0
        inner = Drift(drifts[k].position - before, drifts[k].width)
        fill = mix(starts[k](), fill, features, inner, seed)
    return fill


def parse_drifts(text: str, length: int) -> list[Drift]:
    """`25000+50000:100` or `25%+50%:1%`: positions in order; a drift without a width has that of the next."""
    found: list[Drift] = []
    width = 1
    for part in reversed(text.split("+")):
        position, _, own = part.partition(":")
        if own:
            width = max(1, _samples(own, length))
        found.insert(0, Drift(_samples(position, length), width))
    if any(a.position >= b.position for a, b in pairwise(found)):
        raise UsageError(f"parameter drift: the positions in {text!r} do not increase")
    return found


def _samples(text: str, length: int) -> int:
    try:
        value = float(text[:-1]) * length / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 2**31:
        raise UsageError(
            f"parameter drift: {text!r} is not a number of samples; write drift=POSITION[:WIDTH][+...], "
            "such as drift=25000+50000:100 or drift=50%:5%"
        )
    return int(value)
