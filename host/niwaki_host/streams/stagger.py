"""STAGGER concepts (Schlimmer and Granger, Machine Learning 1, 1986), as MOA."""

from typing import Any

import numpy as np

from niwaki_host.jit import njit
from niwaki_host.streams.generator import BALANCE, SEED, Fill, Generator, Param, cycle
from niwaki_host.streams.javarandom import next_int, seeded


@njit(cache=True)
def _stagger(rng, turn, X, y, function, balance):
    for i in range(len(y)):
        while True:
            size = next_int(rng, 3)
            color = next_int(rng, 3)
            shape = next_int(rng, 3)
            if function == 1:
                group = size == 0 and color == 0
            elif function == 2:
                group = color == 2 or shape == 0
            else:
                group = size != 0
            if balance == 0 or group != turn[0]:
                break
        turn[0] = group
        X[i, 0] = size
        X[i, 1] = color
        X[i, 2] = shape
        y[i] = group


class Stagger(Generator):
    """Size, colour and shape; true is 1: small and red; 2: green or a circle; 3: not small."""

    name = "stagger"
    about = "STAGGER: 3 nominal features, 2 classes; next concept: the next function"
    PARAMS = {
        "function": Param(1, "small and red; green or circle; medium or large", 1, 3),
        "balance": BALANCE,
        "seed": SEED,
    }

    def prepare(self, **params: Any) -> None:
        self.feature_names = ["size", "color", "shape"]
        self.class_names = ["false", "true"]
        self.nominal = [3] * 3
        self.ranges = [None] * 3

    def start(self) -> Fill:
        p = self.params
        rng, turn = seeded(p["seed"]), np.zeros(1, np.int64)
        return lambda X, y: _stagger(rng, turn, X, y, p["function"], p["balance"])

    @classmethod
    def following(cls, params: dict[str, Any]) -> dict[str, Any]:
        return cycle(params, "function", 3)
