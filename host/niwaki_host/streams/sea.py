"""SEA (Street and Kim, KDD 2001), and SEAFD, a variant with many irrelevant features (Barddal et al.)."""

from typing import Any

import numpy as np

from niwaki_host.jit import njit
from niwaki_host.streams.generator import BALANCE, SEED, Fill, Generator, Param, cycle, relevant_features
from niwaki_host.streams.javarandom import hash_order, next_double, next_int32, percent, seeded


@njit(cache=True)
def _sea(rng, turn, X, y, threshold, noise, balance):
    for i in range(len(y)):
        while True:
            a = 10 * next_double(rng)
            b = 10 * next_double(rng)
            c = 10 * next_double(rng)
            group = 0 if a + b <= threshold else 1
            if balance == 0 or group != turn[0]:
                break
        turn[0] = group
        if percent(rng, noise):
            group = 1 - group
        X[i, 0] = a
        X[i, 1] = b
        X[i, 2] = c
        y[i] = group


@njit(cache=True)
def _seafd(rng, turn, X, y, threshold, noise, balance, first, second, width):
    for i in range(len(y)):
        while True:
            a = 10 * next_double(rng)
            b = 10 * next_double(rng)
            group = 0 if a + b <= threshold else 1
            if balance == 0 or group != turn[0]:
                break
        turn[0] = group
        if percent(rng, noise):
            group = 1 - group
        for j in range(width):
            if j != first and j != second:
                X[i, j] = next_double(rng)
        X[i, first] = a
        X[i, second] = b
        y[i] = group


class Sea(Generator):
    """Three features U(0, 10); class 0 where the first two sum to at most 8, 9, 7 or 9.5. As MOA."""

    name = "sea"
    about = "SEA: 3 numeric features, 2 classes; next concept: the next function"
    PARAMS = {
        "function": Param(1, "threshold of a1 + a2: 8, 9, 7 or 9.5", 1, 4),
        "noise": Param(10, "percent of labels flipped", 0, 100),
        "balance": BALANCE,
        "seed": SEED,
    }
    THRESHOLDS = (8.0, 9.0, 7.0, 9.5)

    def prepare(self, **params: Any) -> None:
        self.feature_names = ["attrib1", "attrib2", "attrib3"]
        self.class_names = ["groupA", "groupB"]
        self.nominal = [0] * 3
        self.ranges = [(0.0, 10.0)] * 3

    def start(self) -> Fill:
        p = self.params
        # With balance, classes take turns, and MOA begins with class 1: so say that class 0 was the last.
        rng, turn = seeded(p["seed"]), np.zeros(1, np.int64)
        threshold = self.THRESHOLDS[p["function"] - 1]
        return lambda X, y: _sea(rng, turn, X, y, threshold, p["noise"], p["balance"])

    @classmethod
    def following(cls, params: dict[str, Any]) -> dict[str, Any]:
        return cycle(params, "function", 4)


class SeaFD(Generator):
    """SEA with two relevant features at places drawn from the seed (or given), all others U(0, 1).

    As the authors' moa-abfs; function 1 has the threshold 5 there, not 8.
    """

    name = "seafd"
    about = "SEA for feature drift: 2 relevant features among many; next concept: the next function"
    PARAMS = {
        "function": Param(1, "threshold of the sum: 5, 9, 7 or 9.5", 1, 4),
        "attributes": Param(10, "number of features", 2, 4096),
        "features": Param((), "the two relevant ones, such as 64/113; else drawn from the seed", 0, 4095),
        "noise": Param(10, "percent of labels flipped", 0, 100),
        "balance": BALANCE,
        "seed": SEED,
    }
    THRESHOLDS = (5.0, 9.0, 7.0, 9.5)

    def prepare(self, **params: Any) -> None:
        width = params["attributes"]
        self.relevant = hash_order(relevant_features(params["features"], 2, width)) or _draw_two(
            params["seed"], width
        )
        self.feature_names = [f"att{j}" for j in range(width)]
        self.class_names = ["groupA", "groupB"]
        self.nominal = [0] * width
        # Give all features one range: it must not tell which are relevant, nor change with a drift.
        self.ranges = [(0.0, 10.0)] * width

    def start(self) -> Fill:
        p = self.params
        rng, turn = seeded(p["seed"]), np.zeros(1, np.int64)
        threshold = self.THRESHOLDS[p["function"] - 1]
        first, second = self.relevant
        return lambda X, y: _seafd(
            rng, turn, X, y, threshold, p["noise"], p["balance"], first, second, p["attributes"]
        )

    @classmethod
    def following(cls, params: dict[str, Any]) -> dict[str, Any]:
        return cycle(params, "function", 4)


def _draw_two(seed: int, width: int) -> list[int]:
    rng = seeded(seed)
    found: list[int] = []
    while len(set(found)) < 2:
        found.append(abs(next_int32(rng)) % width)
    return hash_order(found)
