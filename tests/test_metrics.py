"""The lab's measures against those of scikit-learn, river and MOA, on random predictions."""

import numpy as np
import pytest
from conftest import need
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki_host.evaluation import curves, metrics


def random_run(seed, n=700, classes=4):
    """Labels with some inertia, so that no-change and majority differ, and predictions better than chance."""
    rng = np.random.default_rng(seed)
    y = rng.choice(classes, n, p=np.arange(1, classes + 1) / (classes * (classes + 1) / 2))
    y = np.where(rng.random(n) < 0.4, np.roll(y, 1), y)
    p = np.where(rng.random(n) < 0.5, y, rng.integers(0, classes, n))
    return y.astype(np.int16), p.astype(np.int16)


@pytest.mark.parametrize("seed,classes", [(1, 2), (2, 3), (3, 7)])
def test_equal_to_scikit_learn(seed, classes):
    need("sklearn")
    from sklearn import metrics as sk

    y, p = random_run(seed, classes=classes)
    assert metrics.accuracy(y, p) == pytest.approx(sk.accuracy_score(y, p), abs=1e-12)
    assert metrics.kappa(y, p) == pytest.approx(sk.cohen_kappa_score(y, p), abs=1e-12)
    assert (metrics.confusion(y, p) == sk.confusion_matrix(y, p)).all()


@pytest.mark.parametrize("seed", [4, 5])
def test_curves_equal_to_river(seed):
    need("river")
    from river import metrics as river
    from river.utils import Rolling

    y, p = random_run(seed, n=400)
    total, recent, recent_kappa = (
        river.Accuracy(),
        Rolling(river.Accuracy, 60),
        Rolling(river.CohenKappa, 60),
    )
    expected = {"accuracy": [], "window_accuracy": [], "window_kappa": []}
    for label, guess in zip(y.tolist(), p.tolist(), strict=True):
        for metric in (total, recent, recent_kappa):
            metric.update(label, guess)
        for series, metric in zip(expected.values(), (total, recent, recent_kappa), strict=True):
            series.append(metric.get())
    ours = curves.curve(y, p, every=1, window=60)
    for name, series in expected.items():
        np.testing.assert_allclose(ours[name][1:], series[1:], atol=1e-12, err_msg=name)


def test_kappas_equal_to_moa():
    need("capymoa")
    need("java")
    from capymoa.evaluation import ClassificationEvaluator, ClassificationWindowedEvaluator
    from capymoa.stream import Schema

    schema = Schema.from_custom(["x", "y"], "y", {"y": ["a", "b", "c", "d"]})
    y, p = random_run(6, n=400)
    whole, window = (
        ClassificationEvaluator(schema=schema),
        ClassificationWindowedEvaluator(schema=schema, window_size=80),
    )
    for label, guess in zip(y.tolist(), p.tolist(), strict=True):
        whole.update(label, guess)
        window.update(label, guess)
    assert metrics.accuracy(y, p) * 100 == pytest.approx(whole.accuracy())
    assert metrics.kappa(y, p) * 100 == pytest.approx(whole.kappa())
    assert metrics.kappa_m(y, p) * 100 == pytest.approx(whole.kappa_m())
    assert metrics.kappa_t(y, p) * 100 == pytest.approx(whole.kappa_t())
    ours = curves.curve(y, p, every=80, window=80)
    np.testing.assert_allclose(ours["window_kappa_m"] * 100, window.kappa_m())
    np.testing.assert_allclose(ours["window_kappa_t"] * 100, window.kappa_t())


def test_running_majority_and_last_label_by_hand():
    y = np.array([1, 0, 0, 1, 1])
    # Counted before predicting: 1, then a tie (lowest class wins), then 0, a tie again, then 1.
    assert metrics.majority_hits(y).tolist() == [True, True, True, False, True]
    assert metrics.no_change_hits(y).tolist() == [False, False, True, False, True]


def test_global_kappa_m_uses_the_share_of_the_whole_stream():
    y, p = np.array([0, 0, 0, 1]), np.array([0, 0, 0, 1])
    assert metrics.kappa_m_global(y, p) == 1.0
    assert metrics.kappa_m_global(y, np.array([0, 0, 0, 0])) == 0.0
    assert metrics.kappa_m_global(y, np.array([1, 1, 0, 0])) == pytest.approx((0.25 - 0.75) / 0.25)


def test_mean_running_accuracy_is_the_mean_of_the_cumulative_curve():
    y, p = random_run(8)
    assert metrics.mean_running_accuracy(y, p) == pytest.approx(curves.cumulative_accuracy(y, p).mean())


def test_unknown_labels_are_left_out_and_abstentions_are_wrong():
    y, p = np.array([0, -1, 1, 1]), np.array([0, 0, -1, 1])
    assert metrics.accuracy(y, p) == pytest.approx(2 / 3)
    assert metrics.confusion(y, p).tolist() == [[1, 0, 0], [0, 1, 1]]
    assert curves.cumulative_accuracy(y, p).tolist() == pytest.approx([1, 1, 1 / 2, 2 / 3])


def test_nothing_to_judge_gives_zeros():
    empty = np.zeros(0, np.int16)
    assert set(metrics.summary(empty, empty).values()) == {0.0}
    assert curves.curve(empty, empty, every=10) == {}


def test_one_class_streams_do_not_divide_by_zero():
    ones = np.ones(5, np.int16)
    assert metrics.summary(ones, ones) == pytest.approx(
        {
            "accuracy": 1,
            "kappa": 0,
            "kappa_m": 0,
            "kappa_m_global": 0,
            "kappa_t": 1,
            "mean_running_accuracy": 1,
        }
    )


def test_fading_follows_its_recurrence():
    y, p = random_run(9, n=200)
    hits, total, expected = 0.0, 0.0, []
    for right in y == p:
        hits, total = right + 0.9 * hits, 1 + 0.9 * total
        expected.append(hits / total)
    np.testing.assert_allclose(curves.fading_accuracy(y, p, 0.9), expected)


def test_points_are_the_multiples_and_the_end():
    assert curves.points(10, 4).tolist() == [4, 8, 10]
    assert curves.points(8, 4).tolist() == [4, 8]
    assert curves.points(3, 4).tolist() == [3]
    assert curves.points(3, 0).tolist() == []


@pytest.mark.parametrize("piece", [1, 7, 64])
def test_pieces_add_up(piece, monkeypatch):
    y, p = random_run(5, n=300)
    y[::9] = -1
    whole = metrics.summary(y, p)
    monkeypatch.setattr(metrics, "_PIECE", piece)
    assert metrics.summary(y, p) == pytest.approx(whole)


def test_ram_hours_add_up():
    assert metrics.ram_hours([2**30, 2**29], [3600, 7200]) == pytest.approx(2.0)


labels = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=60)


@settings(max_examples=60, deadline=None)
@given(labels, st.integers(1, 20))
def test_windows_agree_with_the_plain_definition(pairs, window):
    y, p = np.array(pairs).T
    for t, value in enumerate(curves.sliding_accuracy(y, p, window), 1):
        assert value == pytest.approx(metrics.accuracy(y[max(0, t - window) : t], p[max(0, t - window) : t]))
    assert curves.cumulative_accuracy(y, p)[-1] == pytest.approx(metrics.accuracy(y, p))
    assert metrics.kappa(y, y) in (0.0, 1.0)
    assert metrics.kappa_m(y, p) <= 1 and metrics.kappa_t(y, p) <= 1
