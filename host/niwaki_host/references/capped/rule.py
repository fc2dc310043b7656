"""May a leaf of a capped tree split? Merits, bound, ties, the regularised rule; when it stays whole."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from niwaki_host.references.capped.nodes import Node
from niwaki_host.references.capped.slots import Slot
from niwaki_host.references.merit import hoeffding_bound, split_merits

if TYPE_CHECKING:
    from niwaki_host.references.capped.tree import CappedTree

SPLIT, REFUSED, WHOLE = "split", "refused", "stays whole"
LITTLE = 1 / 8
"""Of R: what gains less is not worth the naive Bayes of a leaf, if it is a tie."""


@dataclass
class Attempt:
    """What a leaf knew when it tried to split, and what came of it."""

    tree: CappedTree
    node: Node
    slot: Slot
    gains: list[dict[int, float]]
    """Of each lane the gain of every split, by its key."""
    merits: list[dict[int, float]]
    """The same for J."""
    tops: list[float] = field(default_factory=list)
    lane: int = -1
    key: int = 0
    merit: float = 0.0
    second: float = 0.0
    bound: float = 0.0
    chance: float = 0.0
    """The J that chance would give."""
    verdict: str = REFUSED
    margins: dict[str, float] = field(default_factory=dict)
    """By how many bits each test that the verdict hangs on was passed (positive) or failed."""

    @property
    def plain(self) -> tuple[float, float]:
        """The best gains of the two best lanes, without omega, whichever lane has been chosen."""
        second, best = sorted([0.0, 0.0, *(max(gains.values(), default=0.0) for gains in self.gains)])[-2:]
        return best, second

    def choose(self, lane: int) -> None:
        self.lane = lane
        self.key = max(self.merits[lane], key=lambda key: self.merits[lane][key])
        self.merit = self.tops[lane]


def attempt(tree: CappedTree, node: Node) -> Attempt:
    """The verdict on a leaf at the end of its grace period."""
    slot = node.slot
    assert slot is not None
    tree.come = max(tree.come, slot.classes())
    gains = [_gains(tree, slot, lane) for lane in range(tree.shape.lanes)]
    merits = [_merits(tree, node, slot.features[lane], gains[lane]) for lane in range(tree.shape.lanes)]
    made = Attempt(tree, node, slot, gains, merits)
    made.tops = [max([0.0, *merits.values()]) for merits in made.merits]
    if max(made.tops) > 0:
        made.choose(made.tops.index(max(made.tops)))  # of equal lanes the first
    judge(made)
    return made


def judge(made: Attempt) -> None:
    """The verdict on the split that has been chosen."""
    shape, slot = made.tree.shape, made.slot
    n, held = slot.age, slot.held
    if made.lane >= 0:
        made.second = max([0.0, *(top for lane, top in enumerate(made.tops) if lane != made.lane)])
        if shape.raced:  # the feature may have come to its lane later than the leaf was born
            held = 1 + sum(map(sum, slot.observers[made.lane].rows))
            n = min(held, slot.age)  # what was inherited gives no certainty
    value_range = math.log2(made.tree.come)
    made.bound = hoeffding_bound(value_range, shape.delta, n)
    tau, gap = shape.tau - made.bound, made.merit - made.second - made.bound
    made.margins = {"bound < tau": tau, "gap > bound": gap, "J > null": made.merit}
    made.verdict = REFUSED
    if made.merit > 0 and (gap > 0 or tau > 0):
        made.verdict = SPLIT
        made.chance = (shape.ln_delta + slot.classes() - 2) / 2 * math.log2(math.e) / held
        if shape.omega is not None:
            _regularised(made)
        elif shape.monitors:
            _prefer_known(made)
        if shape.max_depth is not None and made.node.depth >= shape.max_depth:
            made.verdict = REFUSED
    if made.verdict == SPLIT:
        _stay_whole(made, value_range)


def _gains(tree: CappedTree, slot: Slot, lane: int) -> dict[int, float]:
    """By key, the gains of a lane's splits that have over a hundredth of its samples on each side."""
    splits = slot.observers[lane].splits()
    if sum(n > 0 for n in slot.born) < 2 or not len(splits.keys):
        return {}
    n = int(splits.total.sum()) if tree.shape.raced else slot.held
    found = zip(splits.keys.tolist(), split_merits(splits, "gain", n).tolist(), strict=True)
    return {key: gain for key, gain in found if gain > 0}


def _merits(tree: CappedTree, node: Node, feature: int, gains: dict[int, float]) -> dict[int, float]:
    """J is the gain; but with omega, if no split above uses the feature, omega x gain (HT-REG, eq. 3)."""
    used = any(above.split is not None and above.split.feature == feature for above in node.ancestors())
    if tree.shape.omega is None or used:
        return gains
    return {key: gain * tree.shape.omega for key, gain in gains.items()}


def _regularised(made: Attempt) -> None:
    """J must be more than chance, and not lie below Psi by more than the bound (docs/papers.md).

    A split that is not a tie must not be one without omega either: a penalty on the second best is no reason.
    """
    if made.margins["bound < tau"] <= 0:
        best, second = made.plain
        made.margins["plain gap > bound"] = best - second - made.bound
    made.margins["J > chance"] = made.merit - made.chance
    feature = made.slot.features[made.lane]
    for above in made.node.ancestors():
        if above.split is not None and above.split.feature == feature:
            name = f"J + bound > Psi at depth {above.depth}"
            made.margins[name] = made.merit + made.bound - above.split.merit
    needed = ("J > chance", "J + ", "plain gap")
    if min(margin for name, margin in made.margins.items() if name.startswith(needed)) <= 0:
        made.verdict = REFUSED


def _prefer_known(made: Attempt) -> None:
    """HAT: if even the best J is no more than chance, prefer a feature that the branch uses with more."""
    made.margins["J > chance"] = made.merit - made.chance
    if made.merit > made.chance:
        return
    most, lane = 0.0, -1
    for above in made.node.ancestors():
        assert above.split is not None
        feature = above.split.feature
        made.margins[f"chance < J at depth {above.depth}"] = above.split.merit - made.chance
        if above.split.merit > made.chance and feature in made.slot.features:
            known = made.slot.features.index(feature)
            if made.tops[known] > most:
                most, lane = made.tops[known], known
    if lane >= 0:
        made.choose(lane)


def _stay_whole(made: Attempt, value_range: float) -> None:
    """A split throws away most of what naive Bayes has learned: a leaf where Bayes is far better stays whole.

    Where no slot is free a regularised tree does not split at all: it must not grow larger than a plain one.
    """
    leaf = made.node.leaf
    halves = 2 * leaf.bayes_wrong < leaf.majority_wrong
    third = 3 * leaf.bayes_wrong + made.slot.age < 4 * leaf.majority_wrong
    if all(slot.node is not None for slot in made.tree.slots):
        if halves or third or made.tree.shape.omega is not None:
            made.verdict = WHOLE
    else:
        best, second = made.plain
        gap = made.margins["gap > bound for the leaf"] = best - second - made.bound
        gains = made.margins["gain < R / 8"] = best - LITTLE * value_range
        if gap <= 0 and gains < 0 and halves:
            made.verdict = WHOLE


def race(tree: CappedTree, slot: Slot, lane: int) -> None:
    """Lane 0 has tried its feature: move it to `lane` (0: give it up), and let lane 0 try the next.

    The next feature is the first one after it, in turn, that no lane watches.
    """
    tried = slot.features[0]
    slot.features[lane], slot.observers[lane] = tried, slot.observers[0]
    feature = tried
    while feature in slot.features:
        feature = (feature + 1) % tree.shape.features
    slot.features[0] = feature
    slot.observers[0] = slot.fresh(feature)
