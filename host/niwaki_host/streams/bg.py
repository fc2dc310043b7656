"""BG1, BG2, BG3: binary features of which three matter (Barddal et al., feature drift), as moa-abfs has them.

Codes and classes have the meaning that they have in the authors' code, where the three streams differ: in BG1
and BG3 code 0 is true and class 0 is the concept; in BG2 code 1 is true and class 1 is the concept.
"""

from typing import Any

import numpy as np

from niwaki_host.jit import njit
from niwaki_host.streams.generator import SEED, Fill, Generator, Param, relevant_features
from niwaki_host.streams.javarandom import hash_order, next_boolean, next_double, next_int32, percent, seeded


@njit(cache=True)
def _bg1(rng, row, relevant, positive):
    """Positive: all relevant are true. Negative: each is made false by a fair coin until one is false."""
    if positive:
        for f in relevant:
            row[f] = True
        return
    found = False
    while not found:
        for f in relevant:
            if next_double(rng) < 0.5:
                row[f] = False
        for f in relevant:
            if not row[f]:
                found = True


@njit(cache=True)
def _bg2(rng, row, relevant, positive):
    """Positive: two of three are true, forced if need be. Negative: exactly one is true."""
    a, b, c = relevant[0], relevant[1], relevant[2]
    draw = abs(next_int32(rng)) % 3
    if not positive:
        for k in range(3):
            row[relevant[k]] = k == draw
    elif not ((row[a] and row[b]) or (row[a] and row[c]) or (row[b] and row[c])):
        left_out = 2 - draw
        for k in range(3):
            if k != left_out:
                row[relevant[k]] = True


@njit(cache=True)
def _bg3(rng, row, relevant, positive):
    """Positive: all three are true (one third) or all false. Negative: not all are equal."""
    a, b, c = relevant[0], relevant[1], relevant[2]
    draw = abs(next_int32(rng)) % 3
    if positive:
        for f in relevant:
            row[f] = draw == 0
    elif row[a] == row[b] and row[b] == row[c]:
        row[relevant[draw]] = not row[relevant[draw]]


@njit(cache=True)
def _bg(kind, rng, turn, X, y, width, relevant, noise, balance):
    row = np.empty(width, np.bool_)
    true = 1.0 if kind == 2 else 0.0
    for i in range(len(y)):
        positive = turn[0] == 0
        if balance:
            turn[0] = 1 - turn[0]
        else:
            turn[0] = next_boolean(rng)
        for j in range(width):
            row[j] = next_boolean(rng)
        if kind == 1:
            _bg1(rng, row, relevant, positive)
        elif kind == 2:
            _bg2(rng, row, relevant, positive)
        else:
            _bg3(rng, row, relevant, positive)
        if percent(rng, noise):
            positive = not positive
        for j in range(width):
            X[i, j] = true if row[j] else 1.0 - true
        y[i] = true if positive else 1.0 - true


class Bg1(Generator):
    """The concept: all relevant features are true."""

    name = "bg1"
    about = "BG1: binary features, all of 3 relevant ones true; next concept: the next 3 features"
    PARAMS = {
        "attributes": Param(10, "number of features", 3, 4096),
        "features": Param((0, 1, 2), "the three relevant ones", 0, 4095),
        "noise": Param(10, "percent of labels flipped", 0, 100),
        "balance": Param(0, "1: the classes take turns", 0, 1),
        "seed": SEED,
    }
    KIND = 1

    def prepare(self, **params: Any) -> None:
        width = params["attributes"]
        relevant = relevant_features(params["features"], 3, width)
        # The order of the authors' Java containers: a list, a hash set and a tree set.
        ordered = (relevant, hash_order(relevant), sorted(relevant))[self.KIND - 1]
        self.relevant = np.array(ordered, np.int64)
        self.feature_names = [f"attrib{j}" for j in range(width)]
        self.class_names = ["false", "true"] if self.KIND == 2 else ["groupA", "groupB"]
        self.nominal = [2] * width
        self.ranges = [None] * width

    def start(self) -> Fill:
        p = self.params
        rng, turn = seeded(p["seed"]), np.zeros(1, np.int64)
        width, noise, balance = p["attributes"], p["noise"], p["balance"]
        return lambda X, y: _bg(self.KIND, rng, turn, X, y, width, self.relevant, noise, balance)

    @classmethod
    def following(cls, params: dict[str, Any]) -> dict[str, Any]:
        width = params["attributes"]
        return {**params, "features": tuple((f + 3) % width for f in params["features"])}


class Bg2(Bg1):
    """The concept: at least two of the three relevant features are true."""

    name = "bg2"
    about = "BG2: binary features, two of 3 relevant ones true; next concept: the next 3 features"
    KIND = 2


class Bg3(Bg1):
    """The concept: the three relevant features are equal. (The authors draw them; here they are given.)"""

    name = "bg3"
    about = "BG3: binary features, the 3 relevant ones equal; next concept: the next 3 features"
    KIND = 3
