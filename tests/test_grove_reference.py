"""The device's grove against the one in floating point, in lockstep, in all ways that labels come."""

import numpy as np
import pytest

from niwaki_host.evaluation.samples import Source, prepare
from niwaki_host.references.grove_lockstep import Agreement, Lockstep

NARROW = ("sea", "stagger", "agrawal:function=2", "rbf:classes=4", "hyperplane", "imu:drift=50%")
WIDE = ("led", "waveform")  # from 2 KB on
BUDGETS = (1024, 2048, 8192)
SAMPLES = 2000
OFTEN = 50  # samples between two comparisons of everything
DELAY = 200
LESSON = 100  # samples of each class in a block


def at_once(pair: Lockstep, X: np.ndarray, y: np.ndarray) -> None:
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        pair.ask(x)
        pair.learn(x, label)
        if t % OFTEN == 0:
            pair.compare_state()


def late(pair: Lockstep, X: np.ndarray, y: np.ndarray) -> None:
    """Each label comes DELAY samples after the question; every fifth never."""
    waiting = []
    for t, x in enumerate(X):
        pair.ask(x)
        waiting.append(pair.kept())
        told = t - DELAY
        if told >= 0 and told % 5:
            pair.learn_late(X[told], int(y[told]), waiting[told])
        if t % OFTEN == 0:
            pair.compare_state()


def taught(pair: Lockstep, X: np.ndarray, y: np.ndarray) -> None:
    """One class after another, without a question; then questions without labels; then again."""
    half = len(y) // 2
    for part in (slice(0, half), slice(half, len(y))):
        for label in range(int(y.max()) + 1):
            rows = np.flatnonzero(y[part] == label)[:LESSON] + part.start
            for t in rows:
                pair.teach(X[t], label)
            pair.compare_state()
        for x in X[part]:
            pair.ask(x)
    assert pair.reference.follows == pair.reference.knows == 0


WAYS = {"at once": at_once, "late": late, "taught": taught}


def follow(pair: Lockstep, way: str, X: np.ndarray, y: np.ndarray, what: str) -> Agreement:
    WAYS[way](pair, X, y)
    pair.compare_state()
    print(f"{what}, {way}: {pair.found}")
    assert pair.found.differences == []
    return pair.found


def follow_stream(spec: str, budget: int, way: str) -> Agreement:
    samples = prepare(Source(spec, SAMPLES, seed=1))
    pair = Lockstep(samples.n_features, samples.n_classes, budget)
    found = follow(pair, way, samples.X, samples.y, f"{spec}, {budget} bytes")
    assert found.splits > 100 or not pair.reference.shape.shrubs
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("budget", BUDGETS)
def test_device_follows_the_reference(budget, way):
    """Every stream at every budget, in one of the ways, and in the next one at the next budget."""
    turn = BUDGETS.index(budget) + list(WAYS).index(way)
    streams = NARROW if budget < 2048 else NARROW + WIDE
    found = [follow_stream(spec, budget, way) for k, spec in enumerate(streams) if (k + turn) % 3 == 0]
    assert sum(one.same for one in found) >= 0.99 * sum(one.asked for one in found)
    assert sum(one.ties["split"] for one in found) <= 0.005 * sum(one.splits for one in found)


def wild(seed: int, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes apart in some features; wandering ranges, constant features, glitches, missing values."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    middle = rng.integers(-9000, 9000, (classes, d))
    X = middle[y] + rng.normal(0, 4.0 ** rng.integers(0, 7, d), (n, d))
    X += np.linspace(0, 1, n)[:, None] * rng.integers(-20000, 20000, d)
    X[:, 0] = 7
    X = np.where(rng.random(X.shape) < 0.01, rng.integers(-32767, 32768, X.shape), X)
    X = np.where(rng.random(X.shape) < 0.05, -32768, np.clip(X, -32767, 32767))
    return X.astype(np.int16), y.astype(np.int16)


@pytest.mark.parametrize(
    ("way", "options"),
    [
        ("at once", {}),
        ("late", {"effort": 20, "seed": 5}),
        ("taught", {"bins": 4, "recent": 3}),
        ("at once", {"bins": 0, "memory": 20, "take": 30}),
        ("late", {"neighbours": 0, "hurry": 1}),
        ("taught", {"near": 0, "bayes": 0, "shrubs": 2, "nodes": 3}),
    ],
    ids=str,
)
def test_wild_values_and_options(way, options):
    """Windows that double, up and down; counts that are halved; values that are missing."""
    X, y = wild(len(str(options)), 900, 5, 3)
    pair = Lockstep(5, 3, 3000, **options)
    found = follow(pair, way, X, y, str(options))
    assert found.same >= 0.99 * found.asked
    assert max(window.shift for window in pair.reference.windows if window) > 4


def test_full_histograms_are_halved_alike():
    X, y = wild(3, 1500, 2, 2)
    pair = Lockstep(2, 2, 2048)
    follow(pair, "at once", X, y, "two features")
    assert pair.reference.met.sum() < len(y)


def test_one_class_alone():
    X, y = wild(4, 400, 3, 1)
    pair = Lockstep(3, 1, 1024)
    assert follow(pair, "at once", X, y, "one class").same == len(y)


def test_a_wrong_rule_is_found():
    """The comparison would see a split, a memory or a vote by another rule."""
    X, y = wild(5, 300, 3, 3)
    for name, value in (("near", 1500), ("seed", 9), ("hurry", 3)):
        pair = Lockstep(3, 3, 2048)
        other = Lockstep(3, 3, 2048, **{name: value})
        pair.device = other.device
        at_once(pair, X, y)
        assert pair.found.differences
