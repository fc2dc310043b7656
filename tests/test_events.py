"""The protocol of a run: what is asked, told and taught, in which order, on every runtime."""

import re

import numpy as np
import pytest
from conftest import need
from support.credited import Credited

from niwaki_host import runtimes
from niwaki_host.runtimes import c_rt, cpython_rt, numba_rt, package
from niwaki_host.runtimes.events import PIECE, VERBS, Lesson, Prequential, encode, pieces
from niwaki_host.runtimes.result import Job

PARAMS = {"n_features": 6, "n_classes": 4, "budget": 4096}
NAMES = {number: name for name, number in VERBS.items()}


def spelled(script, size=PIECE):
    """(verb, row, label) of all events."""
    return [
        (NAMES[code >> 16], row, code & 65535)
        for piece in pieces(script, size=size)
        for code, row in zip(piece.codes.tolist(), piece.rows.tolist(), strict=True)
    ]


def by_hand(labels, delays, self_train, keeps):
    """Test, then train, sample by sample."""
    found, n = [], len(labels)
    for t in range(n):
        found.append(("ASK", t, 0))
        if keeps and delays[t] and labels[t] >= 0:
            found.append(("DEFER", t, 0))
        due = [t] if delays[t] == 0 else []
        due += [row for row in range(t) if delays[row] and row + delays[row] == t]
        for row in due:
            if labels[row] >= 0:
                found.append(("LABEL" if delays[row] else "LEARN", row, labels[row]))
            elif self_train:
                found.append(("GUESS", row, 0))
    return found


@pytest.mark.parametrize("keeps", [False, True])
@pytest.mark.parametrize("self_train", [False, True])
@pytest.mark.parametrize("delay", [0, 1, 7, 100, "drawn"])
@pytest.mark.parametrize("size", [5, PIECE])
def test_labels_come_when_they_should(delay, self_train, keeps, size):
    rng = np.random.default_rng(3)
    labels = rng.integers(-1, 3, 60).astype(np.int16)
    delays = rng.integers(0, 9, 60) if delay == "drawn" else np.full(60, delay)
    script = Prequential(labels, delays if delay == "drawn" else delay, self_train, keeps)
    assert spelled(script, size) == by_hand(labels.tolist(), delays.tolist(), self_train, keeps)
    assert script.waiting > delays.max() or script.waiting > 60


def test_a_lesson_teaches_and_then_asks():
    labels = np.array([2, 0, 1, 1, 0, 2], np.int16)
    script = Lesson(labels, np.array([1, 2, 0]), np.array([3, 5]))
    told = [("TEACH", 1, 0), ("TEACH", 2, 1), ("TEACH", 0, 2)]
    assert spelled(script, 2) == [*told, ("ASK", 3, 0), ("ASK", 5, 0)]


def test_pieces_end_where_a_point_of_the_curve_is_due():
    script = Prequential(np.zeros(100, np.int16), 0)
    assert [piece.done for piece in pieces(script, 30, 20)] == [20, 30, 50, 60, 80, 90, 100]


@pytest.mark.parametrize("driver", ["unix", "board", "count"])
def test_drivers_have_the_same_verbs(driver):
    source = (package.DRIVERS / f"{driver}.py").read_text()
    found = dict(re.findall(r"^_([A-Z]+) = const\((\d+)\)", source, re.MULTILINE))
    assert len(found) >= 5
    for name, number in found.items():
        assert VERBS[name] == int(number)


@pytest.mark.parametrize("model", ["vfdt", "shrubs", "grove"])
@pytest.mark.parametrize("runtime", [name for name in runtimes.RUNTIMES if name != "numba"])
def test_every_runtime_is_taught_and_told_the_same(runtime, model, small_stream):
    need(runtime)
    X, y = small_stream[0][:500], small_stream[1][:500]
    known = np.flatnonzero(y >= 0)
    delays = np.random.default_rng(5).integers(0, 60, len(X))
    for ways in ({"lesson": (known[:150], np.arange(300, 500, 3))}, {"delay": delays, "every": 200}):
        here = runtimes.run("numba", model, PARAMS, X, y, **ways)
        there = runtimes.run(runtime, model, PARAMS, X, y, **ways)
        assert here.digest == there.digest
        np.testing.assert_array_equal(here.predictions, there.predictions)
        assert here.samples > 100
    lesson = runtimes.run(runtime, model, PARAMS, X, y, lesson=(known[:150], np.array([400])))
    assert lesson.samples == 150 and np.flatnonzero(lesson.predictions >= 0).tolist() == [400]


def test_a_model_that_keeps_its_answers_is_told_them(small_stream):
    """Asked and told at once, asked and told late, and taught: three things, the same in each way to run."""
    need("c")
    X, y = small_stream[0][:400], np.maximum(small_stream[1][:400], 0)
    scripts = {
        "at once": Prequential(y, 0, keeps=True),
        "late": Prequential(y, 20, keeps=True),
        "drawn": Prequential(y, np.random.default_rng(1).integers(0, 30, 400), keeps=True),
        "taught": Lesson(y, np.arange(200), np.arange(200, 400)),
    }
    marks = {}
    for name, script in scripts.items():
        found = []
        for runtime in (cpython_rt, numba_rt, c_rt):
            clf = Credited(6, 4, 4096)
            found.append(runtime.run(Job(clf, "Credited", {}, X, script)))
        assert len({run.digest for run in found}) == 1
        marks[name] = int(found[0].words[4])
    assert marks["at once"] == 4096  # what it is told at once it has just answered
    assert len(set(marks.values())) == 4
    kept = 4096
    for row in range(380):  # when it was asked, sample t had seen so many labels
        kept = (kept * 31 + max(0, row - 20) + 1 + 2) % 1000003
    assert marks["late"] == kept


def test_a_code_is_verb_and_label():
    assert encode(VERBS["TEACH"], 125).tolist() == 4 << 16 | 125
