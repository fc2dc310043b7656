"""The device's trees decide as the float64 references do, on every split attempt but for fixed-point ties."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki import Tree
from niwaki.tree import layout
from niwaki_host.references import (
    Attempt,
    HoeffdingTree,
    RegularisedTree,
    StrictRegularisedTree,
    StrictTree,
    adaptive_lockstep,
)
from niwaki_host.references.adaptive import AdaptiveRegularisedTree, AdaptiveTree
from niwaki_host.references.histogram import Histogram
from niwaki_host.references.lockstep import RESOLUTION, DeviceTrace, compare
from niwaki_host.references.strict import Running
from niwaki_host.references.vfdt import DEPARTURES, MISSING, Candidate
from niwaki_host.streams import open_stream
from niwaki_host.streams.encoding import encode_stream, make_encoding

SAMPLES = 12_000


def samples(name, n=SAMPLES):
    stream = open_stream(name, limit=n)
    return stream, *encode_stream(stream, make_encoding(stream, "whole"))


def device(stream, spare=0, **options):
    """A tree with room for everything."""
    return Tree(
        stream.n_features,
        stream.n_classes + spare,
        4_000_000,
        bins=16,
        count_bits=16,
        nominal=stream.nominal,
        **options,
    )


def check(cls, name, spare=0, **options):
    """`spare`: room for so many more classes; the first of them comes late, the others never."""
    stream, X, y = samples(name)
    if spare:
        y[5000::50] = stream.n_classes
    options = {"delta": 1e-5, "grace": 30, "leaf": "mc", **options}
    tree = device(stream, spare, **options)
    if options.pop("exact", False):
        options.setdefault("drop_poor", "strict" in options or "omega" not in options)
    else:
        options["departures"] = DEPARTURES
    reference = cls(stream.n_features, stream.n_classes + spare, nominal=stream.nominal, **options)
    result = compare(tree, reference, X, y)
    print(f"{cls.__name__} {name} {options}: {result}")
    assert result.differences == []
    assert result.attempts > 300
    assert sum(result.ties.values()) <= 0.01 * result.attempts
    assert result.worst_merit < 0.001
    assert result.worst_bound < 0.001
    assert DeviceTrace(tree).splits() == reference.splits()
    if options.get("strict"):
        check_statistics(tree, reference)
    return result


def check_statistics(tree, reference):
    """What the device remembers of all the times that VFDT's rule held."""
    slots = tree.words[layout.SLOT_WORDS0]
    events, *q = tree.words[slots - layout.STATISTICS : slots]
    assert events == reference.entropies.count > 3
    for running, mean, variance in ((reference.entropies, q[0], q[1]), (reference.merits, q[2], q[3])):
        assert mean / 65536 == pytest.approx(running.mean, abs=RESOLUTION)
        assert math.sqrt(variance) / 1024 == pytest.approx(running.deviation, abs=RESOLUTION)
    assert q[4] / 4096 == pytest.approx(reference.sizes.mean, abs=0.01)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sea:function=1,noise=10", {"tau": 0.1}),
        ("agrawal:function=2,missing=5", {"tau": 0.1}),
        ("rbf:classes=4", {"tau": 0.2, "drop_poor": True}),
        ("waveform:missing=20", {"tau": 0.2, "criterion": "gini"}),
        ("hyperplane", {"tau": 0.1, "drop_poor": True, "leaf": "nb"}),
        ("sea:function=1,noise=10,missing=10", {"tau": 0.2, "criterion": "hellinger"}),
        ("hyperplane", {"tau": 0.1, "max_depth": 4}),
    ],
)
def test_vfdt(name, options):
    assert check(HoeffdingTree, name, **options).splits >= 10


@pytest.mark.parametrize("cls, omega", [(HoeffdingTree, {}), (RegularisedTree, {"omega": 0.5})])
def test_room_for_classes_that_come_late_or_never(cls, omega):
    check(cls, "sea:function=1,noise=10", spare=3, tau=0.1, **omega)


@pytest.mark.parametrize(
    ("name", "tau", "omega"),
    [
        ("sea:function=1,noise=10", 0.1, 0.5),
        ("agrawal:function=2", 0.1, 0.5),
        ("rbf:classes=4", 0.2, 0.7),
        ("waveform", 0.2, 0.3),
        ("led:noise=10", 0.35, 0.5),
    ],
)
def test_regularised(name, tau, omega):
    assert check(RegularisedTree, name, tau=tau, omega=omega).splits >= 3


@pytest.mark.parametrize("strict", [1, 2])
@pytest.mark.parametrize(
    ("name", "tau"),
    [("sea:function=1,noise=10", 0.1), ("agrawal:function=2,missing=5", 0.1), ("rbf:classes=4", 0.2)],
)
def test_strict(name, tau, strict):
    assert check(StrictTree, name, tau=tau, strict=strict).splits >= 4


@pytest.mark.parametrize(("name", "tau"), [("rbf:classes=4", 0.2), ("hyperplane", 0.1)])
def test_strict_and_regularised(name, tau):
    assert check(StrictRegularisedTree, name, tau=tau, strict=2, omega=0.7).splits >= 5


@pytest.mark.parametrize(
    ("cls", "name", "options"),
    [
        (HoeffdingTree, "rbf:classes=4", {"tau": 0.2}),
        (StrictTree, "agrawal:function=2,missing=5", {"tau": 0.1, "strict": 1}),
        (StrictTree, "rbf:classes=4", {"tau": 0.2, "strict": 2}),
        (RegularisedTree, "sea:function=1,noise=10", {"tau": 0.1, "omega": 0.5}),
    ],
)
def test_exact(cls, name, options):
    """As the papers have it: the reference has no departure."""
    check(cls, name, spare=1, exact=True, **options)


@pytest.mark.parametrize(
    ("cls", "name", "leaf", "options"),
    [
        (AdaptiveTree, "agrawal_a", "mc", {}),
        (AdaptiveTree, "stagger:drift=30%+60%", "nba", {}),
        (AdaptiveRegularisedTree, "agrawal_a", "mc", {"omega": 0.5}),
    ],
)
def test_exact_adaptive(cls, name, leaf, options):
    """HAT and HAT-REG: every attempt, change, alternate and replacement is the reference's."""
    stream, X, y = samples(name, 6000)
    options = {"delta": 1e-5, "tau": 0.1, "grace": 100, "leaf": leaf, **options}
    tree = device(stream, exact=True, adaptive=True, **options)
    reference = cls(stream.n_features, stream.n_classes, nominal=stream.nominal, **options)
    result, same = adaptive_lockstep.compare(tree, reference, X, y)
    print(f"{cls.__name__} {name}: {result}, answers {same:.4f}, {reference.started}, {reference.ended}")
    assert result.differences == []
    assert sum(result.ties.values()) <= 0.02 * result.attempts
    assert len(reference.started) >= 3 and reference.ended
    assert adaptive_lockstep.AdaptiveTrace(tree).splits() == reference.splits()
    assert same >= 0.999


@pytest.mark.parametrize(
    ("name", "leaf", "exact"),
    [
        ("agrawal:function=2,missing=5,noise=5", "mc", False),
        ("agrawal:function=2,missing=5,noise=5", "nb", True),
        ("agrawal:function=2,missing=5,noise=5", "nba", False),
        ("waveform:irrelevant=5", "mc", True),
        ("waveform:irrelevant=5", "nb", False),
        ("waveform:irrelevant=5", "nba", True),
    ],
)
@pytest.mark.parametrize("threshold", [0, 450])
def test_predictions(name, leaf, exact, threshold):
    """The same class but where two scores are closer than the error of the device's short logarithms."""
    stream, X, y = samples(name, 4000)
    options = {"leaf": leaf, "tau": 0.2, "delta": 1e-4, "nb_threshold": threshold}
    trace = DeviceTrace(device(stream, exact=exact, **options))
    options["departures"] = () if exact else DEPARTURES
    reference = HoeffdingTree(stream.n_features, stream.n_classes, nominal=stream.nominal, **options)
    tolerance = 2 * 0.0225 * (2 * stream.n_features + 1)
    different = 0
    for codes, label in zip(X.tolist(), y.tolist(), strict=True):
        seen, expected = trace.predict(codes), reference.predict(codes)
        if seen != expected:
            scores = reference.log_scores(reference.sort(codes), codes)
            assert leaf != "mc"
            assert leaf == "nba" or scores[expected] - scores[seen] < tolerance
            different += 1
        trace.learn(codes, label)
        reference.learn(codes, label)
    print(f"{name} {leaf}: {different} of {len(y)} predictions differ")
    assert different <= 0.01 * len(y)
    assert trace.splits() == reference.splits()


codes_strategy = st.one_of(
    st.integers(-32767, 32767), st.integers(-20, 20), st.sampled_from([-32767, 32767, 0, MISSING])
)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(codes_strategy, st.integers(0, 2)), min_size=1, max_size=300),
    st.sampled_from([4, 8, 16]),
    st.sampled_from([0, 10, 100]),
)
def test_histogram_is_the_devices(values, bins, missing_first):
    """Same window and same counts, whatever comes in whatever order; and nothing is ever lost."""
    tree = Tree(1, 3, 4_000, bins=bins, count_bits=16, leaf="mc", grace=65535)
    histogram = Histogram(bins, 3)
    known = 0
    values = [(MISSING, 0)] * missing_first + values
    for age, (code, label) in enumerate(values):
        tree.learn([code], label)
        if code != MISSING:
            histogram.add(code, label, age)
            known += 1
    w = DeviceTrace(tree)
    window = int(w.state.words[w.layout.HEADER + w.layout.SLOT])
    cell0 = int(w.state.words[w.layout.CELL0])
    cells = w.state.halves[cell0 : cell0 + bins * 3].reshape(bins, 3)
    assert cells.tolist() == histogram.rows
    assert cells.sum() == known
    if known:
        assert (window >> 12) - 65536 - 32768 == histogram.lo
        assert (window >> 4 & 255, window & 15) == (histogram.outsiders, histogram.shift)


def test_regularised_by_hand():
    """Equations 3 and 5 on counts that can be followed: omega x J when unused, and Psi of the branch."""
    tree = RegularisedTree(2, 2, omega=0.25, grace=100, delta=0.1, tau=16.0, bins=16, departures=DEPARTURES)
    for i in range(100):
        x = i % 2
        tree.learn([x, 0], x)
    # One bit of gain, a quarter of it counts.
    assert tree.root.split == Candidate(0, 0)
    assert tree.root.merit == pytest.approx(0.25)
    left = tree.root.children[0]
    assert tree.merit(left, 0, np.array([0.4])) == 0.4
    assert tree.merit(left, 1, np.array([0.4])) == pytest.approx(0.1)
    # Not below a quarter of a bit by more than the bound; and more than log2(10) / 2n bits, n = 100 or 10.
    for j, n, allowed in ((0.16, 100, True), (0.15, 100, False), (0.16, 10, False), (0.17, 10, True)):
        best = Candidate(0, 0)
        attempt = Attempt(101, "L", n, bound=0.1, merits={best: j}, best=best, gap=j)
        assert tree.accepts(left, attempt) is allowed
    # As printed, more than a quarter of a bit; and anything for a feature that is new.
    tree.departures = frozenset()
    for feature, j, allowed in ((0, 0.26, True), (0, 0.24, False), (1, 0.001, True)):
        best = Candidate(feature, 0)
        attempt = Attempt(101, "L", 100, bound=0.1, merits={best: j}, best=best, gap=j)
        assert tree.accepts(left, attempt) is allowed


def test_running_statistics():
    values = [0.5, 0.25, 1.0, 0.125]
    running = Running()
    assert (running.mean, running.deviation) == (0, 0)
    for i, value in enumerate(values, 1):
        running.add(value)
        assert running.mean == pytest.approx(np.mean(values[:i]))
        assert running.deviation == pytest.approx(np.std(values[:i], ddof=1) if i > 1 else 0)


def test_strict_by_hand():
    """The four constraints and the skip, one by one, on statistics that can be followed."""
    best = Candidate(0, 0)

    def accepts(strict, *, h=1.0, j=0.5, n=300, means=(0.5, 0.5, 300), deviations=(0.0, 0.0)):
        tree = StrictTree(1, 2, strict=strict)
        leaf = tree.root
        leaf.n, leaf.born = n, {1.0: [n // 2, n // 2], 0.0: [n, 0]}[h]
        for running, mean in zip((tree.entropies, tree.merits, tree.sizes), means, strict=True):
            running.count, running.mean = 2, mean
        tree.entropies.m2, tree.merits.m2 = deviations[0] ** 2, deviations[1] ** 2
        attempt = Attempt(n, "", n, bound=0.01, merits={best: j}, best=best, gap=0.2)
        accepted = tree.accepts(leaf, attempt)
        assert tree.entropies.count == tree.merits.count == tree.sizes.count == 3  # accepted or not
        return accepted

    assert accepts(1)
    assert not accepts(1, h=0.0)
    assert accepts(1, h=0.0, deviations=(0.5, 0.0))
    assert not accepts(1, j=0.4)
    assert accepts(1, j=0.4, deviations=(0.0, 0.1))
    assert not accepts(1, n=298, deviations=(9.0, 9.0))
    # The first one always passes, and SVFDT-II skips on entropy or merit.
    assert accepts(1, means=(0, 0, 0))
    assert accepts(2, n=298)
    assert accepts(2, n=298, j=0.4)
    assert accepts(2, n=298, h=0.0, j=0.9)
    assert not accepts(2, n=298, h=0.0, j=0.4)


@pytest.mark.parametrize("seed", range(5))
def test_the_purer_of_two_leaves_may_split(seed):
    """Its entropy is exactly mean - deviation of both, which no rounding may turn into a veto."""
    rng = np.random.default_rng(seed)
    noise = rng.uniform(0.05, 0.4)
    options = {"strict": 1, "grace": 100, "tau": 2.0, "delta": 0.1, "leaf": "mc"}
    tree = Tree(2, 2, 30_000, **options)
    reference = StrictTree(2, 2, **options)
    X = rng.integers(-1000, 1000, (3000, 2)).astype(np.int16)
    y = (X[:, 0] > 0) ^ (X[:, 1] > 500) ^ (rng.random(3000) < noise)
    result = compare(tree, reference, X, y.astype(np.int16))
    assert result.differences == []
    assert "H of leaves" not in result.ties
