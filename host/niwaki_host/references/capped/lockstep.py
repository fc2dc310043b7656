"""Hold a device's capped tree against its reference: the same samples, every decision and every state.

Where the two differ in a decision by no more than the device's fixed point explains, a *tie*, it is counted,
and the reference takes over the device's choice, so that one tie does not hide what comes after it. Any other
difference ends the comparison: there must be none.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from niwaki_host.references.capped import state
from niwaki_host.references.capped.decisions import Decisions
from niwaki_host.references.capped.device import Device, Said
from niwaki_host.references.capped.drift import DROP, KEEP, REPLACE, AdaptiveTree, LostMerit, Monitor
from niwaki_host.references.capped.nodes import Node
from niwaki_host.references.capped.prune import Victim
from niwaki_host.references.capped.rule import REFUSED, SPLIT, WHOLE, Attempt, judge
from niwaki_host.references.capped.tree import CappedTree

RESOLUTION = 0.001
"""Two merits, or a merit and a bound, closer than this many bits may fall either way on the device."""
LOG2E = 1 / 256
"""The device's log2(e) is too small by this part of it."""
LOGARITHM = 0.0225
"""Bits by which a logarithm of the device may be too low: its argument has 7 bits."""
CUT = 1 / 256
"""A mean's difference and its threshold closer than this may fall either way in the device's ADWIN."""
SQUARES = 17.0
"""The same for (E - A)^2 and 14.755 E (n - E) / n, whose quotient is rounded down before it is multiplied."""
EVERY = 250
"""Samples after which states are compared, even if nothing has happened."""


class Different(Exception):
    """A difference that no tie explains."""


@dataclass
class Agreement:
    samples: int = 0
    attempts: int = 0
    events: Counter = field(default_factory=Counter)
    ties: Counter = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        def shown(counts: Counter) -> str:
            return ", ".join(f"{name}: {n}" for name, n in sorted(counts.items()) if n) or "none"

        return (
            f"{self.samples} samples, {self.attempts} attempts; {shown(self.events)}; "
            f"ties: {shown(self.ties)}; differences: {self.differences or 'none'}"
        )


class Follow(Decisions):
    """Compare each decision with the device's, and follow it where it is a tie."""

    def __init__(self) -> None:
        self.result = Agreement()
        self.said = Said()

    def _tie(self, name: str, close: bool, what: Any) -> None:
        if not close:
            raise Different(f"{name}: {what}")
        self.result.ties[name] += 1

    def bayes(self, node: Node, scores: list[float], known: int) -> int:
        mine = super().bayes(node, scores, known)
        theirs = self.said.answers.pop(0) if self.said.answers else -1
        if theirs != mine:
            near = theirs >= 0 and scores[mine] - scores[theirs] < LOGARITHM * (2 * known + 1)
            self._tie("answer", near, (mine, theirs, scores))
        return theirs

    def split(self, attempt: Attempt) -> None:
        self.result.attempts += 1
        if not self.said.rules:
            raise Different(f"node {attempt.node.number}: an attempt that the device did not make")
        seen = self.said.rules.pop(0)
        if seen.node != attempt.node.number:
            raise Different(f"an attempt at node {attempt.node.number}, of the device at {seen.node}")
        self.seen = seen
        unseen = attempt.node.leaf.promise < 4 and not attempt.slot.shape.raced
        theirs = attempt.verdict if unseen and {seen.rule, attempt.verdict} == {WHOLE, REFUSED} else seen.rule
        merit = attempt.merits[seen.lane].get(seen.key, -1.0) if seen.lane >= 0 else 0.0
        other = (seen.lane, seen.key) != (attempt.lane, attempt.key)
        if theirs != attempt.verdict and other and 0 < merit and abs(attempt.merit - merit) < RESOLUTION:
            self.result.ties["choice of split"] += 1  # equally good splits, but the rule differs for them
            attempt.lane, attempt.key, attempt.merit = seen.lane, seen.key, merit
            judge(attempt)
        chance = RESOLUTION + LOG2E * attempt.chance
        slack = {name: chance if "chance" in name else RESOLUTION for name in attempt.margins}
        near = {name for name, margin in attempt.margins.items() if abs(margin) < slack[name]}
        if theirs != attempt.verdict:
            said = f"{attempt.verdict}, device {theirs}"
            self._tie("verdict", bool(near), (said, attempt.margins))
            attempt.verdict = theirs
        if theirs == SPLIT and (seen.lane, seen.key) != (attempt.lane, attempt.key):
            close = abs(attempt.merit - merit) < RESOLUTION or any("chance" in name for name in near)
            said = f"lane {attempt.lane}, {attempt.key}, device lane {seen.lane}, {seen.key}"
            self._tie("choice of split", merit > 0 and close, (said, attempt.merit, merit, attempt.margins))
            attempt.lane, attempt.key, attempt.merit = seen.lane, seen.key, merit

    def victim(self, node: Node, victim: Victim) -> Node | None:
        mine = victim.least
        if not self.said.victims:
            raise Different(f"node {node.number}: a look for room that the device did not take")
        number = self.said.victims.pop(0)
        if (mine.number if mine is not None else None) == number:
            return mine
        theirs = next((node for node in victim.worths if node.number == number), None)
        near = number is None or theirs is not None
        for one in (mine, theirs):  # the least is close to the limit, or the worths are close
            worth, slack = victim.worths[one] if one is not None else (victim.limit, victim.slack)
            other = theirs if one is mine else mine
            against, more = victim.worths[other] if other is not None else (victim.limit, victim.slack)
            near = near and abs(worth - against) < slack + more
        self._tie(
            "collapse", near, (mine and mine.number, number, victim.limit, list(victim.worths.values()))
        )
        return theirs

    def race(self, attempt: Attempt) -> int:
        mine = super().race(attempt)
        tried = attempt.slot.features[0]
        after = self.seen.features
        theirs = after.index(tried) if tried in after else 0
        if theirs != mine:
            tops = attempt.tops
            self._tie("race", abs(tops[mine] - tops[theirs]) < RESOLUTION, (mine, theirs, tops))
        return theirs

    def change(self, monitor: Monitor, change: int) -> int:
        if monitor.number not in self.said.changes:
            raise Different(f"monitor {monitor.number}: a block that the device has not completed")
        theirs, buckets = self.said.changes.pop(monitor.number)
        if theirs != change or monitor.adwin.buckets != buckets:
            self._tie("cut", monitor.adwin.nearest < CUT, (change, theirs, monitor.adwin.nearest))
            monitor.adwin.buckets = buckets
        return theirs

    def verdict(self, monitor: Monitor, verdict: str, excess: float) -> str:
        field = self.said.verdicts.get(monitor.number)
        theirs = {65534: REPLACE, 65535: DROP}.get(field or 0, KEEP)
        if theirs != verdict:
            self._tie("verdict on an alternate", abs(excess) < SQUARES, (verdict, theirs, excess))
        return theirs

    def lost(self, found: list[LostMerit]) -> Monitor | None:
        mine = super().lost(found)
        if (mine.number if mine else None) == self.said.starts:
            return mine
        theirs = next((split.monitor for split in found if split.monitor.number == self.said.starts), None)
        upper = [split for split in found if split.monitor in (mine, theirs)]
        self._tie("lost merit", bool(upper) and upper[-1].near, (self.said.starts, found))
        return theirs


def compare(tree: Any, X: np.ndarray, y: np.ndarray, fast: bool = True, **options: Any) -> Agreement:
    """Teach both the same samples. `options` are those of the tree that the reference must know."""
    device, follow = Device(tree, fast), Follow()
    shape = device.shape(**options)
    reference = (AdaptiveTree if shape.monitors else CappedTree)(shape, follow)
    result = follow.result
    before = state.structure(state.of_device(device))
    for codes, label in zip(X.tolist(), y.tolist(), strict=True):
        said = follow.said = device.learn(codes, label)
        structural = said.structural
        result.samples += 1
        try:
            reference.learn(codes, label)
            left = said.answers, said.rules, said.victims, said.changes
            if any(left):
                raise Different(f"the device alone decided {left}")
            if structural or result.samples % EVERY == 0:
                now = state.of_device(device)
                if different := state.differences(now, state.of_reference(reference)):
                    raise Different("; ".join(different[:3]))
                after = state.structure(now)
                result.events += state.events(before, after)
                before = after
        except Different as error:
            result.differences.append(f"sample {result.samples}: {error}")
            break
    result.events += reference.log
    return result
