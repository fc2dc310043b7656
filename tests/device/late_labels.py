"""Samples that wait for their labels: tickets, who gives way, refusals, nothing allocated, bytes."""

import micropython
from tools import HEAP_IS_COUNTED, Random, codes, draw, measure, refuses, state

from niwaki import MISSING, Grove, Shrubs, Tree

MODELS = (Tree, Shrubs, Grove)


def ring(clf):
    """Where the places start, and their number."""
    end = clf.words[2] - 2
    places = clf.halves[end]
    more = 2 if isinstance(clf, Grove) else 0  # how it was answered
    return end - places * (clf.n_features + 1 + more), places


def model_alone(clf):
    """The whole state but for the ring."""
    return bytes(clf.words), bytes(clf.halves)[: 2 * ring(clf)[0]], bytes(clf.octets)


def test_a_late_label_is_learned_as_if_it_came_at_once():
    for make in (Tree, Shrubs):  # to a grove it matters what it had answered: see groves.py
        late, prompt = make(3, 3, 3000, pending=5), make(3, 3, 3000, pending=5)
        rng, x = Random(1), codes(3)
        tickets, labels = [], []
        for i in range(400):
            y = draw(rng, x, 3)
            if i % 11 == 0:
                x[i % 3] = MISSING
            elif i % 11 == 1:
                x[i % 3] = 32767 - 65534 * (i % 2)
            prompt.learn(x, y)
            tickets.append(late.defer(x))
            labels.append(y)
            if len(tickets) == 5:
                assert late.label(tickets.pop(0), labels.pop(0))
        while tickets:
            assert late.label(tickets.pop(0), labels.pop(0))
        assert late.samples == 400
        assert model_alone(late) == model_alone(prompt)


def test_tickets():
    for make in MODELS:
        clf = make(2, 2, 2000, pending=4)
        tickets = [clf.defer([i, -i]) for i in range(6)]
        assert len(set(tickets)) == 6
        for i in (5, 3, 0, 1, 2, 4):  # in any order; 0 and 1 have given way
            assert clf.label(tickets[i], i & 1) is (i > 1)
            assert clf.label(tickets[i], i & 1) is False  # once
        assert clf.samples == 4


def test_the_oldest_without_a_label_gives_way():
    """But none as long as there is room: those that have their label leave theirs."""
    clf = Tree(1, 2, 2000, pending=3)
    a, b, c = clf.defer([1]), clf.defer([2]), clf.defer([3])
    assert clf.label(b, 1)
    d = clf.defer([4])  # where b was
    e = clf.defer([5])  # where a was
    assert not clf.label(a, 1)
    for ticket in (c, d, e):
        assert clf.label(ticket, 0)


def test_serials_start_anew():
    clf = Tree(1, 2, 2000, pending=4)
    clf.halves[clf.words[2] - 1] = 65531
    tickets = [clf.defer([i]) for i in range(9)]
    assert max(tickets) < 1 << 29
    assert tickets[3] > tickets[4]
    for i in range(9):
        assert clf.label(tickets[i], 0) is (i >= 5)


def test_none_waits_for_ever():
    """Not even when all others get their labels: it is gone when its serial comes again."""
    clf = Tree(1, 2, 2000, pending=2)
    clf.defer([1])
    start, at = ring(clf)[0], clf.words[2] - 1
    for serial in (30000, 60000, 65534):
        clf.halves[at] = serial
        assert clf.label(clf.defer([2]), 0)
        assert clf.halves[start] == 1
    ticket = clf.defer([3])
    assert [clf.halves[start + i] for i in (0, 1, 2)] == [1, 3 + 32768, 0]
    assert clf.label(ticket, 0)
    assert clf.samples == 4


def test_refusals_change_nothing():
    for make in MODELS:
        clf = make(2, 3, 2000, pending=3)
        ticket = clf.defer([1, 2])
        before = state(clf)
        for y in (-1, 3, 255, 256, 1 << 40):
            refuses(ValueError, clf.label, ticket, y)
        for y in (1.0, None, "1"):
            refuses(TypeError, clf.label, ticket, y)
        for wrong in (-1, 0, 2, 3 << 16, 1 << 40):
            refuses(ValueError, clf.label, wrong, 0)
        for wrong in (None, 3.0, "3", [3]):
            refuses(TypeError, clf.label, wrong, 0)
        for x in ([1], [1, 2, 3], codes(3), [1, 40000]):
            refuses(ValueError, clf.defer, x)
        for x in (None, [1, 2.5], "ab", b"ab"):
            refuses(TypeError, clf.defer, x)
        assert state(clf) == before
        assert clf.label(ticket, 2)


def test_without_room():
    for make in MODELS:
        clf = make(2, 2, 2000)
        assert "pending=n" in refuses(ValueError, clf.defer, [1, 2])
        assert "pending=n" in refuses(ValueError, clf.label, 1, 1)
        for wrong in (-1, 4097):
            refuses(ValueError, make, 2, 2, 1 << 20, pending=wrong)
        for wrong in (2.0, "2", None):
            refuses(TypeError, make, 2, 2, 1 << 20, pending=wrong)


def work(clf, n, x, rng, tickets, labels):
    for i in range(n):
        y = draw(rng, x, 2)
        k = i % len(tickets)
        if i >= len(tickets) and i % 3:
            clf.label(tickets[k], labels[k])
        tickets[k] = clf.defer(x)
        labels[k] = y
        clf.predict(x)


def test_nothing_is_allocated():
    for make in MODELS:
        clf = make(3, 2, 2500, pending=6)
        x, rng, tickets, labels = codes(3), Random(3), [0] * 5, [0] * 5
        work(clf, 12, x, rng, tickets, labels)
        clf.halves[clf.words[2] - 1] = 65500
        micropython.heap_lock()
        try:
            work(clf, 300, x, rng, tickets, labels)
        finally:
            micropython.heap_unlock()
        assert clf.samples > 100


def test_the_budget_counts_it():
    for make in MODELS:
        for places in (0, 1, 7, 40):
            for budget in (2048, 4096, 8192):
                clf = make(4, 3, budget, pending=places)
                assert clf.nbytes <= budget
                assert len(clf.halves) == clf.words[2]
                if places:
                    assert ring(clf)[1] == places
                    clf.defer(codes(4))
                    assert clf.nbytes <= budget


def test_bytes_against_the_heap():
    if not HEAP_IS_COUNTED:
        return
    for make in MODELS:
        make(5, 3, 4096, pending=3).defer(codes(5))  # loads the code
        for places in (0, 1, 2, 5, 11, 64):
            taken, nbytes, budget = measure(make, (5, 3, 4096), {"pending": places})
            assert taken <= nbytes <= budget, (places, taken, nbytes)
            assert nbytes - taken <= 16, (places, taken, nbytes)
