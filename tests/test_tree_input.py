"""What only a desktop can hand to a model: numpy's arrays and numbers."""

from array import array

import numpy as np
import pandas as pd
import pytest

from niwaki import Grove, Shrubs, Tree

SAMPLE = [1, -2, 3]


def state(model):
    return bytes(model.words), bytes(model.halves), bytes(model.octets)


@pytest.fixture
def model():
    clf = Tree(3, 2, 2000, grace=20)
    for i in range(100):
        clf.learn([i % 7, -i, i % 3], i % 2)
    return clf


@pytest.mark.parametrize(
    "sample",
    [
        np.array(SAMPLE, np.int8),
        np.array(SAMPLE, np.int16),
        np.array(SAMPLE, np.int64),
        np.array([SAMPLE, SAMPLE], np.int16)[1],
        np.array([SAMPLE, SAMPLE]).T[:, 0],
        [np.int16(1), -2, np.uint8(3)],
        (1, np.int64(-2), 3),
        memoryview(array("h", SAMPLE)),
        pd.Series(SAMPLE),
    ],
    ids=lambda sample: type(sample).__name__,
)
@pytest.mark.parametrize("make", [Tree, Shrubs, Grove])
def test_numpys_rows_and_numbers_are_samples(make, sample):
    ours, numpys = make(3, 2, 2000), make(3, 2, 2000)
    for i in range(20):
        assert numpys.learn(sample, i % 2) == ours.learn(SAMPLE, i % 2)
    assert numpys.predict(sample) == ours.predict(SAMPLE)
    assert state(numpys) == state(ours)


@pytest.mark.parametrize(
    ("sample", "error", "hint"),
    [
        (np.array([1, 2.5, 3], np.float32), TypeError, "feature 0: 1.0 is not an int; see Encoder"),
        ([1, np.float64(2.5), 3], TypeError, "feature 1: 2.5 is not an int; see Encoder"),
        (np.array([1, 2, 40000]), ValueError, "code 40000 is not in .*see Encoder"),
        (np.array([1, 2]), ValueError, "expected 3 features, got 2"),
        (np.array([1, 2, 3, 0]), ValueError, "is the label among them"),
        (np.array([SAMPLE], np.int16), ValueError, r"one row of 3 numbers, not of shape \(1, 3\)"),
        (np.array(["1", "2", "3"]), TypeError, "feature 0: '1' is not an int"),
        (range(3), TypeError, "lists or tuples of ints, not range"),
        (memoryview(b"abc"), TypeError, "lists or tuples of ints, not a memoryview of other items"),
        ({0: 1, 1: 2, 2: 3}, TypeError, "lists or tuples of ints, not dict"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_others_are_refused_with_a_hint(model, sample, error, hint):
    before = state(model)
    for call in (model.predict, lambda x: model.learn(x, 1), lambda x: model.scores(x, [0, 0])):
        with pytest.raises(error, match=hint):
            call(sample)
    assert state(model) == before


def test_its_own_conversions_are_taken(model):
    row = np.array(SAMPLE, np.int16)
    expected = model.predict(SAMPLE)
    assert model.predict(array("h", row.tobytes())) == model.predict(row.tolist()) == expected


@pytest.mark.parametrize(
    "label", [np.float64(1), np.array([1, 0]), np.array([1]), 1.0, "1", None, 2, -1, np.int64(2)]
)
def test_labels(model, label):
    before = state(model)
    with pytest.raises((TypeError, ValueError)):
        model.learn(SAMPLE, label)
    assert state(model) == before


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint64])
@pytest.mark.parametrize("make", [Tree, Shrubs])
def test_numpys_integers_are_labels_like_others(make, kind):
    ours, numpys = make(3, 100, 9000), make(3, 100, 9000)
    for i in range(300):
        ours.learn([i % 7, -i, i % 3], i % 100)
        numpys.learn([i % 7, -i, i % 3], kind(i % 100))
    assert state(numpys) == state(ours)


@pytest.mark.parametrize("truth", [np.True_, np.array(True), True])
def test_a_comparison_is_a_label(model, truth):
    """In y = X[:, 0] > 3 the labels are numpy's truth, which Python takes for no integer."""
    expected = model.copy()
    expected.learn(SAMPLE, 1)
    model.learn(SAMPLE, truth)
    assert state(model) == state(expected)


def test_out_may_be_an_array_or_a_list(model):
    for out in ([0, 0], array("i", [0, 0]), array("q", [0, 0]), np.zeros(2, np.int32)):
        model.scores(SAMPLE, out)
        assert abs(sum(out) - 65536) < 100
    for out in (array("H", [0, 0]), np.zeros(2, np.int16), bytearray(2)):
        with pytest.raises((ValueError, OverflowError)):
            model.scores(SAMPLE, out)
