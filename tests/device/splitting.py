"""When a leaf splits and when it does not; who gets the slots and the nodes; what leaves answer."""

from array import array

from tools import Random, codes, draw, teach

import niwaki.tree.layout as t
from niwaki import Tree

_POOR = 0x20000000


def nodes(clf):
    """(split nodes, leaves) by walking from the root."""
    w, h = clf.words, clf.halves
    todo, splits, leaves = [0], [], []
    while todo:
        node = todo.pop()
        child = h[w[t.NODE0] + node * t.NODE + 1]
        if child:
            splits.append(node)
            todo += [child, child + 1]
        else:
            leaves.append(node)
    return splits, leaves


def consistent(clf):
    splits, leaves = nodes(clf)
    assert clf.n_leaves == len(leaves)
    assert clf.n_nodes == len(leaves) + len(splits)
    return clf.n_nodes


def root(clf):
    """Feature and threshold (as a code) of the first split."""
    at = clf.words[t.NODE0]
    assert clf.halves[at + 1]
    return clf.halves[at + 2], clf.halves[at + 3] - 32768


def test_one_class_never_splits():
    for options in ({}, {"tau": 16}, {"criterion": "gini"}):
        clf = Tree(2, 3, 3000, grace=10, delta=0.5, **options)
        rng = Random(1)
        for _ in range(500):
            clf.learn([rng.below(100), rng.below(1000)], 1)
        assert consistent(clf) == 1
        assert clf.predict([5, 5]) == 1


def test_a_plain_tree_beside_a_strict_one():
    """Also where one module serves both: a plain tree has no statistics that the strict rule could write."""
    strict = Tree(4, 3, 4096, strict=2)
    teach(strict, 10)
    plain = Tree(4, 3, 4096, grace=30, tau=0.3)
    fixed = list(plain.words[28:36])  # where the parts of its arrays begin, and their lengths
    teach(plain, 1000)
    assert plain.n_nodes > 1 and list(plain.words[28:36]) == fixed


def test_nothing_to_gain_never_splits():
    """The null split: what a random feature seems to gain stays below the bound."""
    for criterion in ("gain", "gini"):
        clf = Tree(3, 2, 4000, grace=50, tau=0, criterion=criterion)
        rng = Random(7)
        x = codes(3)
        for _ in range(3000):
            for f in range(3):
                x[f] = rng.below(1000)
            clf.learn(x, rng.below(2))
        assert consistent(clf) == 1


def test_constant_features_never_split():
    clf = Tree(2, 2, 3000, grace=20, tau=16, delta=0.5)
    for i in range(400):
        clf.learn([5, -9], i % 2)
    assert consistent(clf) == 1


def test_a_clear_split():
    for criterion in ("gain", "gini", "hellinger"):
        clf = Tree(3, 2, 4000, grace=50, criterion=criterion)
        rng = Random(3)
        for _ in range(600):
            y = rng.below(2)
            clf.learn([rng.below(100), 300 * y + rng.below(200), rng.below(5)], y)
        feature, threshold = root(clf)
        assert feature == 1
        assert 195 <= threshold < 305
        assert clf.predict([0, 0, 0]) == 0
        assert clf.predict([0, 499, 0]) == 1
        consistent(clf)


def test_a_nominal_split():
    clf = Tree(2, 2, 4000, grace=50, nominal=[4, 3])
    rng = Random(3)
    for _ in range(600):
        value = rng.below(4)
        clf.learn([value, rng.below(3)], 1 if value == 2 else 0)
    assert root(clf) == (0, 2)
    assert [clf.predict([v, 0]) for v in range(4)] == [0, 0, 1, 0]


def test_no_attempt_before_the_grace_period():
    """And then the gains with one call, the split with the next: neither takes long."""
    clf = Tree(1, 2, 3000, grace=100, delta=0.5)
    for i in range(99):
        clf.learn([i % 2 * 50], i % 2)
    assert clf.words[t.WAIT] == 0
    clf.learn([50], 1)
    assert clf.words[t.WAIT] == 1 and clf.n_nodes == 1
    clf.learn([50], 1)
    assert clf.words[t.WAIT] == 0 and consistent(clf) == 3


def test_a_split_makes_the_tree_forget_its_last_answer():
    """A tree that remembers what it scored last ends as one that does not, asked before each lesson."""
    trees = [Tree(3, 3, 6000, grace=40, delta=0.1, tau=0.3, nodes=31, memo=memo) for memo in (False, True)]
    rng = Random(7)
    x = array("h", [0] * 3)
    for _ in range(1500):
        y = rng.below(3)
        for f in range(3):
            x[f] = rng.below(100) + 40 * y * (f != 1)
        answers = [clf.predict(x) for clf in trees]
        assert answers[0] == answers[1]
        for clf in trees:
            clf.learn(x, y)
    assert trees[0].n_nodes > 3
    assert trees[0].words[t.SLOTS] == trees[1].words[t.SLOTS]
    assert trees[0].halves == trees[1].halves and trees[0].octets == trees[1].octets


def slot_counts(clf, slot):
    """Class counts, cells by lane, and windows without their outsiders."""
    w = clf.words
    classes = w[6]
    born = w[t.SLOT_HALVES0] + slot * w[t.SLOT_HALVES]
    cells = clf.halves if w[t.FLAGS] & 8 else clf.octets
    first = w[t.CELL0] + slot * w[t.CELL_STRIDE]
    size = w[t.BINS] * classes
    lanes = [list(cells[first + clf.halves[f] : first + clf.halves[f] + size]) for f in range(w[t.LANES])]
    at = w[t.SLOT_WORDS0] + slot * w[t.SLOT_WORDS] + t.SLOT
    return list(clf.halves[born : born + classes]), lanes, [n & 0x1FFFF00F for n in w[at : at + w[t.LANES]]]


def test_children_start_with_a_quarter_of_what_their_parent_knew():
    """Of all features but the one that was split on; exact counts and majority leaves start anew."""
    for part, options in ((1, {}), (1, {"leaf": "nb"}), (0, {"leaf": "mc"}), (0, {"count_bits": 16})):
        clf = Tree(2, 2, 4000, grace=100, delta=0.01, **options)
        rng = Random(8)
        while clf.n_nodes == 1:
            counts, lanes, windows = slot_counts(clf, 0)
            x = [rng.below(1000), rng.below(1000)]
            y = 1 if x[0] > 500 else 0
            clf.learn(x, y)
        got = [slot_counts(clf, slot) for slot in range(2)]
        for now in range(2):  # the sample after the split went to one of them
            found = 0
            for c in range(2):
                found += got[now][0][c] - (counts[c] >> 2) * part
            if found:
                break
        assert found == 1 and got[now][0][y] == (counts[y] >> 2) * part + 1
        other = got[1 - now]
        assert other[0] == [n * part >> 2 for n in counts]
        assert sum(other[1][0]) == other[2][0] == 0 and sum(got[now][1][0]) == 1
        assert other[1][1] == [n * part >> 2 for n in lanes[1]] and other[2][1] == windows[1] * part
        assert sum(got[now][1][1]) == sum(other[1][1]) + 1


def test_ties_are_broken_by_tau_alone():
    """Two copies of the same feature: neither is better, until the bound falls below tau."""
    for tau, expected in ((0, 1), (0.5, 3)):
        clf = Tree(2, 2, 4000, grace=50, tau=tau, nodes=3)
        rng = Random(5)
        for _ in range(1000):
            y = rng.below(2)
            v = 100 * y + rng.below(90)
            clf.learn([v, v], y)
        assert consistent(clf) == expected


def test_a_split_needs_one_in_a_hundred_on_each_side():
    clf = Tree(1, 2, 4000, grace=200, delta=0.5, tau=16)
    for i in range(1000):
        rare = i % 250 == 0
        clf.learn([900 if rare else i % 16], 1 if rare else 0)
    assert clf.n_nodes == 1


def test_poor_attributes_are_dropped():
    for leaf in ("mc", "nb"):
        clf = Tree(3, 2, 4000, grace=100, delta=0.01, tau=0, drop_poor=True, leaf=leaf)
        rng = Random(11)
        for _ in range(2000):
            y = rng.below(2)
            v = 100 * y + rng.below(160)
            clf.learn([v, rng.below(1000), v], y)  # the good ones tie: no split
        assert clf.n_nodes == 1
        at = clf.words[t.SLOT_WORDS0] + t.SLOT
        poor = [bool(clf.words[at + lane] & _POOR) for lane in range(3)]
        assert poor == [False, True, False]
        if leaf == "nb":
            assert clf.predict([20, 500, 20]) == 0
            assert clf.predict([240, 500, 240]) == 1


def test_leaves_take_turns_with_the_slots():
    """Fewer slots than leaves: where the errors are, there the slot goes, and the tree grows there."""
    clf = Tree(2, 2, 860, grace=40, tau=0.4, delta=0.01, bins=8)
    slots = clf.words[t.SLOTS]
    rng = Random(2)
    x = codes(2)
    hard = 0
    turns = [0, 0]
    for i in range(6000):
        if i % 2000 == 0:
            hard = 1 - hard  # which half of x[0] is the difficult one
        x[0] = rng.below(200) - 100
        x[1] = rng.below(200) - 100
        y = 1 if x[0] > 0 else 0
        if (x[0] > 0) == (hard == 1):
            y = 1 if x[1] > 0 else 0
        clf.learn(x, y)
        if i % 100 == 0:
            active = 0
            _, leaves = nodes(clf)
            for leaf in leaves:
                if clf.halves[clf.words[t.NODE0] + leaf * t.NODE + 3]:
                    active += 1
            assert active == clf.words[t.ACTIVE] <= slots
            turns[0 if active < len(leaves) else 1] += 1
    assert slots <= 2
    assert turns[0] > 10  # there were leaves without a slot
    assert consistent(clf) >= 5


def test_a_full_tree_follows_a_change():
    """All nodes in use: the least useful split gives way to a better one."""
    clf = Tree(3, 2, 4000, grace=100, delta=0.01, tau=0.2, nodes=7, leaf="mc")
    rng = Random(4)
    x = codes(3)
    right = [0, 0]
    for i in range(20000):
        for f in range(3):
            x[f] = rng.below(1000)
        late = i >= 4000
        if late:
            y = 1 if x[2] > 500 else 0
        else:
            y = 1 if x[1] > (300 if x[0] > 500 else 700) else 0
        if (3000 <= i < 4000 or i >= 19000) and clf.predict(x) == y:
            right[1 if late else 0] += 1
        clf.learn(x, y)
        assert clf.n_nodes <= 7
        if i == 3999:
            assert clf.n_nodes == 7
    consistent(clf)
    assert right[0] > 930
    assert right[1] > 930


def test_a_leaf_that_knows_better_undoes_the_split_above_it():
    """All nodes in use, and no split of two leaves elsewhere: the worthless one above gives way."""
    clf = Tree(2, 2, 4000, grace=100, delta=0.01, tau=0.2, nodes=3, leaf="mc")
    rng = Random(2)
    x = codes(2)
    for i in range(12000):
        x[0] = rng.below(1000)
        x[1] = rng.below(1000)
        clf.learn(x, 1 if x[0 if i < 3000 else 1] > 500 else 0)
        if i == 2999:
            assert root(clf)[0] == 0
    assert root(clf)[0] == 1
    assert consistent(clf) == 3


def test_a_leaf_that_gets_a_slot_starts_anew():
    """What its majority scored while there was no naive Bayes to compare it with does not count."""
    clf = Tree(2, 3, 1100, grace=40, tau=0.4, bins=8)
    w, h = clf.words, clf.halves
    rng = Random(12)
    x = codes(2)
    watched = [-1] * w[t.SLOTS]
    born = 0
    for _ in range(3000):
        clf.learn(x, draw(rng, x, 3))
        for slot in range(w[t.SLOTS]):
            node = w[w[t.SLOT_WORDS0] + slot * w[t.SLOT_WORDS]]
            if node != watched[slot] and node >= 0:
                leaf = w[t.LEAF0] + h[w[t.NODE0] + node * t.NODE + 2] * (t.LEAF + 3)
                assert h[leaf] <= 1 and h[leaf + 1] <= 1
                born += 1
            watched[slot] = node
    assert born > clf.n_leaves


def test_a_split_that_nobody_visits_gives_way():
    """However long ago it was visited: 16 epochs are not none."""
    clf = Tree(3, 2, 4000, grace=100, delta=0.01, tau=0.2, nodes=7, leaf="mc")
    rng = Random(4)
    x = codes(3)
    for _ in range(4000):
        for f in range(3):
            x[f] = rng.below(1000)
        y = 1 if x[1] > (300 if x[0] > 500 else 700) else 0
        clf.learn(x, y)
    splits, _ = nodes(clf)
    assert len(splits) == 3
    feature, threshold = root(clf)
    clf.words[7] += 16 << 12
    for _ in range(800):  # now only one branch of the root is visited, and another feature decides
        for f in range(3):
            x[f] = rng.below(1000)
        x[feature] = threshold + 1 + rng.below(999 - threshold)
        clf.learn(x, 1 if x[2] > 500 else 0)
    splits, _ = nodes(clf)
    assert 2 in [clf.halves[clf.words[t.NODE0] + node * t.NODE + 2] for node in splits]


def test_the_race():
    """Lane 0 finds the features that matter, and passes them on; naive Bayes does not ask it."""
    clf = Tree(12, 2, 4000, lanes=3, leaf="nb", grace=100, tau=0, delta=1e-12)
    w, h = clf.words, clf.halves
    rng, x = Random(9), codes(12)
    for _ in range(3000):
        y = rng.below(2)
        for f in range(12):
            x[f] = rng.below(100)
        x[7] += 30 * y
        x[10] += 30 * y
        clf.learn(x, y)
    at = w[t.SLOT_HALVES0] + 2
    assert consistent(clf) == 1 and sorted([h[at + 1], h[at + 2]]) == [7, 10]
    assert h[at] not in (7, 10)
    out, other = array("i", bytearray(8)), array("i", bytearray(8))
    clf.scores(x, out)
    for i in range(w[t.CELL0], w[t.CELL0] + 2 * w[t.BINS]):
        clf.octets[i] = 0
    clf.learn(x, y)  # the last answer is forgotten
    clf.scores(x, other)
    assert abs(out[0] - other[0]) < 300


def accuracy(leaf, make, grace=65535, n=1500):
    clf = Tree(2, 2, 4000, leaf=leaf, grace=grace)
    rng = Random(6)
    x = codes(2)
    right = 0
    for i in range(n):
        y = make(rng, x)
        if 2 * i >= n and clf.predict(x) == y:
            right += 1
        clf.learn(x, y)
    return right / (n - n // 2)


def overlapping(rng, x):
    """Naive Bayes is right here before any split is made."""
    y = rng.below(2)
    x[0] = 60 * y + rng.below(100)
    x[1] = -60 * y + rng.below(100)
    return y


def misleading(rng, x):
    """One class in eight, and evidence that naive Bayes counts twice: the majority class is better."""
    y = 1 if rng.below(8) == 0 else 0
    x[0] = 100 * (1 if rng.below(5) else 0) if y else 100 * (0 if rng.below(5) else 1)
    x[1] = x[0]
    return y


def test_leaf_kinds():
    """mc answers with the majority, nb with naive Bayes, nba with the better of both."""
    mc, nb, nba = [accuracy(leaf, overlapping) for leaf in ("mc", "nb", "nba")]
    assert mc < 0.6 and nb > 0.85 and nba > nb - 0.02
    mc, nb, nba = [accuracy(leaf, misleading) for leaf in ("mc", "nb", "nba")]
    assert mc > nb + 0.04 and nba > mc - 0.02


def test_scores():
    """They sum to about 65,536, and the predicted class has the highest."""
    for leaf in ("mc", "nb", "nba"):
        for classes in (2, 3, 7, 40):
            clf = Tree(3, classes, 16000, leaf=leaf, grace=50, tau=0.3, bins=8)
            out = array("i", [0] * classes)
            clf.scores([1, 2, 3], out)  # nothing learned: all the same
            assert max(out) - min(out) <= 1
            assert 65536 - 9 * classes <= sum(out) <= 65536 + classes
            rng = Random(classes)
            x = codes(3)
            for i in range(400):
                y = draw(rng, x, classes)
                if i % 4 == 0:
                    best = clf.predict(x)
                    clf.scores(x, out)
                    assert out[best] == max(out) and min(out) >= 0
                    assert max([out[c] for c in range(best)] or [-1]) < out[best]
                    assert abs(sum(out) - 65536) < 9 * classes + 128, (leaf, classes, sum(out))
                clf.learn(x, y)


def test_it_learns():
    clf = Tree(4, 3, 8192, grace=50)
    assert teach(clf, 3000) > 1500 * 0.85
    assert clf.samples == 3000
    consistent(clf)
