"""Hold a device tree against its reference: the same samples, every split attempt side by side."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from niwaki_host.device.schedule import schedule_of
from niwaki_host.device.views import ZERO, TreeView
from niwaki_host.references.vfdt import Attempt, Candidate, HoeffdingTree
from niwaki_host.runtimes.numba_rt import compiled, views

RESOLUTION = 0.001
"""Two merits, or a merit and a bound, closer than this many bits may fall either way on the device."""


@dataclass
class DeviceAttempt:
    """A split attempt of the device, merits and bound in bits, codes as the user gave them."""

    path: str
    best: Candidate | None
    merit: float
    second: float
    bound: float
    accepted: bool


class DeviceTrace:
    """A `niwaki.Tree` driven sample by sample through its compiled kernels, so that attempts can be seen."""

    def __init__(self, tree: Any) -> None:
        from niwaki.tree import layout

        self.layout = layout
        self.tree = tree
        self.state = views(tree)
        self.seen = TreeView(tree)
        self.schedule = schedule_of(tree)
        self.attempt: DeviceAttempt | None = None

    def learn(self, x: np.ndarray, y: int) -> DeviceAttempt | None:
        self.state.x[:] = x
        self.attempt = None
        self.schedule.teach(self._call, y)
        return self.attempt

    def _call(self, kernel: Callable, *label: int) -> int:
        """Call a kernel, and see what it does about an attempt."""
        result = compiled(kernel)(*self.state, *label)
        if kernel.__name__ == "splits" and self.state.words[self.layout.WAIT]:
            # The next `learn` would do this first. It is done now, so that it is seen with this sample.
            self.state.words[self.layout.WAIT] = 0
            for step in self.schedule.steps:
                while step.due & self.layout.DUE_VERDICT and self._call(step.kernel):
                    pass
        elif kernel.__name__ == "rule":
            self.attempt = self._attempt()
        elif kernel.__name__ == "grow" and self.attempt is not None:
            self.attempt.accepted = not self.seen.node(self._node()).is_leaf
        return result

    def predict(self, x: np.ndarray) -> int:
        self.state.x[:] = x
        return self._call(self.schedule.predict)

    def splits(self) -> dict[str, Candidate]:
        """Every split of the tree by the path that leads to it."""
        found, paths = {}, {0: ""}
        for node in self.seen.walk():
            path = paths[node.number]
            if not node.is_leaf:
                found[path] = Candidate(node.feature, node.threshold)
                paths.update(zip(node.children, (path + "L", path + "R"), strict=True))
        return found

    def _node(self) -> int:
        return int(self.state.scratch[self.layout.S_NODE])

    def _path(self, node: int) -> str:
        sides = ""
        while node:
            parent = self.seen.node(node).parent
            sides = "LR"[node - self.seen.node(parent).child] + sides
            node = parent
        return sides

    def _attempt(self) -> DeviceAttempt:
        scratch, layout = self.state.scratch, self.layout
        best, second, lane, cut, bound = (
            int(scratch[i])
            for i in (layout.S_BEST, layout.S_SECOND, layout.S_LANE, layout.S_BIN, layout.S_BOUND)
        )
        node = self._node()
        candidate = None
        if lane >= 0:
            key = cut
            if self.seen.values[lane] == 0:
                window = self.seen.slot(self.seen.node(node).slot).windows[lane]
                key = window.low - ZERO + ((cut + 1) << window.shift) - 1
            candidate = Candidate(lane, key)
        return DeviceAttempt(self._path(node), candidate, best / 65536, second / 65536, bound / 65536, False)


@dataclass
class Agreement:
    """What a comparison found. `differences` are those that no tie explains: there must be none.

    A tie is counted where it led to another decision, not where neither tree split.
    """

    attempts: int = 0
    splits: int = 0
    ties: Counter = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    worst_merit: float = 0.0
    worst_bound: float = 0.0

    def __str__(self) -> str:
        ties = ", ".join(f"{name}: {n}" for name, n in self.ties.items()) or "none"
        return (
            f"{self.attempts} attempts, {self.splits} splits, ties: {ties}; "
            f"worst error {self.worst_merit:.6f} (merit), {self.worst_bound:.6f} (bound)"
        )


def compare(
    tree: Any, reference: HoeffdingTree, X: np.ndarray, y: np.ndarray, answers: list[bool] | None = None
) -> Agreement:
    """Teach both the same samples. Where they differ by a tie the reference follows the device.

    With `answers` both predict each sample first, and `answers` gets whether they agree.
    """
    device = DeviceTrace(tree)
    result = Agreement()
    seen: DeviceAttempt | None = None

    def follow(attempt: Attempt) -> Candidate | None:
        assert seen is not None, f"sample {attempt.sample}: an attempt that the device did not make"
        judge_attempt(result, attempt, seen)
        return seen.best if seen.accepted else None

    reference.follow = follow
    for codes, label in zip(X.tolist(), y.tolist(), strict=True):
        if answers is not None:
            answers.append(device.predict(codes) == reference.predict(codes))
        seen = device.learn(codes, label)
        if reference.learn(codes, label) is None and seen is not None:
            result.differences.append(f"sample {reference.samples}: an attempt of the device alone")
    return result


def judge_attempt(result: Agreement, attempt: Attempt, seen: DeviceAttempt) -> None:
    result.attempts += 1
    result.splits += seen.accepted
    where = f"sample {attempt.sample}, leaf {attempt.path or 'root'}"
    if seen.path != attempt.path:
        result.differences.append(f"{where}: the device is at leaf {seen.path or 'root'}")
        return
    best = attempt.merits[attempt.best]
    result.worst_bound = max(result.worst_bound, abs(seen.bound - attempt.bound))
    result.worst_merit = max(result.worst_merit, abs(seen.merit - best))
    if seen.best not in (None, attempt.best):
        theirs = attempt.merits.get(seen.best, -math.inf)
        if best - theirs >= RESOLUTION:
            result.differences.append(f"{where}: {attempt.best} {best:.5f}, device {seen.best} {theirs:.5f}")
        elif seen.accepted and attempt.accepted:
            result.ties["choice of split"] += 1
    if seen.accepted != attempt.accepted:
        nearest = min(attempt.margins, key=lambda name: abs(attempt.margins[name]))
        if abs(attempt.margins[nearest]) < RESOLUTION:
            result.ties[nearest] += 1
        else:
            margins = {name: round(margin, 5) for name, margin in attempt.margins.items()}
            result.differences.append(f"{where}: split {attempt.accepted}, device {seen.accepted}: {margins}")
