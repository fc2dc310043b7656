"""Feature ranking on the device against the equations in float64."""

import random
from array import array

import numpy as np
import pytest

from niwaki import Tree
from niwaki_host.references.importance import Leaf, Split, mdi, mpg, read, shares


def grown(n: int = 6000, classes: int = 3, **options) -> Tree:
    rng = random.Random(5)
    clf = Tree(6, classes, 8000, **options)
    for i in range(n):
        x = [rng.randint(-200, 200) for _ in range(6)]
        concept = 3 if options.get("adaptive") and i > n // 2 else 0
        y = (x[1 + concept] > 0) + (x[2 + concept] > 60) if rng.random() < 0.9 else rng.randrange(classes)
        clf.learn(x, y % classes)
    return clf


def device(clf: Tree, kind: str) -> np.ndarray:
    out = array("i", [-5] * clf.n_features)
    clf.importances(out, kind)
    return np.array(out)


@pytest.mark.parametrize("kind", ["mpg", "mdi"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"classes": 2},
        {"omega": 0.5},
        {"criterion": "gini", "leaf": "mc"},  # naive Bayes would make ties wait
        {"adaptive": True},
        {"grace": 20, "tau": 1},
    ],
    ids=str,
)
def test_equal_to_the_equations(kind, options):
    clf = grown(**options)
    largest = 1 if "criterion" in options else np.log2(clf.n_classes)
    tree = read(clf)
    assert isinstance(tree, Split)
    expected = 65536 * {"mpg": mpg, "mdi": mdi}[kind](tree, 6, largest)
    found = device(clf, kind)
    assert found.sum() > 0
    assert np.abs(found - expected).max() < 40 + 0.003 * expected.max()


def test_relevant_features_come_first():
    for kind in "mpg", "mdi":
        assert set(np.argsort(-device(grown(), kind))[:2]) == {1, 2}
        assert set(np.argsort(-device(grown(adaptive=True), kind))[:2]) == {4, 5}


def test_a_lone_leaf_gives_zeros():
    clf = Tree(6, 3, 8000)
    for kind in "mpg", "mdi":
        assert not device(clf, kind).any()
    clf.learn([1] * 6, 0)
    assert not device(clf, "mdi").any()
    assert not mpg(Leaf(1), 6, 1).any() and not shares(mdi(Leaf(1), 6, 1)).any()


def test_one_split_counts_in_full():
    """Height 1, one split at depth 0: MPG and MDI are both J / R."""
    clf = Tree(2, 2, 3000)
    for i in range(400):
        clf.learn([i % 2 * 50, 0], i % 2)
        if clf.n_nodes == 3:
            break
    for kind in "mpg", "mdi":
        assert device(clf, kind)[0] > 65000 and device(clf, kind)[1] == 0


def test_the_equations_by_hand():
    """Three splits in a chain: factors 1, 2/3, 1/3, and shares 1, 1/2, 1/4."""
    third = Split(0, 0.3, 2, 10, [Leaf(5), Leaf(5)])
    second = Split(1, 0.4, 1, 20, [third, Leaf(10)])
    tree = Split(0, 0.8, 0, 40, [second, Leaf(20)])
    assert mpg(tree, 2, 2) == pytest.approx([(0.8 + 0.3 / 3) / 6, 0.4 * 2 / 3 / 6])
    assert mdi(tree, 2, 2) == pytest.approx([0.4 + 0.25 * 0.15, 0.5 * 0.2])


def test_bad_arguments():
    clf = Tree(3, 2, 3000)
    for out in ([0] * 2, array("H", [0] * 3), bytearray(3)):
        with pytest.raises(ValueError):
            clf.importances(out)
    with pytest.raises(ValueError, match="kind"):
        clf.importances([0] * 3, "gain")
