"""A model says what it is, and what is wrong with a sample or a label; views of samples are samples."""

import gc
from array import array

import micropython
from tools import HEAP_IS_COUNTED, checksum, refuses, state, teach

import niwaki
from niwaki import Grove, Shrubs, Tree

MODELS = (Tree, Shrubs, Grove)


def test_repr():
    for cls in MODELS:
        clf = cls(4, 3, 3000)
        teach(clf, 150)
        text = repr(clf)
        for part in (cls.__name__, "4 features", "3 classes", f"{clf.nbytes} of 3000 bytes", "150 samples"):
            assert part in text, text
        assert f"{clf.n_nodes} nodes" in text and ("samples kept" in text) == (cls is Grove), text
        assert text == str(clf) == f"{clf}"


def test_a_view_of_a_sample_is_a_sample():
    both = array("h", [5, 6, 7, 8, -1, -2, 3, 400])
    for cls in MODELS:
        clf, other = cls(4, 3, 3000), cls(4, 3, 3000)
        teach(clf, 60)
        teach(other, 60)
        for start in (0, 4, 0):
            view = memoryview(both)[start : start + 4]
            for y in range(3):
                assert clf.learn(view, y) == other.learn(both[start : start + 4], y)
            assert clf.predict(view) == other.predict(both[start : start + 4])
        assert checksum(clf) == checksum(other)
        before = state(clf)
        refuses(TypeError, clf.predict, memoryview(bytearray(4)))
        refuses(ValueError, clf.predict, memoryview(both))
        refuses(ValueError, clf.predict, memoryview(array("H", [1, 2, 3, 65535])))
        assert state(clf) == before


def test_a_view_costs_no_heap():
    if not HEAP_IS_COUNTED:
        return
    view = memoryview(array("h", [1, 2, 3, 4]))
    for cls in MODELS:
        clf = cls(4, 3, 3000)
        teach(clf, 60)
        clf.learn(view, 1)
        gc.collect()
        micropython.heap_lock()
        try:
            clf.predict(view)
            clf.learn(view, 1)
        finally:
            micropython.heap_unlock()


class Index:
    """Not an int, and would be a label."""

    def __index__(self):
        return 1


def test_labels_get_the_right_advice():
    for cls in MODELS:
        clf = cls(4, 3, 3000, pending=2)
        ticket = clf.defer([1, 2, 3, 4])
        before = state(clf)
        for y, says in (
            ("walk", "names.index('walk')"),
            (1.0, "1.0 is not an int in 0..2: learn int(y)"),
            (None, "None is not an int in 0..2: what has no label"),
            (Index(), "is not an int in 0..2"),
            (3, "label 3 is not in 0..2"),
            (-1, "label -1 is not in 0..2"),
        ):
            for call, x in ((clf.learn, [1, 2, 3, 4]), (clf.label, ticket)):
                text = refuses((TypeError, ValueError), call, x, y)
                assert says in text, text
        assert state(clf) == before


def test_samples_get_the_right_advice():
    for cls in MODELS:
        clf = cls(4, 3, 3000)
        before = state(clf)
        for x, says in (
            (3, "of 4 ints, not 3"),
            (None, "of 4 ints, not None"),
            ([1, 2, 3], "expected 4 features, got 3"),
            ([1, 2, 3, 4, 0], "is the label among them"),
            (bytes(8), "array('h', x)"),
            ([1, 2.5, 3, 4], "feature 1: 2.5 is not an int; see Encoder"),
            (array("f", [1.5, 2, 3, 4]), "see Encoder"),
            ([1, None, 3, 4], "niwaki.MISSING"),
            ([1, float("nan"), 3, 4], "niwaki.MISSING"),
            ([1, 2, 3, 40000], "feature 3: code 40000 is not in -32768..32767; see Encoder"),
            ([1, "2", 3, 4], "names.index('2')"),
            ([1, 2, [3], 4], "one row of numbers"),
            ([[1, 2, 3, 4]], "x[0]"),
            (memoryview(bytes(4)), "other items than 'h'"),
            ({1, 2, 3, 4}, "not set"),
            ("abcd", "not str"),
            (array("i", [1, 2, 3, 4]), "not array('i')"),
        ):
            text = refuses((TypeError, ValueError), clf.predict, x)
            assert says in text, text
        assert state(clf) == before


def test_an_unknown_name_lists_the_known_ones():
    text = refuses(AttributeError, getattr, niwaki, "Forest")
    assert "Forest" in text and "'Tree', 'plan', 'Shrubs', 'Grove', 'Encoder'" in text, text
