"""The shrub ensemble's own promises: window, orders, weights, budget, equal bytes on every runtime."""

import zlib
from array import array

import numpy as np
import pytest
from conftest import need
from support.checked_tree import caller

from niwaki import BudgetError, Shrubs
from niwaki.shrubs.layout import AGREE, COUNT, HEAD, WEIGHTS, WINDOW
from niwaki_host.device.schedule import schedule_of
from niwaki_host.device.views import Shrub, ShrubsView
from niwaki_host.references.merit import entropy
from niwaki_host.runtimes import run

SETTINGS = [
    {},
    {"every": 1, "window": 32, "shrubs": 8},
    {"loss": "ce", "criterion": "gain", "depth": 3, "weigh": 5},
    {"random": True, "features": 2, "seed": 7, "recent": 0},
    {"exact": True, "window": 16, "shrubs": 3},
    {"exact": True, "depth": 3, "window": 32, "loss": "ce"},
]


def stream(n: int, d: int, classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Codes with ties and missing values; labels that depend on two features, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-32767, 32768, (n, d)).astype(np.int16)
    X[:, -1] = rng.integers(0, 3, n)
    y = (X[:, 0].astype(int) + X[:, d // 2] + 65536) * classes // 131072
    y = np.where(rng.random(n) < 0.1, rng.integers(0, classes, n), y).astype(np.int16)
    X[rng.random(X.shape) < 0.05] = -32768
    return X, y


def digest(model: Shrubs) -> str:
    crc = 0
    for part in (model.words, model.halves, model.octets):
        crc = zlib.crc32(bytes(part), crc)
    return f"{crc:08x}"


def orders_are_kept(model: Shrubs) -> None:
    b, n = model.words[WINDOW], model.words[COUNT]
    for f in range(model.n_features):
        at = (f + 3) * b + 1
        order = list(model.octets[at : at + n])
        assert sorted(order) == list(range(1, n + 1))
        codes = [model.halves[f * b + slot - 1] for slot in order]
        assert codes == sorted(codes)
    assert model.words[HEAD] == model.samples % b + 1


@pytest.mark.parametrize("settings", SETTINGS)
def test_kernels_stay_in_range_and_keep_their_invariants(settings):
    X, y = stream(250, 5, 3)
    model = Shrubs(5, 3, 4096, **settings)
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        schedule_of(model).teach(caller(model, array("h", x)), label)
        weights = list(model.words[WEIGHTS:])
        assert min(weights) >= 0
        assert sum(weights) == 65536
        orders_are_kept(model)
    b = model.words[WINDOW]
    newest = [X[-1 - age] for age in range(b)]
    for age, x in enumerate(newest):
        slot = (model.words[HEAD] - 2 - age) % b
        assert [model.halves[f * b + slot] for f in range(5)] == [(int(v) + 32768) & 65535 for v in x]
    numba = run("numba", "shrubs", {"n_features": 5, "n_classes": 3, "budget": 4096, **settings}, X, y)
    assert numba.digest == digest(model)


@pytest.mark.parametrize(("d", "c", "budget"), [(3, 2, 1024), (54, 7, 8192), (128, 6, 16384), (6, 4, 2048)])
def test_small_budgets_work(d, c, budget):
    X, y = stream(300, d, c)
    model = Shrubs(d, c, budget)
    assert model.nbytes <= budget
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        assert 0 <= model.predict(x) < c
        model.learn(x, label)
    assert model.n_leaves > 1


def test_budget_error_names_the_smallest_budget_that_works():
    with pytest.raises(BudgetError) as error:
        Shrubs(6, 4, 100)
    smallest = int(str(error.value).split()[-1])
    assert Shrubs(6, 4, smallest).nbytes <= smallest
    with pytest.raises(BudgetError):
        Shrubs(6, 4, smallest - 1)


@pytest.mark.parametrize("kind", ["mpg", "mdi"])
def test_importances_find_the_features_that_matter_now(kind):
    """Feature 1 decides first, then feature 3 does."""
    X, _ = stream(1200, 5, 3)
    model = Shrubs(5, 2, 4096)
    out = array("i", [0] * 5)
    model.importances(out, kind)
    assert list(out) == [0] * 5
    for decides in (1, 3):
        for x in X.tolist():
            model.learn(x, int(x[decides] > 0))
        before = digest(model)
        model.importances(out, kind)
        assert digest(model) == before
        assert out[decides] == max(out)
        assert 65536 * 0.4 < out[decides] <= 65536
        assert sum(out) < 1.3 * out[decides]
    with pytest.raises(ValueError):
        model.importances(array("h", [0] * 5), kind)
    with pytest.raises(ValueError):
        model.importances(out, "gini")


def test_importances_equal_a_count_by_hand():
    """One shrub with one split has its gain on the window, in parts of log2(classes)."""
    model = Shrubs(2, 2, 2048, shrubs=1, window=8, every=8, recent=0, step=50.0)
    for i in range(8):
        model.learn([i, 0], int(i > 4))
    out = [0, 0]
    p = np.array([5 / 8, 3 / 8])
    for kind in ("mpg", "mdi"):
        model.importances(out, kind)
        assert out[0] == pytest.approx(-65536 * (p * np.log2(p)).sum(), rel=2e-3)
        assert out[1] == 0


def present_gains(seen: ShrubsView, shrub: Shrub) -> list[tuple[int, int, float, float]]:
    """Of each split: feature, depth, share of the window that passes it, and information gain there."""
    samples, found, todo = list(seen.remembered()), [], [(shrub.root, 0, list(seen.remembered()))]
    while todo:
        reference, depth, here = todo.pop()
        if reference >= seen.room:
            continue
        node = shrub.nodes[reference]
        left = [(x, y) for x, y in here if x[node.feature] <= node.threshold]
        right = [(x, y) for x, y in here if x[node.feature] > node.threshold]
        labels = [np.bincount([y for _, y in part], minlength=seen.n_classes) for part in (here, left, right)]
        after = (len(left) * entropy(labels[1]) + len(right) * entropy(labels[2])) / max(len(here), 1)
        found.append((node.feature, depth, len(here) / len(samples), float(entropy(labels[0]) - after)))
        todo += [(node.left, depth + 1, left), (node.right, depth + 1, right)]
    return found


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"every": 5, "recent": 0, "window": 60},
        {"depth": 2, "window": 100, "shrubs": 4},
        {"depth": 2, "window": 250, "shrubs": 3},  # counts above 128: logarithms of two halves
        {"exact": True, "window": 40, "shrubs": 5},
        {"exact": True, "window": 64, "shrubs": 3, "depth": 3},
    ],
)
def test_importances_are_the_equations_on_the_present_window(options):
    """The departure: J of what is in the window now, not of what the shrub was grown on."""
    X, y = stream(500, 5, 3)
    model = Shrubs(5, 3, 8192, **options)
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn(x, label)
    seen = ShrubsView(model)
    expected = {"mpg": np.zeros(5), "mdi": np.zeros(5)}
    for shrub in seen.voters:
        splits = present_gains(seen, shrub)
        height = 1 + max((depth for _, depth, _, _ in splits), default=0)
        for feature, depth, share, gain in splits:
            part = shrub.weight * gain / np.log2(3)
            expected["mpg"][feature] += part * (height - depth) / height / len(splits)
            expected["mdi"][feature] += part * share
    assert seen.voters and expected["mpg"].sum() > 0
    out = [0] * 5
    for kind, scores in expected.items():
        model.importances(out, kind)
        assert np.abs(np.array(out) - 65536 * scores).max() < 150 + 0.01 * 65536 * scores.max(), kind


def test_scores_are_the_weights_behind_each_class():
    X, y = stream(400, 5, 3)
    model = Shrubs(5, 3, 4096)
    out = [0, 0, 0]
    model.scores(X[0].tolist(), out)
    assert out == [21845, 21845, 21845]
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        model.scores(x, out)
        assert int(np.argmax(out)) == model.predict(x)
        assert abs(sum(out) - 65536) <= 3
        model.learn(x, label)
    with pytest.raises(ValueError):
        model.scores(X[0].tolist(), [0, 0])


def test_bad_labels_leave_the_model_untouched():
    X, y = stream(100, 5, 3)
    model = Shrubs(5, 3, 4096)
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn(x, label)
    before = digest(model)
    for label, error in ((3, ValueError), (-1, ValueError), (1 << 32, ValueError), (1.0, TypeError)):
        with pytest.raises(error):
            model.learn(X[0].tolist(), label)
    with pytest.raises(ValueError):
        model.learn([1, 2, 3], 0)
    assert digest(model) == before


def test_kept_agreements_change_nothing_but_the_cost(monkeypatch):
    """Weights from agreements and from asking every shrub again are the same integers, sample by sample."""
    X, y = stream(150, 5, 3)
    kept = Shrubs(5, 3, 8192, every=1, window=24, shrubs=5, nodes=6)
    monkeypatch.setattr("niwaki.shrubs.plan.Plan.agree", lambda plan: False)
    asked = Shrubs(5, 3, 8192, every=1, window=24, shrubs=5, nodes=6)
    assert kept.words[AGREE]
    assert not asked.words[AGREE]
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        for model in (kept, asked):
            model.learn(x, label)
        assert kept.words[WEIGHTS:] == asked.words[WEIGHTS:]
        assert kept.octets[: kept.words[AGREE]] == asked.octets


@pytest.mark.parametrize("runtime", ["micropython", "micropython-bytecode", "cortex-m3"])
@pytest.mark.parametrize("settings", SETTINGS)
def test_equal_bytes_on_every_runtime(runtime, settings):
    need(runtime)
    X, y = stream(200, 5, 3, seed=4)
    params = {"n_features": 5, "n_classes": 3, "budget": 2048, **settings}
    expected = run("numba", "shrubs", params, X, y)
    found = run(runtime, "shrubs", params, X, y)
    assert found.digest == expected.digest
    assert (found.predictions == expected.predictions).all()
