"""Random radial basis functions: samples around centroids that may move, as MOA's RandomRBF generators."""

import math
from typing import Any

import numpy as np

from niwaki_host.jit import njit
from niwaki_host.streams.generator import SEED, Fill, Generator, Param
from niwaki_host.streams.javarandom import next_double, next_gaussian, next_int, seeded


@njit(cache=True)
def _model(rng, again, centres, classes, deviations, weights, speeds, n_classes):
    """Draw the centroids, and directions for those that move (MOA draws these from the same seed again)."""
    width = centres.shape[1]
    for c in range(len(centres)):
        for j in range(width):
            centres[c, j] = next_double(rng)
        classes[c] = next_int(rng, n_classes)
        deviations[c] = next_double(rng)
        weights[c] = next_double(rng)
    for c in range(len(speeds)):
        norm = 0.0
        for j in range(width):
            speeds[c, j] = next_double(again)
            norm += speeds[c, j] * speeds[c, j]
        norm = math.sqrt(norm)
        for j in range(width):
            speeds[c, j] /= norm


@njit(cache=True)
def _move(centres, speeds, speed):
    for c in range(len(speeds)):
        for j in range(centres.shape[1]):
            centres[c, j] += speeds[c, j] * speed
            if centres[c, j] > 1:
                centres[c, j] = 1.0
                speeds[c, j] = -speeds[c, j]
            if centres[c, j] < 0:
                centres[c, j] = 0.0
                speeds[c, j] = -speeds[c, j]


@njit(cache=True)
def _rbf(rng, X, y, centres, classes, deviations, weights, speeds, speed):
    width = centres.shape[1]
    total = 0.0
    for c in range(len(weights)):
        total += weights[c]
    for i in range(len(y)):
        if speed > 0.0:
            _move(centres, speeds, speed)
        point = next_double(rng) * total
        c = 0
        reached = weights[0]
        while reached <= point and c + 1 < len(weights):
            c += 1
            reached += weights[c]
        length = 0.0
        for j in range(width):
            X[i, j] = next_double(rng) * 2.0 - 1.0
            length += X[i, j] * X[i, j]
        scale = next_gaussian(rng) * deviations[c] / math.sqrt(length)
        for j in range(width):
            X[i, j] = centres[c, j] + X[i, j] * scale
        y[i] = classes[c]


class Rbf(Generator):
    """Around a centroid, drawn by its weight: a uniform direction and a Gaussian distance.

    `speed=0` is MOA's RandomRBFGenerator, otherwise RandomRBFGeneratorDrift: `moving` centroids drift all the
    time, and turn round at 0 and 1. `model` is the seed of the centroids.
    """

    name = "rbf"
    about = "random RBF: numeric features, centroids that may move; next concept: other centroids"
    PARAMS = {
        "classes": Param(2, "number of classes", 2, 256),
        "attributes": Param(10, "number of features", 1, 4096),
        "centroids": Param(50, "number of centroids", 1, 10000),
        "speed": Param(0.0, "distance that a centroid moves per sample", 0, 1),
        "moving": Param(50, "number of centroids that move", 0, 10000),
        "model": Param(1, "seed of the centroids", -(2**31)),
        "seed": SEED,
    }

    def prepare(self, **params: Any) -> None:
        width = params["attributes"]
        self.feature_names = [f"att{j + 1}" for j in range(width)]
        self.class_names = [f"class{c + 1}" for c in range(params["classes"])]
        self.nominal = [0] * width
        # Values have no bound, but few lie outside: centres are within 0..1, and the deviation is at most 1.
        self.ranges = [(-2.0, 3.0)] * width

    def start(self) -> Fill:
        p = self.params
        count, width = p["centroids"], p["attributes"]
        centres, classes = np.empty((count, width)), np.empty(count, np.int64)
        deviations, weights = np.empty(count), np.empty(count)
        speeds = np.empty((min(p["moving"], count), width))
        again = seeded(p["model"])
        _model(seeded(p["model"]), again, centres, classes, deviations, weights, speeds, p["classes"])
        rng, speed = seeded(p["seed"]), p["speed"]
        return lambda X, y: _rbf(rng, X, y, centres, classes, deviations, weights, speeds, speed)

    @classmethod
    def following(cls, params: dict[str, Any]) -> dict[str, Any]:
        return {**params, "model": params["model"] + 1}
