"""SVFDT-I and SVFDT-II in float64 (Turrisi da Costa et al., "Strict Very Fast Decision Tree", 2018)."""

import math
from typing import Any

import numpy as np

from niwaki_host.references.merit import entropy
from niwaki_host.references.vfdt import Attempt, HoeffdingTree, Node

ROUNDING = 1e-9
"""Bits. Of two leaves the purer one has exactly mean - deviation, and satisfies constraint 1."""


class Running:
    """Mean and sample standard deviation of all values so far (Welford); both 0 at first."""

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self.m2 = 0.0

    def add(self, value: float) -> None:
        self.count += 1
        d = value - self.mean
        self.mean += d / self.count
        self.m2 += d * (value - self.mean)

    @property
    def deviation(self) -> float:
        return math.sqrt(self.m2 / (self.count - 1)) if self.count > 1 else 0.0


class StrictTree(HoeffdingTree):
    """A leaf that satisfies VFDT's rule must also satisfy four constraints (section 4, phi):

    1. its entropy is at least mean - deviation of the entropies of all current leaves;
    2. its entropy is at least mean - deviation of those of all leaves that ever satisfied VFDT's rule;
    3. its merit is at least mean - deviation of the merits of those leaves;
    4. its n is at least the mean of the n of those leaves.

    With strict=2 (SVFDT-II, varpi) an entropy or a merit of at least mean + deviation skips all four.
    Where text, pseudocode and the authors' code disagree:

    - SVFDT-II skips on entropy *or* merit (text and code; Algorithm 2 says and);
    - constraint 4 has no deviation (text and code; Algorithm 2 subtracts it);
    - the thresholds are tested first; then the statistics are updated, at every attempt that satisfies VFDT's
      rule, accepted or not (code), so that the first attempt always passes;
    - sample deviation in 2 and 3, population deviation in 1, where the entropies are computed afresh and a
      leaf without samples has entropy 0 (code);
    - entropies are of the samples since the leaf was born, n also counts those that it inherited (code).
    """

    def __init__(self, *args: Any, strict: int = 1, **options: Any) -> None:
        super().__init__(*args, **options)
        self.strict = strict
        self.entropies = Running()
        self.merits = Running()
        self.sizes = Running()

    def accepts(self, leaf: Node, attempt: Attempt) -> bool:
        if not super().accepts(leaf, attempt):
            return False
        h = float(entropy(np.array(leaf.born)))
        j = attempt.merits[attempt.best]
        n = leaf.inherited + leaf.n
        current = entropy(np.array([other.born for other in self.leaves()]))
        tests = {
            "H of leaves": h - (current.mean() - current.std()),
            "H": h - (self.entropies.mean - self.entropies.deviation),
            "J": j - (self.merits.mean - self.merits.deviation),
            "n": n - self.sizes.mean,
        }
        accepted = min(tests.values()) >= -ROUNDING
        if self.strict == 2:
            skips = {
                "skip by H": h - (self.entropies.mean + self.entropies.deviation),
                "skip by J": j - (self.merits.mean + self.merits.deviation),
            }
            accepted = accepted or max(skips.values()) >= 0
            tests.update(skips)
        attempt.margins.update(tests)
        self.entropies.add(h)
        self.merits.add(j)
        self.sizes.add(n)
        return accepted
