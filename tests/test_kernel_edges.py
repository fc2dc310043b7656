"""What single kernels do at the ends of their ranges, each called by itself on a model set up for it."""

import math
from array import array

import pytest
from support.policies import Bench
from test_policies import below_a_split, in_drift, monitors, noisy, steps

import niwaki
from niwaki import layout as shared
from niwaki.shrubs import layout as s
from niwaki.shrubs import shrubs
from niwaki.tree import layout as t
from niwaki.tree import tree
from niwaki_host.device import images
from niwaki_host.errors import UsageError


def window_of(bench: Bench, number: int = 0) -> int:
    """Where the window of feature 0 stands in the slot of a leaf, in words."""
    return bench.age(number) - t.SLOT_AGE + t.SLOT


@pytest.mark.parametrize(("outsiders", "wider"), [(t.OUTSIDERS - 1, 0), (t.OUTSIDERS, 1)])
def test_a_window_counts_only_so_many_outsiders(outsiders, wider):
    """However old the leaf is: the counter has so many bits, and then the window doubles."""
    bench = Bench(niwaki, 1, 2, 3000, leaf="mc", grace=65535)
    for i in range(300):
        bench.tree.learn([i % 30], 0)
    at = window_of(bench)
    bench.words[bench.age(0)] = 30_000
    clean = bench.words[at] & ~(t.OUTSIDERS << t.OUTSIDERS_AT)
    bench.words[at] = clean | outsiders << t.OUTSIDERS_AT
    bench.tree.learn([30_000], 0)
    shift = (bench.words[at] & t.SHIFT) - (clean & t.SHIFT)
    assert shift == wider
    assert bench.words[at] >> t.OUTSIDERS_AT & t.OUTSIDERS == (0 if wider else outsiders + 1)
    assert not bench.words[at] & t.POOR


def test_sides_takes_what_it_counts_out_of_the_cells():
    bench = Bench(niwaki, 1, 2, 3000, grace=65535)
    for i in range(100):
        bench.tree.learn([i], int(i >= 50))
    bench.scratch[t.S_NODE], bench.scratch[t.S_LANE], bench.scratch[t.S_BIN] = 0, 0, 4
    bench.scratch[t.S_SPLIT] = 1
    cells = slice(bench.words[t.CELL0], bench.words[t.CELL0] + 2 * bench.words[t.BINS])
    counted = sum(bench.tree.octets[cells])
    assert counted == 100 and bench.call("tree.sides sides") == 0
    assert sum(bench.scratch[t.S_ROWS : t.S_ROWS + 4]) == counted
    assert not any(bench.tree.octets[cells])


@pytest.mark.parametrize("left", [20, 99, 98])
def test_the_hellinger_distance_of_a_split(left):
    """sqrt(sum over sides (sqrt(P(side | class 0)) - sqrt(P(side | class 1)))^2), if each has a hundredth."""
    bench = Bench(niwaki, 1, 2, 3000, criterion="hellinger", grace=65535)
    counts = [[0, 0], [0, 0]]  # of classes, on either side
    for i in range(100):
        side = int(i >= left)
        y = int(i % 3 == 0) ^ (side and i % 5 > 0)
        counts[side][y] += 1
        bench.tree.learn([side], y)
    bench.scratch[t.S_NODE] = 0
    bench.call("tree.hellinger splits")
    found = bench.scratch[t.S_ROWS + bench.words[t.ROWS]] >> t.GAIN_AT
    total = [counts[0][y] + counts[1][y] for y in range(2)]
    square = sum((math.sqrt(n0 / total[0]) - math.sqrt(n1 / total[1])) ** 2 for n0, n1 in counts)
    if left == 99:
        assert found == 0  # one sample of a hundred is too few on a side
    else:
        assert found / 65536 == pytest.approx(math.sqrt(square), rel=0.01) and found


def test_a_tie_is_broken_among_the_features_that_lanes_watch():
    """Where lanes race, a feature of the branch is found in whatever lane it is; in none, it is no choice."""
    bench = Bench(niwaki, 3, 2, 4000, adaptive=True, tau=1.0, delta=0.01, lanes=2)
    bench.learn_until(steps(2000, features=3), lambda: bench.tree.n_nodes == 3)
    bench.words[t.GRACE] = 65535  # no attempt but this one
    bench.learn_until(steps(2000, 5, features=3), lambda: bench.words[bench.age(1)] > 300)
    feature = bench.halves[bench.node(0) + t.NODE_FEATURE]
    bench.halves[bench.node(0) + t.NODE_MERIT] = 4000
    bench.words[t.TAU] = 65536 * 4
    lanes = bench.words[t.SLOT_HALVES0] + bench.slot(1) * bench.words[t.SLOT_HALVES] + 2
    gains = t.S_ROWS + bench.words[t.ROWS]
    bench.scratch[gains - 1] = 77 << t.GAIN_AT  # no gain stands here
    for watched, expected in (
        ([(feature + 1) % 3, feature], (1, 2)),
        ([feature, (feature + 1) % 3], (0, 2)),
        ([(feature + 1) % 3, (feature + 2) % 3], (0, 3)),
    ):
        bench.scratch[t.S_NODE] = 1
        bench.halves[lanes : lanes + 2] = array("H", watched)
        other = [2 if f == feature else 3 for f in watched]
        bench.scratch[gains : gains + 2] = array("i", [n << t.GAIN_AT for n in other])
        bench.call("tree.rule rule")
        assert (bench.scratch[t.S_LANE], bench.scratch[t.S_BEST]) == expected


def depth(bench: Bench, monitor: int) -> int:
    return bench.halves[bench.node(bench.halves[monitor] - 1) + t.NODE_SHAPE] >> t.DEPTH_AT


def test_the_deepest_of_several_alternates_gives_way_to_one_above_it_only():
    bench = Bench(niwaki, 2, 2, 6000, adaptive=True, leaf="mc")
    bench.learn_until(noisy(12000, (0.05,)), lambda: len(monitors(bench)) > 3)
    before = bench.halves[:]
    known = monitors(bench)
    found = set()
    for wanting in known:
        for deepest in known:
            if wanting == deepest:
                continue
            bench.halves[:] = before
            extra = t.S_ROWS + bench.words[t.ROWS] + bench.words[t.LANES]
            items = extra + t.X_ITEMS
            number = (deepest - bench.words[t.MONITOR0]) // bench.words[t.MONITOR]
            bench.halves[deepest + t.MONITOR_AGE] = 5
            bench.scratch[extra] = t.X_PENDING + t.ALTERNATES
            bench.scratch[items + 2 * bench.words[t.MONITORS]] = number
            bench.scratch[extra + t.X_LIST] = 1
            bench.scratch[items], bench.scratch[items + 1] = wanting + t.WATCH, 1
            bench.scratch[t.S_PENDING] = 0
            assert bench.call("tree.drift judge") == 0
            above = depth(bench, wanting) < depth(bench, deepest)
            assert bench.scratch[t.S_WANTS] == (wanting if above else -1)
            assert bench.halves[deepest + t.MONITOR_AGE] == (t.DROP if above else 5)
            found.add(above)
    assert found == {False, True}


def test_half_of_the_slots_are_left_to_the_main_tree():
    for slots, begins in ((2, False), (3, False), (4, True)):
        bench = Bench(niwaki, 2, 2, 6000, adaptive=True, leaf="mc")
        bench.learn_until(noisy(12000, (0.05,)), lambda bench=bench: len(monitors(bench)) > 2)
        running, wanting = monitors(bench)[:2]
        bench.halves[running + t.MONITOR_AGE] = 5
        bench.words[t.SLOTS] = slots
        bench.scratch[t.S_WANTS], bench.scratch[t.S_PENDING] = wanting, 1
        bench.call("tree.alternates begin")
        assert (bench.halves[wanting + t.MONITOR_AGE] == 1) == begins


def test_verdicts_are_carried_out_once():
    """What an exception has put off may be done already when it is done again."""
    bench = Bench(niwaki, 2, 2, 3000, adaptive=True, leaf="mc")
    bench.scratch[t.S_WANTS], bench.scratch[t.S_PENDING] = -1, 1
    tree._decide(bench.tree)
    assert bench.scratch[t.S_PENDING] == 0


def test_at_a_review_a_split_that_has_lost_its_merit_gets_an_alternate():
    """In a regularised tree: the two sides differ by no more than chance, where they once differed a lot."""
    for right, begins in ((100, True), (900, False)):
        bench = Bench(niwaki, 2, 2, 6000, adaptive=True, omega=0.9, leaf="mc", grace=50, tau=0.5, delta=0.01)
        bench.learn_until(steps(2000), lambda bench=bench: monitors(bench))
        monitor = monitors(bench)[0]
        node = bench.halves[monitor] - 1
        child = bench.halves[bench.node(node) + t.NODE_CHILD]
        assert node == 0 and set(bench.leaves()) == {child, child + 1}
        bench.halves[bench.node(node) + t.NODE_MERIT] = 4096
        for leaf, counts in ((child, [1000, 100]), (child + 1, [1000, right])):
            at = bench.leaf(leaf) + t.LEAF
            bench.halves[at : at + 2] = array("H", counts)
            bench.halves[bench.leaf(leaf) + t.LEAF_EPOCH] = 0
        bench.words[shared.SAMPLES] = t.PERIOD
        bench.scratch[t.S_NODE], bench.scratch[t.S_WANTS], bench.scratch[t.S_PENDING] = child, -1, 1
        bench.call("tree.alternates begin")
        assert (bench.halves[monitor + t.MONITOR_AGE] == 1) == begins


def test_a_split_that_has_room_needs_nothing_pruned():
    bench = Bench(niwaki, 1, 2, 3000)
    bench.scratch[t.S_NODE], bench.scratch[t.S_SPLIT] = 0, 1
    before = images.to_bytes(bench.tree)
    assert bench.call("tree.prune prune") == 0
    assert bench.scratch[t.S_SPLIT] == 1 and images.to_bytes(bench.tree) == before


def test_lanes_that_watch_one_feature_twice_are_refused():
    bench = Bench(niwaki, 6, 2, 3000, lanes=3)
    lanes = bench.words[t.SLOT_HALVES0] + bench.words[shared.CLASSES]
    assert list(bench.halves[lanes : lanes + 3]) == [0, 1, 2]
    images.from_bytes(images.to_bytes(bench.tree))
    for wrong in ([0, 1, 1], [0, 6, 2]):
        bench.halves[lanes : lanes + 3] = array("H", wrong)
        with pytest.raises(UsageError, match="damaged"):
            images.from_bytes(images.to_bytes(bench.tree))


def test_an_alternate_that_has_just_begun_is_proved_too():
    bench = in_drift(niwaki)
    monitor = next(at for at in monitors(bench) if bench.halves[at + t.MONITOR_AGE])
    number = (monitor - bench.words[t.MONITOR0]) // bench.words[t.MONITOR]
    bench.halves[monitor + t.MONITOR_AGE] = 1
    bench.halves[monitor + t.MONITOR_ERRORS] = bench.halves[monitor + t.MONITOR_RIVAL] = 0
    images.from_bytes(images.to_bytes(bench.tree))
    bench.halves[bench.node(bench.words[t.MAX_NODES] + number) + t.NODE_SHAPE] += t.DEEPER
    with pytest.raises(UsageError, match="has other ancestors"):
        images.from_bytes(images.to_bytes(bench.tree))


def recorded(kernel, answers: dict[str, list[int]]):
    """The kernel, which notes what it returns."""

    def call(*arguments):
        answer = kernel(*arguments)
        answers.setdefault(kernel.__name__, []).append(answer)
        return answer

    return call


def test_work_of_trees_that_is_done_is_not_due_again(monkeypatch):
    """A kernel is called until it returns 0."""
    answers: dict[str, list[int]] = {}
    for name in "rule prune sides grow shrink".split():
        monkeypatch.setattr(tree, name, recorded(getattr(tree, name), answers))
    bench = below_a_split(niwaki, merit=0, strict=1)
    for key, kernels in list(tree._variants.items()):
        some = tuple(kernel and recorded(kernel, answers) for kernel in kernels)
        monkeypatch.setitem(tree._variants, key, some)
    bench.words[t.GRACE] = 20
    plain = niwaki.Tree(2, 2, 3000, grace=20, tau=0.5)
    for x, y in steps(300, 7):
        bench.tree.learn(x, y)
        plain.learn(x, y)
    assert {"rule", "prune", "sides", "grow", "shrink", "strict", "splits", "adwin", "judge"} <= set(answers)
    assert not any(any(some) for name, some in answers.items() if name != "replace")


def test_work_of_shrubs_that_is_done_is_not_due_again(monkeypatch):
    answers: dict[str, list[int]] = {}
    for name in "grow agree weigh".split():
        monkeypatch.setattr(shrubs, name, recorded(getattr(shrubs, name), answers))
    clf = niwaki.Shrubs(2, 2, 1500, every=8, window=16)
    for x, y in steps(40, 7):
        clf.learn(x, y)
    assert {"grow", "weigh"} <= set(answers) and not any(any(some) for some in answers.values())


def test_a_sample_that_has_waited_for_all_serials_gives_its_place_up():
    """Its serial is given anew, to a sample in another place: a ticket must not lead to two of them."""
    bench = Bench(niwaki, 1, 2, 3000, pending=2)
    end = bench.words[shared.HALVES] - shared.RING_TAIL
    bench.halves[end - 4 : end] = array("H", [0, 0, 8, 40000])  # place 0 is free, in place 1 waits number 8
    bench.halves[end + shared.RING_LAST] = 7
    assert bench.tree.defer([5]) == 8 * 2 + 0
    assert list(bench.halves[end - 4 : end]) == [8, 32773, 0, 40000]


def test_the_margin_of_votes_that_nobody_contests_is_the_whole():
    clf = niwaki.Shrubs(2, 3, 3000)
    clf.learn([1, 2], 0)
    scratch = clf._arrays[shared.A_SCRATCH]
    margin = niwaki.fetch("shrubs.margin", "margin")
    for votes, expected in (([0, 1, 0], 65536), ([100, 0, 50], 32768), ([0, 0, 0], 0), ([7, 7, 0], 0)):
        scratch[:3] = array("i", votes)
        assert margin(clf._at, clf._seen) == expected


@pytest.mark.parametrize("options", [{"depth": 3}, {}, {"loss": "ce"}], ids=str)
def test_exact_shrubs_know_what_they_have_seen(options):
    clf = niwaki.Shrubs(2, 3, 9000, exact=True, window=12, shrubs=4, **options)
    wrong = 0
    for i in range(60):
        x = [i * 37 % 101, i * 11 % 53]
        y = x[0] // 34
        wrong += i >= 20 and clf.predict(x) != y
        clf.learn(x, y)
    assert wrong < 16  # of 40; by chance 27
    assert clf.words[s.FLAGS] & s.EXACT


def test_a_leaf_that_waits_has_been_looked_at_just_now():
    bench = Bench(niwaki, 1, 2, 3000, grace=5)
    bench.learn_until(steps(50, features=1), bench.waits)
    tried = bench.age(0) - t.SLOT_AGE + t.SLOT_TRIED
    images.from_bytes(images.to_bytes(bench.tree))
    bench.words[tried] -= 1
    with pytest.raises(UsageError, match="node 0 has not been looked at"):
        images.from_bytes(images.to_bytes(bench.tree))
