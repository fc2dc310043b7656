"""Grove in floating point, written from its rules: a reference to hold the device's integers against.

Codes, memory, windows, histograms and the weights of neighbours are whole numbers by their rules, and equal.
Gini index, naive Bayes, votes and credit are float64 here and fixed point on the device: they may differ by a
rounding. What is random is drawn from the device's 16-bit xorshift in the order that its rules have, so that
every decision can be compared. Of equals the first is taken: the lowest class, place or leaf.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from niwaki_host.references.grove_window import CODES, NARROW, Window
from niwaki_host.references.shrubs import TIE, Leaf, Split, gini_merit, vote

YOUNG = 8  # a window believes every value until so many samples have come
GROWN = 64  # and it believes near values until so many have come
PATIENCE = 64  # one outsider in so many samples is not believed
CELL = 255  # when a cell has counted so many, all counts are halved
COUNTED = 65535  # and also when a class has counted so many
KNOWING = 4  # votes of a shrub that knows all classes of the memory
AGREED = Fraction(4, 5)  # where this share of the shrubs agrees, nobody else is asked
MISSED = 128  # the code of the sample's missing value when neighbours are sought; in the memory it is 0
EVEN = 16  # the mean weight of a feature
HEAVY = 255
WHOLE = 4096  # the votes of all shrubs, in the unit of the options near and bayes
FADE = 1 / 128  # the weight of a new answer in the credit
LEAD = 0.02  # who is right so much more often than the vote answers alone
FOLLOWED = 32  # the newest samples may lead for so many questions after the last label
IDLE = 255  # no more questions after the last label are counted
EAGER = 600  # with at most so many samples in the memory shrubs grow more often
SPLIT = 8  # what a split costs by itself, in samples
COUNTED_AS_ONE = 8  # sorting so many samples costs as much as looking at one
LOOK = 127  # samples of a leaf that a split is chosen by
DRAWN = 128  # samples that are drawn for a new shrub in one call
TRIES = 16  # random draws for a sample of another class, before the search goes on in order
LONG = 32  # a lesson counts at most as so many times its remembered samples, so new ones still get in
DRAWS = 64  # random draws for a sample of the largest class, before the search goes on in order
MISSING = -32768
NOBODY = -1


class Shape(Protocol):
    """What a plan decides: see niwaki.grove.plan."""

    n_features: int
    n_classes: int
    memory: int
    recent: int
    shrubs: int
    nodes: int
    take: int
    effort: int
    bins: int
    options: dict[str, Any]

    def weights(self) -> tuple[int, int]: ...


@dataclass
class Candidate:
    feature: int
    threshold: int
    merit: float


@dataclass
class Part:
    """A leaf of the shrub that grows: its samples lie in the memory from place `start` to `end`."""

    start: int
    end: int
    errors: int
    parent: Split | None = None
    right: bool = False


@dataclass
class Shrub:
    root: Split | Leaf = field(default_factory=lambda: Leaf(0))
    splits: list[Split] = field(default_factory=list)
    known: int = 0  # classes that were in the memory when the shrub was begun; 0: there is no shrub yet


@dataclass
class Answers:
    """The answers to a sample before its label was known; -1: no answer."""

    vote: int
    newest: int
    bayes: int
    answer: int = 0
    scores: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    chances: NDArray[np.float64] | None = None  # the histograms' probabilities, where they were asked
    met: int = 0  # features of the sample that are known
    logs: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))


def xorshift() -> list[int]:
    """For each 16-bit number the next one: Marsaglia's xorshift by 7, 9 and 8."""
    seed = np.arange(1 << 16)
    seed ^= seed << 7 & 0xFFFF
    seed ^= seed >> 9
    return (seed ^ (seed << 8 & 0xFFFF)).tolist()


NEXT = xorshift()


class Grove:
    """`choose` is given the candidates of a split and returns the index of one: by default the best."""

    def __init__(self, shape: Shape, choose: Callable[[list[Candidate]], int] | None = None) -> None:
        d, c = shape.n_features, shape.n_classes
        self.shape, self.choose = shape, choose or first_best
        self.near, self.bayes = shape.weights()
        self.samples = 0
        self.windows: list[Window | None] = [None] * d
        self.codes = np.zeros((shape.memory + shape.recent, d), np.int64)
        self.labels = np.zeros(shape.memory + shape.recent, np.int64)
        self.count = self.head = self.newest = 0
        self.balance = np.zeros(c, np.int64)  # samples of each class in the memory
        self.cells = np.zeros((d, shape.bins, c), np.int64)
        self.met = np.zeros(c, np.int64)  # samples of each class in the histograms
        self.weights = np.full(d, EVEN)
        self.stands = [Shrub() for _ in range(shape.shrubs + 1)]
        self.growing = 0
        self.parts: list[Part] = []
        self.drawn = 0  # samples at the front of the memory, drawn for the next shrub
        self.rest = 0
        self.seed = shape.options["seed"] or 1
        self.follows = self.knows = 0.0
        self.idle = 0  # questions since the last label
        self.last: tuple[tuple[int, ...], int, Answers] | None = None

    # Asking

    def encode(self, x: NDArray) -> NDArray[np.int64]:
        """The sample's codes: 0 for a missing value, and for a feature of which nothing has been seen."""
        pairs = zip(self.windows, x.tolist(), strict=True)
        return np.array([w.code(v) if w and v != MISSING else 0 for w, v in pairs])

    def ask(self, x: NDArray) -> Answers:
        """The answers of the vote, of the newest samples and of the histograms; and the grove's answer."""
        codes = self.encode(x)
        scores, sure = self.ask_shrubs(codes)
        bayes, chances, met, logs = NOBODY, None, 0, np.zeros(0)
        if self.shape.bins and self.met.any():
            logs, met = self.logarithms(codes)
            bayes = first_highest(logs)
            if not sure:
                chances = np.exp2(logs - logs.max())
                chances /= chances.sum()
                scores = scores + self.bayes * chances
        newest = NOBODY
        if self.shape.options["neighbours"]:
            start = self.shape.memory
            nearest = self.nearest(codes, start, start + self.newest)
            if len(nearest):
                newest = int(self.labels[nearest[0]])
            if not sure:
                for place, weight in zip(self.nearest(codes, 0, self.count), (3, 2, 1), strict=False):
                    scores[self.labels[place]] += weight * self.near
        best = first_highest(scores) if scores.any() else NOBODY
        found = Answers(best, newest, bayes, max(best, 0), scores, chances, met, logs)
        found.answer = self.lead(found)
        return found

    def ask_shrubs(self, codes: NDArray) -> tuple[NDArray[np.float64], bool]:
        """The shrubs' votes, and whether they agree. The sum is WHOLE if every shrub knows all classes."""
        votes, total = np.zeros(self.shape.n_classes, int), 0
        present = np.count_nonzero(self.balance)
        sample = codes.tolist()
        for stand, shrub in enumerate(self.stands):
            if shrub.known and stand != self.growing:
                votes[vote(shrub.root, sample)] += KNOWING if shrub.known >= present else 1
                total += KNOWING
        if not total:
            return np.zeros(len(votes)), False
        return WHOLE * votes / total, int(votes.max()) >= AGREED * total

    def logarithms(self, codes: NDArray) -> tuple[NDArray[np.float64], int]:
        """log2 of n_c, times the product over known features of (4 h + 1) / (4 n_c + bins)."""
        bins = self.shape.bins
        known = np.flatnonzero(codes)
        cells = self.cells[known, codes[known] * bins // CODES]
        with np.errstate(divide="ignore"):
            logs = np.log2(self.met) + np.log2(4 * cells + 1).sum(0)
            logs -= len(known) * np.log2(4 * self.met + bins)
        return np.where(self.met > 0, logs, -np.inf), len(known)

    def nearest(self, codes: NDArray, start: int, end: int) -> NDArray[np.int64]:
        """The three nearest places from `start` to `end`, by the weighted sum of absolute differences."""
        apart = np.abs(self.codes[start:end] - np.where(codes > 0, codes, MISSED))
        return start + np.argsort(apart @ self.weights, kind="stable")[:3]

    def lead(self, found: Answers) -> int:
        """Whoever was right more often than the vote answers alone."""
        followed = self.follows > LEAD and self.follows >= self.knows and self.idle < FOLLOWED
        if found.newest >= 0 and followed:
            return found.newest
        if found.bayes >= 0 and self.knows > LEAD:
            return found.bayes
        return max(found.vote, 0)

    def predict(self, x: NDArray) -> int:
        """The answer. While no labels come, each question also does some work on the shrubs that are due."""
        if self.last and self.last[:2] == (tuple(x.tolist()), self.samples):
            return self.last[2].answer
        if self.idle and self.count:
            self.tend()
        answers = self.ask(x)
        self.idle = min(self.idle + 1, IDLE)
        self.last = tuple(x.tolist()), self.samples, answers
        return answers.answer

    def answers(self) -> Answers:
        """The answers to the sample that was asked last, for `learn_late`."""
        assert self.last
        return self.last[2]

    # Learning

    def learn(self, x: NDArray, y: int) -> None:
        """Learn a sample. If it is the one that was asked last, the answers to it change the credit."""
        asked = self.last and self.last[:2] == (tuple(x.tolist()), self.samples)
        self.learn_late(x, y, self.last[2] if asked and self.last else None)

    def learn_late(self, x: NDArray, y: int, answered: Answers | None) -> None:
        if answered and answered.vote >= 0:
            self.give_credit(answered, y)
        self.last = None
        self.idle = 0
        codes = self.take_in(x)
        self.samples += 1
        self.count_sample(codes, y)
        self.remember(codes, y, answered is not None)
        hurry = self.shape.options["hurry"] * self.shape.shrubs * (1 + EAGER // self.count)
        self.rest = min(self.rest + hurry, self.shape.shrubs * self.count)
        self.tend()

    def give_credit(self, answered: Answers, y: int) -> None:
        """Update both credits: fading means of how much more often each was right than the vote."""
        if answered.newest >= 0:
            self.follows += FADE * ((answered.newest == y) - (answered.vote == y) - self.follows)
        if answered.bayes >= 0:
            self.knows += FADE * ((answered.bayes == y) - (answered.vote == y) - self.knows)

    def take_in(self, x: NDArray) -> NDArray[np.int64]:
        """The sample's codes; windows double towards values outside, if they believe these values.

        A grown window doubles once in a call, and only one window in a call does: that of the last feature.
        """
        folded = False
        grown = self.samples >= GROWN
        enough = min(self.samples // PATIENCE + 1, CODES - 1)
        for f in reversed(range(len(x))):
            value = int(x[f])
            if value == MISSING:
                continue
            window = self.windows[f]
            if window is None:
                window = self.windows[f] = Window(value - NARROW // 2)
            if window.covers(value):
                continue
            believed = self.samples < YOUNG or (not grown and window.is_near(value))
            if (believed or window.outsiders >= enough) and not (folded and grown):
                folded = True
                window.outsiders = 0
                while not window.covers(value):
                    self.double(f, value < window.lo)
                    if grown:
                        break
            else:
                window.outsiders = min(window.outsiders + 1, CODES - 1)
        return self.encode(x)

    def double(self, f: int, down: bool) -> None:
        """Make a feature's window twice as wide; codes, cells and thresholds follow."""
        window, bins = self.windows[f], self.shape.bins
        assert window
        window.double(down)
        below = CODES if down else 0
        codes = self.codes[:, f]
        self.codes[:, f] = np.where(codes > 0, np.maximum((codes + below) // 2, 1), 0)
        merged = np.zeros_like(self.cells[f])
        if bins:
            np.add.at(merged, (np.arange(bins) + (bins if down else 0)) // 2, self.cells[f])
            self.cells[f] = np.minimum(merged, CELL - 1)
        for shrub in self.stands:
            for split in shrub.splits:
                if split.feature == f:
                    split.threshold = (split.threshold + below) // 2

    def count_sample(self, codes: NDArray, y: int) -> None:
        """Count a sample's class and its codes; when a cell or a class is full, everything is halved."""
        bins = self.shape.bins
        if bins:
            known = np.flatnonzero(codes)
            self.cells[known, codes[known] * bins // CODES, y] += 1
        self.met[y] += 1
        if self.cells.max(initial=0) == CELL or self.met[y] == COUNTED:
            self.cells //= 2
            self.met = (self.met + 1) // 2

    def remember(self, codes: NDArray, y: int, asked: bool) -> None:
        """Put a sample among the newest and into the memory, in the place of one of the largest class.

        A sample that was not asked, of a largest class, is one of a lesson, where all are as likely to stay.
        """
        memory, recent = self.shape.memory, self.shape.recent
        if recent:
            self.put(memory + self.head, codes, y)
            self.head = (self.head + 1) % recent
            self.newest = min(self.newest + 1, recent)
        if self.count < memory:
            place = self.count
            self.count += 1
        else:
            most = int(self.balance.argmax())
            if not asked and self.balance[y] == self.balance[most]:
                most = y
                taught = min(self.met[y], self.balance[y] * LONG)
                if (self.random() >> 2) * taught >> 14 >= self.balance[y]:
                    return
            place = self.search(most, memory)
            self.balance[most] -= 1
        self.balance[y] += 1
        self.put(place, codes, y)

    def search(self, label: int, end: int) -> int:
        """A place with this label: some random draws, then a search in order from the last draw."""
        place = 0
        for _ in range(DRAWS):
            place = self.draw(end)
            if self.labels[place] == label:
                return place
        while self.labels[place] != label:
            place = (place + 1) % end
        return place

    def put(self, place: int, codes: NDArray, y: int) -> None:
        self.codes[place], self.labels[place] = codes, y

    def random(self) -> int:
        self.seed = NEXT[self.seed]
        return self.seed

    def draw(self, below: int) -> int:
        """A random number below another, from the upper 15 bits."""
        return (self.random() >> 1) * below >> 15

    # Growing

    def tend(self) -> None:
        """One call's work: begin the shrub that is due, or go on with the one that grows."""
        if self.parts:
            self.grow()
        elif self.rest >= self.count:
            self.begin()

    def begin(self) -> None:
        """Move the shrub's samples, drawn at random, to the front, some in a call; then make it one leaf."""
        take = self.shape.take
        if self.count > take:
            last = min(self.drawn + DRAWN, take)
            for place in range(self.drawn, last):
                self.swap(place, place + self.draw(self.count - place))
            self.drawn = last
            if last < take:
                return
        self.drawn = min(take, self.count)
        self.rest -= self.count
        shrub = self.stands[self.growing]
        shrub.splits = []
        shrub.known = int(np.count_nonzero(self.balance))
        shrub.root, errors = self.leaf_of(0, self.drawn)
        self.parts = [Part(0, self.drawn, errors)]

    def swap(self, one: int, other: int) -> None:
        self.codes[[one, other]] = self.codes[[other, one]]
        self.labels[[one, other]] = self.labels[[other, one]]

    def grow(self) -> None:
        """Split at least one leaf, and more while the effort of one call lasts."""
        effort = left = self.shape.effort
        shrub = self.stands[self.growing]
        while True:
            part = max(self.parts, key=lambda part: part.errors)
            if part.errors == 0 or len(shrub.splits) == self.shape.nodes:
                self.finish()
                return
            size = part.end - part.start
            looked = len(self.look(part))
            if left < looked and left < effort:
                return
            left -= looked + size // COUNTED_AS_ONE + SPLIT
            self.split(shrub, part)

    def look(self, part: Part) -> NDArray[np.int64]:
        """The places that a split is chosen by: all of the part's, or at most LOOK, evenly spread."""
        size = part.end - part.start
        step = -(-size // LOOK)
        return part.start + step * np.arange(size // step)

    def leaf_of(self, start: int, end: int) -> tuple[Leaf, int]:
        counts = np.bincount(self.labels[start:end], minlength=self.shape.n_classes)
        return Leaf(int(counts.argmax())), int(end - start - counts.max())

    def finish(self) -> None:
        """The shrub votes now; the oldest is grown anew next. Features weigh by how many splits use them."""
        self.parts = []
        self.drawn = 0
        self.growing = (self.growing + 1) % len(self.stands)
        uses = np.zeros(self.shape.n_features, int)
        for stand, shrub in enumerate(self.stands):
            if stand != self.growing:
                for split in shrub.splits:
                    uses[split.feature] += 1
        d = self.shape.n_features
        self.weights = np.clip((2 * uses + 1) * EVEN * d // (d + 2 * uses.sum()), 1, HEAVY)

    def pair(self, part: Part) -> NDArray[np.int64]:
        """For each feature the code half-way between two samples of different classes, drawn at random.

        If no other class comes soon, the search goes on in order; a part may have one class alone.
        """
        size = part.end - part.start
        one = other = part.start + self.draw(size)
        tries = 0
        while self.labels[other] == self.labels[one] and tries < TRIES + size:
            tries += 1
            if tries <= TRIES:
                other = part.start + self.draw(size)
            else:
                other = part.start + (other + 1 - part.start) % size
        return (self.codes[one] + self.codes[other]) // 2

    def candidates(self, part: Part) -> list[Candidate]:
        """Two thresholds for each feature, with Gini merits. Features come downwards from a random one."""
        places = self.look(part)
        thresholds = np.sort([self.pair(part), self.pair(part)], axis=0)
        X = self.codes[places]
        hot = np.eye(self.shape.n_classes)[self.labels[places]]
        d = X.shape[1]
        first = self.draw(d)
        features = [(first - 1 - turn // 2) % d for turn in range(2 * d)]
        tried = thresholds.T.ravel().reshape(d, 2)[features[::2]].ravel()
        left = (X[:, features] <= tried).T @ hot
        with np.errstate(invalid="ignore"):  # 0 / 0 where one side is empty: no candidate
            merits = gini_merit(left) + gini_merit(hot.sum(0) - left)
        found = zip(features, tried.tolist(), merits.tolist(), strict=True)
        return [Candidate(*values) for values in found if not math.isnan(values[2])]

    def split(self, shrub: Shrub, part: Part) -> None:
        """The part's left side stays in its place, the right side comes last."""
        candidates = self.candidates(part)
        if not candidates:
            part.errors = 0  # nothing tells these samples apart
            return
        chosen = candidates[self.choose(candidates)]
        middle = self.divide(part, chosen)
        left_leaf, left_errors = self.leaf_of(part.start, middle)
        right_leaf, right_errors = self.leaf_of(middle, part.end)
        node = Split(chosen.feature, chosen.threshold, left_leaf, right_leaf)
        if part.parent is None:
            shrub.root = node
        elif part.right:
            part.parent.right = node
        else:
            part.parent.left = node
        shrub.splits.append(node)
        at = next(i for i, other in enumerate(self.parts) if other is part)
        self.parts[at] = Part(part.start, middle, left_errors, node)
        self.parts.append(Part(middle, part.end, right_errors, node, right=True))

    def divide(self, part: Part, by: Candidate) -> int:
        """Sort the part's samples in place; returns where those that go right start."""
        middle, end = part.start, part.end
        while middle < end:
            if self.codes[middle, by.feature] <= by.threshold:
                middle += 1
                continue
            end -= 1
            if self.codes[end, by.feature] <= by.threshold:
                self.swap(middle, end)
        return middle


def first_highest(scores: NDArray[np.float64]) -> int:
    return int(np.argmax(scores >= scores.max() - TIE))


def first_best(candidates: list[Candidate]) -> int:
    best = max(candidate.merit for candidate in candidates)
    return next(i for i, candidate in enumerate(candidates) if candidate.merit >= best - TIE)
