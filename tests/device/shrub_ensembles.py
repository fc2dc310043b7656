"""Shrub ensembles on each runtime: nothing allocated, the byte model, refusals, learning through a drift."""

from array import array

import micropython
from tools import HEAP_IS_COUNTED, Random, codes, draw, measure, refuses, teach, used

from niwaki import MISSING, BudgetError, Shrubs

OPTIONS = (
    {},
    {"every": 1, "window": 16, "shrubs": 4},
    {"exact": True},
    {"exact": True, "depth": 2, "window": 12, "loss": "ce"},
    {"every": 3, "loss": "ce", "criterion": "gain"},
    {"random": True, "features": 2, "weigh": 5},
    {"depth": 2, "recent": 0, "nodes": 5},
)


def work(clf, n, x, out, ranks, rng):
    """Everything a firmware does with a model, n times."""
    for i in range(n):
        y = draw(rng, x, clf.n_classes)
        if i % 9 == 0:
            x[i % len(x)] = MISSING
        if clf.predict(x) >= clf.n_classes:
            raise ValueError
        if i % 16 == 0:
            clf.scores(x, out)
        clf.learn(x, y)
        if i % 64 == 0:
            clf.importances(ranks, "mpg" if i % 128 else "mdi")


def test_nothing_is_allocated():
    for options in OPTIONS:
        clf = Shrubs(4, 3, 3000, **options)
        x, rng = codes(4), Random(1)
        out, ranks = array("i", bytearray(12)), array("i", bytearray(16))
        work(clf, 3, x, out, ranks, rng)
        micropython.heap_lock()
        try:
            work(clf, 150, x, out, ranks, rng)
        finally:
            micropython.heap_unlock()
        assert clf.samples == 153
        assert clf.n_nodes > 3


def test_bytes_against_the_heap():
    if not HEAP_IS_COUNTED:
        return
    measure(Shrubs, (3, 2, 4096), {})
    for features, classes in ((1, 2), (6, 4), (33, 6)):
        for budget in (1024, 8192):
            for options in OPTIONS[:3]:
                try:
                    taken, nbytes, given = measure(Shrubs, (features, classes, budget), options)
                except BudgetError:
                    continue
                assert taken <= nbytes <= given == budget, (features, classes, budget, taken, nbytes)
                assert nbytes - taken <= 16, (features, classes, budget, taken, nbytes)


def test_learning_takes_no_more():
    if not HEAP_IS_COUNTED:
        return
    clf = Shrubs(4, 3, 2048)
    teach(clf, 50)
    before = used()
    teach(clf, 200, 2)
    assert used() <= before


def test_the_smallest_budget():
    for features, classes in ((1, 2), (54, 7), (4, 26)):
        for options in OPTIONS[:4]:
            smallest = int(refuses(BudgetError, Shrubs, features, classes, 200, **options).split()[-1])
            assert Shrubs(features, classes, smallest, **options).nbytes <= smallest
            again = refuses(BudgetError, Shrubs, features, classes, smallest - 1, **options)
            assert again.split()[-1] == str(smallest)


def test_exact_refuses_what_the_paper_does_not_have():
    for options in ({"nodes": 5}, {"recent": 8}, {"window": 129}):
        refuses(ValueError, Shrubs, 3, 2, 8192, exact=True, **options)
    refuses(ValueError, Shrubs, 3, 2, 8192, exact=2)
    assert Shrubs(3, 2, 1 << 17, exact=True, window=128).nbytes <= 1 << 17


def test_refusals_leave_it_untouched():
    clf = Shrubs(3, 3, 2048)
    teach(clf, 60)
    before = bytes(clf.octets), bytes(clf.words)
    for bad in ([1, 2], [1, 2, 40000], (-32769, 0, 0)):
        refuses(ValueError, clf.learn, bad, 0)
        refuses(ValueError, clf.predict, bad)
    for bad in ([1, 2, 0.5], "abc", array("b", [1, 2, 3])):
        refuses(TypeError, clf.learn, bad, 0)
    for y in (-1, 3, 255, 256, 1 << 32):
        refuses(ValueError, clf.learn, [1, 2, 3], y)
    refuses(TypeError, clf.learn, [1, 2, 3], 1.0)
    assert before == (bytes(clf.octets), bytes(clf.words))


def test_impossible_options():
    for options in (
        {"window": 1},
        {"window": 256},
        {"shrubs": 0},
        {"step": 0},
        {"loss": "hinge"},
        {"criterion": "error"},
        {"features": 4},
        {"every": 0},
        {"random": "no"},
    ):
        refuses(ValueError, Shrubs, 3, 2, 4096, **options)
    refuses(TypeError, Shrubs, 3, 2, 4096, grace=200)
    refuses(TypeError, Shrubs, 3, 2, 4096, window=16.0)


def test_shrubs_that_agree_on_all_of_the_largest_window():
    clf = Shrubs(1, 2, 8192, window=255, shrubs=4, every=2)
    assert clf.words[31]  # agreements are kept, in bytes
    for i in range(600):
        clf.learn([i % 2], i % 2)
    assert clf.predict([0]) == 0 and clf.predict([1]) == 1


def test_a_new_concept_is_learned():
    clf = Shrubs(2, 2, 2048)
    x, rng = codes(2), Random(5)
    for turned in (0, 1):
        right = 0
        for i in range(400):
            y = draw(rng, x, 2) ^ turned
            if i >= 200:
                right += clf.predict(x) == y
            clf.learn(x, y)
        assert right > 160, right
