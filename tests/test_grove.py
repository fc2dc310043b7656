"""Grove: shapes from the smallest to the largest, images, late labels, credit for answers given alone."""

import functools
from array import array

import numpy as np
import pytest
from conftest import need
from support import fuzz_images as fuzz
from support import grove_invariants

import niwaki
from niwaki import ImageError
from niwaki.grove import layout as lay
from niwaki.grove.credit import recall
from niwaki.grove.importances import depth, gain
from niwaki.grove.margin import margin
from niwaki.model import LOG2
from niwaki_host.device.checked import checked
from niwaki_host.device.images import to_bytes
from niwaki_host.device.kernels import kernels_of
from niwaki_host.runtimes import run
from niwaki_host.runtimes.result import digest

check = functools.cache(checked)

# features, classes, budget, options, samples: the smallest, the widest, one class, a megabyte
SHAPES = [
    (6, 4, 1024, {}, 300),
    (6, 4, 8192, {"effort": 1}, 200),
    (256, 2, 32768, {}, 12),
    (3, 126, 32768, {}, 60),
    (256, 126, 1 << 20, {}, 3),
    (2, 1, 1024, {}, 60),
    (2, 2, 1 << 20, {}, 60),
    (5, 3, 2048, {"neighbours": 0, "bins": 0}, 200),
    (5, 3, 2048, {"near": 4096, "bayes": 8192, "seed": 65535, "take": 2}, 200),
]


def samples(n: int, features: int, classes: int, seed: int = 0, wild: float = 0.1) -> list:
    """Codes that grow wider, some at the ends of their range and some missing; labels in every way."""
    rng = np.random.default_rng(seed)
    X = (rng.integers(-300, 300, (n, features)) * (1 + np.arange(n)[:, None] // 40)).clip(-32767, 32767)
    X[rng.random(X.shape) < wild] = rng.choice([-32768, -32767, 32767, 0])
    y = (X[:, 0] > 0).astype(int) + 2 * (X[:, -1] > 100) + rng.integers(0, max(1, classes // 4), n)
    return list(zip(X.tolist(), (y % classes).tolist(), strict=True))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape[:3])))
def test_every_index_and_intermediate_is_in_range(shape) -> None:
    features, classes, budget, options, n = shape
    model = niwaki.Grove(features, classes, budget, **options)
    twin = niwaki.Grove(features, classes, budget, **options)
    x_at = model._arrays[5]
    arrays = (model.words, model.halves, model.octets, x_at, model._arrays[3], LOG2)
    predict, learn, begin, grow = [check(kernel) for kernel in kernels_of(model)]
    answers = check(model.CREDIT[0])
    for t, (x, y) in enumerate(samples(n, features, classes)):
        x_at[:] = array("h", x)
        assert predict(*arrays) == twin.predict(x) < classes
        assert answers(*arrays) == twin.answers()
        if t % 3 == 0:
            check(margin)(*arrays)
        if t % 3 == 1:  # taught, not asked
            check(recall)(*arrays, -1)
            recall(twin._at, twin._arrays[5], -1)
        due = learn(*arrays, y)
        if due & lay.DUE_GROW:
            grow(*arrays)
        elif due:
            begin(*arrays)
        twin.learn(x, y)
    for stand, nodes in enumerate(grove_invariants.View(model).nodes[:3]):
        for node in range(min(4, nodes)):
            check(gain)(*arrays, stand, node)
            check(depth)(*arrays, stand, node)
    assert to_bytes(model) == to_bytes(twin)
    assert model.nbytes <= budget
    grove_invariants.validate(model)


def test_a_window_at_either_end_of_all_codes_stays_in_range() -> None:
    for first in (-32767, -32766, 0, 32767, 32640):
        model = niwaki.Grove(1, 2, 1024)
        predict, learn, *work = [check(kernel) for kernel in kernels_of(model)]
        arrays = (model.words, model.halves, model.octets, model._arrays[5], model._arrays[3], LOG2)
        for t in range(60):
            model._arrays[5][0] = first if t % 4 < 2 else (32767 if t % 4 == 2 else -32767)
            predict(*arrays)
            due = learn(*arrays, t & 1)
            for bit, kernel in zip((lay.DUE_BEGIN, lay.DUE_GROW), work, strict=True):
                if due & bit:
                    kernel(*arrays)
            fuzz.load(to_bytes(model))


@pytest.mark.parametrize("classes", [1, 2, 126])
def test_few_and_many_classes_are_saved_and_loaded(tmp_path, classes) -> None:
    model = niwaki.Grove(3, classes, 16384)
    path = tmp_path / "model"
    for x, y in samples(150, 3, classes):
        model.learn(x, y)
    model.save(path)
    loaded = niwaki.load(path)
    assert type(loaded) is niwaki.Grove and digest(loaded) == digest(model)
    for x, y in samples(50, 3, classes, seed=1):
        assert loaded.predict(x) == model.predict(x) < classes
        assert loaded.learn(x, y) == model.learn(x, y)
    assert digest(loaded) == digest(model)


def _with(model, change) -> bytes:
    change(model)
    return to_bytes(model)


def _grown(**options) -> niwaki.Grove:
    model = niwaki.Grove(4, 3, 2048, **options)
    for x, y in samples(200, 4, 3):
        model.learn(x, y)
    return model


def _put(name: str, i: int, value: int):
    return lambda model: getattr(model, name).__setitem__(i, value)


def _label(model) -> int:
    return (model.words[lay.MEMORY] + model.words[lay.RECENT]) * 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_put("words", lay.SEED, 0), "header word"),
        (_put("words", lay.BINS, 5), "5 bins"),
        (_put("words", lay.FOLLOWS, 65537), "header word"),
        (_put("words", lay.REST, -1), "header word"),
        (_put("words", lay.COUNT, 3), "samples of class|samples since|samples taken"),
        (_put("words", lay.GROWING, 60), "shrub that grows"),
        (_put("words", lay.WINDOWS, 70000 << 12 | 15), "a window"),
        (_put("words", lay.WINDOWS, 10), "a window"),
        (_put("words", lay.MEMORY, 9), "samples in the memory|the arrays have"),
        (_put("halves", 0, 0), "more samples of class 0"),
        (_put("halves", 3, 65535), "samples of a class"),
        (lambda model: model.octets.__setitem__(_label(model), 3), "label"),
        (lambda model: model.octets.__setitem__(_label(model) + _label(model) // 4, 255), "cell"),
    ],
)
def test_what_learn_could_not_have_left_is_refused(change, message) -> None:
    with pytest.raises(ImageError, match=message):
        fuzz.load(_with(_grown(), change))


def test_a_shrub_that_grows_is_proved_too() -> None:
    """Its leaves share the samples taken, and each has its place below a node."""
    model = niwaki.Grove(4, 3, 2048, effort=1)
    for x, y in samples(400, 4, 3):
        model.learn(x, y)
        if model.words[lay.LEAVES] > 3:
            break
    data, w = to_bytes(model), model.words
    starts = 2 * 3
    for i, value, message in (
        (starts + 1, model.halves[starts + 1] - 1, "used twice|of .* are used|samples go from"),
        (starts + w[lay.ROOM] + 1, 60000, "sample taken"),
        (starts + 2 * (w[lay.ROOM] + 1), 500, "errors"),
    ):
        with pytest.raises(ImageError, match=message):
            fuzz.load(_with(fuzz.load(data), _put("halves", i, value)))
    for value, message in ((255, "side"), (model.octets[-w[lay.ROOM]], "used twice"), (120, "side|parent")):
        with pytest.raises(ImageError, match=message):
            fuzz.load(_with(fuzz.load(data), _put("octets", len(model.octets) - w[lay.ROOM] - 1, value)))
    with pytest.raises(ImageError, match="leaves of a shrub"):
        fuzz.load(_with(fuzz.load(data), _put("words", lay.LEAVES, 2)))


def credit(model) -> tuple[int, int]:
    return model.words[lay.FOLLOWS], model.words[lay.KNOWS]


def test_teaching_without_asking_changes_nobody_s_credit() -> None:
    model = _grown()
    given = credit(model)
    for x, y in samples(300, 4, 3, seed=1):
        model.learn(x, y)
        assert credit(model) == given
    changed = 0
    for x, y in samples(300, 4, 3, seed=2):
        before = credit(model)
        model.predict(x)
        assert credit(model) == before
        model.learn(x, y)
        changed += credit(model) != before
    assert changed > 20


def test_another_sample_asked_in_between_leaves_the_first_without_credit() -> None:
    model = _grown()
    pairs = samples(200, 4, 3, seed=1)
    given = credit(model)
    for (x, y), (other, _) in zip(pairs, pairs[::-1], strict=True):
        model.predict(x)
        model.predict(other)
        if other != x:
            model.learn(x, y)
            assert credit(model) == given


def test_a_late_label_counts_with_the_answers_kept() -> None:
    """defer and label do what answers and learn_late do; the answers survive a save."""
    model, twin = _grown(pending=4), _grown(pending=4)
    waiting, changed = [], 0
    for t, (x, y) in enumerate(samples(300, 4, 3, seed=1)):
        asked = model.predict(x)
        assert twin.predict(x) == asked
        waiting.append((model.defer(x), twin.answers(), x, y))
        twin.defer(x)
        if len(waiting) == 4:
            ticket, answered, old, label = waiting.pop(0)
            before = credit(model)
            assert model.label(ticket, label) and not model.label(ticket, label)
            _forget(twin, ticket)
            twin.learn_late(old, label, answered)
            changed += credit(model) != before
            assert credit(model) == credit(twin)
            if t % 50 == 0:
                model = fuzz.load(to_bytes(model))
    assert changed > 20


def _forget(model, ticket: int) -> None:
    """Take a sample out of the ring and leave it."""
    from niwaki.pending import take

    assert take(model._at, model._arrays[5], ticket, 2) >= 0


def test_a_guess_gives_no_credit() -> None:
    model = _grown()
    learned = 0
    for x, y in samples(300, 4, 3, seed=1):
        before = credit(model)
        learned += model.learn_unlabelled(x, 30000)
        assert credit(model) == before
        if model.samples % 2 == 0:
            model.learn(x, y)
    assert learned > 10


def test_a_checkpoint_saves_late_samples_too(tmp_path) -> None:
    model = _grown(pending=2)
    checkpoint = model.checkpoint(tmp_path / "model", every=1)
    answer = model.learn([1, 2, 3, 4], 1)
    checkpoint.tick()
    assert 0 <= answer < 3
    model.label(model.defer([1, 2, 3, 4]), 2)
    checkpoint.tick()
    assert checkpoint.saves == 2 and niwaki.load(checkpoint.path).samples == model.samples == 202


@pytest.mark.parametrize("runtime", ["cpython", "micropython", "cortex-m3"])
def test_late_and_guessed_labels_end_with_the_same_bytes(runtime) -> None:
    """The ring's answers on a device, against the lab's own."""
    need(runtime)
    rng = np.random.default_rng(0)
    X = rng.integers(-500, 500, (400, 4)).astype(np.int16)
    y = ((X[:, 0] > 0) + (X[:, 1] > 100)).astype(np.int16)
    params = {"n_features": 4, "n_classes": 3, "budget": 2048}
    few = np.where(rng.random(400) < 0.3, y, -1).astype(np.int16)
    for told, how in ((y, {"delay": 7}), (few, {"delay": 3, "self_train": 30000})):
        expected = run("numba", "grove", params, X, told, **how)
        assert run(runtime, "grove", params, X, told, **how).digest == expected.digest


def test_importances_tell_what_splits_use() -> None:
    model = niwaki.Grove(3, 2, 4096)
    for i in range(1500):
        model.learn([i * 7 % 101, i * 37 % 100, 5], int(i * 37 % 100 > 50))
    for kind in ("mpg", "mdi"):
        out = [0, 0, 0]
        x = [1, 2, 5]
        before = [0, 0]
        model.scores(x, before)
        model.importances(out, kind)
        after = [0, 0]
        model.scores(x, after)
        assert out[1] > 4 * out[0] and out[2] == 0 and sum(out) <= 65536 and before == after
    with pytest.raises(ValueError, match="kind"):
        model.importances([0, 0, 0], "gini")
