"""The decisions for which a capped tree compares real numbers; in lockstep.py it may follow the device.

Counts, promise and ages are whole numbers: what depends on them alone is not here, for it must be the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from niwaki_host.references.capped.nodes import Node
from niwaki_host.references.capped.prune import Victim
from niwaki_host.references.capped.rule import Attempt

if TYPE_CHECKING:
    from niwaki_host.references.capped.drift import LostMerit, Monitor


class Decisions:
    """The tree's own decisions: each method gets what the tree would do, and returns what is done."""

    def bayes(self, node: Node, scores: list[float], known: int) -> int:
        """Naive Bayes' answer at a leaf, from its log scores; `known` features have been asked."""
        return scores.index(max(scores))

    def split(self, attempt: Attempt) -> None:
        """May change the verdict and the choice of an attempt."""

    def victim(self, node: Node, victim: Victim) -> Node | None:
        """Which split is collapsed for the sake of `node`."""
        return victim.least

    def race(self, attempt: Attempt) -> int:
        """The lane that gains least, the first of equals: its feature gives way to that of lane 0."""
        return attempt.tops.index(min(attempt.tops))

    def change(self, monitor: Monitor, change: int) -> int:
        """What a monitor's ADWIN has found."""
        return change

    def verdict(self, monitor: Monitor, verdict: str, excess: float) -> str:
        """What becomes of an alternate; `excess` is by how much (E - A)^2 is over its threshold."""
        return verdict

    def lost(self, found: list[LostMerit]) -> Monitor | None:
        """The topmost split on the path that has lost its merit."""
        return next((split.monitor for split in reversed(found) if split.lost), None)
