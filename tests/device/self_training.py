"""learn_unlabelled(x, margin): only what it is sure of, never more than was labelled, nothing allocated."""

import micropython
from tools import Random, codes, draw, refuses, state

from niwaki import Grove, Shrubs, Tree

MODELS = ((Tree, {}), (Tree, {"leaf": "mc", "grace": 30, "tau": 0.5}), (Shrubs, {}), (Grove, {}))


def taught(make, options, n=300):
    clf = make(3, 2, 3000, **options)
    rng, x = Random(4), codes(3)
    for _ in range(n):
        clf.learn(x, draw(rng, x, 2))
    if clf.samples & 1:
        clf.learn(x, draw(rng, x, 2))
    return clf, rng, x


def test_it_learns_what_it_predicts():
    for make, options in MODELS:
        clf, rng, x = taught(make, options)
        clf.learn(x, 1)
        twin, _, x2 = taught(make, options)
        twin.learn(x2, 1)
        learned = 0
        for _ in range(200):
            draw(rng, x, 2)
            y = twin.predict(x)
            if clf.learn_unlabelled(x, 30000):
                if make is Grove:
                    twin.learn_late(x, y, -1)  # a guess is no label: to the twin it is one that was not asked
                else:
                    twin.learn(x, y)
                learned += 1
            assert state(clf) == state(twin)
            clf.learn(x, y)
            twin.learn(x, y)
        assert 20 < learned <= 200


def test_never_more_than_with_a_label():
    for make, options in MODELS:
        clf, rng, x = taught(make, options)
        labelled = clf.samples
        for i in range(100):
            draw(rng, x, 2)
            clf.learn_unlabelled(x, 1)
            if i % 10 == 0:
                clf.learn(x, i % 20 == 0)
                labelled += 1
        assert labelled <= clf.samples <= labelled + 10


def test_a_model_that_knows_nothing_or_one_class_is_not_sure():
    for make, options in ((Tree, {"leaf": "nb"}), (Tree, {"leaf": "mc"}), (Shrubs, {}), (Grove, {})):
        clf = make(2, 2, 2000, **options)
        assert clf.learn_unlabelled([1, 2], 1) is False
        assert clf.samples == 0
    for leaf in ("mc", "nb", "nba"):
        clf = Tree(2, 2, 2000, leaf=leaf)
        clf.learn([1, 2], 0)
        assert clf.learn_unlabelled([1, 2], 1) is False


def test_a_higher_margin_learns_less():
    for make, options in (MODELS[0], MODELS[2], MODELS[3]):
        counts = []
        for margin in (1000, 60000, 65536):
            clf, rng, x = taught(make, options)
            n = 0
            for _ in range(150):
                y = draw(rng, x, 2)
                clf.learn(x, y)
                draw(rng, x, 2)
                n += clf.learn_unlabelled(x, margin)
            counts.append(n)
        assert counts[0] > counts[1] > 0 and counts[1] >= counts[2], counts


def test_refusals():
    clf, _, x = taught(Tree, {})
    before = state(clf)
    for margin in (0, -1, 65537):
        refuses(ValueError, clf.learn_unlabelled, x, margin)
    for margin in (None, 0.9, "1"):
        refuses(TypeError, clf.learn_unlabelled, x, margin)
    refuses(ValueError, clf.learn_unlabelled, [1, 2], 1)
    refuses(TypeError, clf.learn_unlabelled, [1, 2, 0.5], 1)
    assert state(clf) == before


def test_nothing_is_allocated():
    for make, options in MODELS:
        clf, rng, x = taught(make, options)
        clf.learn_unlabelled(x, 100)
        before = clf.samples
        micropython.heap_lock()
        try:
            for _ in range(100):
                clf.learn(x, draw(rng, x, 2))
                draw(rng, x, 2)
                clf.learn_unlabelled(x, 100)
        finally:
            micropython.heap_unlock()
        assert clf.samples > before + 120
