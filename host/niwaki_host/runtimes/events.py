"""What a run does with its samples, in order: the protocol that every runtime executes.

    ASK     predict the sample; the answer is part of the result
    LEARN   tell the label of the sample that was asked last
    DEFER   keep how the model answered the sample that was asked last, until its label comes
    LABEL   tell the label of a sample that was asked earlier, with what was kept then
    TEACH   tell the label of a sample that was not asked
    GUESS   learn a sample whose label never comes as what it is predicted to be, if the model is sure

For a model that keeps no answers, LABEL and TEACH are the same, and no event is DEFER. A model that keeps its
answers (it has `answers` and `learn_late`, see docs/architecture.md) gets LABEL for a sample that it has
answered before, and TEACH for one that it has not.

An event is a number, verb << 16 | label, and the row of its sample. A *step* is what belongs together: a
sample with what is told after it, or a sample that is taught.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

# The drivers on devices have these numbers, too: tests/test_events.py compares them. NOTE, for a driver
# that has no host beside it, is a point of the curve.
ASK, LEARN, DEFER, LABEL, TEACH, GUESS, NOTE = range(7)
VERBS = {
    "ASK": ASK,
    "LEARN": LEARN,
    "DEFER": DEFER,
    "LABEL": LABEL,
    "TEACH": TEACH,
    "GUESS": GUESS,
    "NOTE": NOTE,
}
VERB_SHIFT = 16
LABEL_MASK = (1 << VERB_SHIFT) - 1
FETCHES = (ASK, LABEL, TEACH, GUESS)  # the others are about the sample that was asked last
PIECE = 1 << 16  # steps whose events are in memory at a time


@dataclass(frozen=True)
class Events:
    """Events up to the end of step `done`."""

    codes: NDArray[np.int32]
    rows: NDArray[np.int32]
    done: int

    def words(self, waiting: int) -> NDArray[np.int32]:
        """The events as a device reads them: codes, and places of their samples among those that wait."""
        return np.column_stack([self.codes, self.rows % waiting]).astype(np.int32)

    @property
    def verbs(self) -> NDArray[np.int32]:
        return self.codes >> VERB_SHIFT


class Script(Protocol):
    """All events of a run."""

    @property
    def n_steps(self) -> int: ...

    @property
    def n_taught(self) -> int:
        """Steps before the first question."""
        ...

    @property
    def asked(self) -> NDArray[np.int64]:
        """The rows that are asked, in order."""
        ...

    @property
    def waiting(self) -> int:
        """At most so many samples wait for labels; a row modulo this number is the place of its answers."""
        ...

    def events(self, first: int, last: int) -> Events: ...


def pieces(script: Script, every: int = 0, size: int = PIECE) -> Iterator[Events]:
    """The events in order; each multiple of `every` steps ends a piece."""
    first = 0
    while first < script.n_steps:
        last = min(first + size, script.n_steps)
        if every:
            last = min(last, (first // every + 1) * every)
        yield script.events(first, last)
        first = last


def encode(verb: int | list[int] | NDArray, label: int | NDArray = 0) -> NDArray[np.int32]:
    return np.asarray(np.asarray(verb, np.int32) << VERB_SHIFT | np.asarray(label, np.int32), np.int32)


class Prequential:
    """Test, then train: each sample is asked; its label comes `delay` samples later, or never.

    labels      of all samples, -1 for one that is not told
    delay       of all labels, or an array with the delay of each
    self_train  guess a label that never comes, at the step when it would have come
    keeps       the model keeps its answers
    """

    def __init__(
        self, labels: NDArray[np.int16], delay: int | NDArray, self_train: bool = False, keeps: bool = False
    ) -> None:
        self.labels, self.delay, self.self_train, self.keeps = labels, delay, self_train, keeps
        self.n_steps, self.n_taught = len(labels), 0
        self.waiting = 1 + min(int(np.max(delay, initial=0)), self.n_steps)
        if isinstance(delay, np.ndarray):
            arrival = np.arange(self.n_steps) + delay
            # If labels come in one step, that of the step's own sample is first, because it was asked last.
            self._order = np.lexsort((delay > 0, arrival)).astype(np.int64)
            self._arrival = arrival[self._order]

    @property
    def asked(self) -> NDArray[np.int64]:
        return np.arange(self.n_steps)

    def _told(self, first: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The samples whose labels come in these steps, and those steps, in the order of the labels."""
        if isinstance(self.delay, np.ndarray):
            part = slice(*np.searchsorted(self._arrival, (first, last)))
            return self._order[part], self._arrival[part]
        steps = np.arange(max(first, self.delay), max(last, self.delay))
        return steps - self.delay, steps

    def events(self, first: int, last: int) -> Events:
        told, steps = self._told(first, last)
        labels = self.labels[told].astype(np.int32)
        if not self.self_train:
            told, steps, labels = told[labels >= 0], steps[labels >= 0], labels[labels >= 0]
        asked = np.arange(first, last)
        late = np.broadcast_to(self.delay, self.n_steps)[first:last] > 0
        deferred = late & (self.labels[first:last] >= 0) & self.keeps
        count = 1 + deferred + np.bincount(steps - first, minlength=last - first)
        begin = np.cumsum(count) - count
        codes = np.empty(int(count.sum()), np.int32)
        rows = np.empty(len(codes), np.int32)
        codes[begin], rows[begin] = encode(ASK), asked
        at = begin[deferred] + 1
        codes[at], rows[at] = encode(DEFER), asked[deferred]
        # A label follows the question, the DEFER event, and the labels that came earlier in the same step.
        nth = np.arange(len(told)) - np.searchsorted(steps, steps)
        at = begin[steps - first] + 1 + deferred[steps - first] + nth
        verbs = np.where(labels < 0, GUESS, np.where(told == steps, LEARN, LABEL))
        codes[at], rows[at] = encode(verbs, np.maximum(labels, 0)), told
        return Events(codes, rows, last)


class Lesson:
    """Teach some samples; then ask others, from which nothing is learned any more."""

    waiting = 1

    def __init__(self, labels: NDArray[np.int16], taught: NDArray, asked: NDArray) -> None:
        self.labels, self.asked = labels, np.asarray(asked, np.int64)
        self._rows = np.concatenate([taught, asked]).astype(np.int32)
        self.n_steps, self.n_taught = len(self._rows), len(taught)

    def events(self, first: int, last: int) -> Events:
        rows = self._rows[first:last]
        teach = np.arange(first, last) < self.n_taught
        codes = np.where(teach, encode(TEACH, np.maximum(self.labels[rows], 0)), encode(ASK))
        return Events(codes.astype(np.int32), rows, last)
