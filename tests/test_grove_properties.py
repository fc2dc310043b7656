"""Groves under anything that a person may do to them, in any order: what must hold, holds after each step."""

from array import array

from hypothesis import given, settings
from hypothesis import strategies as st
from support import grove_invariants

import niwaki
from niwaki import BudgetError
from niwaki_host.device.images import from_bytes, to_bytes

MISSING = -32768
ONE = 65536  # what scores add up to
ROUNDING = 2048

code = st.one_of(
    st.integers(-300, 300), st.sampled_from([MISSING, -32767, 32767, 0]), st.integers(-32767, 32767)
)
# what is done, and where in the samples and classes
deed = st.tuples(
    st.sampled_from(
        ["learn"] * 8 + ["predict", "late", "defer", "label", "forget", "settle", "scores", "reload"]
    ),
    st.integers(0, 63),
    st.integers(0, 8),
)


def do(model, what: str, x: list[int], y: int, waiting: list[int]):
    """One deed; returns the model, which is another one after it was saved and loaded."""
    if what == "learn":
        assert 0 <= model.learn(x, y) < model.n_classes
    elif what == "predict":
        before = model.samples
        assert 0 <= model.predict(x) < model.n_classes and model.samples == before
    elif what == "late":
        model.predict(x)
        model.learn_late(x, y, model.answers())
    elif what == "defer":
        waiting.append(model.defer(x))
    elif what == "label" and waiting:
        model.label(waiting.pop(), y)
    elif what == "forget":
        model.forget(y)
        view = grove_invariants.View(model)
        assert view.in_memory[y] == view.in_histograms[y] == 0
    elif what == "settle":
        model.settle()
    elif what == "scores":
        out = array("i", [0] * model.n_classes)
        model.scores(x, out)
        assert min(out) >= 0 and abs(sum(out) - ONE) < ROUNDING
    elif what == "reload":
        image = to_bytes(model)
        model = from_bytes(image)
        assert to_bytes(model) == image
    return model


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 4),
    st.sampled_from([1, 2, 3, 9]),
    st.sampled_from([800, 1024, 2000, 4096]),
    st.sampled_from([{}, {"neighbours": 0}, {"bins": 0}, {"effort": 1}, {"take": 2, "seed": 9}]),
    st.lists(st.lists(code, min_size=4, max_size=4), min_size=8, max_size=24),
    st.lists(deed, min_size=60, max_size=150),
)
def test_whatever_is_done(features, classes, budget, options, rows, deeds) -> None:
    try:
        model = niwaki.Grove(features, classes, budget, pending=3, **options)
    except BudgetError:
        return
    nbytes = model.nbytes
    waiting: list[int] = []
    for what, which, y in deeds:
        model = do(model, what, rows[which % len(rows)][:features], y % classes, waiting)
        if what == "reload":
            waiting.clear()
        grove_invariants.validate(model)
        assert model.nbytes == nbytes <= budget


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.lists(code, min_size=3, max_size=3), st.integers(0, 2)), min_size=40, max_size=80),
    st.integers(0, 79),
)
def test_a_saved_grove_goes_on_as_if_nothing_had_been(rows, cut) -> None:
    cut %= len(rows)
    model = niwaki.Grove(3, 3, 2000)
    for x, y in rows[:cut]:
        model.learn(x, y)
    again = from_bytes(to_bytes(model))
    for x, y in rows[cut:]:
        assert model.learn(x, y) == again.learn(x, y)
    assert to_bytes(model) == to_bytes(again)


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(3)), st.integers(4, 12), st.integers(0, 999))
def test_blocks_of_classes_in_any_order_leave_each_its_share(order, per_class, seed) -> None:
    """Taught one class after another: the memory holds each of them as often as it may."""
    model = niwaki.Grove(2, 3, 1024)
    for y in order:
        for i in range(per_class):
            model.learn([1000 * y + (seed * 31 + i * 17) % 90, (i * 29) % 50], y)
    counts = list(model.halves[:3])
    assert max(counts) - min(counts) <= 1
    assert all(model.predict([1000 * y + 45, 25]) == y for y in range(3))
