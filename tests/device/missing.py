"""Missing values while learning, sorting and scoring; nominal values that were never declared."""

from tools import Random, codes, state, teach

from niwaki import MISSING, Tree


def test_all_missing():
    for leaf in ("mc", "nb", "nba"):
        clf = Tree(3, 3, 3000, leaf=leaf, grace=20)
        x = [MISSING] * 3
        for i in range(200):
            clf.learn(x, 2 if i % 4 else 1)
        assert clf.predict(x) == 2
        assert clf.predict([1, 2, 3]) == 2
        assert clf.n_nodes == 1
        assert clf.samples == 200


def test_a_feature_that_is_always_missing_changes_nothing():
    """But for the room that it takes: predictions are those of the tree without it."""
    for leaf in ("mc", "nb", "nba"):
        clf = Tree(3, 2, 6000, leaf=leaf, grace=50, bins=16, count_bits=16, nodes=15)
        lone = Tree(2, 2, 6000, leaf=leaf, grace=50, bins=16, count_bits=16, nodes=15)
        rng = Random(5)
        for _ in range(700):
            a, b = rng.below(200), rng.below(200)
            x, two = [a, MISSING, b], [a, b]
            assert clf.predict(x) == lone.predict(two)
            y = 1 if a > 80 and b > 40 else 0
            clf.learn(x, y)
            lone.learn(two, y)
        assert clf.n_nodes == lone.n_nodes > 1


def test_often_missing():
    """Half of the values are missing, and still the split on them is found and useful."""
    clf = Tree(2, 2, 4000, grace=50)
    rng = Random(9)
    x = codes(2)
    right = asked = 0
    for i in range(2000):
        y = rng.below(2)
        x[0] = 100 * y + rng.below(60)
        x[1] = rng.below(100)
        if rng.below(2):
            x[0] = MISSING
        elif i > 1000:
            asked += 1
            if clf.predict(x) == y:
                right += 1
        clf.learn(x, y)
    assert clf.n_nodes > 1
    assert right * 100 > asked * 97


def test_missing_goes_with_the_larger_branch():
    for larger in (0, 1):
        clf = Tree(1, 2, 3000, leaf="mc", grace=50, tau=0.5, nodes=3)
        rng = Random(3)
        for _ in range(600):
            y = larger if rng.below(10) else 1 - larger
            clf.learn([1000 * y + rng.below(100)], y)
        assert clf.n_nodes == 3
        assert clf.predict([0]) == 0
        assert clf.predict([1000]) == 1
        assert clf.predict([MISSING]) == larger


def test_undeclared_nominal_values_are_as_good_as_missing():
    for leaf in ("mc", "nb", "nba"):
        one = Tree(3, 2, 4000, leaf=leaf, nominal=[4, 0, 3], grace=1000)
        other = Tree(3, 2, 4000, leaf=leaf, nominal=[4, 0, 3], grace=1000)
        rng = Random(2)
        a, b = [0, 0], [0, 0]
        for i in range(600):
            value = rng.below(4)
            x = [value, rng.below(50), rng.below(3)]
            y = 1 if value > 1 else 0
            strange = (4, 5, -1, 255, 32767, -32767)[i % 6]
            if i % 3 == 0:
                x[0] = strange
                one.learn(x, y)
                one.scores(x, a)
                x[0] = MISSING
            else:
                one.learn(x, y)
                one.scores(x, a)
            other.learn(x, y)
            other.scores(x, b)
            assert a == b
        assert state(one) == state(other)


def test_undeclared_values_after_splits():
    clf = Tree(2, 3, 4000, nominal=[5, 0], grace=20, tau=0.5)
    rng = Random(4)
    for i in range(600):
        value = rng.below(5)
        if i % 7 == 0:
            clf.learn([5 + rng.below(300), -rng.below(300)], rng.below(3))
        else:
            clf.learn([value, rng.below(9)], value % 3)
    assert clf.n_nodes > 1
    for value in (5, 6, 254, 255, 256, 32767, -1, -32767, MISSING):
        assert 0 <= clf.predict([value, value]) < 3


def test_extreme_codes_are_ordinary_codes():
    clf = Tree(2, 2, 3000, grace=50)
    for i in range(400):
        y = i % 2
        clf.learn([32767 if y else -32767, i % 100], y)
    assert clf.predict([32767, 0]) == 1
    assert clf.predict([-32767, 0]) == 0
    assert teach(Tree(2, 2, 3000, grace=50), 200, span=60000) >= 0
