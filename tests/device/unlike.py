"""novelty(x): usual samples score low, strange ones high, and nothing is changed or allocated."""

from array import array

import micropython
from tools import Random, codes, draw, refuses, state

from niwaki import MISSING, Shrubs, Tree

MODELS = (
    (Tree, {}),
    (Tree, {"grace": 30, "tau": 0.5, "leaf": "mc", "count_bits": 16}),
    (Tree, {"lanes": 3}),
    (Shrubs, {}),
)


def familiar(make, options, n=500):
    """A model that knows two clouds of four features."""
    clf = make(4, 2, 3000, **options)
    rng, x = Random(3), codes(4)
    for _ in range(n):
        y = rng.below(2)
        cloud(rng, x, 1000 * y)
        clf.learn(x, y)
    return clf, rng, x


def cloud(rng, x, centre):
    for f in range(4):
        x[f] = centre + rng.below(60) + rng.below(60)


def share(clf, rng, x, centre, limit, spoil=None):
    """How many of 50 samples of a cloud score above the limit."""
    n = 0
    for _ in range(50):
        cloud(rng, x, centre)
        if spoil is not None:
            x[rng.below(3)] = spoil
        n += clf.novelty(x) > limit
    return n


def usual(clf, rng, x):
    """A limit that few usual samples exceed."""
    seen = []
    for i in range(60):
        cloud(rng, x, 1000 * (i & 1))
        seen.append(clf.novelty(x))
    return sorted(seen)[56]


def test_strange_samples_score_higher():
    for make, options in MODELS:
        clf, rng, x = familiar(make, options)
        limit = usual(clf, rng, x)
        for centre in (0, 1000):
            assert share(clf, rng, x, centre, limit) < 15
        for centre in (500, 3000, -20000):  # another class
            assert share(clf, rng, x, centre, limit) >= 45, (make, options, centre)
        for value in (32767, -32767, 500):  # a sensor that fails
            assert share(clf, rng, x, 1000, limit, value) >= 35, (make, options, value)


def test_bounds():
    for make, options in MODELS:
        clf = make(4, 2, 3000, **options)
        for x in ([0] * 4, [32767] * 4, [MISSING] * 4):
            assert clf.novelty(x) == 0  # nothing is known yet
        clf, rng, x = familiar(make, options)
        assert clf.novelty([MISSING] * 4) == 0
        assert clf.novelty([32767] * 4) > clf.novelty([2000] * 4) > 0
        for _ in range(100):
            for f in range(4):
                x[f] = rng.below(65535) - 32767
            assert 0 <= clf.novelty(x) <= 65535


def test_nominal_values():
    clf = Tree(2, 2, 3000, nominal=[5, 0])
    rng = Random(1)
    for i in range(300):
        clf.learn([i % 3, rng.below(20)], i % 2)
    usual = clf.novelty([1, 10])
    assert usual < clf.novelty([4, 10])  # declared, never seen
    assert usual < clf.novelty([5, 10])
    assert usual < clf.novelty([-1, 10])


def test_it_changes_nothing():
    for make, options in MODELS:
        clf, rng, x = familiar(make, options)
        before, out, again = state(clf), array("i", [0, 0]), array("i", [0, 0])
        for _ in range(30):
            draw(rng, x, 2, 3000)
            clf.scores(x, out)
            clf.novelty(x)
            clf.scores(x, again)
            assert out == again
        assert state(clf) == before
        refuses(ValueError, clf.novelty, [1, 2, 3])
        refuses(ValueError, clf.novelty, [1, 2, 3, 40000])
        refuses(TypeError, clf.novelty, [1, 2, 3, 0.5])


def test_nothing_is_allocated():
    for make, options in MODELS:
        clf, rng, x = familiar(make, options, 300)
        clf.novelty(x)
        micropython.heap_lock()
        try:
            for _ in range(60):
                draw(rng, x, 2, 3000)
                clf.novelty(x)
        finally:
            micropython.heap_unlock()


def test_a_leaf_without_histograms_asks_the_others():
    clf = Tree(2, 2, 1100, grace=30, tau=0.5, bins=8)
    rng, x = Random(5), codes(2)
    for _ in range(2000):
        clf.learn(x, draw(rng, x, 2))
    assert clf.n_leaves > clf.words[16]  # more than there are slots
    seen = []
    for _ in range(200):
        draw(rng, x, 2)
        seen.append(clf.novelty(x))
    for value in (32767, -32767):
        assert clf.novelty([value, value]) > sorted(seen)[180]
