"""The auto-ranging histograms: nothing wraps, windows follow the data, a glitch does not widen them."""

from tools import Random

import niwaki.tree.layout as t
from niwaki import Tree

_POOR = 0x20000000


def lone_leaf(n_features=1, n_classes=2, **options):
    """A tree that never splits, so that all is seen by one leaf."""
    options.setdefault("leaf", "nb")
    options.setdefault("count_bits", 16)
    return Tree(n_features, n_classes, 20000, grace=65535, **options)


def window(clf, lane=0):
    """Lowest code, width of a bin, values outside so far."""
    w = clf.words[clf.words[t.SLOT_WORDS0] + t.SLOT + lane] & ~_POOR
    return (w >> 12) - 65536 - 32768, 1 << (w & 15), (w >> 4) & 255


def cells(clf, lane=0):
    """The histogram of a lane: a list of class counts for each bin."""
    w, h = clf.words, clf.halves
    source = h if w[t.FLAGS] & 8 else clf.octets
    classes = w[6]
    base = w[t.CELL0] + h[lane]
    bins = clf.octets[lane] or w[t.BINS]
    return [[source[base + b * classes + c] for c in range(classes)] for b in range(bins)]


def total(clf, lane=0):
    return sum([sum(row) for row in cells(clf, lane)])


def born(clf):
    """Class counts since the leaf was born."""
    at = clf.words[t.SLOT_HALVES0]
    return [clf.halves[at + c] for c in range(clf.n_classes)]


def test_counts_are_exact():
    for bits in (8, 16):
        clf = lone_leaf(bins=16, count_bits=bits)
        expected = [[0, 0] for _ in range(16)]
        rng = Random(1)
        clf.learn([0], 0)
        expected[0][0] += 1
        for _ in range(300):
            v, y = rng.below(16), rng.below(2)
            clf.learn([v], y)
            expected[v][y] += 1
        assert window(clf) == (0, 1, 0)
        assert cells(clf) == expected
        assert sum(born(clf)) == 301


def test_full_counts_are_halved():
    """8 bits: 255 is reached, all counts of the leaf are halved, proportions stay."""
    clf = lone_leaf(bins=4, count_bits=8)
    for i in range(2000):
        clf.learn([i % 4], 1 if i % 4 == 3 else 0)
        assert max([max(row) for row in cells(clf)]) < 255
    counts = cells(clf)
    for b in range(4):
        assert 110 <= counts[b][1 if b == 3 else 0] <= 255
        assert counts[b][0 if b == 3 else 1] == 0
    zeros, ones = born(clf)
    assert zeros + ones == clf.words[clf.words[t.SLOT_WORDS0] + 3]
    assert 26 * ones > 8 * zeros > 22 * ones  # three to one
    assert clf.predict([3]) == 1
    assert clf.predict([0]) == 0


def test_a_leaf_with_65535_samples():
    """16 bits: put the leaf just below the limit, then learn over it."""
    clf = lone_leaf(2, 2, bins=4, count_bits=16)
    for i in range(8):
        clf.learn([i % 4, i % 2], i // 4)
    w, h = clf.words, clf.halves
    record, at = w[t.SLOT_WORDS0], w[t.SLOT_HALVES0]
    leaf = w[t.LEAF0] + t.LEAF
    for i in range(w[t.CELL0], w[t.CELL0] + w[t.CELLS]):
        h[i] *= 8190
    for c in range(2):
        h[at + c] *= 8190
        h[leaf + c] = 65500
    w[record + 1] = w[record + 3] = 65520
    for i in range(200):
        clf.learn([i % 4, i % 2], i // 4 % 2)
        assert w[record + 1] <= 65535
        assert w[record + 3] < 65535
        assert sum(born(clf)) == w[record + 3]
        assert max(h[leaf], h[leaf + 1]) < 65535
    assert clf.n_nodes == 1
    assert 32900 < w[record + 3] < 33000
    assert 32900 < total(clf) <= w[record + 3]


def test_a_fold_into_full_cells():
    """Two neighbours just below the limit fold into one; it must not wrap."""
    for down in (False, True):
        clf = lone_leaf(bins=4, count_bits=8)
        for i in range(1000):
            clf.learn([100 + i % 4], 0)
        for _ in range(300):
            clf.learn([40 if down else 160], 0)
            assert max([max(row) for row in cells(clf)]) < 255
        lo, width, _ = window(clf)
        assert lo <= 40 if down else lo + 4 * width > 160
        assert total(clf) > 100


def test_window_grows_both_ways():
    for bins in (4, 16, 64):
        for sign in (1, -1):
            clf = lone_leaf(bins=bins)
            for i in range(7):
                clf.learn([sign * i * i * 600], 0)
                assert total(clf) == i + 1
                assert window(clf)[2] == 0
            lo, width, _ = window(clf)
            assert lo <= 0 and lo <= sign * 21600 < lo + bins * width
            assert bins * width < 4 * 21600 + bins


def test_window_follows_a_range_that_grows():
    """Every value far outside, for long: the window doubles towards them and then holds them."""
    for sign in (1, -1):
        clf = lone_leaf(bins=16)
        for i in range(500):
            clf.learn([i % 16], 0)
        for i in range(300):
            clf.learn([sign * (5000 + i)], 1)
        lo, width, _ = window(clf)
        assert lo <= 0 and lo <= sign * 5299 < lo + 16 * width
        assert total(clf) == 800
        assert clf.predict([sign * 5200]) == 1
        assert clf.predict([sign * -3]) == 0


def test_whole_range():
    clf = lone_leaf(3, bins=4)
    for v in (0, 32767, -32767, -32767, 32767, 1, -1, 12345):
        clf.learn([v, -v, v // 2], 0)
    for lane in range(3):
        assert total(clf, lane) == 8
        lo, width, _ = window(clf, lane)
        assert -98303 <= lo and width <= 32768


def test_one_glitch_changes_no_window():
    for glitch in (32767, -32767, 900):
        clf = lone_leaf(bins=16)
        for i in range(1000):
            clf.learn([i % 64], i % 2)
        before = window(clf)
        edge = 15 if glitch > 0 else 0
        counted = cells(clf)[edge][0]
        clf.learn([glitch], 0)
        lo, width, outside = window(clf)
        assert (lo, width, outside) == (before[0], before[1], before[2] + 1)
        assert total(clf) == 1001
        assert cells(clf)[edge][0] == counted + 1


def test_rare_glitches_change_no_window():
    """One in two hundred."""
    clf = lone_leaf(bins=16)
    for i in range(4000):
        clf.learn([32000 if i % 200 == 199 else i % 64], i % 2)
    assert window(clf)[1] == 4


def test_class_counts_halve_and_keep_the_majority():
    clf = lone_leaf(1, 3, leaf="mc")
    w, h = clf.words, clf.halves
    leaf = w[t.LEAF0] + t.LEAF
    for y in (2, 2, 2, 1, 1, 0):
        clf.learn([y], y)
    for c in range(3):
        h[leaf + c] *= 21000
    for i in range(6000):
        clf.learn([2], 2 if i % 3 else 1)
        assert max(h[leaf], h[leaf + 1], h[leaf + 2]) < 65535
    assert h[leaf + 2] > h[leaf + 1] > h[leaf]
    assert clf.predict([0]) == 2
