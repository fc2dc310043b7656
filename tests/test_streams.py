"""Generated streams: labels by definition, class balance, fixed samples, drifts, what can be appended."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki_host.errors import UsageError
from niwaki_host.streams import GENERATORS, PRESETS, Drift, open_stream
from niwaki_host.streams.drift import parse_drifts
from niwaki_host.streams.help import about, spec_help
from niwaki_host.streams.imu import mounting, sine
from niwaki_host.streams.led import SEGMENTS

# SHA-256 of the first 1,000 samples (X then y, little-endian), first 16 digits: the same on every machine.
HASHES = {
    "sea": "b816e684b0dd0064",
    "seafd": "2660dd338898bef2",
    "agrawal": "8672f7192c38189c",
    "bg1": "c4bb74079b8285fc",
    "bg2": "9292b547ed63a3c6",
    "bg3": "654b56f2e80b5f6a",
    "led": "6a64a9a8d890f4e0",
    "rbf": "851f9a51e12a8f11",
    "stagger": "54cd1daa02c857aa",
    "hyperplane": "f7cff8724bb1b8bf",
    "waveform": "053e5d8dfc0009c4",
    "imu": "f123df126a25a881",
    "sea_a": "553e2cb4c35ec88b",
    "led_a": "829fdde0f79288de",
    "led_g": "829fdde0f79288de",
    "agrawal_a": "726a202d5ba5b7df",
    "agrawal_g": "726a202d5ba5b7df",
    "rbf_m": "a7283ee8cdd5defc",
    "rbf_f": "26f22ad77415dce4",
    "agr-500": "dee0e33c75848ab5",
    "bg1-500": "ccce49f1e030af9e",
    "sea-500": "b21655825876ea28",
    "agr-500-drift": "46c3b48b4f4a460c",
    "bg1-500-drift": "592fe071fcf99efd",
    "sea-500-drift": "b09be48450e2f81e",
    "bg1-rank": "acdab70d577a6ced",
    "sea-rank": "e3eab0ec1f16bf3d",
}


def samples(spec: str, n: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    return open_stream(spec, limit=n).read()


def fingerprint(spec: str) -> str:
    X, y = samples(spec, 1000)
    return hashlib.sha256(X.astype("<f8").tobytes() + y.astype("<i2").tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("name", [*GENERATORS, *PRESETS])
def test_the_first_samples_never_change(name):
    assert fingerprint(name) == HASHES[name]


def test_plain_python_gives_the_same_samples():
    """Without numba's compiler the kernels are Python: another arithmetic, the same numbers."""
    names = [*GENERATORS, "led_a"]
    script = f"from test_streams import fingerprint\nprint(*map(fingerprint, {names}))"
    path = os.pathsep.join(filter(None, [os.path.dirname(__file__), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    command = [sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [HASHES[name] for name in names]


@pytest.mark.parametrize("name", GENERATORS)
def test_a_seed_gives_another_stream(name):
    assert fingerprint(f"{name}:seed=2") != HASHES[name]
    assert np.array_equal(open_stream(name, limit=50, seed=2).read()[0], samples(f"{name}:seed=2", 50)[0])


@pytest.mark.parametrize("name", GENERATORS)
def test_schema(name):
    stream = open_stream(name, limit=2000)
    X, y = stream.read()
    assert X.shape == (2000, stream.n_features) and X.dtype == np.float64 and y.dtype == np.int16
    assert set(np.unique(y)) == set(range(stream.n_classes))
    assert len(stream.nominal) == len(stream.ranges) == len(set(stream.feature_names)) == stream.n_features
    for j, values in enumerate(stream.nominal):
        if values:
            assert set(np.unique(X[:, j])) <= set(range(values))
        else:
            lo, hi = stream.ranges[j]
            assert np.mean((lo <= X[:, j]) & (X[:, j] <= hi)) > 0.999


@pytest.mark.parametrize(
    "spec", ["sea:drift=700:300", "led_a", "imu:drift=500", "rbf:speed=0.001", "waveform:missing=5"]
)
@given(size=st.integers(1, 1500))
@settings(max_examples=8, deadline=None)
def test_chunks_are_the_whole(spec, size):
    stream = open_stream(spec, limit=1200)
    X, y = stream.read()
    parts = list(stream.chunks(size))
    assert max(len(labels) for _, labels in parts) <= size
    assert np.array_equal(np.concatenate([part for part, _ in parts]), X, equal_nan=True)
    assert np.array_equal(np.concatenate([labels for _, labels in parts]), y)


# Labels by the definitions in the papers, from the features alone.


@pytest.mark.parametrize(("function", "threshold"), [(1, 8), (2, 9), (3, 7), (4, 9.5)])
def test_sea(function, threshold):
    X, y = samples(f"sea:function={function},noise=0")
    assert np.array_equal(y, X[:, 0] + X[:, 1] > threshold)
    assert X.min() >= 0 and X.max() < 10


@pytest.mark.parametrize(("function", "threshold"), [(1, 5), (2, 9), (3, 7), (4, 9.5)])
def test_seafd(function, threshold):
    X, y = samples(f"seafd:function={function},noise=0,attributes=20,features=17/4")
    assert np.array_equal(y, X[:, 4] + X[:, 17] > threshold)
    assert np.delete(X, [4, 17], axis=1).max() < 1


def test_seafd_draws_its_relevant_features():
    (concept,) = open_stream("seafd:attributes=500").concepts
    X, y = samples("seafd:attributes=500,noise=0")
    assert sorted(concept.relevant) == sorted(np.argsort(X.max(axis=0))[-2:])
    assert np.array_equal(y, X[:, concept.relevant].sum(axis=1) > 5)


def _band(value, low, high):
    return (low <= value) & (value <= high)


def _by_age(age, young, middle, old):
    return np.select([age < 40, age < 60], [young, middle], old)


def _loan_is_granted(function, X):
    """AGRAWAL's ten functions once more, as arrays."""
    salary, commission, age, elevel, _, _, hvalue, hyears, loan = X.T
    if function == 1:
        return (age < 40) | (age >= 60)
    if function in (2, 6):
        income = salary + (commission if function == 6 else 0)
        return _by_age(
            age, _band(income, 5e4, 1e5), _band(income, 7.5e4, 1.25e5), _band(income, 2.5e4, 7.5e4)
        )
    school = _by_age(age, elevel <= 1, _band(elevel, 1, 3), elevel >= 2)
    if function == 3:
        return school
    if function == 4:
        yes = _by_age(age, _band(salary, 2.5e4, 7.5e4), _band(salary, 5e4, 1e5), _band(salary, 5e4, 1e5))
        no = _by_age(age, _band(salary, 5e4, 1e5), _band(salary, 7.5e4, 1.25e5), _band(salary, 2.5e4, 7.5e4))
        return np.where(school, yes, no)
    if function == 5:
        inside = _by_age(
            age, _band(salary, 5e4, 1e5), _band(salary, 7.5e4, 1.25e5), _band(salary, 2.5e4, 7.5e4)
        )
        low = np.where(inside, _by_age(age, 1e5, 2e5, 3e5), _by_age(age, 2e5, 3e5, 1e5))
        return _band(loan, low, low + 2e5)
    income = 2 * (salary + commission) / 3
    equity = np.where(hyears >= 20, hvalue * (hyears - 20) / 10, 0)
    left = {
        7: income - loan / 5 - 2e4,
        8: income - 5e3 * elevel - 2e4,
        9: income - 5e3 * elevel - loan / 5 - 1e4,
        10: income - 5e3 * elevel + equity / 5 - 1e4,
    }
    return left[function] > 0


@pytest.mark.parametrize("function", range(1, 11))
def test_agrawal(function):
    X, y = samples(f"agrawal:function={function},perturbation=0")
    assert np.array_equal(y == 0, _loan_is_granted(function, X))
    salary, commission, age, _, _, zipcode, hvalue, hyears, loan = X.T
    assert ((commission == 0) == (salary >= 75000)).all() and (commission[commission > 0] >= 10000).all()
    assert set(age) == set(range(20, 81)) and set(hyears) == set(range(1, 31))
    worth = hvalue / ((9 - zipcode) * 100000)
    assert worth.min() >= 0.5 and worth.max() < 1.5 and loan.max() < 500000


def test_agrawal_is_perturbed_after_it_was_labelled():
    X, y = samples("agrawal:function=1")
    clean, labels = samples("agrawal:function=1,perturbation=0")
    assert 0.01 < np.mean((y == 0) != _loan_is_granted(1, X)) < 0.15
    assert X[0, 2] != clean[0, 2] or y[0] == labels[0]


@pytest.mark.parametrize("spec", ["sea", "agrawal:function=3", "agrawal:function=8", "stagger", "seafd"])
def test_balance_makes_classes_take_turns(spec):
    _, y = samples(f"{spec}{',' if ':' in spec else ':'}balance=1")
    noisy = spec.startswith("sea")
    assert abs(np.mean(y) - 0.5) < (0.03 if noisy else 1e-9)
    assert np.mean(y[1:] != y[:-1]) > (0.75 if noisy else 1 - 1e-9)


@pytest.mark.parametrize("features", ["0/1/2", "33/2/17", "16/0/32"])
def test_bg(features):
    at = [int(f) for f in features.split("/")]
    X, y = samples(f"bg1:noise=0,attributes=40,features={features}")
    assert np.array_equal(y == 0, (X[:, at] == 0).all(axis=1))
    X, y = samples(f"bg2:noise=0,attributes=40,features={features}")
    assert np.array_equal(y == 1, X[:, at].sum(axis=1) >= 2)
    assert set(X[y == 0][:, at].sum(axis=1)) == {1}
    X, y = samples(f"bg3:noise=0,attributes=40,features={features}")
    trues = (X[:, at] == 0).sum(axis=1)
    assert np.array_equal(y == 0, (trues == 0) | (trues == 3))
    assert np.mean(trues[y == 0] == 3) == pytest.approx(1 / 3, abs=0.03)
    others = np.delete(X, at, axis=1).mean(axis=0)
    assert 0.45 < others.min() and others.max() < 0.55


@pytest.mark.parametrize("swap", [0, 1, 4, 7])
def test_led(swap):
    X, y = samples(f"led:noise=0,swap={swap}")
    place = [7 + j if j < swap else j for j in range(7)]
    assert np.array_equal(X[:, place], SEGMENTS[y])
    assert np.bincount(y).min() > 300


def test_led_noise_and_the_bayes_rule():
    X, y = samples("led:noise=10", 20000)
    assert np.mean(X[:, :7] != SEGMENTS[y]) == pytest.approx(0.1, abs=0.005)
    nearest = (X[:, None, :7] != SEGMENTS[None]).sum(axis=2).argmin(axis=1)
    assert np.mean(nearest == y) == pytest.approx(0.74, abs=0.015)


@pytest.mark.parametrize("function", [1, 2, 3])
def test_stagger(function):
    X, y = samples(f"stagger:function={function}")
    size, color, shape = X.T
    truth = {1: (size == 0) & (color == 0), 2: (color == 2) | (shape == 0), 3: size > 0}[function]
    assert np.array_equal(y == 1, truth)


def _java_doubles(seed: int, count: int) -> list[float]:
    """java.util.Random once more, in plain integers."""
    state, drawn = seed ^ 0x5DEECE66D, []
    for _ in range(count):
        high = state = (state * 0x5DEECE66D + 11) % 2**48
        state = (state * 0x5DEECE66D + 11) % 2**48
        drawn.append(((high >> 22 << 27) + (state >> 21)) / 2**53)
    return drawn


def test_hyperplane_is_a_plane():
    X, y = samples("hyperplane:noise=0,attributes=4", 20000)
    weights = np.array(_java_doubles(1, 4))  # the seed's first draws
    assert np.array_equal(y == 1, X @ weights >= weights.sum() / 2)
    assert abs(np.mean(y) - 0.5) < 0.02


def test_rbf_samples_lie_around_centroids():
    X, y = samples("rbf:centroids=3,classes=3,attributes=2,model=8", 6000)
    still = np.median(X[y == y[0]][:200], axis=0)
    X, y = samples("rbf:centroids=3,classes=3,attributes=2,model=8,speed=0.0001", 6000)
    moved = np.median(X[y == y[0]][-200:], axis=0)
    assert np.abs(moved - still).max() > 0.1


def test_waveform():
    X, y = samples("waveform:attributes=40", 20000)
    ramp = np.arange(21)
    waves = [np.maximum(0, 6 - abs(ramp - peak)) for peak in (6, 14, 10)]
    for label, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        mean = X[y == label].mean(axis=0)
        assert np.abs(mean[:21] - (waves[a] + waves[b]) / 2).max() < 0.1
        assert np.abs(mean[21:]).max() < 0.06
    assert np.bincount(y).min() > 6000


def test_imu_is_physical():
    stream = open_stream("imu", limit=30000)
    X, y = stream.read()
    assert np.array_equal(X, np.round(X)) and np.abs(X).max() <= 32767
    rest = X[y == stream.class_names.index("rest")]
    force = np.linalg.norm(rest[:, :3], axis=1) / 4096
    assert force.mean() == pytest.approx(1.0, abs=0.02) and force.std() < 0.05  # gravity and nothing else
    spread = {name: X[y == k].std(axis=0) for k, name in enumerate(stream.class_names)}
    assert (spread["run"] > 1.3 * spread["walk"]).all() and spread["shake"][0] > 2 * spread["cycle"][0]
    bouts = np.diff(np.flatnonzero(np.diff(y)))
    assert 125 <= bouts.min() and bouts.max() <= 375 and np.bincount(y).min() > 2000
    run = X[y == stream.class_names.index("run")][:100, 1]
    crossings = np.count_nonzero(np.diff(np.sign(run - run.mean())))
    assert 6 <= crossings <= 30  # 2.8 steps per second at 50 Hz, over two seconds


def test_imu_is_mounted_anew_by_a_drift():
    turn = mounting(1)
    assert np.allclose(turn @ turn.T, np.eye(3)) and np.linalg.det(turn) == pytest.approx(1)
    stream = open_stream("imu:drift=10000,sensor=0", limit=20000)
    X, y = stream.read()
    rest = stream.class_names.index("rest")
    before, after = X[:9900][y[:9900] == rest], X[10100:][y[10100:] == rest]
    expected = turn @ before[:, :3].mean(axis=0)
    assert np.abs(after[:, :3].mean(axis=0) - expected).max() < 600  # counts, of 4096 per g
    assert np.abs(before[:, :3].mean(axis=0) - expected).max() > 1200


def test_sine():
    turns = np.linspace(-3, 3, 1001)
    assert max(abs(sine(t) - np.sin(2 * np.pi * t)) for t in turns) < 1e-6


# Drifts.


def test_drift_mixes_along_a_sigmoid():
    """SEA without noise: a sum between 8 and 9 tells which of the functions 1 and 2 made the sample."""
    X, y = samples("sea:function=1+2,noise=0,drift=20000:8000", 40000)
    total = X[:, 0] + X[:, 1]
    telling = (total > 8) & (total <= 9)
    t = np.arange(1, 40001)[telling]
    new = y[telling] == 0
    for low, high in [(1, 12000), (16000, 17000), (19500, 20500), (22000, 23000), (30000, 40000)]:
        inside = (low <= t) & (t < high)
        expected = np.mean(1 / (1 + np.exp(-4 * (t[inside] - 20000) / 8000)))
        assert np.mean(new[inside]) == pytest.approx(expected, abs=0.12)


def test_abrupt_drifts_follow_each_other():
    X, y = samples("sea:noise=0,drift=1000+2000+3000")
    total = X[:, 0] + X[:, 1]
    for k, threshold in enumerate([8, 9, 7, 9.5]):
        part = slice(1000 * k + 20, 1000 * k + 980)
        assert np.array_equal(y[part], total[part] > threshold)


def test_feature_drift():
    X, y = samples("bg1:attributes=30,noise=0,features=0/1/2+20/21/22,drift=2000")
    assert np.array_equal(y[:1990] == 0, (X[:1990, :3] == 0).all(axis=1))
    assert np.array_equal(y[2010:] == 0, (X[2010:, 20:23] == 0).all(axis=1))


def test_a_short_list_of_concepts_starts_again():
    concepts = open_stream("sea:function=1+3,drift=10+20+30", limit=100).concepts
    assert [concept.params["function"] for concept in concepts] == [1, 3, 1, 3]


def test_positions_and_widths():
    assert parse_drifts("500", 1000) == [Drift(500, 1)]
    assert parse_drifts("25%+50%+75%:100", 1000) == [Drift(250, 100), Drift(500, 100), Drift(750, 100)]
    assert parse_drifts("100:5+200:10%", 1000) == [Drift(100, 5), Drift(200, 100)]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_scale_with_n(name):
    stream = open_stream(f"{name}:n=500000")
    assert stream.length == 500000
    for drift, share in zip(stream.drifts, np.arange(1, 9) / (len(stream.drifts) + 1), strict=False):
        assert drift.position == int(500000 * share)


def test_length():
    assert open_stream("sea").length == 100000
    assert open_stream("sea", limit=10).length == 10
    assert open_stream("sea:n=50", limit=10).length == 10
    assert open_stream("sea:n=5", limit=10).length == 5


# What any of them can have.


def test_irrelevant_features():
    stream = open_stream("sea:irrelevant=3,irrelevant_nominal=2,irrelevant_values=5", limit=5000)
    X, y = stream.read()
    plain, labels = samples("sea", 5000)
    assert np.array_equal(X[:, :3], plain) and np.array_equal(y, labels)
    assert stream.nominal == [0] * 6 + [5] * 2 and stream.n_features == 8
    assert np.abs(X[:, 3:6].mean(axis=0) - 0.5).max() < 0.02
    assert all(np.bincount(X[:, j].astype(int)).min() > 900 for j in (6, 7))


def test_label_noise_of_generators_without_their_own():
    _, clean = samples("waveform", 10000)
    _, noisy = samples("waveform:noise=30", 10000)
    assert np.mean(clean != noisy) == pytest.approx(0.3, abs=0.02)
    assert np.bincount(noisy[clean == 0])[1:] == pytest.approx([500, 500], abs=80)


def test_missing_values():
    X, _ = samples("imu:missing=10")
    assert np.mean(np.isnan(X)) == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("agrawl", "did you mean 'agrawal'"),
        ("zzzz", "niwaki streams lists them"),
        ("sea:nois=3", "no parameter 'nois'; did you mean 'noise'?"),
        ("sea:function=5", "5 is not within 1..4"),
        ("sea:function=two", "'two' is not an integer"),
        ("rbf:speed=fast", "'fast' is not a number"),
        ("bg1:features=a/b", "is not feature numbers such as 0/1/2"),
        ("bg1:features=0/1", "needs 3 different features"),
        ("bg1:features=0/1/10", "below attributes=10"),
        ("sea:function", "not of the form parameter=value"),
        ("sea:function=1+2", "2 concepts need 1 drift"),
        ("sea:drift=soon", "not a number of samples"),
        ("sea:drift=200+100", "do not increase"),
        ("rbf:classes=2+3,drift=50", "its concepts differ"),
    ],
)
def test_mistakes_in_a_spec(spec, message):
    with pytest.raises(UsageError) as caught:
        open_stream(spec)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_file_options_are_for_files():
    with pytest.raises(UsageError, match="label, nominal and drop are for"):
        open_stream("sea", label="x")
    with pytest.raises(UsageError, match="10 classes, more than the 5 asked for"):
        open_stream("led", classes=5)
    with pytest.raises(UsageError, match="at least one sample"):
        open_stream("sea", limit=0)


def test_the_help_names_everything():
    for name, generator in GENERATORS.items():
        assert f"\n  {name} " in spec_help() and about(name).startswith(f"{name}: ")
        assert all(f"  {parameter}=" in about(name) for parameter in (*generator.PARAMS, "irrelevant"))
    for name, spec in PRESETS.items():
        assert name in spec_help() and spec in about(name)
