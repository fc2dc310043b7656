"""What a capped tree is told: what its budget has been divided into, and its options."""

import math
from dataclasses import dataclass

EPOCH = 4096
"""Samples in which class counts fade by half."""


@dataclass(frozen=True)
class Shape:
    features: int
    classes: int
    nodes: int
    """The most nodes that there can be, but for the roots of alternates."""
    slots: int
    lanes: int
    """Features that a slot watches at a time; fewer than all: they race."""
    bins: int
    values: tuple[int, ...]
    """Per feature its number of nominal values, 0: it is numeric."""
    leaf: str = "nba"
    grace: int = 200
    delta: float = 1e-7
    tau: float = 0.1
    omega: float | None = None
    max_depth: int | None = None
    nb_threshold: int = 0
    monitors: int = 0
    """More than 0: the tree is adaptive."""
    capacity: int = 20
    """Buckets of a monitor's ADWIN."""

    @property
    def raced(self) -> bool:
        return self.lanes < self.features

    @property
    def bayes(self) -> bool:
        return self.leaf != "mc"

    @property
    def ln_delta(self) -> float:
        """ln(1 / delta)."""
        return -math.log(self.delta)
