"""HT-REG in float64 (Barddal, Enembreck: "Learning Regularized Hoeffding Trees from Data Streams", 2019)."""

import math
from typing import Any

import numpy as np

from niwaki_host.references.strict import StrictTree
from niwaki_host.references.vfdt import CHANCE, PLAIN, PSI_BOUND, Attempt, HoeffdingTree, Node


class RegularisedTree(HoeffdingTree):
    """J* (equation 3) is omega x J for a feature that the branch has not used. A split's J* must exceed Psi
    (equation 5), the largest J* that the same feature had on the branch, 0 for a new one.

    Two departures soften this. The authors' code counts what a leaf inherited in the entropy before a
    split but not after, an error of some hundredths of a bit either way that may well open and close the
    test J* > Psi at random (read, not run). Without such errors,

    - the test forbids a tree to come back to a feature until its gain is certainly no smaller than it was:
      SEA ends with five nodes, three points below VFDT. PSI_BOUND: only a certainly smaller gain is refused;
    - a feature that is new on the branch has Psi = 0, and at every tie chance splits on one of 500 that mean
      nothing. CHANCE: n J* must exceed log2(1 / delta) / 2 bits (and 1 / (2 ln 2) for each class beyond two):
      2^-nJ is about the chance that a feature without meaning gains J, so with omega = 1/2 a new feature must
      be significant at delta, and a used one at its square root.

    A third keeps the tree no larger than VFDT's: where the second best feature is new, its penalty widens the
    gap, and what was undecided splits. PLAIN: the gap between the two largest J must exceed the bound, too.

    Where the paper and the authors' code disagree, or the code errs:

    - VFDT's tie-break stays: (J*_a - J*_b > bound or bound < tau) and J*_a > Psi (code; not in Algorithm 1);
    - what a split leaves behind for Psi is its penalised J* (both); Psi is the maximum (paper), not the mean;
    - the null split is not penalised: its merit is 0 either way;
    - feature 0 is penalised like any other (in the code an unfilled slot exempts it).
    """

    def __init__(self, *args: Any, omega: float = 0.5, **options: Any) -> None:
        super().__init__(*args, **options)
        self.omega = omega
        self.plain: list[float] = []  # the largest J of each feature, at the latest attempt

    def evaluate(self, leaf: Node) -> Attempt:
        self.plain = []
        return super().evaluate(leaf)

    def merit(self, leaf: Node, feature: int, gains: np.ndarray) -> np.ndarray:
        self.plain.append(float(gains.max()))
        used = {node.split.feature for node in leaf.ancestors() if node.split}
        return gains if feature in used else self.omega * gains

    def accepts(self, leaf: Node, attempt: Attempt) -> bool:
        feature = attempt.best.feature
        earlier = [node.merit for node in leaf.ancestors() if node.split and node.split.feature == feature]
        j = attempt.merits[attempt.best]
        slack = attempt.bound if PSI_BOUND in self.departures else 0.0
        attempt.margins["J* > Psi"] = j - max((m - slack for m in earlier), default=0.0)
        if CHANCE in self.departures:
            chance = (math.log(1 / self.delta) + leaf.classes() - 2) / (2 * math.log(2) * attempt.n)
            attempt.margins["J* > chance"] = j - chance
        if PLAIN in self.departures and attempt.bound >= self.tau:
            first, second = sorted([*self.plain, 0.0, 0.0])[:-3:-1]
            attempt.margins["gap of J > bound"] = first - second - attempt.bound
        return super().accepts(leaf, attempt) and all(
            attempt.margins.get(test, 1.0) > 0 for test in ("J* > Psi", "J* > chance", "gap of J > bound")
        )


class StrictRegularisedTree(StrictTree, RegularisedTree):
    """A split that passes HT-REG's rule must satisfy the strict constraints too, on J*."""
