"""Waveform: which two of three triangular waves make this noisy one (Breiman et al., CART, 1984)? As MOA."""

from typing import Any

import numpy as np

from niwaki_host.jit import njit
from niwaki_host.streams.generator import SEED, Fill, Generator, Param
from niwaki_host.streams.javarandom import next_double, next_gaussian, next_int, seeded

_RAMP = np.arange(21)
WAVES = np.array([np.maximum(0, 6 - abs(_RAMP - peak)) for peak in (6, 14, 10)], float)


@njit(cache=True)
def _place(rng, place, moved):
    """MOA's WaveformGeneratorDrift: a run of attributes trades places with another run."""
    width = len(place)
    first = next_int(rng, width)
    second = next_int(rng, width)
    for k in range(moved):
        kept = place[(k + first) % width]
        place[(k + first) % width] = (k + second) % width
        place[(k + second) % width] = kept


@njit(cache=True)
def _waveform(rng, X, y, waves, place):
    for i in range(len(y)):
        kind = next_int(rng, 3)
        one = 1 if kind == 2 else 0
        other = 1 if kind == 0 else 2
        share = next_double(rng)
        rest = 1.0 - share
        for j in range(len(place)):
            value = 0.0
            if j < 21:
                value = share * waves[one, j] + rest * waves[other, j]
            X[i, place[j]] = value + next_gaussian(rng)
        y[i] = kind


class Waveform(Generator):
    """21 attributes of a mix of two waves, N(0, 1) noise on each; with 40 the last 19 are noise alone.

    `moved=0` is MOA's WaveformGenerator, else its WaveformGeneratorDrift with -d moved.
    """

    name = "waveform"
    about = "Waveform: 21 or 40 numeric features, 3 classes; next concept: features trade places"
    PARAMS = {
        "attributes": Param(21, "21 or 40: without or with irrelevant features", 21, 40),
        "moved": Param(0, "features that trade places", 0, 40),
        "seed": SEED,
    }

    def prepare(self, **params: Any) -> None:
        self.width = 40 if params["attributes"] > 21 else 21
        self.feature_names = [f"att{j + 1}" for j in range(self.width)]
        self.class_names = ["class1", "class2", "class3"]
        self.nominal = [0] * self.width
        self.ranges = [(-6.0, 12.0)] * self.width

    def start(self) -> Fill:
        rng, place = seeded(self.params["seed"]), np.arange(self.width)
        if self.params["moved"]:
            _place(rng, place, self.params["moved"])
        return lambda X, y: _waveform(rng, X, y, WAVES, place)

    @classmethod
    def following(cls, params: dict[str, Any]) -> dict[str, Any]:
        return {**params, "moved": (params["moved"] + 10) % 40}
