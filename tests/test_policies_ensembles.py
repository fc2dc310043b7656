"""The policies of shrubs and groves, each held by a test that fails when a line of it is changed."""

import random

import pytest
from support.policies import holds, is_missed, pairs

from niwaki import layout as shared
from niwaki.grove import layout as g
from niwaki.shrubs import layout as s

FULL = 65536


def halves_of_a_line(n: int, flipped: bool = False, seed: int = 1):
    """Two classes, told apart by the first of two features; `flipped`, each is called the other."""
    rng = random.Random(seed)
    for _ in range(n):
        x = [rng.randint(-1000, 1000), rng.randint(-1000, 1000)]
        yield x, int(x[0] > 0) ^ flipped


def coins(n: int, seed: int = 1):
    """Labels that nobody can know."""
    rng = random.Random(seed)
    for _ in range(n):
        yield [rng.randint(-1000, 1000), rng.randint(-1000, 1000)], rng.randrange(2)


def said(clf, x) -> tuple[int, int, int]:
    """What a shrub ensemble answers, what its weights say, and what its youngest shrub says."""
    answer = clf.predict(x)
    scratch = clf._arrays[shared.A_SCRATCH]
    return answer, scratch[clf.n_classes], scratch[clf.n_classes + s.S_YOUNGEST]


# Shrubs


def the_youngest_shrub_leads_while_it_is_better(package):
    clf = package.Shrubs(2, 2, 2048, every=64)
    for x, y in halves_of_a_line(300):
        clf.learn(x, y)
    wrong = alone = 0
    for x, y in halves_of_a_line(60, flipped=True, seed=2):
        answer, ensemble, youngest = said(clf, x)
        assert answer == (youngest if clf.words[s.LEAD] > 0 else ensemble)
        alone += answer != ensemble
        wrong += clf.learn(x, y) != y
    assert alone > 20 and wrong < 25


def the_lead_is_a_mean_over_about_32_samples(package):
    clf = package.Shrubs(2, 2, 2048, every=64)
    for x, y in halves_of_a_line(200):
        clf.learn(x, y)
    seen = set()
    for x, y in coins(200):
        before = clf.words[s.LEAD]
        _, ensemble, youngest = said(clf, x)
        gain = ((youngest == y) - (ensemble == y)) * FULL
        seen.add(gain)
        clf.learn(x, y)
        assert clf.words[s.LEAD] == before + ((gain - before) >> 5)
    assert seen == {-FULL, 0, FULL}


def bought(package, stream, **options):
    """(tokens before, after, samples taken, lead) of each shrub that an error called for; the model."""
    clf = package.Shrubs(2, 2, 2048, every=64, weigh=64, **options)
    found = []
    for x, y in stream:
        before = clf.words[s.TOKENS]
        clf.learn(x, y)
        if clf.words[s.TOKENS] < before:
            found.append((before, clf.words[s.TOKENS], clf.words[s.TAKE], clf.words[s.LEAD]))
        assert 0 <= clf.words[s.TOKENS] <= 64
    return found, clf


def an_error_of_the_youngest_buys_another_one_in_eight_samples(package):
    found, _ = bought(package, coins(800))
    assert 60 < len(found) <= 800 // 8 + 8
    assert all(after == min(before + 1, 64) - 8 for before, after, _, _ in found)
    found, clf = bought(package, halves_of_a_line(400))
    assert len(found) < 20 and clf.words[s.TOKENS] == 64  # what is saved up: eight in a row, no more


def a_shrub_after_an_error_is_grown_on_the_newest_samples(package):
    found, clf = bought(package, coins(400), recent=9)
    assert found and all(take == 9 for _, _, take, _ in found[1:])
    rng = random.Random(9)
    for _ in range(40):  # until the next one
        before = clf.words[s.TOKENS]
        clf.learn([rng.randint(-1000, 1000), rng.randint(-1000, 1000)], rng.randrange(2))
        if clf.words[s.TOKENS] < before:
            break
    else:
        raise AssertionError("no shrub was grown")
    window, head = clf.words[s.WINDOW], clf.words[s.HEAD]
    right = []
    for age in range(1, 30):
        slot = (head - 1 - age) % window
        x = [clf.halves[f * window + slot] - 32768 for f in range(2)]
        label = (clf.octets[s.LABELS * window + slot + 1] >> 1) - 1
        right.append(said(clf, x)[2] == label)
    assert all(right[:9]) and not all(right[9:])
    assert bought(package, coins(200), recent=0)[0] == []


def nobody_replaces_a_youngest_that_is_far_behind(package):
    for lead, expected in ((-6000, True), (-12000, False)):
        clf = package.Shrubs(2, 2, 2048, every=64, weigh=64)
        for x, y in halves_of_a_line(200):
            clf.learn(x, y)
        clf.words[s.TRAIN_IN] = 50
        clf.words[s.LEAD] = lead
        x = [500, 0]
        _, ensemble, youngest = said(clf, x)
        assert ensemble == youngest == 1
        before = clf.words[s.TOKENS]
        clf.learn(x, 0)
        assert (clf.words[s.TOKENS] < before) == expected


# Groves


def credit(clf) -> tuple[int, int]:
    return clf.words[g.FOLLOWS], clf.words[g.KNOWS]


def answers(clf) -> tuple[int, int, int]:
    """What the vote, the nearest of the newest and the histograms have just said."""
    scratch = clf._arrays[shared.A_SCRATCH]
    return scratch[g.S_VOTE], scratch[g.S_NEWEST], scratch[g.S_BAYES]


def taught(package, **options):
    clf = package.Grove(2, 2, 2048, **options)
    for x, y in halves_of_a_line(120):
        clf.learn(x, y)
    assert credit(clf) == (0, 0)
    return clf


def after(before: int, said: int, vote: int, y: int) -> int:
    return before + ((((said == y) - (vote == y)) * FULL - before) >> 7)


def teaching_without_asking_changes_nobodys_credit(package):
    clf = taught(package)
    for x, y in coins(150):
        clf.learn(x, y)
        assert credit(clf) == (0, 0)
    # Asked, but another sample than the one that is learned.
    for (x, y), (other, _) in zip(coins(100, seed=3), coins(100, seed=4), strict=True):
        clf.predict(other)
        clf.learn(x, y)
        assert credit(clf) == (0, 0)


def credit_is_for_answers_given_before_the_label(package):
    clf = taught(package)
    moved = 0
    for x, y in coins(150):
        before = credit(clf)
        clf.predict(x)
        vote, *others = answers(clf)
        clf.learn(x, y)
        expected = tuple(after(b, said, vote, y) for b, said in zip(before, others, strict=True))
        assert credit(clf) == expected
        moved += expected != before
        # Learned once more without a question: no credit twice.
        clf.learn(x, y)
        assert credit(clf) == expected
    assert moved > 50


def what_was_answered_when_a_sample_was_deferred_counts(package):
    clf = taught(package, pending=4)
    different = 0
    for turn in range(12):
        flipped = turn % 2 == 0
        x = [700 if turn % 3 else -700, 40 * turn]
        ticket = clf.defer(x)
        kept = answers(clf)
        for other, y in halves_of_a_line(40, flipped=flipped, seed=turn):
            clf.learn(other, y)  # nobody is asked
        before = credit(clf)
        clf.predict(x)
        different += answers(clf) != kept
        clf.label(ticket, turn % 2)
        expected = [after(b, said, kept[0], turn % 2) for b, said in zip(before, kept[1:], strict=True)]
        assert list(credit(clf)) == expected
    assert different > 3


def who_was_right_more_often_answers_alone(package):
    """Beyond 2 % (1,311 of 65,536), the newest before the histograms where they are as good."""
    clf = taught(package)
    rng = random.Random(6)
    seen = dict.fromkeys(("newest", "histograms"), 0)
    for _ in range(300):
        x = [rng.randint(-60, 60), rng.randint(-1000, 1000)]
        for follows, knows in ((1311, 1311), (1312, 0), (0, 1312), (1400, 1400), (1400, 1401), (-9000, 0)):
            clf.words[g.FOLLOWS], clf.words[g.KNOWS] = follows, knows
            clf.words[g.IDLE] = 0
            clf._arrays[shared.A_SCRATCH][g.S_MARK] = 0  # ask anew
            answer = clf.predict(x)
            vote, newest, bayes = answers(clf)
            expected = vote
            if follows > 1311 and follows >= knows:
                expected = newest
                seen["newest"] += newest != vote
            elif knows > 1311:
                expected = bayes
                seen["histograms"] += bayes != vote
            assert answer == expected
    assert min(seen.values()) > 3


def the_newest_lead_only_for_a_while_after_the_last_label(package):
    clf = taught(package)
    clf.settle()
    clf.words[g.FOLLOWS] = 5000
    rng = random.Random(8)
    for idle in (0, 31, 32, 200):
        different = 0
        for _ in range(100):
            clf.words[g.IDLE] = idle
            answer = clf.predict([rng.randint(-60, 60), rng.randint(-1000, 1000)])
            vote, newest, _bayes = answers(clf)
            assert answer == (newest if idle < 32 else vote)
            different += newest != vote
        assert different > 3 and clf.words[g.IDLE] == idle + 1
    clf.learn([1, 1], 1)  # a label: it goes on
    assert clf.words[g.IDLE] == 0


def what_is_due_grows_while_nobody_teaches(package):
    """In pieces, from the second question on, until every shrub knows the whole lesson; the rest stays."""
    clf = package.Grove(2, 2, 2048, hurry=16)
    for x, y in sorted(halves_of_a_line(60), key=lambda sample: sample[1]):
        clf.learn(x, y)
    places = clf.words[g.MEMORY] + clf.words[g.RECENT]
    cells = places * 3 + 2 * clf.words[g.BINS] * 2

    def kept():
        """Samples and their labels, which change places when a shrub grows, then histograms and counts."""
        samples = [(*clf.octets[2 * i : 2 * i + 2], clf.octets[2 * places + i]) for i in range(places)]
        return sorted(samples), bytes(clf.octets[3 * places : cells]), bytes(clf.halves[:4])

    def due():
        return clf.words[g.LEAVES] or clf.words[g.REST] >= clf.words[g.COUNT]

    remembered = kept()
    before = bytes(clf.octets)
    assert due()
    clf.predict([0, 0])
    assert bytes(clf.octets) == before  # a question, and its label may be next
    stands, questions = {clf.words[g.GROWING]}, 0
    while due():
        questions += 1
        clf.predict([questions, 0])
        stands.add(clf.words[g.GROWING])
        assert questions < 300
    assert stands == set(range(clf.words[g.SHRUBS] + 1)) and questions > 10
    grown = bytes(clf.octets)
    for k in range(20):
        clf.predict([k, 7])
    assert bytes(clf.octets) == grown
    assert kept() == remembered


def the_memory_keeps_its_classes_in_balance(package):
    """When it is full, a new sample takes the place of one of the class that has most, however rare it is."""
    clf = package.Grove(2, 3, 1500)
    memory, recent = clf.words[g.MEMORY], clf.words[g.RECENT]
    labels = (memory + recent) * clf.n_features
    rng = random.Random(4)
    taught = [0] * (2 * memory) + [1] * memory + [2] * 10 + [1] * 10
    for n, y in enumerate(taught):
        before = list(clf.halves[:3])
        clf.learn([rng.randint(-1000, 1000), rng.randint(-1000, 1000)], y)
        after = list(clf.halves[:3])
        assert [list(clf.octets[labels : labels + sum(after)]).count(c) for c in range(3)] == after
        if n < memory:
            assert sum(after) == n + 1
        else:
            assert sum(after) == memory and after[y] - before[y] in (0, 1)
            gave = max(range(3), key=lambda c: before[c] + (c == y) - after[c])
            assert before[gave] == max(before)
    assert after[2] == 10 and abs(after[0] - after[1]) <= 2
    clf = package.Grove(2, 90, 4096)
    memory, rng = clf.words[g.MEMORY], random.Random(5)
    labels = (memory + clf.words[g.RECENT]) * clf.n_features
    for n in range(memory + 300):
        before = list(clf.halves[:90])
        clf.learn([rng.randint(-1000, 1000), rng.randint(-1000, 1000)], n % 90)
        if n >= memory:
            gave = max(range(90), key=lambda c: before[c] + (c == n % 90) - clf.halves[c])
            assert before[gave] == max(before)
    held = list(clf.octets[labels : labels + memory])
    assert [held.count(c) for c in range(90)] == list(clf.halves[:90])


def a_lesson_is_remembered_evenly_a_stream_by_its_end(package):
    """Of samples that are taught, not asked, the first stay as likely as the last."""
    for asked in (False, True):
        clf = package.Grove(2, 2, 2048, memory=40)
        for i in range(400):
            for y in (0, 1):
                x = [i, 500 * y]
                if asked:
                    clf.predict(x)
                clf.learn(x, y)
        shift = clf.words[g.WINDOWS] & g.SHIFT
        lo = (clf.words[g.WINDOWS] >> g.LO_SHIFT & g.LO) - 98304
        seen = sorted(lo + (clf.octets[2 * place] << shift >> g.FINE) for place in range(40))
        assert abs(clf.halves[0] - 20) <= 1 and 0 <= seen[0] and seen[-1] < 400
        if asked:
            assert seen[10] > 300
        else:
            assert 5 <= sum(value < 200 for value in seen) <= 35 and seen[2] < 100 < 300 < seen[37]


def a_shrub_is_grown_in_pieces(package):
    """With the least effort one split a call: no learn takes much longer than another."""
    clf = package.Grove(2, 2, 2048, effort=1, nodes=12)
    stands, places = clf.words[g.SHRUBS] + 1, clf.words[g.MEMORY] + clf.words[g.RECENT]
    nodes = places * 3 + 2 * clf.words[g.BINS] * 2 + 2
    largest = pauses = 0
    for x, y in coins(300):
        stand = clf.words[g.GROWING]
        before = clf.octets[nodes + stand] if clf.words[g.LEAVES] else 0
        clf.learn(x, y)
        assert not clf.words[g.LEAVES] or clf.octets[nodes + stand] <= before + 1
        pauses += clf.words[g.LEAVES] > 1
        largest = max(largest, *clf.octets[nodes : nodes + stands])
    assert pauses > 100 and largest > 3


_ASKED = "if scratch[_S_ASKED] and vote >= 0:"
POLICIES = {
    the_youngest_shrub_leads_while_it_is_better: [
        (("shrubs.predict", "if words[_LEAD] > 0:", "if words[_LEAD] > 65536:"),),
        (("shrubs.predict", "if words[_LEAD] > 0:", "if words[_LEAD] < 0:"),),
        (("shrubs.predict", "            best = own\n    return best", "            pass\n    return best"),),
        (("shrubs.learn", "words[_TAKE] = words[_RECENT]", "words[_TAKE] = count"),),
    ],
    the_lead_is_a_mean_over_about_32_samples: [
        (("shrubs.learn", "_MEMORY = const(5)", "_MEMORY = const(6)"),),
        (
            (
                "shrubs.learn",
                "            gain -= _FULL\n        words[_LEAD]",
                "            pass\n        words[_LEAD]",
            ),
        ),
        (("shrubs.learn", "if not scratch[classes] - y:", "if scratch[classes] != y:"),),
    ],
    an_error_of_the_youngest_buys_another_one_in_eight_samples: [
        (("shrubs.learn", "elif failed and words[_TOKENS] >= _PACE and", "elif failed and"),),
        (("shrubs.learn", "words[_TOKENS] -= _PACE", "words[_TOKENS] -= 1"),),
        (("shrubs.learn", "_PACE = const(8)", "_PACE = const(4)"),),
        (("shrubs.learn", "if words[_TOKENS] < _BURST:", "if 1:"),),
        (("shrubs.learn", "elif failed and words", "elif words"),),
        (("shrubs.learn", "            failed = 1\n", "            failed = 0\n"),),
    ],
    a_shrub_after_an_error_is_grown_on_the_newest_samples: [
        (("shrubs.learn", "words[_TAKE] = words[_RECENT]", "words[_TAKE] = count"),),
        (("shrubs.grow", "    n = words[_TAKE]\n", "    n = words[_COUNT]\n"),),
        (
            (
                "shrubs.grow",
                "    s = words[_HEAD]\n",
                "    s = words[_HEAD] - 9\n    if s < 1:\n        s += window\n",
            ),
        ),
    ],
    nobody_replaces_a_youngest_that_is_far_behind: [
        (("shrubs.learn", " and words[_LEAD] > _BEHIND:", ":"),),
        (("shrubs.learn", "_BEHIND = const(-6554)", "_BEHIND = const(-655)"),),
    ],
    teaching_without_asking_changes_nobodys_credit: [
        (("grove.grove", "                recall(at, x, -1)\n", ""),),
        (("grove.learn", _ASKED, "if vote >= 0:"),),
        (("grove.credit", "if fingerprint != scratch[_S_PRINT]:", "if 0:"),),
        (("grove.credit", "    scratch[_S_ASKED] = 0\n    if answered", "    if answered"),),
    ],
    credit_is_for_answers_given_before_the_label: [
        (("grove.learn", _ASKED, "if 0:"),),
        (("grove.learn", "_FADE = const(7)", "_FADE = const(6)"),),
        (("grove.learn", "if vote == y:", "if vote != y:"),),
        (("grove.learn", "c = scratch[_S_NEWEST + turn]", "c = scratch[_S_NEWEST]"),),
    ],
    what_was_answered_when_a_sample_was_deferred_counts: [
        (("grove.grove", "recall(self._at, self._arrays[5], answered)", "pass"),),
        (("grove.grove", "recall(self._at, self._arrays[5], answered)", "recall(self._at, x, -1)"),),
        (("pending", "keep(self._at, x, more, self.answers())", "keep(self._at, x, more, 0)"),),
        (("grove.credit", "if answered >= 0:", "if 0:"),),
    ],
    who_was_right_more_often_answers_alone: [
        (("grove.predict", "_LEAD = const(1311)", "_LEAD = const(1310)"),),
        (("grove.predict", " and follows >= words[_KNOWS] and idle", " and idle"),),
        (("grove.predict", "follows >= words[_KNOWS]", "follows > words[_KNOWS]"),),
        (("grove.predict", "elif bayes >= 0 and words[_KNOWS] > _LEAD:", "elif 0:"),),
        (("grove.predict", "if newest >= 0 and follows > _LEAD", "if newest >= 0 and follows > 65536"),),
    ],
    the_newest_lead_only_for_a_while_after_the_last_label: [
        (("grove.predict", " and idle < _FOLLOWED:", ":"),),
        (("grove.predict", "_FOLLOWED = const(32)", "_FOLLOWED = const(31)"),),
        (("grove.learn", "    words[_IDLE] = 0\n", ""),),
    ],
    what_is_due_grows_while_nobody_teaches: [
        (("grove.predict", "    if idle and count and (", "    if 0 and ("),),
        (("grove.predict", "    if idle and count and (", "    if count and ("),),
        (("grove.learn", "        n = words[_SHRUBS] * k", "        n = 4 * k"),),
    ],
    the_memory_keeps_its_classes_in_balance: [
        (("grove.learn", "if halves[c] >= halves[most]:", "if halves[c] and c:"),),
        (("grove.learn", "if halves[c] >= halves[most]:", "if c == 0:"),),
        (("grove.learn", "while octets[labels + place] != most:", "while 0:"),),
        (("grove.learn", "                halves[most] -= 1\n", ""),),
    ],
    a_lesson_is_remembered_evenly_a_stream_by_its_end: [
        (("grove.learn", "if asked == 0 and halves[y]", "if 0 and halves[y]"),),
        (("grove.learn", "if asked == 0 and halves[y]", "if halves[y]"),),
        (("grove.learn", "if ((u >> 2) * n) >> 14 >= halves[y]:", "if 1:"),),
    ],
    a_shrub_is_grown_in_pieces: [
        (("grove.grow", "if effort < looked and effort < words[_EFFORT]:", "if 0:"),),
        (("grove.grow", "effort -= looked + (size >> 3) + _SPLIT", "effort -= 0"),),
    ],
}


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.__name__)
def test_policy(policy):
    holds(policy)


@pytest.mark.parametrize(("policy", "changes"), pairs(POLICIES))
def test_policy_is_missed(policy, changes):
    is_missed(policy, *changes)
