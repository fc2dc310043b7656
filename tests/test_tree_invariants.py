"""Whatever a tree is fed, within whatever budget: its arrays stay sound and its kernels in range."""

import random
from array import array

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from support.checked_tree import CheckedTree
from support.tree_invariants import roots, validate

import niwaki.tree.layout as t
from niwaki import MISSING, BudgetError, Tree

options = st.fixed_dictionaries(
    {
        "leaf": st.sampled_from(["mc", "nb", "nba"]),
        "criterion": st.sampled_from(["gain", "gini", "hellinger"]),
        "grace": st.sampled_from([1, 5, 20, 60]),
        "delta": st.sampled_from([1e-12, 1e-7, 0.05, 0.5]),
        "tau": st.sampled_from([0, 0.05, 0.5, 16]),
        "drop_poor": st.booleans(),
        "exact": st.booleans(),
        "omega": st.sampled_from([None, 0.3, 1]),
        "strict": st.sampled_from([0, 0, 1, 2]),
        "bins": st.sampled_from([None, 4, 8, 16, 64]),
        "count_bits": st.sampled_from([None, 8, 16]),
        "nodes": st.sampled_from([None, None, 1, 3, 7, 20]),
        "lanes": st.sampled_from([None, None, 1]),
        "max_depth": st.sampled_from([None, None, 1, 3]),
        "nb_threshold": st.sampled_from([0, 0, 40, 2047]),
        "adaptive": st.booleans(),
    }
)
KINDS = ("narrow", "wide", "extreme", "constant", "missing", "jumps", "nominal")


def sample(rng: random.Random, kind: str, i: int, features: int) -> list[int]:
    if kind == "narrow":
        return [rng.randint(-20, 20) for _ in range(features)]
    if kind == "wide":
        return [rng.randint(-32767, 32767) for _ in range(features)]
    if kind == "extreme":
        return [rng.choice([-32767, 32767, 0, MISSING, 1]) for _ in range(features)]
    if kind == "constant":
        return [7] * features
    if kind == "missing":
        return [MISSING if rng.random() < 0.7 else rng.randint(0, 99) for _ in range(features)]
    if kind == "jumps":  # a range that moves and grows
        return [min(32767, rng.randint(0, 50) * (1 + i // 20)) * (-1) ** (i // 100) for _ in range(features)]
    return [rng.randint(-1, 5) for _ in range(features)]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 5),
    st.sampled_from([2, 3, 4, 9]),
    st.sampled_from([512, 600, 750, 900, 1200, 1700, 3000, 6000]),
    options,
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=3),
    st.booleans(),
    st.integers(0, 1 << 30),
)
def test_any_tree_on_any_stream(features, classes, budget, chosen, kinds, nominal, seed):
    rng = random.Random(seed)
    if nominal:
        chosen = {**chosen, "nominal": [rng.choice([0, 2, 5]) for _ in range(features)]}
    if chosen["criterion"] == "hellinger":
        classes = 2
    try:
        clf = CheckedTree(features, classes, budget, **chosen)
    except BudgetError:
        return
    out = [0] * classes
    validate(clf)
    for i in range(250):
        x = sample(rng, kinds[i % len(kinds)], i, features)
        y = (x[0] > 0) + 2 * (x[-1] > 3) if rng.random() < 0.8 else rng.randrange(classes)
        best = clf.predict(x)
        clf.learn(x, y % classes)
        if i % 25 == 24:
            validate(clf)
            best = clf.predict(x)
            clf.scores(x, out)
            assert out.index(max(out)) == best and abs(sum(out) - 65536) < 20 * classes + 100
    assert clf.samples == 250


@settings(max_examples=8, deadline=None)
@given(
    st.sampled_from([1500, 2500, 5000]),
    st.sampled_from(
        [
            {},
            {"exact": True},
            {"leaf": "mc"},
            {"omega": 0.5, "strict": 1},
            {"lanes": 2},
            {"nominal": [0, 4, 0]},
        ]
    ),
    st.sampled_from([5, 9, None]),
    st.integers(0, 1 << 30),
)
def test_adaptive_trees_through_changes(budget, chosen, nodes, seed):
    """Long enough for alternates to start, to grow, to take over and to go."""
    rng = random.Random(seed)
    clf = CheckedTree(3, 3, budget, adaptive=True, grace=20, tau=0.4, delta=0.01, nodes=nodes, **chosen)
    alternates, relevant = 0, 0
    for i in range(2000):
        if i % 500 == 499:
            relevant = rng.randrange(3)
            flip = rng.randrange(3)
        x = [rng.randrange(-100, 100), rng.randrange(4), rng.randrange(-5, 5)]
        y = (x[relevant] > (0, 1, 0)[relevant]) + (x[0] > 50)
        if i > 499:
            y += flip
        clf.learn(x, y % 3 if rng.random() < 0.95 else rng.randrange(3))
        alternates += len(roots(clf)) - 1
        if i % 40 == 0 or i > 1990:
            validate(clf)
    event(f"alternates: {bool(alternates)}")


@pytest.mark.parametrize(("criterion", "bins", "bits"), [("gini", 4, 16), ("gain", 16, 8), ("gain", 64, 16)])
def test_255_classes(criterion, bins, bits):
    clf = CheckedTree(2, 255, 150000, grace=150, tau=4, criterion=criterion, bins=bins, count_bits=bits)
    rng = random.Random(1)
    for _ in range(640):
        y = rng.randrange(255)
        clf.learn([y * 100 + rng.randrange(100), -y], y)
    validate(clf)
    assert clf.n_nodes > 1


def near_the_limits(clf: CheckedTree) -> None:
    """Scale what the root has seen so that every count is just below its limit."""
    w, h = clf.words, clf.halves
    classes, record, born = w[6], w[t.SLOT_WORDS0], w[t.SLOT_HALVES0]
    source, limit = (h, 65534) if w[t.FLAGS] & 8 else (clf.octets, 254)
    cells = range(w[t.CELL0], w[t.CELL0] + w[t.CELLS])
    factor = min(65530 // w[record + 3], limit // max(source[i] for i in cells))
    for i in cells:
        source[i] *= factor
    for c in range(classes):
        h[born + c] *= factor
        h[w[t.LEAF0] + t.LEAF + c] = min(65534, h[w[t.LEAF0] + t.LEAF + c] * 400)
    h[w[t.LEAF0]], h[w[t.LEAF0] + 1], h[w[t.LEAF0] + 2] = 65534, 65533, 65534
    w[record + 3] *= factor
    w[record + 1] = 65530
    w[record + 2] = 65500
    w[7] = 0x3FFFFFFE


@pytest.mark.parametrize(("leaf", "criterion"), [("mc", "gini"), ("nba", "gain")])
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("classes", [2, 3, 60])
def test_counts_at_their_limits(leaf, criterion, bits, classes):
    """65,535 samples at one leaf and on; one class has almost all of them."""
    rules = {"criterion": criterion, "grace": 20, "tau": 0, "delta": 1e-12}
    clf = CheckedTree(3, classes, 60000, leaf=leaf, count_bits=bits, bins=16, **rules)
    rng = random.Random(classes)

    def learn(n: int) -> None:
        for i in range(n):
            y = 0 if i % 5 else rng.randrange(classes)
            clf.learn([rng.choice([-32767, 5, 32767]), rng.randrange(-500, 500), rng.randrange(40)], y)

    learn(150)
    near_the_limits(clf)
    validate(clf)
    for _ in range(5):
        learn(40)
        validate(clf)
    assert clf.samples == 0x3FFFFFFF


def test_many_features():
    """Naive Bayes sums over 4,096 features stay in range."""
    clf = CheckedTree(4096, 2, 1 << 18, bins=4, count_bits=8, grace=1000)
    rng = random.Random(1)
    for i in range(6):
        clf.learn(array("h", [rng.randrange(-3, 3) - 5 * (i % 2) for _ in range(4096)]), i % 2)
    assert clf.predict([-6] * 4096) == 1
    validate(clf)


def nodes_as_worth_is_lost(clf: Tree, n: int) -> list[int]:
    """The nodes of a tree, whenever they change, in a stream of 8,000 samples to learn, then of noise."""
    rng = random.Random(1)
    nodes = [1]
    for i in range(n):
        x = [rng.randint(-100, 100) for _ in range(4)]
        y = (x[0] > 0) ^ (x[1] > 0 and x[2] > 30)
        clf.learn(x, int(y) if i < 8000 and rng.random() < 0.9 else rng.randrange(2))
        if clf.n_nodes != nodes[-1]:
            nodes.append(clf.n_nodes)
            validate(clf)
    return nodes


def test_splits_that_are_worth_nothing_are_undone_where_slots_are_few():
    clf = Tree(4, 2, 1400)
    nodes = nodes_as_worth_is_lost(clf, 40000)
    assert max(nodes) > 2 * clf.words[t.SLOTS]  # leaves without a slot, that look for one
    assert nodes != sorted(nodes)


@pytest.mark.parametrize("rule", [{"strict": 1}, {"strict": 2}, {"omega": 0.5}])
def test_strict_and_regularised_trees_give_every_leaf_a_slot(rule):
    """They split while one is free, and then no more: no leaf ever lacks one, so none is undone for one."""
    clf = Tree(4, 2, 1400, **rule)
    nodes = nodes_as_worth_is_lost(clf, 12000)
    assert clf.words[t.MAX_NODES] > 2 * clf.words[t.SLOTS]  # nodes are not what it lacks
    assert nodes == [1, 3, 5] and clf.words[t.ACTIVE] == clf.words[t.SLOTS] == 3
