"""An ensemble's random numbers, from a seed, in 32-bit integers: weights of samples, subsets of features.

A tree's i-th number is murmur3's finalizer of its key + i * the golden ratio (a Weyl sequence). So the lab
draws the numbers of a whole piece of the stream at once, and a board would need only one counter a tree.
"""

import math

import numpy as np
from numpy.typing import NDArray

_GOLDEN = 0x9E3779B9
_MOST = 1 << 16  # a draw is a 16-bit number


def mix(number: int | NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of MurmurHash3, 32 bits: every bit of the answer depends on every bit of the number."""
    h = np.asarray(number, np.uint64) & np.uint64(0xFFFFFFFF)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        h = ((h ^ (h >> np.uint64(shift))) * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    return h ^ (h >> np.uint64(16))


def key(*numbers: int) -> int:
    """Make one number of several: seed, place of the tree, its generation."""
    found = 0
    for number in numbers:
        found = int(mix((found + number) & 0xFFFFFFFF))
    return found


def draw(key: int, first: int, count: int) -> NDArray[np.int64]:
    """Draw `count` 16-bit numbers, starting at number `first` of the key."""
    at = np.arange(first + 1, first + count + 1, dtype=np.uint64)
    return (mix(np.uint64(key) + at * np.uint64(_GOLDEN)) >> np.uint64(16)).astype(np.int64)


def poisson_steps(mean: int) -> NDArray[np.int64]:
    """The Poisson distribution, summed, in 65,536ths: a draw gives the number of steps at or below it."""
    steps, term, total = [], math.exp(-mean), 0.0
    for k in range(1, 64):
        total += term
        term *= mean / k
        steps.append(round(_MOST * total))
        if steps[-1] >= _MOST:
            break
    return np.array(steps, np.int64)


def poisson(steps: NDArray[np.int64], key: int, first: int, count: int) -> NDArray[np.int64]:
    """How often a tree learns each of `count` samples."""
    return np.searchsorted(steps, draw(key, first, count), side="right")


def subset(key: int, chosen: int, among: int) -> list[int]:
    """`chosen` different numbers below `among`, in order: the numbers that have the smallest draws."""
    return sorted(np.argsort(draw(key, 0, among), kind="stable")[:chosen].tolist())
