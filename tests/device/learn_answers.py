"""`learn` returns what `predict` would have answered before the sample was learned."""

from array import array

import micropython

from niwaki import Shrubs, Tree

MODELS = (
    (Tree, {}),
    (Tree, {"leaf": "mc", "grace": 25}),
    (Tree, {"leaf": "nb", "grace": 25}),
    (Tree, {"strict": 2, "grace": 25}),
    (Tree, {"adaptive": True, "grace": 25}),
    (Tree, {"adaptive": True, "leaf": "mc", "grace": 25}),
    (Tree, {"memo": False}),
    (Shrubs, {}),
)


def sample(x, t):
    """A sample whose class follows from two features, and changes its meaning half way."""
    for f in range(3):
        x[f] = (t * (37 + 12 * f) + 11 * f) % 101
    y = (x[0] > 50) + (x[1] > 30)
    return 2 - y if t > 250 else y


def test_learn_returns_the_answer_that_predict_would_have_given():
    x = array("h", bytearray(6))
    for cls, options in MODELS:
        asked = cls(3, 3, 2048, **options)
        told = cls(3, 3, 2048, **options)
        for t in range(500):
            y = sample(x, t)
            answer = asked.predict(x)
            assert asked.learn(x, y) == answer, (cls, options, t)
            assert told.learn(x, y) == answer, (cls, options, t)
        assert asked.words == told.words


def test_the_answer_of_a_list_is_the_same():
    clf = Tree(2, 2, 1024)
    clf.learn([5, 5], 1)
    assert clf.learn([5, 5], 0) == 1


def test_it_allocates_nothing():
    x = array("h", bytearray(6))
    for cls, options in MODELS:
        clf = cls(3, 3, 2048, **options)
        for t in range(300):
            clf.learn(x, sample(x, t))
        micropython.heap_lock()
        try:
            for t in range(300, 320):
                clf.learn(x, sample(x, t))
        finally:
            micropython.heap_unlock()
