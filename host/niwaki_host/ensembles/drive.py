"""Run an ensemble over a stream: each tree runs in numba's loop, as it does alone.

Trees do not know of each other, so each goes through a piece of the events by itself, and learns every sample
as often as was drawn for it. A forest's detectors look after each 32 labels and not in between
(mcu/niwaki/adwin.py): so the trees stop there, are judged, and may be replaced.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from niwaki import adwin, layout
from niwaki_host.ensembles import draws
from niwaki_host.ensembles.ensemble import Ensemble, Grown, Member
from niwaki_host.runtimes import numba_rt
from niwaki_host.runtimes.events import ASK, LABEL_MASK, LEARN, TEACH, Events, encode
from niwaki_host.runtimes.result import Job, Run, finish

BLOCK = 32  # labels between two looks of a detector
_KEPT = np.zeros(1, np.int32)  # trees keep no answers


@numba.njit(cache=True)
def _vote(answers, rows, weights, n_classes, out):
    """Write the class with most weight of each row; of equal classes the first."""
    votes = np.zeros(n_classes, np.int64)
    for row in rows:
        votes[:] = 0
        for place in range(len(weights)):
            votes[answers[place, row]] += weights[place]
        out[row] = np.argmax(votes)


class _Runner:
    """A tree's own events of one piece, and how far the tree went through them.

    The tree begins with event `start`. A voter is also asked before a sample that is only taught, because its
    answer is needed to judge it.
    """

    def __init__(
        self, grown: Grown, X: NDArray[np.int16], piece: Events, steps: NDArray, asks: bool, start: int
    ):
        own = grown.samples(X)
        self.loop = numba_rt.loop_of(grown.tree)
        parts = [view.ctypes.data for view in numba_rt.views(grown.tree)]
        self.addresses = np.array([*parts, 0], np.uintp)
        self.samples = np.uintp(own.ctypes.data), own.shape[1]
        self.start = start
        verbs, codes = piece.verbs[start:], piece.codes[start:]
        asked, taught = verbs == ASK, verbs == TEACH
        counts = np.zeros(len(codes), np.int64)
        counts[~asked] = draws.poisson(steps, grown.key, grown.drawn, int((~asked).sum()))
        grown.drawn += int((~asked).sum())
        first = np.where(verbs == LEARN, encode(LEARN, codes & LABEL_MASK), encode(TEACH, codes & LABEL_MASK))
        if asks:
            counts += asked | taught
            first[asked | taught] = encode(ASK)
        else:
            first = encode(TEACH, codes & LABEL_MASK)
        self.ends = np.concatenate([[0], np.cumsum(counts)])
        whose = np.repeat(np.arange(len(codes)), counts)
        self.codes = np.asarray(encode(TEACH, codes & LABEL_MASK)[whose], np.int32)
        begin = self.ends[:-1][counts > 0]
        self.codes[begin] = first[counts > 0]
        self.rows = piece.rows[start:][whose]

    def advance(self, first: int, last: int, answers: NDArray[np.int16]) -> None:
        """Go through the events first..last of the piece."""
        a, b = self.ends[first - self.start], self.ends[last - self.start]
        self.loop(self.addresses, *self.samples, self.codes[a:b], self.rows[a:b], _KEPT, answers)


class _Course:
    """A run of an ensemble over a stream: it asks, teaches, judges and replaces trees."""

    def __init__(self, ensemble: Ensemble, X: NDArray[np.int16]) -> None:
        self.ensemble, self.X = ensemble, X
        self.steps = draws.poisson_steps(ensemble.spec.weight)
        self.answers = np.zeros((ensemble.spec.trees, len(X)), np.int16)
        self.nothing = np.zeros(len(X), np.int16)  # where a background tree's answers would go
        self.errors = [0] * ensemble.spec.trees  # each tree's errors since the detectors looked
        self.labels = 0  # labels since the detectors looked

    def go(self, piece: Events, predictions: NDArray[np.int16]) -> None:
        members = self.ensemble.members
        runners = [self._runner(member.voter, piece, True) for member in members]
        behind = [
            self._runner(member.background, piece, False) if member.background else None for member in members
        ]
        learned = np.flatnonzero(piece.verbs != ASK)
        first = at = 0
        while first < len(piece.codes):
            last = len(piece.codes)
            if self.ensemble.spec.kind == "arf" and at + BLOCK - self.labels <= len(learned):
                last = int(learned[at + BLOCK - self.labels - 1]) + 1
            told = learned[at : at + BLOCK - self.labels] if self.ensemble.spec.kind == "arf" else learned
            for member, runner, other in zip(members, runners, behind, strict=True):
                runner.advance(first, last, self.answers[member.place])
                if other:
                    other.advance(first, last, self.nothing)
            self._answer(piece, first, last, predictions)
            self._judge(piece, told)
            at += len(told)
            if self.labels == BLOCK:
                for member in members:
                    self._look(member, runners, behind, piece, last)
                self.labels = 0
            first = last
        self.ensemble.samples += len(learned)

    def warm(self) -> None:
        """Have everything compiled, or read from the cache, before time is taken."""
        nothing = np.zeros(0, np.int32)
        for member in self.ensemble.members:
            runner = self._runner(member.voter, Events(nothing, nothing, 0), True)
            runner.advance(0, 0, self.nothing)
        _vote(self.answers, nothing, np.ones(1, np.int64), 2, self.nothing)
        if self.ensemble.spec.detects:
            _kernel()

    def _runner(self, grown: Grown, piece: Events, asks: bool, start: int = 0) -> _Runner:
        return _Runner(grown, self.X, piece, self.steps, asks, start)

    def _answer(self, piece: Events, first: int, last: int, predictions: NDArray[np.int16]) -> None:
        asked = piece.rows[first:last][piece.verbs[first:last] == ASK]
        weights = np.ones(len(self.ensemble.members), np.int64)
        if self.ensemble.spec.kind == "arf":
            weights = np.array([member.weight for member in self.ensemble.members])
        _vote(self.answers, asked, weights, self.ensemble.n_classes, predictions)

    def _judge(self, piece: Events, told: NDArray[np.int64]) -> None:
        """Count each tree's wrong answers to the samples whose labels came."""
        if self.ensemble.spec.kind != "arf":
            return
        labels = piece.codes[told] & LABEL_MASK
        wrong = (self.answers[:, piece.rows[told]] != labels).sum(axis=1)
        self.labels += len(told)
        for place, count in enumerate(wrong.tolist()):
            self.errors[place] += count

    def _look(
        self, member: Member, runners: list[_Runner], behind: list[Any], piece: Events, last: int
    ) -> None:
        """A block of labels is whole: add it to the tree's account, and do what its detectors say."""
        errors, self.errors[member.place] = self.errors[member.place], 0
        member.right += BLOCK - errors
        member.seen += BLOCK
        if not member.detectors:
            return
        place = member.place
        warned, drifted = [feed(detector, errors) for detector in member.detectors]
        if drifted:
            successor = member.background or self._next(member)
            runner = behind[place] if member.background else None
            member.voter, member.background, behind[place] = successor, None, None
            member.right = member.seen = 0
            for detector in member.detectors:
                empty(detector)
            self.ensemble.replaced += 1
            if runner:  # the successor goes through the rest again, as a voter: take back its draws for it
                successor.drawn -= _drawn(piece, last)
            runners[place] = self._runner(successor, piece, True, last)
        elif warned and (member.background or self.ensemble.free):
            member.background = self._next(member)
            behind[place] = self._runner(member.background, piece, False, last)
            empty(member.detectors[0])

    def _next(self, member: Member) -> Grown:
        member.generation += 1
        return self.ensemble.grown(member.place, member.generation)


def _drawn(piece: Events, start: int) -> int:
    """How many draws a tree takes for the events of a piece from `start` on."""
    return int((piece.verbs[start:] != ASK).sum())


def feed(detector: Any, ones: int) -> bool:
    """A block of 32 values at once, `ones` of them 1: has their rate risen?

    The order within a block means nothing to the detector. So 31 values are written into its counters, and
    its kernel gets the last one.
    """
    value = 1 if ones else 0
    detector.halves[layout.ADWIN_RECENT] = (BLOCK - 1) * layout.RECENT_VALUE + ones - value
    detector.words[adwin._D_VALUE] = value
    words, halves = np.frombuffer(detector.words, np.int32), np.frombuffer(detector.halves, np.uint16)
    octets = words.view(np.uint8)
    _kernel()(words, halves, octets, words.view(np.int16), words, _log2())
    found = detector.words[adwin._D_VALUE]
    if found:
        detector.words[adwin._D_CHANGE] = found
    return found != 0 and detector.rising


def empty(detector: Any) -> None:
    """Let a detector forget all it has seen."""
    for i in range(len(detector.halves)):
        detector.halves[i] = 0


def _kernel() -> Callable:
    return numba_rt.compiled(adwin.adwin)


def _log2() -> NDArray[np.uint16]:
    from niwaki.model import LOG2

    return np.frombuffer(LOG2, np.uint16)


def run(job: Job) -> Run:
    """Run an ensemble over the whole stream, as `numba_rt.run` runs a single tree."""
    ensemble = job.model
    course = _Course(ensemble, job.X)
    predictions, curve, seconds = job.predictions(), [], 0.0
    course.warm()
    for piece in job.pieces():
        start = time.perf_counter()
        course.go(piece, predictions)
        seconds += time.perf_counter() - start
        if job.every and piece.done % job.every == 0:
            curve.append(job.point(piece.done, seconds))
        job.advance(piece.done)
    return finish(job, predictions, seconds, curve, ensemble=ensemble)
