"""Feature ranking on the device against the equations in float64, with J from the samples."""

import random
from array import array

import numpy as np
import pytest

from niwaki import Tree
from niwaki_host.references import HoeffdingTree, RegularisedTree, adaptive_lockstep
from niwaki_host.references.adaptive import AdaptiveRegularisedTree, AdaptiveTree
from niwaki_host.references.importance import REMEMBERED, Leaf, Split, mdi, mpg, read, shares
from niwaki_host.references.lockstep import compare
from niwaki_host.references.vfdt import DEPARTURES

FEATURES = 6


def stream(n: int, classes: int, drift: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Features 1 and 2 matter, after a drift 4 and 5."""
    rng = random.Random(5)
    X, y = [], []
    for i in range(n):
        x = [rng.randint(-200, 200) for _ in range(FEATURES)]
        concept = 3 if drift and i > n // 2 else 0
        label = (x[1 + concept] > 0) + (x[2 + concept] > 60)
        X.append(x)
        y.append((label if rng.random() < 0.9 else rng.randrange(classes)) % classes)
    return np.array(X), np.array(y)


def grown(n: int = 6000, classes: int = 3, **options) -> Tree:
    clf = Tree(FEATURES, classes, 8000, **options)
    for x, label in zip(*stream(n, classes, "adaptive" in options), strict=True):
        clf.learn(x.tolist(), int(label))
    return clf


def device(clf: Tree, kind: str) -> np.ndarray:
    out = array("i", [-5] * clf.n_features)
    clf.importances(out, kind)
    return np.array(out)


@pytest.mark.parametrize(
    ("cls", "options", "exact"),
    [
        (HoeffdingTree, {}, False),
        (HoeffdingTree, {}, True),
        (HoeffdingTree, {"classes": 2, "grace": 50, "tau": 0.5}, False),
        (HoeffdingTree, {"criterion": "gini"}, True),
        (RegularisedTree, {"omega": 0.5}, False),
        (RegularisedTree, {"omega": 0.5}, True),
        (RegularisedTree, {"omega": 0.3, "grace": 50, "tau": 0.5}, False),
        (AdaptiveTree, {"tau": 0.3}, True),
        (AdaptiveRegularisedTree, {"omega": 0.5, "tau": 0.3}, True),
    ],
)
def test_equal_to_the_equations(cls, options, exact):
    """Both have learned the same samples; the reference's J is its own."""
    adaptive = issubclass(cls, AdaptiveTree)
    classes = options.get("classes", 3)
    chosen = {"leaf": "mc", "tau": 0.1, **options}
    chosen.pop("classes", None)
    X, y = stream(6000, classes, adaptive)
    more = {"adaptive": True} if adaptive else {}
    clf = Tree(
        FEATURES, classes, 400_000, count_bits=16, bins=16, exact=exact, drop_poor=False, **more, **chosen
    )
    reference = cls(FEATURES, classes, departures=() if exact else DEPARTURES, **chosen)
    found = (adaptive_lockstep.compare if adaptive else compare)(clf, reference, X, y)
    assert (found[0] if adaptive else found).differences == []
    tree = read(reference, [REMEMBERED])
    assert isinstance(tree, Split) and clf.n_nodes > 5
    largest = 1 if "criterion" in options else np.log2(classes)
    for kind, expected in (
        ("mpg", mpg(tree, FEATURES, largest)),
        ("mdi", mdi(tree, FEATURES, largest, tree.samples)),
    ):
        seen = device(clf, kind)
        assert seen.sum() > 0
        assert np.abs(seen - 65536 * expected).max() < 60 + 0.005 * 65536 * expected.max(), kind


def test_mdi_as_printed_beside_ours():
    """N_t as printed is about a grace period for all: shares of N shrink, whatever the depth of a split."""
    X, y = stream(6000, 3)
    clf = Tree(FEATURES, 3, 400_000, count_bits=16, bins=16, exact=True, leaf="mc", tau=0.3)
    reference = HoeffdingTree(FEATURES, 3, leaf="mc", tau=0.3, drop_poor=True)
    assert compare(clf, reference, X, y).differences == []
    printed = mdi(read(reference), FEATURES, np.log2(3), reference.samples)
    ours = device(clf, "mdi") / 65536
    assert set(np.argsort(-printed)[:2]) == set(np.argsort(-ours)[:2]) == {1, 2}
    assert printed.sum() < 0.2 * ours.sum()


@pytest.mark.parametrize("options", [{}, {"omega": 0.5}, {"omega": 0.1}, {"omega": 0.5, "exact": True}])
def test_one_perfect_split_counts_in_full(options):
    """Height 1, one split at depth 0, one bit of gain: MPG and MDI are both 1, whatever the penalty."""
    clf = Tree(2, 2, 3000, **options)
    for i in range(4000):
        clf.learn([i % 2 * 50, 0], i % 2)
        if clf.n_nodes == 3:
            break
    for kind in "mpg", "mdi":
        assert device(clf, kind)[0] > 65000 and device(clf, kind)[1] == 0


def test_a_feature_that_comes_back_was_not_penalised():
    """Below a split on a feature a second one on it has J* = J: only the first is divided by omega."""
    rng = random.Random(1)
    clf = Tree(2, 2, 30_000, omega=0.5, exact=True, leaf="mc", tau=0.3, delta=0.01)
    for _ in range(8000):
        x = [rng.randint(-100, 100), rng.randint(-100, 100)]
        clf.learn(x, int(-50 < x[0] < 20))
    assert clf.n_nodes >= 5
    mpg_score, mdi_score = device(clf, "mpg"), device(clf, "mdi")
    assert mpg_score[1] == 0
    assert 0 < mpg_score[0] <= 65536 and 0 < mdi_score[0] <= 65536 * 1.01


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
    assert not mpg(Leaf(1), 6, 1).any() and not shares(mdi(Leaf(1), 6, 1, 1)).any()


def test_the_equations_by_hand():
    """Three splits in a chain: factors 1, 2/3, 1/3, and shares 1, 1/2, 1/4."""
    third = Split(0, 0.3, 2, 10, [Leaf(5), Leaf(5)])
    second = Split(1, 0.4, 1, 20, [third, Leaf(10)])
    tree = Split(0, 0.8, 0, 40, [second, Leaf(20)])
    assert mpg(tree, 2, 2) == pytest.approx([(0.8 + 0.3 / 3) / 6, 0.4 * 2 / 3 / 6])
    assert mdi(tree, 2, 2, 40) == pytest.approx([0.4 + 0.25 * 0.15, 0.5 * 0.2])


def test_bad_arguments():
    clf = Tree(3, 2, 3000)
    for out in ([0] * 2, array("H", [0] * 3), bytearray(3)):
        with pytest.raises(ValueError):
            clf.importances(out)
    with pytest.raises(ValueError, match="kind"):
        clf.importances([0] * 3, "gain")
