"""Rank tests against published worked examples and scipy, fronts and areas against plain definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from niwaki_host.evaluation import statistics as s

# Demsar (2006), table 6: AUC of C4.5, and C4.5 with m, with cf, and with both, on 14 data sets.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_the_worked_example_of_demsar():
    assert s.mean_ranks(DEMSAR) == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    assert s.critical_difference(4, 14, 0.05) == pytest.approx(1.25, abs=5e-3)
    assert s.critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=5e-3)
    result = s.friedman(DEMSAR)
    assert result is not None
    # The paper's 9.28 leaves ties uncorrected; scipy corrects them.
    n, k, mean = 14, 4, s.mean_ranks(DEMSAR)
    plain = 12 * n / (k * (k + 1)) * (np.sum(mean**2) - k * (k + 1) ** 2 / 4)
    assert plain == pytest.approx(9.28, abs=0.01)
    assert result.chi2 == pytest.approx(stats.friedmanchisquare(*DEMSAR.T).statistic)
    assert result.p < 0.05 and result.p_f < 0.05


def test_nemenyi_agrees_with_its_critical_difference():
    cd = s.critical_difference(4, 14)
    mean, p = s.mean_ranks(DEMSAR), s.nemenyi(DEMSAR)
    for a in range(4):
        for b in range(4):
            assert (p[a, b] < 0.05) == (abs(mean[a] - mean[b]) > cd)


def test_friedman_needs_three_models_and_takes_ties():
    assert s.friedman(DEMSAR[:, :2]) is None
    assert s.friedman(DEMSAR[:1]) is None
    same = s.friedman(np.ones((5, 3)))
    assert same is not None and same.p == 1.0
    clear = s.friedman(np.tile([3.0, 2.0, 1.0], (6, 1)))
    assert clear is not None and clear.p < 0.01 and clear.p_f < 0.01


def test_wilcoxon_of_two_models_is_scipys():
    p = s.wilcoxon(DEMSAR[:, [0, 3]])
    expected = stats.wilcoxon(DEMSAR[:, 0] - DEMSAR[:, 3], zero_method="zsplit").pvalue
    assert p[0, 1] == p[1, 0] == pytest.approx(expected)
    assert s.wilcoxon(np.ones((4, 2))).tolist() == [[1, 1], [1, 1]]


def test_holm_by_hand():
    assert s.holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])


def test_cliques_are_maximal():
    assert s.cliques([1.0, 1.5, 3.0, 3.2, 5.0], 0.6) == [(0, 1), (2, 3)]
    assert s.cliques([1.0, 2.0, 3.0], 1.0) == [(0, 1), (1, 2)]
    assert s.cliques([1.0, 2.0, 3.0], 5.0) == [(0, 2)]
    assert s.cliques([1.0, 3.0], 1.0) == []


runs = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), min_size=1, max_size=25)


@settings(max_examples=100, deadline=None)
@given(runs)
def test_front_holds_exactly_the_unbeaten(points):
    accuracy, size = np.array(points, float).T
    front = set(s.pareto_front(accuracy, size).tolist())
    for i, (a, b) in enumerate(points):
        beaten = any((c >= a and d < b) or (c > a and d <= b) for c, d in points)
        assert (i in front) == (not beaten and points.index((a, b)) == i)


def test_apf_by_hand():
    # Front (2 kB, 0.6), (4 kB, 0.8), continued to 8 kB at 0.8: (2 * 0.7 + 4 * 0.8) / 8.
    assert s.apf([0.6, 0.8, 0.7], [2, 4, 8], 8) == pytest.approx((2 * 0.7 + 4 * 0.8) / 8)
    assert s.apf([0.9], [8], 8) == 0.0
    assert s.apf([0.9], [16], 8) == 0.0


@settings(max_examples=60, deadline=None)
@given(runs)
def test_apf_stays_below_the_best_and_grows_with_a_better_run(points):
    accuracy, size = np.array(points, float).T
    accuracy /= 20
    area = s.apf(accuracy, size, 20)
    assert 0 <= area <= accuracy.max() + 1e-12
    assert s.apf(np.append(accuracy, 1.0), np.append(size, 1), 20) >= area - 1e-12


def test_groups_hold_no_two_that_differ():
    """In rank order b, a, c, d: b and a alike, a and c alike, b and c not; d differs from all."""
    p = np.ones((4, 4))
    for first, second in ((1, 2), (3, 0), (3, 1), (3, 2)):
        p[first, second] = p[second, first] = 0.01
    mean = [2.0, 1.0, 2.5, 4.0]
    assert s.groups(mean, p, 0.05) == [(0, 1), (1, 2)]
    assert s.groups(mean, p, 0.005) == [(0, 3)]
    assert s.groups(mean, np.where(p < 1, p, 0.03), 0.05) == []
