"""n_classes is a capacity: a class that has not come costs nothing, one that comes late is soon known."""

from array import array

from tools import Random, codes, draw

from niwaki import Shrubs, Tree


def test_room_for_more_classes_changes_no_prediction():
    for make, options in (
        (Tree, {"nodes": 15, "bins": 8, "count_bits": 8, "memo": False, "grace": 40, "tau": 0.3}),
        (
            Tree,
            {
                "nodes": 15,
                "bins": 16,
                "count_bits": 16,
                "memo": False,
                "grace": 40,
                "leaf": "nb",
                "tau": 0.3,
                "omega": 0.5,
            },
        ),
        (
            Tree,
            {
                "nodes": 15,
                "bins": 8,
                "memo": False,
                "grace": 40,
                "leaf": "mc",
                "tau": 0.3,
                "criterion": "gini",
            },
        ),
        (Shrubs, {"window": 32, "shrubs": 6, "nodes": 8}),
    ):
        models = [make(3, n, 12000, **options) for n in (2, 4, 20)]
        outs = [array("i", bytearray(4 * n)) for n in (2, 4, 20)]
        rng, x = Random(7), codes(3)
        for i in range(700):
            y = draw(rng, x, 2)
            expected = models[0].predict(x)
            for k in range(3):
                clf, out = models[k], outs[k]
                assert clf.predict(x) == expected
                if i and i % 20 == 0:
                    clf.scores(x, out)
                    assert max(out[2:] or [0]) == 0
                clf.learn(x, y)
        nodes = [clf.n_nodes for clf in models]
        assert min(nodes) == max(nodes) > 1, (make, options, nodes)


def late_class(clf, samples, start, rng):
    """Two classes, and from `start` on a third: how many of each 50 of the third were recognised."""
    x = codes(3)
    found, met = [0], 0
    for i in range(samples):
        y = draw(rng, x, 2)
        if i >= start and rng.below(3) == 0:
            y = 2
            x[1] = 350 + rng.below(100)
        p = clf.predict(x)
        if i < start:
            assert p != 2
        elif y == 2:
            if met and met % 50 == 0:
                found.append(0)
            met += 1
            found[-1] += p == 2
        clf.learn(x, y)
    return found


def test_a_class_that_comes_late():
    """After one grace period of its samples it is recognised nearly always: shrubs need far fewer."""
    for leaf in ("mc", "nb", "nba"):
        clf = Tree(3, 3, 4096, leaf=leaf)
        found = late_class(clf, 3300, 1500, Random(2))
        grace = 200 // 50
        assert min(found[grace : 2 * grace]) >= 40, (leaf, found)
    found = late_class(Shrubs(3, 3, 4096), 900, 600, Random(2))
    assert found[1] >= 45, found
