"""ADWIN in integers: its arithmetic against floats, its alarms beside river's, its bounds."""

import random
from array import array

import pytest
from conftest import need
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki import Adwin, BudgetError
from niwaki.adwin import adwin
from niwaki.model import LOG2
from niwaki_host.device.checked import checked
from niwaki_host.references.adwin import Adwin as Reference

BUDGETS = (192, 208, 224)


def rates(seed: int, *parts: tuple[int, float]) -> list[int]:
    """Zeros and ones: so many values at each rate."""
    rng = random.Random(seed)
    return [int(rng.random() < rate) for n, rate in parts for _ in range(n)]


def buckets(detector: Adwin) -> list[tuple[int, int]]:
    h = detector.halves
    return [(32 << (b >> 13), b & 8191) for b in h[4 : 4 + h[3]]]


def alarms(detector, values: list[int]) -> list[int]:
    return [t for t, value in enumerate(values) if detector.update(value)]


def river_alarms(values: list[int]) -> list[int]:
    from river.drift import ADWIN

    detector, found = ADWIN(delta=0.002), []
    for t, value in enumerate(values):
        detector.update(value)
        if detector.drift_detected:
            found.append(t)
    return found


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("delta", [0.002, 0.0001, 0.3])
def test_decides_as_in_float64(budget, delta):
    different = decisions = 0
    for seed, low, high in ((1, 0.2, 0.4), (2, 0.5, 0.45), (3, 0.01, 0.06), (4, 0.9, 0.99), (5, 0.0, 1.0)):
        detector = Adwin(budget, delta)
        reference = Reference(len(detector.halves) - 4, delta)
        for value in rates(seed, (1500, low), (1500, high), (500, low)):
            expected = reference.update(value)
            if detector.update(value) != bool(expected) or (expected and detector.rising != (expected == 1)):
                different += 1
            decisions += 1
            if buckets(detector) != reference.buckets:  # once apart they stay apart: start again together
                break
    assert different <= 1 and decisions > 15000


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(BUDGETS),
    st.floats(0.0001, 0.5),
    st.lists(st.tuples(st.integers(1, 700), st.sampled_from([0, 0.01, 0.3, 0.5, 0.97, 1])), max_size=6),
    st.integers(0, 1 << 30),
)
def test_window_is_what_came_last(budget, delta, parts, seed):
    detector = Adwin(budget, delta)
    values = rates(seed, *parts)
    for t, value in enumerate(values):
        changed = detector.update(value)
        if changed or t % 97 == 0:
            seen = values[: t + 1]
            assert detector.ones == sum(seen[len(seen) - detector.window :])
            assert 0 <= detector.mean <= 65536
    rows = [size for size, _ in buckets(detector)]
    assert rows == sorted(rows, reverse=True) and len(rows) <= len(detector.halves) - 4
    assert all(rows.count(size) <= (3 if budget == 224 else 2) for size in rows if size < 4096)
    assert all(ones <= size for size, ones in buckets(detector))


@pytest.mark.parametrize("rate", [0, 0.5, 1])
def test_nothing_leaves_the_shared_range(rate):
    """The longest window and the smallest delta give the largest intermediates."""
    kernel = checked(adwin)
    detector = Adwin(224, 0.0001)
    state = detector.words, detector.halves, bytearray(), array("h"), detector.words, LOG2
    for start in (rates(1, (3000, rate), (1000, 1 - rate)), None):
        if start is None:  # the widest window there can be, then a change
            rows = [7] * 14 + [row for row in range(6, -1, -1) for _ in range(2)]
            detector.halves[3:] = array("H", [28] + [row << 13 | round((32 << row) * rate) for row in rows])
            detector.halves[0] = sum(ones for _, ones in buckets(detector))
            detector.halves[1] = sum(size for size, _ in buckets(detector)) >> 5
            assert detector.window == 65472
            start = [int(rate < 1)] * 500
        for value in start:
            detector.words[6] = value
            kernel(*state)
    assert 300 < detector.window < 600


def test_a_list_of_monitors_is_as_good_as_each_alone():
    lone = [Adwin(208) for _ in range(3)]
    size = len(lone[0].halves)
    halves = array("H", bytes(2 * 3 * size))
    scratch = array("i", [0] * 7 + [9, 0, 3, size - 4, lone[0].words[4]] + [0] * 6)
    arrays = (array("i"), halves, bytearray(), scratch, LOG2)
    streams = [rates(seed, (1000, 0.1), (600, 0.4), (600, 0.1)) for seed in range(3)]
    results = [[], [], []]
    for values in zip(*streams, strict=True):
        for k, value in enumerate(values):
            scratch[12 + 2 * k : 14 + 2 * k] = array("i", [k * size, value])
        assert adwin(arrays, array("h")) == 0
        for k, (detector, value) in enumerate(zip(lone, values, strict=True)):
            result = scratch[13 + 2 * k]
            assert detector.update(value) == bool(result)
            if result:
                results[k].append(result)
                assert detector.rising == (result == 1)
    assert all(1 in found and 2 in found for found in results)
    for k, detector in enumerate(lone):
        assert halves[k * size : (k + 1) * size] == detector.halves


def test_delay_beside_river():
    need("river")
    for parts in (((1000, 0.2), (3000, 0.4)), ((3000, 0.2), (3000, 0.4))):
        ours = theirs = 0
        for seed in range(15):
            values, start = rates(seed, *parts), parts[0][0]
            ours += min((t for t in alarms(Adwin(224), values) if t >= start), default=len(values)) - start
            theirs += min((t for t in river_alarms(values) if t >= start), default=len(values)) - start
        assert ours <= 1.5 * theirs


def test_false_alarms_beside_river():
    need("river")
    for rate in (0.05, 0.5):
        values = rates(11, (50000, rate))
        assert len(alarms(Adwin(224), values)) <= len(river_alarms(values)) + 1


def test_budget():
    with pytest.raises(BudgetError, match="smallest that works is 192"):
        Adwin(191)
    for budget in (192, 207, 224, 10000):
        detector = Adwin(budget)
        assert detector.nbytes <= detector.budget == budget


@pytest.mark.parametrize("value", [2, -1, 0.5, None, "1", [1]])
def test_only_zeros_and_ones(value):
    detector = Adwin(224)
    detector.update(1)
    before = detector.words[:], detector.halves[:]
    with pytest.raises((ValueError, TypeError)):
        detector.update(value)
    assert (detector.words, detector.halves) == before


@pytest.mark.parametrize("arguments", [(224, 0), (224, 1), (224, "0.1"), (224.0,), ("224",), (None,)])
def test_bad_arguments(arguments):
    with pytest.raises((ValueError, TypeError)):
        Adwin(*arguments)
