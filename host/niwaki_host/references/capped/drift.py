"""The adaptive tree under its cap (HAT; with omega HAT-REG): monitors, alternates, swaps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from niwaki_host.references.adwin import ROSE, Adwin
from niwaki_host.references.capped.decisions import Decisions
from niwaki_host.references.capped.nodes import Leaf, Node
from niwaki_host.references.capped.shape import EPOCH, Shape
from niwaki_host.references.capped.slots import give, take
from niwaki_host.references.capped.tree import CappedTree

KEEP, REPLACE, DROP = "keep", "replace", "drop"
PERIOD = 1024
"""Samples between two reviews of traffic; in so many samples the errors of an alternate fade by half."""
PROOF = 300
"""Samples before an alternate is judged."""
YOUTH = 10_000
"""Samples before it can be dropped."""
PATIENCE = 20_000
"""Samples after which one that is as good takes over."""
ON_A_PATH = 2
SIGNIFICANT = 4 * math.log(2 / 0.05)
QUARTER = 4096
"""The device keeps shares of classes in this unit."""


class Monitor:
    def __init__(self, number: int, capacity: int) -> None:
        self.number = number
        self.capacity = capacity
        self.node: Node | None = None
        self.alternate: Node | None = None
        self.age = 0
        """Samples since the alternate's birth."""
        self.verdict = KEEP
        self.forget()

    def forget(self) -> None:
        """Forget what the monitor knows of its node's subtree."""
        self.errors = self.rival = self.traffic = 0
        self.adwin = Adwin(self.capacity)

    def compared(self) -> float:
        """n: the number of samples that both error counts stand for; it fades as they do."""
        periods, rest = divmod(self.age, PERIOD)
        return rest + PERIOD * (1 - 0.5**periods)


@dataclass
class LostMerit:
    """Whether a monitored split has lost its merit: the class counts on its two sides hardly differ."""

    monitor: Monitor
    lost: bool
    near: bool
    """Rounding could turn it."""
    margins: tuple[float, ...] = ()


class AdaptiveTree(CappedTree):
    def __init__(self, shape: Shape, decisions: Decisions | None = None) -> None:
        super().__init__(shape, decisions)
        self.monitors = [Monitor(number, shape.capacity) for number in range(shape.monitors)]
        self.candidate: int | None = None
        """The number of a split that has no monitor."""
        self.hits = 0
        """Samples that it has had in this period."""

    def all_nodes(self) -> Iterator[Node]:
        yield from self.root.walk()
        for monitor in self.monitors:
            if monitor.alternate is not None:
                yield from monitor.alternate.walk()

    def monitor_states(self) -> dict[tuple, Any]:
        found: dict[tuple, Any] = {}
        for m in self.monitors:
            node = m.node.number if m.node is not None else -1
            judged = (m.age + 1, m.errors, m.rival) if m.alternate is not None else None
            found["monitor", m.number] = node, judged, m.adwin.buckets if m.node is not None else None
        return found

    def learn(self, x: Sequence[int], y: int) -> int:
        self.samples += 1
        node, answer = self.teach(self.root, x, y)
        alternates = self._watch(node, int(answer != y))
        for m in reversed(alternates):  # the topmost alternate first
            if m.node is not None and m.alternate is not None:
                m.rival += self.teach(m.alternate, x, y)[1] != y
        return answer

    def _review_is_due(self) -> bool:
        return self.samples % PERIOD == PERIOD - 1

    def _spare(self) -> int:
        return sum(m.node is None for m in self.monitors)

    def _watch(self, leaf: Node, wrong: int) -> list[Monitor]:
        """Tell the monitors on the path, from the leaf up; returns those with an alternate."""
        complete: list[tuple[Monitor, int]] = []
        alternates: list[Monitor] = []
        wish = None
        for node in (leaf, *leaf.ancestors()):
            if node.split is None:
                continue
            m = node.monitor
            if m is None:
                wish = node.number  # the last one is the topmost
                continue
            if m.alternate is not None:
                m.age += 1
                if m.age % PERIOD == 0:
                    m.errors //= 2
                    m.rival //= 2
                m.errors += wrong
                alternates.append(m)
            m.traffic += 1
            change = m.adwin.update(wrong)
            if not m.adwin.block:
                complete.append((m, change))
        pending = int(self._review_is_due())
        if wish is not None:
            spare = self._spare()
            if self.candidate is None or spare:
                self.candidate, self.hits = wish, 0
                pending += spare
            self.hits += self.candidate == wish
        found = [(m, self.decisions.change(m, change)) for m, change in complete]
        wanting, decided = self._judge(found, alternates)
        if pending or decided:
            self._begin(wanting, leaf)
            self._assign()
            while self._replace():
                pass
        return alternates

    def _judge(
        self, found: list[tuple[Monitor, int]], alternates: list[Monitor]
    ) -> tuple[Monitor | None, bool]:
        """Judge alternates whose monitors have completed a block; find where one should start."""
        wanting, decided = None, False
        for m, change in found:
            if m.alternate is None:
                if change == ROSE:
                    wanting, decided = m, True  # the last one is the topmost
            elif m.age > PROOF:
                n, lead = m.compared(), m.errors - m.rival
                excess = lead * lead - SIGNIFICANT * m.errors * (n - m.errors) / n
                verdict = KEEP
                if (excess > 0 and lead > 0) or (excess <= 0 and m.age > PATIENCE):
                    verdict = REPLACE
                elif excess > 0 and m.age > YOUTH:
                    verdict = DROP
                m.verdict = self.decisions.verdict(m, verdict, excess)
                decided |= m.verdict != KEEP
        if wanting is not None and len(alternates) >= ON_A_PATH:
            deepest = alternates[0]
            assert deepest.node is not None and wanting.node is not None
            if wanting.node.depth < deepest.node.depth:
                deepest.verdict = DROP
            else:
                wanting = None
        return wanting, decided

    def _begin(self, wanting: Monitor | None, leaf: Node) -> None:
        """Start an alternate: an empty leaf with a slot, beside the node of its monitor."""
        running = sum(m.alternate is not None for m in self.monitors)
        if running and running >= self.shape.slots // 2:
            return
        if wanting is None and self._review_is_due() and self.shape.omega is not None:
            wanting = self._without_merit(leaf)
            self.log["merit lost"] += wanting is not None
        if wanting is None:
            return
        node = wanting.node
        assert node is not None
        empty = Leaf([0] * self.shape.classes, self.samples // EPOCH)
        wanting.alternate = Node(self.shape.nodes + wanting.number, node.parent, node.depth, empty)
        wanting.age = wanting.errors = wanting.rival = 0
        self.log["alternates"] += 1
        # The alternate gets a free slot, or else the slot of the leaf with the least promise, in any tree.
        give(
            min(self.slots, key=lambda slot: -1 if slot.node is None else slot.node.leaf.promise),
            wanting.alternate,
        )

    def _without_merit(self, leaf: Node) -> Monitor | None:
        """HAT-REG: the topmost monitored split on the path, above all alternates, that has lost its merit."""
        found: list[LostMerit] = []
        running, node = 0, leaf
        for above in leaf.ancestors():
            other = next(child for child in above.children if child is not node)
            m = above.monitor
            if m is not None and m.alternate is not None:
                running += 1
                found = []
            elif m is not None:
                found.append(self._lost_merit(m, above, node, other))
            node = above
        return self.decisions.lost(found if running < ON_A_PATH else [])

    def _lost_merit(self, m: Monitor, split: Node, *sides: Node) -> LostMerit:
        """Whether chi^2 < ln(1 / delta) + k - 2, for the k classes that came, though n J > 3 times that."""
        a, b = (self._remembered(side) for side in sides)
        n_a, n_b = sum(a), sum(b)
        if not n_a or not n_b or n_a + n_b > 65535:
            return LostMerit(m, False, False)
        assert split.split is not None
        chance, chi, slack = self.shape.ln_delta - 2, 0.0, 0.0
        weight = n_a * n_b / (n_a + n_b)
        for in_a, in_b in zip(a, b, strict=True):
            share = (in_a + in_b) / (n_a + n_b)
            if share >= 1 / QUARTER:
                chance += 1
                difference = abs(in_a / n_a - in_b / n_b)
                chi += difference * difference / share
                slack += (2 * difference + 1 / QUARTER) / share / QUARTER + 1 / QUARTER
                slack += difference * difference / share / (share * QUARTER)
        evidence = (n_a + n_b) * split.split.merit - 3 * chance
        short = chance - chi * weight
        slack = slack * weight + chi
        more = 16 * split.split.merit + (n_a + n_b) / QUARTER + 2
        could_be = short > -slack and evidence > -more
        return LostMerit(
            m, short > 0 and evidence > 0, could_be and (short < slack or evidence < more), (short, evidence)
        )

    def _remembered(self, node: Node) -> list[int]:
        leaves = [below.leaf.faded(self.samples) for below in node.walk() if below.split is None]
        return [sum(ns) for ns in zip(*leaves, strict=True)]

    def _assign(self) -> None:
        """Give the candidate the last free monitor, or in a review one with less than half its traffic."""
        review, wish = self._review_is_due(), self.candidate
        chosen = None
        if wish is not None:
            idle = [m for m in self.monitors if m.alternate is None]
            free = [m for m in idle if m.node is None]
            least = min(idle, key=lambda m: m.traffic, default=None)
            if free:
                chosen = free[-1]
            elif review and least is not None and least.traffic < self.hits // 2:
                chosen = least
            if review or self._spare():
                self.candidate = None
        if review:
            for m in self.monitors:
                m.traffic = 0
        node = next((node for node in self.root.walk() if node.number == wish), None)
        if chosen is None or node is None or node.split is None or node.monitor is not None:
            return
        if chosen.node is not None:
            chosen.node.monitor = None
        chosen.forget()
        chosen.node, node.monitor = node, chosen

    def _replace(self) -> bool:
        """Carry out one verdict, or remove one alternate whose monitor has lost its node."""
        for m in self.monitors:
            if m.alternate is None or (m.verdict == KEEP and m.node is not None):
                continue
            alternate, verdict = m.alternate, m.verdict
            m.alternate, m.verdict, m.age = None, KEEP, 0
            self.candidate = None
            self.log["swaps" if verdict == REPLACE and m.node is not None else "dropped"] += 1
            if verdict != REPLACE or m.node is None:
                self._clear(alternate)
                return True
            node = m.node
            self._clear(node)
            node.monitor = m
            node.leaf, node.split, node.children = alternate.leaf, alternate.split, alternate.children
            node.slot, node.seen = alternate.slot, alternate.seen
            for child in node.children:
                child.parent = node
            if node.slot is not None:
                node.slot.node = node
            if node.split is None:
                m.node = node.monitor = None
            m.forget()
            return True
        return False

    def _clear(self, node: Node) -> None:
        """Remove all nodes below a node, and free its slot; numbers become free, monitors have no node."""
        for child in node.children:
            self._clear(child)
            if child.monitor is not None:
                child.monitor.node = child.monitor = None
        if node.children:
            self.numbers.free.append(node.children[0].number)
        if node.slot is not None:
            take(node.slot)
        node.split, node.children = None, ()
