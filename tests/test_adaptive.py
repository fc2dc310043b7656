"""The adaptive tree: sound arrays at all times, kernels in range, and what it is for: recovery from drift."""

import random
from array import array

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.checked_tree import CheckedTree
from support.tree_invariants import roots, validate

import niwaki.tree.layout as t
from niwaki import BudgetError, Tree, load
from niwaki import layout as shared
from niwaki_host.runtimes import run
from niwaki_host.runtimes.result import Run

options = st.fixed_dictionaries(
    {
        "leaf": st.sampled_from(["mc", "nb", "nba"]),
        "grace": st.sampled_from([5, 20, 60]),
        "delta": st.sampled_from([1e-7, 0.05, 0.5]),
        "tau": st.sampled_from([0.05, 0.5, 16]),
        "omega": st.sampled_from([None, 0.3, 1]),
        "strict": st.sampled_from([0, 0, 1, 2]),
        "criterion": st.sampled_from(["gain", "gini"]),
        "nodes": st.sampled_from([None, None, 3, 7, 20]),
    }
)


def alternates(clf: Tree) -> list[int]:
    return roots(clf)[1:]


def features(clf: Tree) -> set[int]:
    """Those that the main tree splits on."""
    found, stack = set(), [0]
    while stack:
        node = clf.words[t.NODE0] + stack.pop() * t.NODE
        child = clf.halves[node + 1]
        if child:
            found.add(clf.halves[node + 2])
            stack += [child, child + 1]
    return found


def draw(rng: random.Random, concept: int, noise: float) -> tuple[list[int], int]:
    x = [rng.randint(-100, 100) for _ in range(3)]
    y = (x[concept % 3] > 0) + 2 * (x[(concept + 1) % 3] > 40)
    return x, rng.randrange(4) if rng.random() < noise else y


@settings(max_examples=12, deadline=None)
@given(st.sampled_from([1200, 1700, 3000, 6000]), options, st.integers(300, 700), st.integers(0, 1 << 30))
def test_sound_through_many_drifts(budget, chosen, period, seed):
    rng = random.Random(seed)
    try:
        clf = CheckedTree(3, 4, budget, adaptive=True, **chosen)
    except BudgetError:
        return
    for i in range(1500):
        x, y = draw(rng, i // period, 0.1)
        clf.learn(x, y)
        if i % 16 == 0 or alternates(clf):
            validate(clf)
    assert clf.samples == 1500


@pytest.fixture(scope="module")
def drifting() -> list[tuple[array, int]]:
    rng = random.Random(7)
    return [(array("h", x), y) for x, y in (draw(rng, i // 4000, 0.05) for i in range(12000))]


def teach(clf, stream, first, last):
    for x, y in stream[first:last]:
        clf.learn(x, y)


def ran(stream, shape, *, every=0, note=None, **options) -> Run:
    """A tree after a stream, on numba: long streams take minutes on CPython."""
    X = np.array([x for x, _ in stream], np.int16)
    y = np.array([y for _, y in stream], np.int16)
    params = dict(zip(("n_features", "n_classes", "budget"), shape, strict=True))
    return run("numba", "vfdt", {**params, **options}, X, y, every=every, note=note)


def test_recovers_where_a_plain_tree_does_not(drifting):
    answers = [ran(drifting, (3, 4, 6000), adaptive=adaptive).predictions for adaptive in (False, True)]
    labels = np.array([y for _, y in drifting])
    plain, adaptive = (int(np.sum(said[9000:] != labels[9000:])) for said in answers)
    assert adaptive < 0.7 * plain


def test_an_alternate_is_no_part_of_the_tree_until_it_is_better(drifting):
    """Its first split must not reach the main tree, as it does in MOA and river."""
    clf = Tree(3, 4, 6000, adaptive=True, leaf="mc", grace=20, tau=1)
    grown = 0
    for x, y in drifting[:6000]:
        clf.learn(x, y)
        w, h = clf.words, clf.halves
        for root in alternates(clf):
            if h[w[t.NODE0] + root * t.NODE + 1]:
                grown += 1
                validate(clf)
        if grown > 50:
            break
    assert grown > 50 and clf.samples > 4000


def test_stationary_streams_start_no_alternates():
    """One that begins is judged after 300 samples at the earliest: a look each 50 misses none."""
    rng, seen = random.Random(3), []
    stream = [draw(rng, 0, 0.2) for _ in range(8000)]
    ran(stream, (3, 4, 6000), adaptive=True, every=50, note=lambda clf: seen.append(alternates(clf)))
    assert len(seen) >= 160 and not any(seen)


def test_a_split_that_has_lost_its_merit_goes_though_the_error_never_tells():
    """The branches below the old split learn the new concept before an alternate does."""
    before = after = 0
    for seed in (14, 15, 16):
        rng, stream, seen = random.Random(seed), [], []
        for i in range(34000):
            x = [rng.randrange(2) for _ in range(6)]
            old = rng.random() > (i - 4000) / 4000
            y = x[0] & x[1] if old else x[3] & x[4]
            stream.append((x, y ^ (rng.random() < 0.05)))
        options = {"adaptive": True, "omega": 0.5, "nominal": [2] * 6}
        done = ran(
            stream, (6, 2, 8000), every=20000, note=lambda clf, to=seen: to.append(features(clf)), **options
        )
        before += len(seen[0] & {0, 1})
        assert features(done) >= {3, 4}
        after += len(features(done) & {0, 1})
    assert after < before >= 3


def test_leaves_that_remember_nothing_say_nothing_about_a_split():
    """After 16 epochs class counts have faded to 0; a review of the splits above them finds no merit lost."""
    rng = random.Random(5)
    clf = Tree(3, 4, 6000, adaptive=True, omega=0.5, leaf="mc")
    while clf.n_nodes < 7:
        clf.learn(*draw(rng, 0, 0.05))
    w, h = clf.words, clf.halves
    size = t.LEAF + clf.n_classes
    for epochs in (15, 16, 40):
        w[shared.SAMPLES] = (epochs << t.EPOCH) | t.PERIOD - 1  # the next sample but one sees a review
        for record in range(w[t.LEAF0], w[t.LEAF0] + w[t.MAX_LEAVES] * size, size):
            h[record + t.LEAF_EPOCH] = 0
            for c in range(clf.n_classes):
                h[record + t.LEAF + c] = 500 * c
            h[record + t.LEAF_MAJORITY] = clf.n_classes - 1
        nodes = clf.n_nodes
        for _ in range(2):
            clf.learn(*draw(rng, 0, 0.05))
        assert clf.n_nodes == nodes and not alternates(clf)
        validate(clf)


def test_survives_a_power_cycle_in_mid_drift(drifting, tmp_path):
    whole = Tree(3, 4, 4000, adaptive=True, omega=0.5, strict=1)
    teach(whole, drifting, 0, 4150)
    assert alternates(whole)
    whole.save(str(tmp_path / "model"))
    again = load(str(tmp_path / "model"))
    for clf in whole, again:
        teach(clf, drifting, 4150, 9000)
    assert bytes(whole.words) == bytes(again.words)
    assert bytes(whole.halves) == bytes(again.halves) and whole.octets == again.octets


@pytest.mark.parametrize("omega", [None, 0.5])
def test_alternates_of_the_root_have_no_ancestors(drifting, omega):
    clf = Tree(3, 4, 6000, adaptive=True, omega=omega)
    for x, y in drifting[:4500]:
        clf.learn(x, y)
        for root in alternates(clf):
            w, h = clf.words, clf.halves
            monitor = w[t.MONITOR0] + (root - w[t.MAX_NODES]) * w[t.MONITOR]
            if h[monitor] == 1:
                assert h[w[t.NODE0] + root * t.NODE + 5] >> 2 == 0
                return
    pytest.fail("no alternate of the root")


def test_smallest_budget():
    with pytest.raises(BudgetError) as error:
        Tree(6, 4, 200, adaptive=True)
    smallest = int(str(error.value).split()[-1])
    assert Tree(6, 4, smallest, adaptive=True).nbytes <= smallest
    with pytest.raises(BudgetError):
        Tree(6, 4, smallest - 1, adaptive=True)
