"""What a person does with a grove: ask how sure it is, how strange a sample is, have a class forgotten."""

from array import array

import numpy as np
import pytest

from niwaki import Grove, Tree
from niwaki.grove import layout

ALARM = 65536 - 65536 // 64


def sample(values) -> array:
    return array("h", [int(v) for v in values])


def blobs(n: int, classes: int = 3, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian classes around corners, 3000 apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return 3000 * np.eye(4)[y] + rng.normal(0, 400, (n, 4)), y


def taught(n: int = 90, **options) -> Grove:
    clf = Grove(4, 3, 8192, **options)
    X, y = blobs(n)
    for c in range(3):
        for row in X[y == c]:
            clf.learn(sample(row), c)
    return clf


def test_confidence_is_that_of_the_answer():
    clf = taught()
    X, _ = blobs(60, seed=2)
    sure = [clf.confidence(sample(row)) for row in X]
    between = clf.confidence(sample([1500, 1500, 0, 0]))
    assert all(0 <= value <= 65535 for value in sure)
    assert between < np.median(sure)
    out = array("i", [0] * 3)
    clf.scores(sample(X[0]), out)
    assert abs(out[clf.predict(sample(X[0]))] - sure[0]) < 64


def test_false_alarms_are_as_rare_as_asked_for():
    """One class, taught as normal: an alarm at 1/64 is wrong about once in 64 samples."""
    alarms, broken = [], []
    for seed in range(5):  # which 128 samples are taught decides the rate, too: a mean over several
        clf = Grove(4, 1, 8192)
        X, _ = blobs(328, classes=1, seed=seed)
        for row in X[:128]:
            clf.learn(sample(row), 0)
        alarms += [clf.novelty(sample(row)) >= ALARM for row in X[128:]]
        stuck = X[128:138].copy()
        stuck[:, 1] = 32767
        broken += [clf.novelty(sample(row)) >= ALARM for row in stuck]
    assert 1 / 128 <= np.mean(alarms) <= 1 / 32
    assert all(broken)


def test_novelty_knows_nothing_before_two_samples():
    clf = Grove(4, 1, 8192)
    assert clf.novelty([1, 2, 3, 4]) == 0
    clf.learn([1, 2, 3, 4], 0)
    assert clf.novelty([1, 2, 3, 4]) == 0


def test_novelty_changes_nothing():
    clf = taught()
    before = bytes(clf.octets), bytes(clf.halves), bytes(clf.words)
    clf.novelty([9, 9, 9, 9])
    assert (bytes(clf.octets), bytes(clf.halves), bytes(clf.words)) == before


def test_a_forgotten_class_is_no_longer_answered_and_can_be_taught_anew():
    clf = taught()
    X, y = blobs(60, seed=2)
    assert np.mean([clf.predict(sample(row)) == c for row, c in zip(X, y, strict=True)]) > 0.95
    clf.forget(1)
    assert all(clf.predict(sample(row)) != 1 for row in X)
    assert clf.halves[1] == 0 and clf.words[layout.COUNT] == 60
    for row in X[y == 1]:
        clf.learn(sample(row), 1)
    assert np.mean([clf.predict(sample(row)) == c for row, c in zip(X, y, strict=True)]) > 0.95


@pytest.mark.parametrize(("label", "error"), [(3, ValueError), (-1, ValueError), (1.0, TypeError)])
def test_forget_refuses_what_is_no_class(label, error):
    clf = taught(9)
    before = bytes(clf.octets)
    with pytest.raises(error):
        clf.forget(label)
    assert bytes(clf.octets) == before


def test_settle_grows_all_shrubs_on_the_memory_as_it_is():
    clf = taught()
    clf.settle()
    known = np.frombuffer(clf.octets, np.uint8)[_known(clf)]
    assert sorted(known)[1:] == [3] * clf.words[layout.SHRUBS]  # all but the one that would grow next


def _known(clf: Grove) -> slice:
    w = clf.words
    stands = w[layout.SHRUBS] + 1
    at = (w[layout.MEMORY] + w[layout.RECENT]) * 5 + 4 * (w[layout.BINS] * 3 + 1) + 2 * stands
    return slice(at, at + stands)


def test_settled_shrubs_answer_though_the_sample_was_just_asked_for():
    """What is kept of the last sample is the answer of shrubs that are no more."""
    changed = 0
    X, _ = blobs(40, seed=3)
    for row in X / 2:
        asked, fresh = taught(60), taught(60)
        before, after, out = (array("i", [0] * 3) for _ in range(3))
        asked.scores(sample(row), before)
        asked.settle()
        fresh.settle()
        asked.scores(sample(row), after)
        fresh.scores(sample(row), out)
        assert after == out
        changed += before != after
    assert changed


def test_forgetting_the_last_class_touches_no_shrub():
    """There is nothing to grow on: they have no say, and stay."""
    clf = taught()
    for label in (0, 1):
        clf.forget(label)
    stands = _known(clf).stop
    clf.octets[stands] = 1  # the first node's feature
    before = bytes(clf.octets[stands:])
    clf.forget(2)
    assert clf.words[layout.COUNT] == 0 and not any(clf.octets[_known(clf)])
    assert bytes(clf.octets[stands:]) == before
    assert clf.predict([1, 2, 3, 4]) == 0


def test_a_tree_says_that_it_has_none_of_these():
    with pytest.raises(AttributeError, match="only a Grove has confidence"):
        Tree(4, 3, 8192).confidence([1, 2, 3, 4])
