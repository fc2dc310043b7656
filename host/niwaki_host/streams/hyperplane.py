"""Rotating hyperplane (Hulten, Spencer and Domingos, KDD 2001), as MOA."""

from typing import Any

import numpy as np

from niwaki_host.jit import njit
from niwaki_host.streams.generator import SEED, Fill, Generator, Param
from niwaki_host.streams.javarandom import next_double, percent, seeded


@njit(cache=True)
def _weights(rng, weights):
    for j in range(len(weights)):
        weights[j] = next_double(rng)


@njit(cache=True)
def _hyperplane(rng, X, y, weights, signs, noise, magnitude, turning):
    for i in range(len(y)):
        dot = 0.0
        total = 0.0
        for j in range(len(weights)):
            X[i, j] = next_double(rng)
            dot += weights[j] * X[i, j]
            total += weights[j]
        label = 1 if dot >= total * 0.5 else 0
        if percent(rng, noise):
            label = 1 - label
        y[i] = label
        for j in range(len(signs)):
            weights[j] += signs[j] * magnitude
            if percent(rng, turning):
                signs[j] = -signs[j]


class Hyperplane(Generator):
    """U(0, 1) features; class 1 on the upper side of a plane whose first weights may move all the time.

    The weights come from the seed itself, so another seed is another concept.
    """

    name = "hyperplane"
    about = "rotating hyperplane: numeric features, 2 classes; next concept: the next seed's plane"
    PARAMS = {
        "attributes": Param(10, "number of features", 1, 4096),
        "moving": Param(2, "weights that move", 0, 4096),
        "magnitude": Param(0.0, "how far they move per sample", 0, 1),
        "turning": Param(10, "percent: how often a weight's direction turns round", 0, 100),
        "noise": Param(5, "percent of labels flipped", 0, 100),
        "seed": SEED,
    }

    def prepare(self, **params: Any) -> None:
        width = params["attributes"]
        self.feature_names = [f"att{j + 1}" for j in range(width)]
        self.class_names = ["class1", "class2"]
        self.nominal = [0] * width
        self.ranges = [(0.0, 1.0)] * width

    def start(self) -> Fill:
        p = self.params
        rng, weights = seeded(p["seed"]), np.empty(p["attributes"])
        _weights(rng, weights)
        signs = np.ones(min(p["moving"], p["attributes"]))
        noise, magnitude, turning = p["noise"], p["magnitude"], p["turning"]
        return lambda X, y: _hyperplane(rng, X, y, weights, signs, noise, magnitude, turning)

    @classmethod
    def following(cls, params: dict[str, Any]) -> dict[str, Any]:
        return {**params, "seed": params["seed"] + 1}
