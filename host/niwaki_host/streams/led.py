"""LED: which digit does a noisy seven-segment display show (Breiman et al., CART, 1984)? As MOA."""

from typing import Any

import numpy as np

from niwaki_host.jit import njit
from niwaki_host.streams.generator import SEED, Fill, Generator, Param
from niwaki_host.streams.javarandom import next_int, percent, seeded

SEGMENTS = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ],
    np.int64,
)


@njit(cache=True)
def _led(rng, X, y, segments, place, noise):
    for i in range(len(y)):
        digit = next_int(rng, 10)
        for j in range(7):
            bit = segments[digit, j]
            if percent(rng, noise):
                bit = 1 - bit
            X[i, place[j]] = bit
        for j in range(7, len(place)):
            X[i, place[j]] = next_int(rng, 2)
        y[i] = digit


class Led(Generator):
    """Seven segments and 17 irrelevant bits; `swap` segments trade places with irrelevant bits.

    `swap=0` is MOA's LEDGenerator, `swap=k` its LEDGeneratorDrift with -d k. At noise 10 the Bayes accuracy
    is about 74 %.
    """

    name = "led"
    about = "LED: 24 binary features, 10 classes; next concept: two more segments swapped"
    PARAMS = {
        "noise": Param(10, "percent of segments inverted", 0, 100),
        "swap": Param(0, "segments that trade places with irrelevant features", 0, 7),
        "attributes": Param(24, "7 or 24: without or with the irrelevant features", 7, 24),
        "seed": SEED,
    }

    def prepare(self, **params: Any) -> None:
        width = 24 if params["attributes"] > 7 else 7
        self.feature_names = [f"att{j + 1}" for j in range(width)]
        self.class_names = [str(digit) for digit in range(10)]
        self.nominal = [2] * width
        self.ranges = [None] * width
        self.place = np.arange(width)
        if width == 24:
            for j in range(params["swap"]):
                self.place[j], self.place[7 + j] = 7 + j, j

    def start(self) -> Fill:
        rng, noise = seeded(self.params["seed"]), self.params["noise"]
        return lambda X, y: _led(rng, X, y, SEGMENTS, self.place, noise)

    @classmethod
    def following(cls, params: dict[str, Any]) -> dict[str, Any]:
        return {**params, "swap": (params["swap"] + 2) % 8}
