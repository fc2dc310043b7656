"""Our own policies of trees, each held by a test that fails when a line of it is changed."""

import random

import pytest
from support.policies import Bench, holds, is_missed, pairs

from niwaki.tree import layout as t


def steps(n: int, seed: int = 1, features: int = 2):
    """Two classes, told apart by the first feature, with noise: a split that is worth it."""
    rng = random.Random(seed)
    for _ in range(n):
        x = [rng.randint(-100, 100) for _ in range(features)]
        yield x, int(x[0] > 0) ^ (rng.random() < 0.1)


def crowded(package) -> tuple[Bench, int]:
    """A tree with more leaves than slots, and one of its leaves that has none."""
    bench = Bench(package, 3, 4, 1300, leaf="mc", bins=4, grace=40, tau=1.0, delta=0.1)
    rng = random.Random(2)

    def stream():
        for _ in range(2000):
            x = [rng.randint(-100, 100) for _ in range(3)]
            yield x, (x[0] > 0) + 2 * (x[1] > 20 * (x[2] > 0))

    def lacking():
        return [leaf for leaf in bench.leaves() if bench.slot(leaf) < 0]

    slots = bench.words[t.SLOTS]
    bench.learn_until(stream(), lambda: len(lacking()) > 1 and bench.words[t.ACTIVE] == slots > 2)
    return bench, lacking()[0]


def a_slot_goes_from_the_least_promise_to_twice_as_much(package):
    bench, lacking = crowded(package)
    holders = [leaf for leaf in bench.leaves() if bench.slot(leaf) >= 0]
    for index, poorest in enumerate(holders):
        bench, lacking = crowded(package)
        for k, leaf in enumerate(holders):
            bench.halves[bench.leaf(leaf) + t.LEAF_PROMISE] = 60 + k
        bench.halves[bench.leaf(poorest) + t.LEAF_PROMISE] = 50 if index % 2 else 20
        bench.halves[bench.leaf(lacking) + t.LEAF_PROMISE] = 102
        slot = bench.slot(poorest)
        bench.scratch[t.S_NODE] = lacking
        bench.call("tree.grow grow")
        assert bench.slot(lacking) == slot and bench.slot(poorest) == -1
        assert bench.scratch[t.S_SLOT2] == slot + 1 and bench.scratch[t.S_SHIFT] == t.SHIFT_CLEAR
        assert [leaf for leaf in holders if bench.slot(leaf) >= 0] == [n for n in holders if n != poorest]


def a_slot_is_not_given_away_lightly(package):
    """For as much promise, or not quite twice as much, nobody loses what has been observed."""
    for promise in (50, 99, 101):
        bench, lacking = crowded(package)
        holders = [leaf for leaf in bench.leaves() if bench.slot(leaf) >= 0]
        for leaf in holders:
            bench.halves[bench.leaf(leaf) + t.LEAF_PROMISE] = 50
        bench.halves[bench.leaf(lacking) + t.LEAF_PROMISE] = promise
        bench.scratch[t.S_NODE] = lacking
        bench.call("tree.grow grow")
        assert bench.slot(lacking) == -1 and all(bench.slot(leaf) >= 0 for leaf in holders)


def promise_counts_what_the_majority_gets_wrong(package):
    bench = Bench(package, 1, 2, 600, leaf="mc", nodes=3)
    for _ in range(5):
        bench.tree.learn([1], 0)
    assert bench.halves[bench.leaf(0) + t.LEAF_PROMISE] == 0
    for _ in range(3):
        bench.tree.learn([1], 1)
    assert bench.halves[bench.leaf(0) + t.LEAF_PROMISE] == 3


def the_child_with_more_to_win_inherits_the_slot(package):
    for mixed, clearer in ((1, 2), (2, 1)):
        bench = Bench(package, 1, 2, 700, leaf="mc", nodes=3, grace=100, nominal=[2])
        bench.words[t.SLOTS] = 1  # the other child finds none
        rng = random.Random(3)

        def stream(rng=rng, mixed=mixed):
            """The value 0 goes left, to node 1."""
            for _ in range(2000):
                x = rng.randrange(2)
                yield [x], x ^ (rng.random() < (0.3 if x + 1 == mixed else 0.2))

        bench.learn_until(stream(), lambda bench=bench: bench.tree.n_nodes == 3)
        more, less = (bench.halves[bench.leaf(leaf) + t.LEAF_PROMISE] for leaf in (mixed, clearer))
        assert less < more < 2 * less  # so that nobody takes the slot away again
        assert bench.slot(mixed) == 0 and bench.slot(clearer) == -1
        assert bench.words[bench.words[t.SLOT_WORDS0]] == mixed


def verdict(package, majority, bayes, full, stream=None, **options):
    """Whether a leaf may split that has had so many errors of its two answers; its age is 200."""
    bench = Bench(package, 2, 2, 3000, **{"tau": 0.4, **options})
    bench.learn_until(stream or steps(400), bench.waits)
    assert bench.words[bench.age(0)] == 200
    bench.wrong(0, majority, bayes)
    if full:
        bench.words[t.ACTIVE] = bench.words[t.SLOTS]
    assert bench.call("tree.rule rule") == 0
    assert bench.scratch[t.S_BEST] > 0
    assert bench.call("tree.sides sides") == 0
    return bench.scratch[t.S_SPLIT]


def with_no_slot_free_a_leaf_stays_whole_where_bayes_is_much_better(package):
    # Wrong less than half as often: 2 x 24 < 50. Right more than 4/3 times as often: 3 x 79 + 200 < 4 x 110.
    assert verdict(package, 50, 24, full=True) == 0
    assert verdict(package, 110, 79, full=True) == 0
    assert verdict(package, 50, 25, full=True) == 1
    assert verdict(package, 110, 80, full=True) == 1
    assert verdict(package, 50, 24, full=False) == 1
    assert verdict(package, 110, 79, full=False) == 1
    assert verdict(package, 50, 24, full=True, count_bits=16) == 0
    assert verdict(package, 50, 24, full=True, exact=True) == 1


def strict_and_regularised_trees_split_only_while_a_slot_is_free(package):
    for options in {"strict": 1}, {"strict": 2}, {"omega": 1.0}:
        assert verdict(package, 50, 50, full=True, **options) == 0
        assert verdict(package, 50, 50, full=False, **options) == 1
        assert verdict(package, 50, 50, full=True, exact=True, **options) == 1


def weak(n: int, excess: float = 0.0):
    """Hardly anything to gain; the first feature moves the odds of the classes from even by so much."""
    rng = random.Random(8)
    for _ in range(n):
        x = [rng.randint(-100, 100), rng.randint(-100, 100)]
        yield x, int(rng.random() < (0.5 + excess if x[0] > 0 else 0.5 - excess))


def ties_that_gain_little_do_not_split_where_bayes_is_much_better(package):
    assert verdict(package, 100, 49, False, weak(400)) == 0
    assert verdict(package, 100, 50, False, weak(400)) == 1
    # With slots to spare only the first of the two comparisons counts.
    assert verdict(package, 110, 79, False, weak(400)) == 1
    # What gains much may split though it is a tie, and so may what is no tie.
    twins = [([x[0], x[0]], y) for x, y in steps(400)]
    assert verdict(package, 100, 49, False, iter(twins)) == 1
    assert verdict(package, 100, 49, False, weak(400, 0.18), tau=0, delta=0.5) == 1
    # Strict and regularised trees as well; the papers' own ways.
    assert verdict(package, 100, 49, False, weak(400), strict=1) == 0
    assert verdict(package, 100, 49, False, weak(400), count_bits=16) == 1
    assert verdict(package, 100, 49, False, weak(400), exact=True) == 1


def a_split_leaves_more_than_a_hundredth_on_either_side(package):
    """With 199 samples 2 are enough, with 200 they are not; whichever side they are on."""
    for criterion in "gini", "gain":
        for rare in 0, 1:
            for n, expected in (199, True), (200, False):
                bench = Bench(package, 1, 2, 3000, criterion=criterion, grace=65535)
                for i in range(n):
                    value = rare if i < 2 else 1 - rare
                    bench.tree.learn([value], value)
                bench.scratch[t.S_NODE] = 0
                bench.call(f"tree.{criterion} splits")
                gain = bench.scratch[t.S_ROWS + bench.words[t.ROWS]] >> t.GAIN_AT
                assert (gain > 0) == expected, (criterion, rare, n)


def below_a_split(package, merit, classes=2, last=1, **options) -> Bench:
    """An adaptive tree at an attempt of the root's left child; the root's split had the merit `merit`, Q12.

    It knows classes 0 and `last`. The gains of features 0 and 1 are the caller's to write.
    """

    def stream(seed):
        for x, y in steps(2000, seed):
            yield x, y * last

    bench = Bench(package, 2, classes, 4000, adaptive=True, tau=1.0, delta=0.01, **options)
    bench.learn_until(stream(1), lambda: bench.tree.n_nodes == 3)
    bench.words[t.GRACE] = 65535  # no attempt but this one
    bench.learn_until(stream(5), lambda: bench.words[bench.age(1)] > 300)
    bench.scratch[t.S_NODE] = 1
    bench.halves[bench.node(0) + t.NODE_MERIT] = merit
    bench.call("tree.gain splits")
    return bench


def offer(bench: Bench, first: int, second: int, tau: int = 4) -> int:
    """The lane that the rule prefers when the two features gain so much, in Q16."""
    at = t.S_ROWS + bench.words[t.ROWS]
    bench.scratch[at : at + 2] = type(bench.scratch)("i", [first << t.GAIN_AT, second << t.GAIN_AT])
    bench.words[t.TAU] = 65536 * tau
    bench.call("tree.rule rule")
    return bench.scratch[t.S_LANE]


def a_tie_within_chance_goes_to_a_feature_that_the_branch_uses(package):
    # ln(1 / 0.01) / 2 in bits by 300 samples or more: chance gives up to about 0.011 bits, 725 in Q16
    bench = below_a_split(package, merit=4000)
    held = bench.words[bench.age(1) - t.SLOT_AGE + t.SLOT_HELD]
    by_chance = (bench.words[t.HALF_LN] * 92) // held
    assert offer(bench, 3, by_chance) == 0 and bench.scratch[t.S_BEST] == 3
    assert offer(bench, 3, by_chance + 1) == 1
    assert offer(bench, 0, by_chance) == 1
    # Chance grows with the classes, half a bit each, up to the last that was ever seen.
    for last in 1, 2, 4:
        several = below_a_split(package, merit=4000, classes=5, last=last)
        samples = several.words[several.age(1) - t.SLOT_AGE + t.SLOT_HELD]
        by_luck = (several.words[t.HALF_LN] + 512 * (last - 1)) * 92 // samples
        assert offer(several, 3, by_luck) == 0 and offer(several, 3, by_luck + 1) == 1
    # A split of the branch that was itself no more than chance is no reason.
    weak = below_a_split(package, merit=by_chance >> 4)
    assert offer(weak, 3, by_chance - 5) == 1
    # The regularised tree has another rule.
    regularised = below_a_split(package, merit=4000, omega=0.9)
    assert offer(regularised, 3, by_chance) == 1


def a_regularised_tree_splits_only_where_vfdt_would(package):
    """Two features with one gain are a tie for VFDT, though omega halves one of them."""
    for exact in False, True:
        bench = below_a_split(package, merit=0, omega=0.5, exact=exact)
        assert offer(bench, 60000, 60000, tau=0) == 0 and bench.scratch[t.S_BEST] == 60000
        assert bench.scratch[t.S_SPLIT] == exact
        assert offer(bench, 60000, 60000) == 0 and bench.scratch[t.S_SPLIT] == 1
        assert offer(bench, 60000, 30000, tau=0) == 0 and bench.scratch[t.S_SPLIT] == 1


def noisy(n: int, levels: tuple[float, ...], seed: int = 4):
    rng = random.Random(seed)
    for i in range(n):
        x = [rng.randint(-100, 100) for _ in range(2)]
        yield x, int(x[0] > 0) ^ (rng.random() < levels[i * len(levels) // n])


def monitors(bench: Bench) -> list[int]:
    """Where the records of the monitors that have a node start, in halves."""
    first, size = bench.words[t.MONITOR0], bench.words[t.MONITOR]
    return [at for at in range(first, first + bench.words[t.MONITORS] * size, size) if bench.halves[at]]


def alternates(bench: Bench) -> int:
    return sum(bench.halves[at + t.MONITOR_AGE] > 0 for at in monitors(bench))


def an_alternate_starts_on_a_rising_error_not_on_a_falling_one(package):
    for levels, expected in (((0.4, 0.05), False), ((0.05, 0.4), True)):
        bench = Bench(package, 2, 2, 4000, adaptive=True, leaf="mc")
        seen = False
        for x, y in noisy(6000, levels):
            bench.tree.learn(x, y)
            seen |= alternates(bench) > 0
        assert bench.tree.n_nodes > 1 and seen == expected


def judged(package, age, errors, rival) -> int:
    """The age field of a monitor after `judge`: unchanged, or a verdict."""
    bench = Bench(package, 2, 2, 4000, adaptive=True, leaf="mc")
    bench.learn_until(steps(4000), lambda: monitors(bench))
    monitor = monitors(bench)[0]
    bench.halves[monitor + t.MONITOR_AGE] = age + 1
    bench.halves[monitor + t.MONITOR_ERRORS] = errors
    bench.halves[monitor + t.MONITOR_RIVAL] = rival
    extra = t.S_ROWS + bench.words[t.ROWS] + bench.words[t.LANES]
    bench.scratch[extra] = t.X_PENDING
    bench.scratch[extra + t.X_LIST] = 1
    bench.scratch[extra + t.X_ITEMS] = monitor + t.WATCH
    bench.scratch[extra + t.X_ITEMS + 1] = 0
    bench.scratch[t.S_PENDING] = 0
    bench.call("tree.drift judge")
    verdict = bench.halves[monitor + t.MONITOR_AGE]
    assert bench.scratch[t.S_PENDING] == (verdict in (t.REPLACE, t.DROP))
    return verdict


def only_a_better_alternate_takes_over(package):
    """(E - A)^2 > 14.755 E (n - E) / n; errors are kept over 1,024 to 2,047 samples."""
    assert judged(package, 1000, 300, 245) == 1001  # 55^2 < 14.755 x 210
    assert judged(package, 1000, 300, 244) == t.REPLACE
    assert judged(package, 1000, 100, 64) == 1001
    assert judged(package, 1000, 100, 63) == t.REPLACE  # 37^2 > 14.755 x 90 = 1328
    assert judged(package, 300, 100, 0) == 301  # not before its proof
    assert judged(package, 301, 100, 0) == t.REPLACE
    # Significantly worse: it stays while it is young, and goes then.
    assert judged(package, 1000, 62, 200) == 1001
    assert judged(package, 10_000, 62, 500) == 10_001
    assert judged(package, 10_001, 62, 500) == t.DROP
    # As good: for long, then it takes over.
    assert judged(package, 20_000, 100, 100) == 20_001
    assert judged(package, 20_001, 100, 100) == t.REPLACE
    assert judged(package, 20_001, 62, 500) == t.DROP


def in_drift(package, **options) -> Bench:
    """An adaptive tree whose error has risen: an alternate has just begun, one leaf."""
    bench = Bench(package, 2, 2, 6000, adaptive=True, leaf="mc", **options)
    bench.learn_until(noisy(12000, (0.05, 0.05, 0.4, 0.05, 0.45)), lambda: alternates(bench))
    return bench


def errors_fade_alike_on_both_sides(package):
    """Every 1,024 samples both are halved; the papers' way never, but for room: at 32,768, samples too."""
    for exact, age, halved, then in (
        (False, 1024, True, 1025),
        (False, 1023, False, 1024),
        (False, 3072, True, 3073),
        (True, 1024, False, 1025),
        (True, 32768, True, 16385),
    ):
        bench = in_drift(package, exact=exact)
        monitor = next(at for at in monitors(bench) if bench.halves[at + t.MONITOR_AGE])
        for x, y in noisy(200, (0.4,), seed=9):
            bench.halves[monitor + t.MONITOR_AGE] = age
            bench.halves[monitor + t.MONITOR_ERRORS] = 103
            bench.halves[monitor + t.MONITOR_RIVAL] = 58
            wrong = bench.tree.learn(x, y) != y
            if bench.halves[monitor + t.MONITOR_AGE] != age:  # the sample has come by
                break
        assert bench.halves[monitor + t.MONITOR_AGE] == then
        assert bench.halves[monitor + t.MONITOR_ERRORS] == (51 if halved else 103) + wrong
        assert bench.halves[monitor + t.MONITOR_RIVAL] - (29 if halved else 58) in (0, 1)


def each_verdict_is_carried_out_where_it_fell(package):
    """One alternate takes over, though other monitors stand behind its own; a lone leaf brings its slot."""
    for verdict in t.REPLACE, t.DROP:
        bench = Bench(package, 2, 2, 6000, adaptive=True, leaf="mc")
        bench.learn_until(noisy(12000, (0.05,)), lambda bench=bench: len(monitors(bench)) > 2)
        known = monitors(bench)
        monitor = known[-2]
        bench.scratch[t.S_WANTS], bench.scratch[t.S_PENDING] = monitor, 1
        bench.call("tree.alternates begin")
        assert bench.halves[monitor + t.MONITOR_AGE] == 1
        others = {at: bench.halves[at : at + bench.words[t.MONITOR]] for at in known if at != monitor}
        number = (monitor - bench.words[t.MONITOR0]) // bench.words[t.MONITOR]
        main, alternate = bench.halves[monitor] - 1, bench.words[t.MAX_NODES] + number
        child, slot = bench.halves[bench.node(main) + t.NODE_CHILD], bench.slot(alternate)
        nodes = bench.tree.n_nodes
        assert slot > 0 and child
        bench.halves[monitor + t.MONITOR_AGE] = verdict
        bench.scratch[t.S_PENDING] = 1
        assert bench.call("tree.replace replace") == 1
        assert bench.call("tree.replace replace") == 0
        assert bench.halves[monitor + t.MONITOR_AGE] == 0 and alternates(bench) == 0
        observed = bench.words[bench.words[t.SLOT_WORDS0] + slot * bench.words[t.SLOT_WORDS]]
        if verdict == t.REPLACE:
            assert bench.tree.n_nodes < nodes and bench.halves[bench.node(main) + t.NODE_CHILD] == 0
            assert bench.slot(main) == slot and observed == main
            assert bench.halves[monitor] == 0  # a leaf has no monitor
        else:
            assert bench.halves[bench.node(main) + t.NODE_CHILD] == child and observed == -1
            assert bench.halves[monitor] == main + 1
            assert all(bench.halves[at : at + len(was)] == was for at, was in others.items())


POLICIES = {
    a_slot_goes_from_the_least_promise_to_twice_as_much: [
        (("tree.grow", "if promise < least >> 1:", "if promise > least >> 1:"),),
        (("tree.grow", "least = promise * 2\n", "least = 65535\n"),),
        (("tree.grow", "if promise < least >> 1:", "if promise >= least:"),),
    ],
    a_slot_is_not_given_away_lightly: [
        (("tree.grow", "if promise < least >> 1:", "if promise < least:"),),
        (("tree.grow", "if promise < least >> 1:", "if promise <= least:"),),
    ],
    promise_counts_what_the_majority_gets_wrong: [
        (
            (
                "tree.learn",
                "promise = halves[leaf + _LEAF_PROMISE] + 1",
                "promise = halves[leaf + _LEAF_PROMISE]",
            ),
        ),
        (
            (
                "tree.learn",
                "    if majority - y:\n        promise = halves[leaf + _LEAF_PROMISE]",
                "    if 1:\n        promise = halves[leaf + _LEAF_PROMISE]",
            ),
        ),
    ],
    the_child_with_more_to_win_inherits_the_slot: [
        (("tree.grow", "if right_promise > left_promise:", "if right_promise < left_promise:"),),
        (("tree.grow", "if right_promise > left_promise:", "if 0:"),),
        (("tree.grow", "if right_promise > left_promise:", "if 1:"),),
    ],
    with_no_slot_free_a_leaf_stays_whole_where_bayes_is_much_better: [
        (("tree.rule", " or 2 * bayes < majority or 3 * bayes", " or 3 * bayes"),),
        (
            (
                "tree.rule",
                "if strict or 2 * bayes < majority or 3 * bayes + words[record + _SLOT_AGE] < 4 * majority:",
                "if 2 * bayes < majority:",
            ),
        ),
        (("tree.rule", "        if words[_ACTIVE] == words[_SLOTS]:\n", "        if 0:\n"),),
        (
            (
                "tree.rule",
                "2 * bayes < majority or 3",
                "2 * bayes <= majority or 3",
            ),
        ),
        (("tree.rule", "< 4 * majority", "<= 4 * majority"),),
        (("tree.rule", "        words[_ACTIVE] == words[_SLOTS]\n        or (flags", "        (flags"),),
    ],
    ties_that_gain_little_do_not_split_where_bayes_is_much_better: [
        (("tree.rule", "        elif 2 * bayes < majority:\n", "        elif 0:\n"),),
        (
            (
                "tree.rule",
                "        elif 2 * bayes < majority:\n",
                "        elif 2 * bayes <= majority:\n",
            ),
        ),
        (("tree.rule", " and plain < words[_RANGE] << 3", ""),),
        (("tree.rule", " and plain - plain_second <= bound and plain", " and plain"),),
        (("tree.rule", "flags & _WIDE == 0 and plain - plain_second", "plain - plain_second"),),
    ],
    a_split_leaves_more_than_a_hundredth_on_either_side: [
        (("tree.gini", "if count and left * 100 > n_all", "if count and left * 99 > n_all"),),
        (("tree.gini", "(n_all - left) * 100 > n_all", "(n_all - left) * 101 > n_all"),),
        (("tree.gain", "> top and left * 100 > n_all", "> top and left * 99 > n_all"),),
        (("tree.gain", "right * 100 > n_all", "right * 101 > n_all"),),
    ],
    a_tie_within_chance_goes_to_a_feature_that_the_branch_uses: [
        (("tree.rule", "halves[map0 - classes + known - 1] == 0", "halves[map0 + known - 1] == 0"),),
        (("tree.rule", "            if most:\n                best = most\n", ""),),
        (("tree.rule", "                elif best <= chance and", "                elif 0 and"),),
        (
            (
                "tree.rule",
                "elif best <= chance and halves[above + _NODE_MERIT] << 4 > chance:",
                "elif best <= chance:",
            ),
        ),
        (("tree.rule", "elif best <= chance and halves", "elif best < chance and halves"),),
        (("tree.rule", "                elif best <= chance and", "                elif"),),
    ],
    strict_and_regularised_trees_split_only_while_a_slot_is_free: [
        (("tree.rule", "if strict or 2", "if 2"),),
        (("tree.rule", "strict = omega | flags", "strict = flags"),),
        (("tree.rule", "strict = omega | flags & _STRICT", "strict = omega"),),
        (("tree.rule", "elif flags & _EXACT == 0 and (", "elif ("),),
    ],
    a_regularised_tree_splits_only_where_vfdt_would: [
        (("tree.rule", "elif omega and plain - plain_second <= bound", "elif 0 and plain"),),
        (("tree.rule", "plain_second <= bound and bound >= words[_TAU]:", "plain_second <= bound:"),),
    ],
    an_alternate_starts_on_a_rising_error_not_on_a_falling_one: [
        (("tree.drift", "if scratch[item + 1] == 1:", "if scratch[item + 1]:"),),
        (("tree.drift", "if scratch[item + 1] == 1:", "if scratch[item + 1] > 1:"),),
    ],
    only_a_better_alternate_takes_over: [
        (("tree.drift", "if excess > 0 and lead > 0 or", "if excess > 0 or"),),
        (("tree.drift", "if excess > 0 and lead > 0 or", "if lead > 0 or"),),
        (("tree.drift", "elif excess > 0 and age > youth:", "elif excess > 0:"),),
        (("tree.drift", "excess <= 0 and age > patience", "age > patience"),),
        (("tree.drift", "elif age > _PROOF:", "else:"),),
        (("tree.drift", "15109", "12000"),),
    ],
    errors_fade_alike_on_both_sides: [
        (("tree.drift", "halves[base + _MONITOR_ERRORS] >>= 1", "halves[base + _MONITOR_ERRORS] >>= 2"),),
        (("tree.drift", "halves[base + _MONITOR_RIVAL] >>= 1", "pass"),),
        (("tree.drift", "                            age >>= 1\n", "                            pass\n"),),
        (("tree.drift", "        fade = _FADE\n        if exact:", "        fade = _FADE\n        if 0:"),),
    ],
    each_verdict_is_carried_out_where_it_fell: [
        (
            (
                "tree.replace",
                "words[slot0 + (slot - 1) * words[_SLOT_WORDS]] = root",
                "words[slot0] = root",
            ),
        ),
        (
            (
                "tree.replace",
                "            halves[base] = 0\n            words[_SPARE]",
                "            words[_SPARE]",
            ),
        ),
    ],
}


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.__name__)
def test_policy(policy):
    holds(policy)


@pytest.mark.parametrize(("policy", "changes"), pairs(POLICIES))
def test_policy_is_missed(policy, changes):
    is_missed(policy, *changes)
