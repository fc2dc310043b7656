"""The default tree under its cap, in float64 and with objects: written from the rules in docs/papers.md."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from niwaki_host.references.capped import prune, rule
from niwaki_host.references.capped.decisions import Decisions
from niwaki_host.references.capped.nodes import Leaf, Node, Numbers, Split
from niwaki_host.references.capped.shape import Shape
from niwaki_host.references.capped.slots import MISSING, Slot, find, give


class CappedTree:
    def __init__(self, shape: Shape, decisions: Decisions | None = None) -> None:
        self.shape = shape
        self.decisions = decisions or Decisions()
        self.samples = 0
        self.come = 2
        """R is log2 of the classes that have come, by the highest label of all leaves that attempted."""
        self.log: Counter[str] = Counter()
        """How often what came of a decision that the state afterwards does not name."""
        self.numbers = Numbers(shape.nodes)
        self.root = Node(0, None, 0, Leaf([0] * shape.classes, 0))
        self.slots = [Slot(shape, number) for number in range(shape.slots)]
        give(self.slots[0], self.root)

    def all_nodes(self) -> Iterator[Node]:
        """All nodes of the tree, and of its alternates if it has any."""
        return self.root.walk()

    def monitor_states(self) -> dict[tuple, Any]:
        """What an adaptive tree knows of its monitors; see state.py."""
        return {}

    # Prediction

    def scores(self, node: Node, x: Sequence[int]) -> tuple[list[float], int]:
        """Naive Bayes: log2 of the class counts plus log2 (4 h + m / k) / (4 n_c + m) per known feature.

        Of each class the slot holds n_c samples, and h of them are in the bin of x, one of k bins. m is
        `bins`; m / k is a whole number, at least 1. Also returns how many features are known.
        """
        slot, bins = node.slot, self.shape.bins
        assert slot is not None
        logs = [math.log2(n) if n else -math.inf for n in node.leaf.counts]
        known = 0
        for lane in slot.asked():
            code, observer = x[slot.features[lane]], slot.observers[lane]
            row = None if code == MISSING else observer.counts(code)
            if row is not None:
                known += 1
                extra = max(bins // observer.bins, 1)
                for c, h in enumerate(row):
                    logs[c] += math.log2((4 * h + extra) / (4 * slot.born[c] + bins))
        return logs, known

    def ask(self, node: Node, x: Sequence[int]) -> tuple[int, int]:
        """Naive Bayes' answer, -1 if it can't be asked; and the leaf's answer."""
        leaf = node.leaf
        if node.slot is None or not self.shape.bayes:
            return -1, leaf.majority
        bayes = self.decisions.bayes(node, *self.scores(node, x))
        by_majority = self.shape.leaf == "nba" and leaf.majority_wrong < leaf.bayes_wrong
        by_majority |= node.slot.age + node.seen < self.shape.nb_threshold
        return bayes, leaf.majority if by_majority else bayes

    # Learning

    def learn(self, x: Sequence[int], y: int) -> int:
        """Learn a sample; returns what the tree said before."""
        self.samples += 1
        return self.teach(self.root, x, y)[1]

    def teach(self, start: Node, x: Sequence[int], y: int) -> tuple[Node, int]:
        """Let the subtree below `start` learn a sample: its node afterwards, and what it said before."""
        node = start
        while node.split is not None:
            node = node.next(x)
        bayes, answer = self.ask(node, x)
        node.leaf.count(y, bayes, self.samples - 1, self.shape.bayes)
        if node.slot is None:
            node.seen += 1
            if node.seen >= self.shape.grace:
                node.seen = 0
                node = self.look(node)
            return node, answer
        slot = node.slot
        slot.add(x, y)
        due = slot.age - slot.tried >= self.shape.grace
        if slot.full:
            slot.shrink(1)
            if due:  # one task for each sample: the attempt waits for the next one
                slot.tried = slot.age + 1 - self.shape.grace
        elif due:
            slot.tried = slot.age
            node = self.attempt(node)
        return node, answer

    def look(self, node: Node) -> Node:
        """A leaf without a slot looks for one; if its split is collapsed first, the joined leaf looks."""
        victim = self.decisions.victim(node, prune.for_a_look(self, node))
        if victim is not None:
            prune.collapse(self, victim)
            node = victim
        self.want(node)
        return node

    def want(self, node: Node) -> Slot | None:
        """Give a leaf a slot, if one can be had."""
        found = find(self.slots, node.leaf.promise, self.shape.nodes)
        if found is not None:
            give(found, node)
        return found

    def attempt(self, node: Node) -> Node:
        attempt = rule.attempt(self, node)
        self.decisions.split(attempt)
        if attempt.verdict == rule.REFUSED:
            node.leaf.promise -= node.leaf.promise // 4
            if self.shape.raced:
                rule.race(self, attempt.slot, self.decisions.race(attempt))
        if attempt.verdict != rule.SPLIT:
            self.log["kept whole"] += attempt.verdict == rule.WHOLE
            return node
        if not self.numbers.any():
            victim = self.decisions.victim(node, prune.for_a_split(self, node, attempt.merit))
            if victim is None:
                return node
            prune.collapse(self, victim)
            if victim is node.parent:
                self.log["undone"] += 1  # no split now: the joined leaf can find it once more, for both
                self.want(victim)
                return victim
        self.split(attempt)
        return node

    def split(self, attempt: rule.Attempt) -> None:
        """Make two leaves of one. The leaf with more promise gets the slot; the other looks for one."""
        node, slot = attempt.node, attempt.slot
        feature = slot.features[attempt.lane]
        splits = slot.observers[attempt.lane].splits()
        left = splits.left[splits.keys.tolist().index(attempt.key)]
        right = splits.total - left
        node.split = Split(
            feature,
            attempt.key,
            attempt.merit,
            self.shape.values[feature] > 0,
            bool(right.sum() > left.sum()),
        )
        first = self.numbers.take()
        node.children = tuple(
            Node(first + side, node, node.depth + 1, Leaf(counts.tolist(), node.leaf.epoch))
            for side, counts in enumerate((left, right))
        )
        for child in node.children:
            child.seen = sum(child.leaf.counts)
        heir, other = node.children
        if other.leaf.promise > heir.leaf.promise:
            heir, other = other, heir
        slot.node, heir.slot, node.slot = heir, slot, None
        found = self.want(other)
        if not self.shape.bayes:
            if found is not None:
                found.features = list(slot.features)
                found.clear()
            slot.clear()
            return
        if found is not None:
            found.inherit(slot, attempt.lane)
        slot.inherit(slot, attempt.lane)
