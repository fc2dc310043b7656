"""Hold an adaptive device tree against its reference: attempts, changes, and what becomes of alternates."""

from collections.abc import Callable
from typing import Any

import numpy as np

from niwaki_host.references.adaptive import ALTERNATE, AdaptiveTree
from niwaki_host.references.lockstep import Agreement, DeviceAttempt, DeviceTrace, judge_attempt
from niwaki_host.references.vfdt import Attempt, Candidate, Node

CHANGE_TIE = 0.02
"""A cut this near to ADWIN's threshold, in parts of it, may fall either way on the device."""
VERDICT_TIE = 1.0
"""So may a verdict on an alternate that lacks one error."""


class AdaptiveTrace(DeviceTrace):
    """Sees every attempt of a sample, in order, and what the monitors decide."""

    def __init__(self, tree: Any) -> None:
        super().__init__(tree)
        self.attempts: list[DeviceAttempt] = []
        self.changes: dict[str, int] = {}
        self.verdicts: dict[str, int] = {}
        self.buckets: dict[str, list[tuple[int, int]]] = {}

    def learn(self, x: np.ndarray, y: int) -> DeviceAttempt | None:
        self.attempts, self.changes, self.verdicts = [], {}, {}
        return super().learn(x, y)

    def _call(self, kernel: Callable, *label: int) -> int:
        result = super()._call(kernel, *label)
        if kernel.__name__ == "rule":
            assert self.attempt is not None
            self.attempts.append(self.attempt)
        elif kernel.__name__ in ("adwin", "judge"):
            self._see(kernel.__name__)
        return result

    def _see(self, kernel: str) -> None:
        layout, words, scratch = self.layout, self.state.words, self.state.scratch
        item = layout.S_ROWS + int(words[layout.ROWS]) + int(words[layout.LANES]) + layout.X_ITEMS
        for k in range(int(scratch[item - layout.X_ITEMS + layout.X_LIST])):
            base = int(scratch[item + 2 * k]) - layout.WATCH
            number = (base - int(words[layout.MONITOR0])) // int(words[layout.MONITOR])
            monitor = self.seen.monitors[number]
            path = self._path(monitor.node)
            if kernel == "adwin":
                self.changes[path] = int(scratch[item + 2 * k + 1])
                self.buckets[path] = [(32 << size, ones) for size, ones in monitor.buckets]
            else:
                self.verdicts[path] = {layout.REPLACE: 1, layout.DROP: -1}.get(monitor.age, 0)

    def _path(self, node: int) -> str:
        sides = ""
        while node:
            if node >= self.seen.max_nodes:
                sides = ALTERNATE + sides
                node = self.seen.monitors[node - self.seen.max_nodes].node
                continue
            parent = self.seen.node(node).parent
            first = self.seen.node(parent).child
            sides = "LR"[node - first] + sides
            node = parent
        return sides


def compare(tree: Any, reference: AdaptiveTree, X: np.ndarray, y: np.ndarray) -> tuple[Agreement, float]:
    """Teach both the same samples; where they differ by a tie, the reference follows the device.

    Returns the share of samples with the same answer too.
    """
    device = AdaptiveTrace(tree)
    result = Agreement()

    def follow(attempt: Attempt) -> Candidate | None:
        assert device.attempts, f"sample {attempt.sample}: an attempt that the device did not make"
        seen = device.attempts.pop(0)
        judge_attempt(result, attempt, seen)
        return seen.best if seen.accepted else None

    def decide(what: str, node: Node, own: int, margin: float) -> int:
        found = (device.changes if what == "change" else device.verdicts).get(node.path)
        where = f"sample {reference.samples}, {what} at {node.path or 'root'}"
        if found is None:
            result.differences.append(f"{where}: the device has none")
            return own
        if what == "change":
            buckets = device.buckets[node.path]
            adwin = reference.monitors[node].adwin
            if found != own or buckets != adwin.buckets:
                if margin >= CHANGE_TIE:
                    result.differences.append(f"{where}: {own}, device {found}, margin {margin:.4f}")
                result.ties[what] += 1
                adwin.buckets = list(buckets)
        elif found != own:
            if abs(margin) > VERDICT_TIE:
                result.differences.append(f"{where}: {own}, device {found}, margin {margin:.2f}")
            result.ties[what] += 1
        return found

    reference.follow, reference.decide = follow, decide
    same = 0
    for codes, label in zip(X.tolist(), y.tolist(), strict=True):
        same += device.predict(codes) == reference.predict(codes)
        device.learn(codes, label)
        reference.learn(codes, label)
        if device.attempts:
            result.differences.append(f"sample {reference.samples}: an attempt of the device alone")
    return result, same / len(y)
