"""HT-REG in float64 (Barddal, Enembreck: "Learning Regularized Hoeffding Trees from Data Streams", 2019)."""

from typing import Any

import numpy as np

from .strict import StrictTree
from .vfdt import Attempt, HoeffdingTree, Node


class RegularisedTree(HoeffdingTree):
    """J* (equation 3) is omega x J for a feature that the branch has not used; a split must exceed Psi
    (equation 5), the largest J* that the same feature had on the branch.

    Where the paper and the authors' code disagree, or the code errs:

    - VFDT's tie-break stays: (J*_a - J*_b > bound or bound < tau) and J*_a > Psi (code; not in Algorithm 1);
    - what a split leaves behind for Psi is its penalised J* (both); Psi is the maximum (paper), not the mean;
    - the null split is not penalised: its merit is 0 either way;
    - feature 0 is penalised like any other (in the code an unfilled slot exempts it).
    """

    def __init__(self, *args: Any, omega: float = 0.5, **options: Any) -> None:
        super().__init__(*args, **options)
        self.omega = omega

    def merit(self, leaf: Node, feature: int, gains: np.ndarray) -> np.ndarray:
        used = {node.split.feature for node in leaf.ancestors() if node.split}
        return gains if feature in used else self.omega * gains

    def accepts(self, leaf: Node, attempt: Attempt) -> bool:
        feature = attempt.best.feature
        earlier = [node.merit for node in leaf.ancestors() if node.split and node.split.feature == feature]
        attempt.margins["J* > Psi"] = attempt.merits[attempt.best] - max(earlier, default=0.0)
        return super().accepts(leaf, attempt) and attempt.margins["J* > Psi"] > 0


class StrictRegularisedTree(StrictTree, RegularisedTree):
    """Both: what passes HT-REG's rule must satisfy the strict constraints too, on J*."""
