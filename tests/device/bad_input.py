"""Wrong input raises TypeError or ValueError with a message, and the model stays as it was."""

from array import array

from tools import codes, refuses, state, teach

from niwaki import BudgetError, Tree

BOTH = (TypeError, ValueError)


def model():
    clf = Tree(4, 3, 3000, grace=20, nominal=[0, 0, 5, 0])
    teach(clf, 120)
    return clf


def unchanged(clf, errors, call, *arguments):
    before = state(clf)
    refuses(errors, call, *arguments)
    assert state(clf) == before, "the model changed"


def everywhere(clf, errors, x):
    out = [0, 0, 0]
    unchanged(clf, errors, clf.predict, x)
    unchanged(clf, errors, clf.learn, x, 1)
    unchanged(clf, errors, clf.scores, x, out)


def test_length():
    clf = model()
    for x in ([], [1], [1, 2, 3], [1] * 5, (), (1,) * 3, codes(3), codes(5), array("h"), "abc", b"abc"):
        everywhere(clf, ValueError, x)


def test_type():
    clf = model()
    for x in (None, 7, 1.5, "abcd", b"abcd", bytearray(4), {1: 1, 2: 2, 3: 3, 4: 4}, {1, 2, 3, 4}):
        everywhere(clf, TypeError, x)
    for kind in "fbid":
        everywhere(clf, TypeError, array(kind, [1, 2, 3, 4]))
    for wrong in (1.0, None, "1", [1], 2.5):
        for i in range(4):
            x = [1, 2, 3, 4]
            x[i] = wrong
            everywhere(clf, TypeError, x)
            everywhere(clf, TypeError, tuple(x))


def test_code_range():
    clf = model()
    for wrong in (32768, -32769, 65535, 1 << 20, -(1 << 31), 1 << 40):
        for i in range(4):
            x = [1, 2, 3, 4]
            x[i] = wrong
            everywhere(clf, ValueError, x)
    everywhere(clf, BOTH, array("H", [65535, 1, 2, 3]))
    everywhere(clf, BOTH, array("H", [1, 2, 3, 32768]))
    for x in ([-32768, 32767, 0, -32767], (-32768,) * 4, array("h", [-32768, 32767, 1, 2])):
        clf.learn(x, 0)


def test_a_buffer_that_changes_its_length():
    clf = model()
    x = array("h", [-1, 2, 3, 4])
    for _ in range(3):
        clf.learn(x, 1)
    x.append(5)
    everywhere(clf, ValueError, x)


def test_a_list_like_the_last_one_but_wrong():
    """What is remembered of one sample must not excuse the next."""
    clf = model()
    x = [1, -2, 3, 4]
    clf.learn(x, 1)
    x[1] = 70000
    everywhere(clf, ValueError, x)
    x[1] = 1.5
    everywhere(clf, TypeError, x)


def test_label():
    clf = model()
    x = [1, 2, 3, 4]
    for y in (-1, 3, 4, 255, 65536, 1 << 40, -(1 << 40)):
        unchanged(clf, ValueError, clf.learn, x, y)
    for y in (1.0, None, "1", [1], b"1"):
        unchanged(clf, TypeError, clf.learn, x, y)


def test_out_of_scores():
    clf = model()
    for out in ([0, 0], [0] * 4, array("i", [0, 0])):
        unchanged(clf, ValueError, clf.scores, [1, 2, 3, 4], out)
    for out in (array("H", [0, 0, 0]), bytearray(3)):
        assert "array('i')" in refuses(ValueError, clf.scores, [1, 2, 3, 4], out)
    for out in ((0, 0, 0), None):
        unchanged(clf, BOTH, clf.scores, [1, 2, 3, 4], out)


def test_shape():
    for arguments in (
        (0, 2, 4096),
        (-1, 2, 4096),
        (4097, 2, 1 << 20),
        (4, 1, 4096),
        (4, 0, 4096),
        (4, 256, 1 << 20),
        (4, 2, (1 << 28) + 1),
    ):
        refuses(ValueError, Tree, *arguments)
    for wrong in (4.0, "4", None, "8k"):
        refuses(TypeError, Tree, wrong, 2, 4096)
        refuses(TypeError, Tree, 4, wrong, 4096)
        refuses(TypeError, Tree, 4, 2, wrong)
    for budget in (0, -1, 1, 100):
        refuses(BudgetError, Tree, 4, 2, budget)


def test_options():
    for name, values in (
        ("leaf", ("", "NB", 1, None)),
        ("criterion", ("entropy", 0)),
        ("omega", (0, -0.5, 1.5)),
        ("grace", (0, -1, 65536)),
        ("delta", (0, -1, 0.9, 1)),
        ("tau", (-0.1, 17)),
        ("bins", (0, 3, 12, 128, "16")),
        ("count_bits", (0, 4, 32, "8")),
        ("nominal", ([0, 0], [0] * 5, [1, 0, 0, 0], [256, 0, 0, 0], [-2, 0, 0, 0])),
        ("nodes", (0, -1, 65536)),
        ("strict", (3, -1)),
        ("adaptive", ("no", 2, None)),
        ("drop_poor", ("no", 2)),
        ("exact", ("no", 2)),
        ("lanes", (0, -1, 5)),
        ("max_depth", (0, -1, 64)),
        ("nb_threshold", (-1, 2048)),
    ):
        for value in values:
            refuses(ValueError, Tree, 4, 2, 4096, **{name: value})
    for name, values in (
        ("omega", ("0.5",)),
        ("grace", (20.5, "20", None)),
        ("delta", ("1e-7", None)),
        ("tau", ("0.05", None)),
        ("nominal", ([2.5, 0, 0, 0], ["2", 0, 0, 0])),
        ("nodes", ("9", 9.0)),
        ("lanes", ("2", 2.0)),
        ("max_depth", ("2", 2.0)),
        ("nb_threshold", ("2", None)),
        ("unknown", (1,)),
        ("Leaf", ("nb",)),
    ):
        for value in values:
            refuses(TypeError, Tree, 4, 2, 4096, **{name: value})
    assert "two classes, not 3" in refuses(ValueError, Tree, 4, 3, 4096, criterion="hellinger")
    assert "must list" in refuses(TypeError, Tree, 4, 2, 4096, nominal=5)
    refuses(ValueError, Tree, 300, 200, 1 << 20, lanes=300)  # more counts than can be numbered
    assert Tree(4, 2, 4096, strict=1.0).words[8] == Tree(4, 2, 4096, strict=1).words[8]
