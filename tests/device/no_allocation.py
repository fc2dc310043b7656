"""`predict`, `learn` and `scores` under a locked heap: splits, evictions, halvings and all."""

from array import array

import micropython
from tools import Random, codes, draw

import niwaki.tree.layout as t
from niwaki import MISSING, Tree


def work(clf, n, x, out, rng):
    """Everything a firmware does with a model, n times. Nothing in here allocates but what niwaki does."""
    classes = clf.n_classes
    for i in range(n):
        y = draw(rng, x, classes, 600 if i < n // 2 else 3000)  # the windows must grow
        if i % 9 == 0:
            x[i % len(x)] = MISSING
        if clf.predict(x) >= classes:
            raise ValueError
        if i % 16 == 0:
            clf.scores(x, out)
        clf.learn(x, y)


def locked(clf, n, seed=1):
    x, out, rng = codes(clf.n_features), array("i", bytearray(4 * clf.n_classes)), Random(seed)
    work(clf, 3, x, out, rng)
    micropython.heap_lock()
    try:
        work(clf, n, x, out, rng)
    finally:
        micropython.heap_unlock()
    assert clf.samples == n + 3


def test_leaves():
    for leaf in ("mc", "nb", "nba"):
        clf = Tree(4, 3, 4096, leaf=leaf, grace=30, tau=0.3)
        locked(clf, 1200)
        assert clf.n_nodes > 3


def test_small_budgets():
    """One or two slots, few nodes: slots are given away, splits are pruned."""
    for budget in (900, 1200, 1600):
        clf = Tree(2, 3, budget, grace=20, tau=0.5)
        locked(clf, 1000)
        assert clf.n_nodes > 1


def test_a_lone_leaf():
    clf = Tree(3, 2, 512)
    locked(clf, 700)
    assert clf.n_nodes == 1


def test_options():
    for options in (
        {"criterion": "gini"},
        {"omega": 0.5},
        {"drop_poor": True},
        {"drop_poor": True, "leaf": "mc"},
        {"count_bits": 8, "bins": 8},
        {"nominal": [3, 0, 0]},
        {"lanes": 2, "leaf": "nb"},
        {"strict": 1},
        {"strict": 2, "criterion": "gini"},
        {"max_depth": 1, "nb_threshold": 100},
        {"criterion": "hellinger"},
    ):
        classes = 2 if options.get("criterion") == "hellinger" else 4
        clf = Tree(3, classes, 3000, grace=40, tau=0.4, **options)
        locked(clf, 1200)
        assert clf.n_nodes > 1


def test_adaptive():
    """Through a change of all labels: an alternate subtree starts, grows, takes over or goes."""
    for options in ({}, {"leaf": "mc", "omega": 0.5}):
        clf = Tree(3, 2, 3000, grace=30, tau=0.4, adaptive=True, **options)
        x, rng = codes(3), Random(8)
        alternates = [0]
        turn_over(clf, 10, x, rng, alternates)
        micropython.heap_lock()
        try:
            turn_over(clf, 1500, x, rng, alternates)
        finally:
            micropython.heap_unlock()
        assert alternates[0]


def turn_over(clf, n, x, rng, alternates):
    """Learn n samples; from the middle on the labels are turned over."""
    nodes = clf.words[t.MAX_NODES]
    for i in range(n):
        y = draw(rng, x, 2)
        clf.learn(x, 1 - y if 2 * i > n else y)
        for m in range(clf.words[t.MONITORS]):
            if clf.halves[clf.words[t.MONITOR0] + m * clf.words[t.MONITOR] + 1]:
                alternates[0] = nodes + m


def test_lists_and_tuples():
    clf = Tree(3, 2, 2048, grace=20)
    samples = [[1, 2, 3], (-4, 5, MISSING), [7, -8, 9], (1, 1, 1)]
    out = [0, 0]
    micropython.heap_lock()
    try:
        for i in range(100):
            x = samples[i & 3]
            clf.learn(x, i & 1)
            clf.predict(x)
            clf.scores(x, out)
    finally:
        micropython.heap_unlock()
