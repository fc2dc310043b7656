"""What can be done to any generated stream: irrelevant features, flipped labels, missing values."""

import numpy as np

from niwaki_host.jit import njit
from niwaki_host.streams.generator import Fill
from niwaki_host.streams.javarandom import next_double, next_int, percent, seeded


@njit(cache=True)
def _irrelevant(rng, X, at, numeric, nominal, values):
    for i in range(len(X)):
        for j in range(at, at + numeric):
            X[i, j] = next_double(rng)
        for j in range(at + numeric, at + numeric + nominal):
            X[i, j] = next_int(rng, values)


@njit(cache=True)
def _flip(rng, y, classes, noise):
    for i in range(len(y)):
        if percent(rng, noise):
            y[i] = (y[i] + 1 + next_int(rng, classes - 1)) % classes


@njit(cache=True)
def _forget(rng, X, width, share):
    for i in range(len(X)):
        for j in range(width):
            if percent(rng, share):
                X[i, j] = np.nan


def irrelevant(fill: Fill, at: int, numeric: int, nominal: int, values: int, seed: int) -> Fill:
    """`numeric` features U(0, 1), then `nominal` uniform ones, as MOA's IrrelevantFeatureAppenderStream."""
    rng = seeded(seed)

    def wider(X: np.ndarray, y: np.ndarray) -> None:
        fill(X, y)
        _irrelevant(rng, X, at, numeric, nominal, values)

    return wider


def label_noise(fill: Fill, classes: int, noise: int, seed: int) -> Fill:
    """Turn `noise` percent of the labels into another class, each with the same probability."""
    rng = seeded(seed)

    def noisy(X: np.ndarray, y: np.ndarray) -> None:
        fill(X, y)
        _flip(rng, y, classes, noise)

    return noisy


def missing(fill: Fill, width: int, share: int, seed: int) -> Fill:
    """Lose `share` percent of all values."""
    rng = seeded(seed)

    def holey(X: np.ndarray, y: np.ndarray) -> None:
        fill(X, y)
        _forget(rng, X, width, share)

    return holey
