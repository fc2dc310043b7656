"""Hold a device's grove against its reference: the same samples, every split and every answer side by side.

Where the two differ by a rounding, a *tie*, it is counted and the reference follows the device, so that one
tie does not hide what comes after it. Any other difference is listed: there must be none.
"""

import functools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki import layout as shared
from niwaki.grove import layout
from niwaki.grove.credit import answers, recall
from niwaki.grove.plan import plan
from niwaki_host.device.schedule import schedule_of
from niwaki_host.references.grove import LEAD, NOBODY, Answers, Candidate, Grove, Leaf, Split
from niwaki_host.runtimes.numba_rt import compiled, views

MERIT = 1 / 256  # the device's Gini index is a whole number of these
LOGARITHM = 0.0227  # bits by which a logarithm of the device may be too low: its argument has 7 bits
ROUNDING = 8.0  # of 4096: quotients rounded down, and the power of two by a polynomial
CREDIT = 1 / 500  # the device rounds each step of a mean over 128 answers down
Q16 = 65536


class Device:
    """A `niwaki.Grove` driven through its compiled kernels."""

    def __init__(self, grove: Any) -> None:
        self.grove, self.state = grove, views(grove)
        self._schedule = schedule_of(grove)
        self._compiled = functools.cache(compiled)
        self._answers, self._recall = compiled(answers), compiled(recall)
        words = self.state.words
        d, c = int(words[shared.FEATURES]), int(words[shared.CLASSES])
        places, self.room = int(words[layout.MEMORY] + words[layout.RECENT]), int(words[layout.ROOM])
        self.n_stands = int(words[layout.SHRUBS]) + 1
        octets, bins = self.state.octets, int(words[layout.BINS])
        self.classes = c
        self.codes = octets[: places * d].reshape(places, d)
        at = places * d
        self.labels = octets[at : at + places]
        at += places
        self.cells = octets[at : at + d * bins * c].reshape(d, bins, c)
        at += d * bins * c
        self.weights = octets[at : at + d]
        at += d
        size = layout.STAND_ROWS * self.n_stands
        self.nodes, self.roots, self.known = octets[at : at + size].reshape(-1, self.n_stands)
        at += size
        size = layout.NODE_ROWS * self.n_stands * self.room
        self.features, self.thresholds, self.left, self.right = octets[at : at + size].reshape(
            layout.NODE_ROWS, self.n_stands, self.room
        )
        self.balance, self.met = self.state.halves[:c], self.state.halves[c : 2 * c]

    def word(self, index: int) -> int:
        return int(self.state.words[index])

    def ask(self, x: NDArray) -> Answers:
        self.state.x[:] = x
        answer = self._ask()
        said = self.state.scratch
        return Answers(
            int(said[layout.S_VOTE]), int(said[layout.S_NEWEST]), int(said[layout.S_BAYES]), answer
        )

    def _ask(self) -> int:
        """The answer; the schedule first does the work on shrubs that is due."""
        return int(self._schedule.ask(self._call))

    def _call(self, kernel: Callable, *more: int) -> int:
        return self._compiled(kernel)(*self.state, *more)

    def kept(self) -> int:
        """The answers to the sample that was asked last."""
        return int(self._answers(*self.state))

    def put_back(self, x: NDArray, answered: int) -> None:
        """Bring back the answers to a sample, so that it can be learned late; -1: it was never asked."""
        self.state.x[:] = x
        self._ask()
        self._recall(*self.state, answered)

    def learn(self, x: NDArray, y: int) -> None:
        """Learn the sample that was asked last, or put back."""
        self.state.x[:] = x
        due = self._call(self._schedule.learn, y)
        for step in self._schedule.steps:
            if due & step.due:
                self._call(step.kernel)

    def windows(self) -> list[tuple[int, int, int] | None]:
        """For each feature: where its window starts, its shift and its outsiders."""
        found = []
        for word in self.state.words[layout.WINDOWS :].tolist():
            lo = (word >> layout.LO_SHIFT & layout.LO) - 65536 - 32768
            outsiders = word >> layout.OUTSIDERS_SHIFT & layout.OUTSIDERS
            found.append((lo, word & layout.SHIFT, outsiders) if word else None)
        return found

    def shrub(self, stand: int) -> Split | Leaf:
        """A shrub of the device, in the form that the reference uses."""

        def made(reference: int) -> Split | Leaf:
            if reference >= self.room:
                return Leaf(reference - self.room)
            feature, threshold = self.features[stand, reference], self.thresholds[stand, reference]
            left, right = (made(int(side[stand, reference])) for side in (self.left, self.right))
            return Split(int(feature), int(threshold), left, right)

        return made(int(self.roots[stand]))


@dataclass
class Agreement:
    """What a comparison found. `differences` are those that no tie explains."""

    asked: int = 0
    same: int = 0
    splits: int = 0
    shrubs: int = 0
    ties: Counter = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        ties = ", ".join(f"{name}: {n}" for name, n in sorted(self.ties.items())) or "none"
        return (
            f"{self.same} of {self.asked} answers the same, {self.splits} splits of {self.shrubs} shrubs, "
            f"ties: {ties}"
        )


class Lockstep:
    """Device and reference, told the same."""

    def __init__(self, n_features: int, n_classes: int, budget: int, **options: Any) -> None:
        import niwaki

        self.device = Device(niwaki.Grove(n_features, n_classes, budget, **options))
        self.reference = Grove(plan(n_features, n_classes, budget, **options), self._choose)
        self.found = Agreement()

    # Telling

    def ask(self, x: NDArray) -> None:
        """Both answer; where a tie explains a difference, the reference says what the device said."""
        theirs = self.device.ask(x)
        self.reference.predict(x)
        ours = self.reference.answers()
        self.found.asked += 1
        self.found.same += ours.answer == theirs.answer
        self._judge_parts(ours, theirs)
        if ours.answer != theirs.answer and not self._explained_lead(ours, theirs):
            self._differ(f"answer {ours.answer}, device {theirs.answer}")

    def learn(self, x: NDArray, y: int) -> None:
        """Both learn the sample that was asked last."""
        self.device.learn(x, y)
        self.reference.learn(x, y)

    def teach(self, x: NDArray, y: int) -> None:
        """Both learn a sample that was not asked."""
        self._learn_other(x, y, (NOBODY, None))

    def kept(self) -> tuple[int, Answers]:
        return self.device.kept(), self.reference.answers()

    def learn_late(self, x: NDArray, y: int, kept: tuple[int, Answers]) -> None:
        self._learn_other(x, y, kept)

    def _learn_other(self, x: NDArray, y: int, kept: tuple[int, Answers | None]) -> None:
        """Both learn a sample that was not asked last: they predict it again, then get the kept answers."""
        self.device.put_back(x, kept[0])
        self.reference.predict(x)
        self.device.learn(x, y)
        self.reference.learn_late(x, y, kept[1])

    # Judging

    def _differ(self, what: str) -> None:
        self.found.differences.append(f"after {self.reference.samples} samples: {what}")

    def _choose(self, candidates: list[Candidate]) -> int:
        """The device's split; a difference if another one is better by more than a rounding."""
        stand = self.reference.growing
        node = len(self.reference.stands[stand].splits)
        theirs = self.device.features[stand, node], self.device.thresholds[stand, node]
        best = max(candidates, key=lambda candidate: candidate.merit)
        self.found.splits += 1
        self.found.shrubs += node == 0
        for index, found in enumerate(candidates):
            if (found.feature, found.threshold) == theirs:
                if best.merit - found.merit >= MERIT:
                    self._differ(f"split {best}, device {found}")
                elif best.merit > found.merit + 1e-9:
                    self.found.ties["split"] += 1
                return index
        self._differ(f"split {best}, device feature {theirs[0]} at {theirs[1]}, which is no candidate")
        return 0

    def _judge_parts(self, ours: Answers, theirs: Answers) -> None:
        if ours.newest != theirs.newest:
            self._differ(f"newest {ours.newest}, device {theirs.newest}")
        spread = (2 * ours.met + 1) * LOGARITHM
        if ours.bayes != theirs.bayes:
            if theirs.bayes < 0 or ours.logs[ours.bayes] - ours.logs[theirs.bayes] > spread:
                self._differ(f"histograms {ours.bayes}, device {theirs.bayes}: {ours.logs}")
            self.found.ties["histograms"] += 1
        if ours.vote != theirs.vote:
            if theirs.vote < 0 or not self._explained_vote(ours, theirs.vote, spread):
                self._differ(f"vote {ours.vote}, device {theirs.vote}: {ours.scores}")
            self.found.ties["vote"] += 1
        follows, knows = (self.device.word(i) / Q16 for i in (layout.FOLLOWS, layout.KNOWS))
        if max(abs(follows - self.reference.follows), abs(knows - self.reference.knows)) > CREDIT:
            self._differ(f"credit {self.reference.follows} {self.reference.knows}, device {follows} {knows}")
        ours.newest, ours.bayes, ours.vote = theirs.newest, theirs.bayes, theirs.vote

    def _explained_vote(self, ours: Answers, other: int, spread: float) -> bool:
        """Whether roundings can have put the other class first."""
        slack = ROUNDING
        if ours.chances is not None:
            low, high = ours.chances[ours.vote], ours.chances[other]
            odds = 2**spread
            slack += self.reference.bayes * (low - low / (low + (1 - low) * odds))
            slack += self.reference.bayes * (high * odds / (high * odds + 1 - high) - high)
        return bool(ours.scores[ours.vote] - ours.scores[other] <= slack)

    def _explained_lead(self, ours: Answers, theirs: Answers) -> bool:
        """Whether a rounding of the credit explains that another one leads; the other answers are equal."""
        if self.reference.lead(ours) == theirs.answer:
            return True
        follows, knows = self.reference.follows, self.reference.knows
        close = min(abs(follows - LEAD), abs(knows - LEAD), abs(follows - knows)) <= CREDIT
        self.found.ties["lead"] += close
        return close and theirs.answer in (ours.newest, ours.bayes, ours.vote)

    def compare_state(self) -> None:
        """Memory, windows, histograms and shrubs must be equal, bit for bit."""
        device, reference = self.device, self.reference
        windows = [(w.lo, w.shift, w.outsiders) if w else None for w in reference.windows]
        pairs: dict[str, tuple[Any, Any]] = {
            "codes": (reference.codes, device.codes),
            "labels": (reference.labels, device.labels),
            "balance": (reference.balance, device.balance),
            "cells": (reference.cells, device.cells),
            "classes in histograms": (reference.met, device.met),
            "weights": (reference.weights, device.weights),
        }
        for name, (ours, theirs) in pairs.items():
            if not np.array_equal(ours, theirs):
                self._differ(f"{name}: {np.count_nonzero(ours != theirs)} of {theirs.size}")
        words = {
            "count": (reference.count, layout.COUNT),
            "newest": (reference.newest, layout.NEWEST),
            "seed": (reference.seed, layout.SEED),
            "growing": (reference.growing, layout.GROWING),
            "leaves": (len(reference.parts), layout.LEAVES),
            "samples taken": (reference.drawn, layout.TAKEN),
            "rest": (reference.rest, layout.REST),
        }
        for name, (ours, index) in words.items():
            if ours != device.word(index):
                self._differ(f"{name}: {ours}, device {device.word(index)}")
        if windows != device.windows():
            self._differ(f"windows: {windows}, device {device.windows()}")
        for stand, shrub in enumerate(reference.stands):
            if shrub.known != device.known[stand] or (shrub.known and shrub.root != device.shrub(stand)):
                self._differ(f"shrub {stand}")
