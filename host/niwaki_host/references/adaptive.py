"""HAT and HAT-REG in float64 (Bifet and Gavalda, "Adaptive learning from evolving data streams", 2009)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from niwaki_host.references.adwin import Adwin
from niwaki_host.references.regularised import RegularisedTree
from niwaki_host.references.vfdt import Attempt, HoeffdingTree, Node

PROOF = 300
"""Samples before an alternate is judged."""
SIGNIFICANCE = 0.05
BUCKETS = 20
"""Of an ADWIN: windows of up to 28,000 samples."""
ALTERNATE = "*"
"""Behind the path of a node: the alternate that may replace it."""


class Monitor:
    """Follows the errors of the subtree below a split, and holds the alternate if there is one."""

    def __init__(self) -> None:
        self.adwin = Adwin(BUCKETS)
        self.drop()

    def drop(self) -> None:
        """Forget the alternate."""
        self.alternate: Node | None = None
        self.seen = 0  # samples since its birth
        self.errors = 0  # errors of the main subtree on these samples
        self.rival = 0  # errors of the alternate on these samples

    def lead(self) -> tuple[int, float]:
        """1 if the alternate is significantly better, -1 if worse, else 0; and the distance to the bound.

        With e the main subtree's error: |e - a| > sqrt(2 e (1 - e) ln(2 / 0.05) (1 / n + 1 / n)).
        """
        n, e = self.seen, self.errors / self.seen
        bound = math.sqrt(2 * e * (1 - e) * math.log(2 / SIGNIFICANCE) * 2 / n)
        difference = e - self.rival / n
        verdict = 0 if abs(difference) <= bound else 1 if difference > 0 else -1
        return verdict, (abs(difference) - bound) * n


class AdaptiveTree(HoeffdingTree):
    """Every split has an ADWIN of its subtree's errors. When they rise, an alternate starts from an empty
    leaf and learns the samples that reach the split. The alternate replaces the subtree when it is
    significantly better, and is dropped when it is significantly worse. What the paper leaves open is decided
    as follows:

    - an alternate is judged when its monitor completes a block of 32, after 300 samples (MOA's minimum);
    - errors are compared on the samples that both have seen, before the alternate has learned the latest;
    - if several splits on a path see a rise with one sample, the topmost gets an alternate;
    - a new split gets its monitor with the sample that made it; if a path has several new splits (after a
      replacement), each sample gives one of them its monitor, the topmost first;
    - an alternate has the ancestors of the node that it may replace (for omega), and does not vote;
    - there are no random weights.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.monitors: dict[Node, Monitor] = {}
        self.decide: Callable[[str, Node, int, float], int] = lambda what, node, own, margin: own
        """What comes of a block, "change" or "verdict" of a monitor: the tree's own, unless it follows."""
        self.started: list[str] = []
        self.ended: list[str] = []

    def learn(self, x: Sequence[int], y: int) -> Attempt | None:
        self.samples += 1
        leaf = self.sort(x)
        wrong = self.answer(leaf, x) != y
        attempt = self.learn_at(leaf, x, y)
        path = [node for node in (leaf, *leaf.ancestors()) if node.split is not None]  # to the root
        rivals = [node for node in path if node in self.monitors and self.monitors[node].alternate]
        self.tell(path, wrong)
        for node in reversed(rivals):
            monitor = self.monitors.get(node)
            if monitor and monitor.alternate:
                below = self.sort(x, monitor.alternate)
                monitor.rival += self.answer(below, x) != y
                self.learn_at(below, x, y)
        return attempt

    def tell(self, path: list[Node], wrong: bool) -> None:
        """Tell the monitors of a path whether the tree erred; then act on what they see."""
        changes = {}
        for node in path:
            monitor = self.monitors.get(node)
            if monitor is None:
                continue
            if monitor.alternate:
                monitor.seen += 1
                monitor.errors += wrong
            change = monitor.adwin.update(int(wrong))
            if not monitor.adwin.block:
                changes[node] = self.decide("change", node, change, monitor.adwin.nearest_share)
        starts = None
        better = []
        for node, change in changes.items():
            monitor = self.monitors[node]
            if monitor.alternate is None:
                starts = node if change == 1 else starts
            elif monitor.seen > PROOF:
                verdict = self.decide("verdict", node, *monitor.lead())
                if verdict > 0:
                    better.append(node)
                elif verdict < 0:
                    self.ended.append(node.path)
                    monitor.drop()
        if starts is not None:
            self.started.append(starts.path)
            monitor = self.monitors[starts]
            monitor.drop()
            monitor.alternate = Node(self, starts.parent, starts.path + ALTERNATE, [0] * self.n_classes)
        unwatched = [node for node in path if node not in self.monitors]
        if unwatched:
            self.monitors[unwatched[-1]] = Monitor()
        for node in better:
            if node in self.monitors:  # not if its subtree has just been replaced
                self.replace(node)

    def replace(self, node: Node) -> None:
        """The alternate takes the node's place, with a fresh monitor if it is a split."""
        self.ended.append(node.path)
        new = self.monitors[node].alternate
        assert new is not None
        for gone in subtree(node):
            self.monitors.pop(gone, None)
        if node.parent is None:
            self.root = new
        else:
            siblings = node.parent.children
            siblings[siblings.index(node)] = new
        for below in subtree(new):
            below.path = below.path.replace(ALTERNATE, "")
        if new.split is not None:
            self.monitors[new] = Monitor()


class AdaptiveRegularisedTree(AdaptiveTree, RegularisedTree):
    """HAT-REG: HT-REG's rule at every leaf, of alternates too."""


def subtree(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from subtree(child)
