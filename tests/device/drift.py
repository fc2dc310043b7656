"""Adwin: it finds a change, stays quiet without one, allocates nothing, takes what it says."""

import gc

import micropython
from tools import HEAP_IS_COUNTED, Random, refuses

from niwaki import Adwin, BudgetError


def feed(detector, rng, n, percent):
    """Values with so many ones in a hundred; returns at which of them a change was first seen, or -1."""
    first = -1
    for i in range(n):
        if detector.update(1 if rng.below(100) < percent else 0) and first < 0:
            first = i
    return first


def test_finds_changes():
    for budget in (192, 208, 224):
        detector, rng = Adwin(budget), Random(1)
        assert feed(detector, rng, 1500, 20) == -1
        assert detector.window == 1500
        assert 0 <= feed(detector, rng, 1000, 50) < 200
        assert detector.rising
        assert detector.window < 1200
        assert 28000 < detector.mean < 37000
        assert 0 <= feed(detector, rng, 1000, 10) < 200
        assert not detector.rising
        assert detector.mean * detector.window // 65536 in (detector.ones, detector.ones - 1)


def test_quiet_without_a_change():
    for percent in (0, 3, 50, 100):
        detector = Adwin(224)
        assert feed(detector, Random(percent + 1), 3000, percent) == -1
        assert detector.window == 3000


def test_no_allocation():
    detector, rng = Adwin(208), Random(3)
    feed(detector, rng, 2, 50)
    micropython.heap_lock()
    try:
        feed(detector, rng, 1000, 10)
        change = feed(detector, rng, 500, 90)
        seen = detector.window and detector.mean and detector.rising
    finally:
        micropython.heap_unlock()
    assert change >= 0 and seen


def test_bytes():
    refuses(BudgetError, Adwin, 191)
    if not HEAP_IS_COUNTED:
        return
    for budget in (192, 207, 208, 224, 1000):
        detector = None
        gc.collect()
        before = gc.mem_alloc()
        detector = Adwin(budget)
        gc.collect()
        assert gc.mem_alloc() - before <= detector.nbytes <= budget == detector.budget


def test_bad_input():
    detector = Adwin(224)
    for value in (2, -1, 0.5, None, "1", [1], 1 << 40):
        refuses((TypeError, ValueError), detector.update, value)
    assert detector.window == 0
    for value in (0, 1, True, False):
        detector.update(value)
    assert (detector.window, detector.ones) == (4, 2)
