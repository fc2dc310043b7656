"""Feature ranking on a board: relevant features come first, nothing is allocated."""

from array import array

import micropython
from tools import Random, codes

from niwaki import Tree


def grown(first):
    clf = Tree(5, 2, 3000, grace=50, tau=0.2)
    rng, x = Random(4), codes(5)
    for _ in range(1200):
        for i in range(5):
            x[i] = rng.below(200) - 100
        y = 1 if x[first] > 20 or x[first + 1] > 50 else 0
        clf.learn(x, y if rng.below(12) else 1 - y)
    return clf


def test_relevant_features_come_first():
    for first in (0, 3):
        clf = grown(first)
        assert clf.n_nodes > 3
        for kind in ("mpg", "mdi"):
            out = [0] * 5
            clf.importances(out, kind)
            order = sorted(range(5), key=lambda f: -out[f])
            assert sorted(order[:2]) == [first, first + 1]
            assert 0 < sum(out) <= 65536 * 5


def test_no_allocation():
    clf, out = grown(2), array("i", bytearray(20))
    clf.importances(out, "mdi")
    micropython.heap_lock()
    try:
        clf.importances(out, "mpg")
        clf.importances(out, "mdi")
    finally:
        micropython.heap_unlock()
    assert out[2] > 0
