"""river's HoeffdingTreeClassifier, made to decide by our rules on what our histogram observes.

It observes numeric features through the reference histogram (not the device's) and nominal ones through its
own splitter. What the subclass changes, and why:

- a child starts with no statistics: river and MOA count what a leaf inherited, which biases its first gains;
- R is the logarithm of the classes the model was built for, not of those met at the leaf; of the Hellinger
  distance it is sqrt(2), the largest there is, not 1;
- the null split has the merit of not splitting, 0 in gain, instead of minus infinity, and does not deactivate
  the leaf when it wins.
"""

import math
from dataclasses import dataclass

from river.tree import HoeffdingTreeClassifier
from river.tree.nodes.branch import DTBranch, NominalBinaryBranch
from river.tree.nodes.htc_nodes import LeafMajorityClass
from river.tree.splitter import Splitter
from river.tree.utils import BranchFactory

from niwaki_host.references.histogram import Histogram
from niwaki_host.references.vfdt import Candidate


class HistogramSplitter(Splitter):
    """Without missing values the leaf is as old as the number of values that its splitter has seen."""

    def __init__(self, n_classes: int = 2) -> None:
        self.n_classes = n_classes
        self.histogram = Histogram(16, n_classes)
        self.age = 0
        self.merits: dict[int, float] = {}

    def update(self, att_val, target_val, w):
        self.histogram.add(att_val, target_val, self.age)
        self.age += 1

    def cond_proba(self, att_val, target_val):
        raise NotImplementedError("growth does not depend on it")

    def best_evaluated_split_suggestion(self, criterion, pre_split_dist, att_idx, binary_only):
        best = BranchFactory()
        splits = self.histogram.splits()
        for key, left in zip(splits.keys.tolist(), splits.left, strict=True):
            sides = [dict(enumerate(side.tolist())) for side in (left, splits.total - left)]
            merit = self.merits[key] = criterion.merit_of_split(pre_split_dist, sides)
            if merit > best.merit:
                best = BranchFactory(merit, att_idx, key, sides)
        return best


class Leaf(LeafMajorityClass):
    def __init__(self, tree: "RiverTree", depth: int, path: str) -> None:
        super().__init__({}, depth, tree.splitter)
        self.path = path
        self.children_made = 0
        self.suggestions: list[BranchFactory] = []

    def best_split_suggestions(self, criterion, tree):
        found = super().best_split_suggestions(criterion, tree)
        # river's Gini merit is 1 - impurity after the split, its information gain a difference.
        null = found[0]
        null.merit = 1 - criterion.current_merit(self.stats) if tree.split_criterion == "gini" else 0.0
        self.suggestions = list(found)
        return found

    def deactivate(self):
        pass


@dataclass
class RiverAttempt:
    ranked: list[BranchFactory]
    merits: dict[int, dict[int, float]]
    bound: float
    accepted: bool


class RiverTree(HoeffdingTreeClassifier):
    def __init__(self, n_classes: int = 2, **options) -> None:
        super().__init__(
            splitter=HistogramSplitter(n_classes),
            leaf_prediction="mc",
            binary_split=True,
            max_share_to_split=1.0,
            **options,
        )
        self.n_classes = n_classes
        self.attempts: dict[str, list[RiverAttempt]] = {}

    def _new_leaf(self, initial_stats=None, parent=None):
        if parent is None:
            return Leaf(self, 0, "")
        parent.children_made += 1
        return Leaf(self, parent.depth + 1, parent.path + "LR"[parent.children_made - 1])

    def _new_split_criterion(self):
        criterion = super()._new_split_criterion()
        if self.split_criterion == "info_gain":
            criterion.range_of_merit = lambda dist: math.log2(self.n_classes)
        elif self.split_criterion == "hellinger":
            criterion.range_of_merit = lambda dist: math.sqrt(2)
        return criterion

    def _attempt_to_split(self, leaf, parent, parent_branch, **kwargs):
        leaf.suggestions = []
        super()._attempt_to_split(leaf, parent, parent_branch, **kwargs)
        merit_range = self._new_split_criterion().range_of_merit(leaf.stats)
        attempt = RiverAttempt(
            sorted(leaf.suggestions, reverse=True),
            {f: dict(getattr(splitter, "merits", {})) for f, splitter in leaf.splitters.items()},
            self._hoeffding_bound(merit_range, self.delta, leaf.total_weight),
            leaf.children_made > 0,
        )
        self.attempts.setdefault(leaf.path, []).append(attempt)

    def splits(self) -> dict[str, Candidate]:
        found = {}
        stack = [(self._root, "")]
        while stack:
            node, path = stack.pop()
            if isinstance(node, DTBranch):
                key = node.value if isinstance(node, NominalBinaryBranch) else node.threshold
                found[path] = Candidate(node.feature, key)
                stack += [(child, path + side) for child, side in zip(node.children, "LR", strict=True)]
        return found
