"""Grove: bytes, a locked heap, wrong input, missing values, credit for answers given before the label."""

from array import array

import micropython
from tools import HEAP_IS_COUNTED, Random, codes, draw, measure, refuses, state, teach, used

import niwaki.grove.layout as g
from niwaki import MISSING, BudgetError, Grove

BOTH = (TypeError, ValueError)
SHAPES = ((1, 2), (3, 1), (3, 3), (6, 4), (10, 2), (4, 26), (33, 6))


def test_bytes_against_the_heap():
    if not HEAP_IS_COUNTED:
        return
    measure(Grove, (3, 3, 2048), {})
    for features, classes in SHAPES:
        for budget in (800, 1024, 2000, 4096, 8192, 16000):
            for options in ({}, {"neighbours": 0, "bins": 0}):
                try:
                    taken, nbytes, given = measure(Grove, (features, classes, budget), options)
                except BudgetError:
                    assert budget < 8192
                    continue
                assert given == budget
                assert taken <= nbytes <= budget, (features, classes, budget, taken, nbytes)
                assert nbytes - taken <= 16, (features, classes, budget, taken, nbytes)


def test_learning_takes_no_more():
    if not HEAP_IS_COUNTED:
        return
    clf = Grove(4, 3, 4096)
    teach(clf, 100)
    before = used()
    teach(clf, 500, 2)
    assert clf.n_nodes > 1
    assert used() <= before


def test_the_smallest_budget():
    for features, classes in SHAPES:
        for options in ({}, {"bins": 16}, {"nodes": 31, "shrubs": 5}, {"neighbours": 0}, {"memory": 30}):
            message = refuses(BudgetError, Grove, features, classes, 200, **options)
            smallest = int(message.split()[-1])
            clf = Grove(features, classes, smallest, **options)
            assert clf.nbytes <= smallest == clf.budget
            again = refuses(BudgetError, Grove, features, classes, smallest - 1, **options)
            assert again.split()[-1] == str(smallest)


def work(clf, n, x, out, rng):
    """Everything a firmware does with a grove, n times. Nothing in here allocates but what niwaki does."""
    classes = clf.n_classes
    for i in range(n):
        y = draw(rng, x, classes, 600 if i < n // 2 else 3000)  # the windows must grow
        if i % 9 == 0:
            x[i % len(x)] = MISSING
        if i % 3 and clf.predict(x) >= classes:
            raise ValueError
        if i % 16 == 0:
            clf.scores(x, out)
        clf.learn(x, y)


def test_nothing_is_allocated():
    for budget, classes, options in (
        (1024, 3, {}),
        (4096, 3, {}),
        (4096, 1, {}),
        (4096, 12, {"near": 4096, "bayes": 8192, "effort": 1}),
        (3000, 4, {"neighbours": 0, "bins": 0}),
    ):
        clf = Grove(4, classes, budget, **options)
        x, out, rng = codes(4), array("i", bytearray(4 * classes)), Random(1)
        importances = array("i", bytearray(16))
        work(clf, 3, x, out, rng)
        clf.importances(importances)
        micropython.heap_lock()
        try:
            work(clf, 500, x, out, rng)
            clf.importances(importances)
            clf.importances(importances, "mdi")
        finally:
            micropython.heap_unlock()
        assert clf.samples == 503


def model():
    clf = Grove(4, 3, 3000)
    teach(clf, 120)
    return clf


def unchanged(clf, errors, call, *arguments):
    before = state(clf)
    refuses(errors, call, *arguments)
    assert state(clf) == before, "the model changed"


def everywhere(clf, errors, x):
    unchanged(clf, errors, clf.predict, x)
    unchanged(clf, errors, clf.learn, x, 1)
    unchanged(clf, errors, clf.learn_late, x, 1, 0)
    unchanged(clf, errors, clf.scores, x, [0, 0, 0])


def test_bad_samples():
    clf = model()
    for x in ([], [1], [1, 2, 3], [1] * 5, codes(3), codes(5), array("h"), "abc", b"abc", [1, 2, 3, 32768]):
        everywhere(clf, ValueError, x)
    for x in (
        None,
        7,
        1.5,
        "abcd",
        b"abcd",
        {1: 1, 2: 2, 3: 3, 4: 4},
        [1, 2, 3, 0.5],
        array("f", [1, 2, 3, 4]),
    ):
        everywhere(clf, TypeError, x)
    everywhere(clf, BOTH, array("H", [65535, 1, 2, 3]))
    x = [1, -2, 3, 4]
    clf.learn(x, 1)
    x[1] = 70000
    everywhere(clf, ValueError, x)


def test_bad_labels():
    clf = model()
    x = [1, 2, 3, 4]
    for y in (-1, 3, 4, 255, 65536, 1 << 40, -(1 << 40)):
        unchanged(clf, ValueError, clf.learn, x, y)
        unchanged(clf, ValueError, clf.learn_late, x, y, 0)
    for y in (1.0, None, "1", [1], b"1"):
        unchanged(clf, TypeError, clf.learn, x, y)
    for out in ([0, 0], [0] * 4, array("H", [0, 0, 0]), bytearray(3)):
        unchanged(clf, ValueError, clf.scores, x, out)


def test_bad_options():
    for arguments in (
        (0, 2, 4096),
        (257, 2, 1 << 20),
        (4, 0, 4096),
        (4, 127, 1 << 20),
        (4, 2, (1 << 28) + 1),
    ):
        refuses(ValueError, Grove, *arguments)
    for wrong in (4.0, "4", None):
        refuses(TypeError, Grove, wrong, 2, 4096)
        refuses(TypeError, Grove, 4, wrong, 4096)
        refuses(TypeError, Grove, 4, 2, wrong)
    for name, values in (
        ("memory", (1, 32768)),
        ("shrubs", (-1, 65)),
        ("nodes", (0, 65)),
        ("recent", (-1, 65)),
        ("take", (1, 1025)),
        ("bins", (1, 5, 32)),
        ("neighbours", (1, 2, 4)),
        ("near", (-1, 4097)),
        ("bayes", (-1, 8193)),
        ("effort", (0,)),
        ("hurry", (0, 65)),
        ("seed", (-1, 65536)),
        ("pending", (-1, 4097)),
    ):
        for value in values:
            refuses(ValueError, Grove, 4, 2, 4096, **{name: value})
    refuses(ValueError, Grove, 4, 2, 4096, shrubs=0, neighbours=0)  # nobody would answer
    for name in ("grace", "Memory", "window"):
        refuses(TypeError, Grove, 4, 2, 4096, **{name: 1})


def test_missing_values():
    clf = Grove(3, 3, 3000)
    x = [MISSING] * 3
    for i in range(100):
        clf.learn(x, 2 if i % 4 else 1)
    assert 0 <= clf.predict(x) < 3 and 0 <= clf.predict([1, 2, 3]) < 3
    clf = Grove(2, 2, 4000)
    rng, x, right, asked = Random(9), codes(2), 0, 0
    for i in range(800):
        y = rng.below(2)
        x[0] = 100 * y + rng.below(60)
        x[1] = rng.below(100)
        if rng.below(2):
            x[0] = MISSING
        elif i > 400:
            asked += 1
            right += clf.predict(x) == y
        clf.learn(x, y)
    assert right * 100 > asked * 95, (right, asked)


def credit(clf):
    return clf.words[g.FOLLOWS], clf.words[g.KNOWS]


def test_credit_is_for_answers_given_before_the_label():
    clf, rng, x = Grove(3, 2, 3000, pending=3), Random(2), codes(3)
    for _ in range(200):  # taught
        clf.learn(x, draw(rng, x, 2))
        assert credit(clf) == (0, 0)
    changed = late = 0
    for _ in range(100):  # asked, and told at once
        y = draw(rng, x, 2)
        clf.predict(x)
        before = credit(clf)
        clf.learn(x, y)
        changed += credit(clf) != before
    tickets, labels = [], []
    for _ in range(100):  # asked, and told late
        labels.append(draw(rng, x, 2))
        tickets.append(clf.defer(x))
        if len(tickets) == 3:
            before = credit(clf)
            assert clf.label(tickets.pop(0), labels.pop(0))
            late += credit(clf) != before
    assert changed > 10 and late > 10, (changed, late)


def test_learn_returns_the_answer():
    clf, rng, x = Grove(3, 3, 3000), Random(2), codes(3)
    for i in range(200):
        y = draw(rng, x, 3)
        if i % 2:
            answer = clf.predict(x)
            assert clf.learn(x, y) == answer
        else:
            assert 0 <= clf.learn(x, y) < 3


def test_one_class_alone():
    clf = Grove(3, 1, 2000)
    x, rng = codes(3), Random(1)
    for _ in range(200):
        draw(rng, x, 1)
        assert clf.predict(x) == 0 and clf.learn(x, 0) == 0
    out = [0]
    clf.scores(x, out)
    assert out[0] > 65000 and clf.samples == 200
    refuses(ValueError, clf.learn, x, 1)


def test_it_learns():
    for budget in (1500, 8192):
        clf = Grove(4, 3, budget)
        assert teach(clf, 1500) > 750 * 0.75
        assert clf.samples == 1500 and clf.n_nodes > 3
