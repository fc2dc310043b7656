"""The device's shrub ensemble against the float64 one of the paper, and Theorem 1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki import Shrubs
from niwaki.shrubs.layout import TRAIN_IN, WEIGHTS, YOUNGEST
from niwaki_host.references.shrubs import MAJORITY, ShrubEnsemble, cart, prox, vote
from niwaki_host.streams import open_stream
from niwaki_host.streams.encoding import make_encoding

STREAMS = ("sea", "led", "agrawal", "rbf", "hyperplane", "waveform")
PLAIN = {"recent": 0}  # what the paper has: no shrubs out of turn


def device(d: int, classes: int, window: int, exact: bool = False, **settings) -> Shrubs:
    """Fully grown shrubs on all features."""
    if exact:
        return Shrubs(d, classes, 1 << 17, window=window, exact=True, **settings)
    return Shrubs(d, classes, 1 << 17, window=window, nodes=window - 1, features=d, **PLAIN, **settings)


def follow(spec: str, samples: int, **settings) -> np.ndarray:
    """Equal predictions, equal survivors and largest difference of a weight, per sample."""
    stream = open_stream(spec, samples)
    X, y = stream.read()
    X = make_encoding(stream).encode(X)
    ours = device(stream.n_features, stream.n_classes, **settings)
    departures = () if settings.pop("exact", False) else (MAJORITY,)
    reference = ShrubEnsemble(stream.n_classes, departures=departures, **settings)
    born = np.zeros(len(reference.weights), int)
    rows = []
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        same_class = ours.predict(x.tolist()) == reference.predict(x)
        trains = ours.words[TRAIN_IN] == 1
        ours.learn(x.tolist(), label)
        reference.learn(x, label)
        if trains:
            born[ours.words[YOUNGEST]] = t + 1
        weights = np.array(ours.words[WEIGHTS:]) / 65536
        same = set(born[weights > 0]) == set(reference.born[reference.weights > 0])
        rows.append((same_class, same, np.abs(weights - reference.weights).max() if same else 0.0))
    return np.array(rows, float)


@pytest.mark.parametrize(
    ("samples", "settings"),
    [
        (100, {"window": 24, "shrubs": 6, "step": 1.0, "every": 1}),
        (300, {"window": 32, "shrubs": 8, "step": 1.0, "every": 8}),
        (150, {"window": 32, "shrubs": 4, "step": 2.0, "every": 4, "loss": "ce", "criterion": "gain"}),
        (100, {"window": 24, "shrubs": 6, "step": 1.0, "exact": True}),
        (120, {"window": 32, "shrubs": 6, "step": 1.0, "exact": True, "depth": 2}),
        (80, {"window": 24, "shrubs": 4, "step": 2.0, "exact": True, "depth": 3, "loss": "ce"}),
    ],
)
def test_device_follows_the_reference(samples, settings):
    rows = np.concatenate([follow(spec, samples, **settings) for spec in STREAMS])
    assert rows[:, 0].mean() >= 0.995
    assert rows[:, 1].mean() >= 0.99
    assert np.quantile(rows[:, 2], 0.99) < 2e-3


def test_fully_grown_shrub_equals_cart_to_a_depth():
    """Trees alone, on data with ties, missing values and samples that can't be told apart."""
    rng = np.random.default_rng(3)
    for depth in (None, 1, 3):
        model = device(3, 3, 32, shrubs=1, every=32, step=0.1, depth=depth)
        X = rng.integers(-4, 4, (32, 3))
        X[rng.random(X.shape) < 0.1] = -32768
        y = rng.integers(0, 3, 32)
        for x, label in zip(X.tolist(), y.tolist(), strict=True):
            model.learn(x, label)
        tree = cart(X.astype(float), y, 3, depth=depth)
        room, places, window = 31, 2, 32
        first = (3 + 3) * window + 1
        place = model.words[YOUNGEST]
        features = first + 2 * places + place * room
        for x in X:
            k = model.octets[first + places + place]
            while k < room:
                u = int(x[model.octets[features + k]]) + 32768
                right = u > model.halves[3 * window + place * room + k]
                k = model.octets[features + (2 if right else 1) * places * room + k]
            assert k - room == vote(tree, x)


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=9), st.integers(1, 8))
def test_prox_gives_the_nearest_point_of_the_simplex(weights, most):
    """No exchange of weight between two survivors, or from one to a dropped one, comes nearer."""
    w = np.array(weights)
    order = np.argsort(-w, kind="stable")
    p = prox(w, order, most)
    assert p.sum() == pytest.approx(1)
    assert (p >= 0).all()
    assert (p > 0).sum() <= most
    kept = p > 0
    assert np.ptp(w[kept] - p[kept]) < 1e-9  # all survivors are shifted alike
    for i in order[: min(most, len(w))]:
        assert kept[i] or w[i] <= (w[kept] - p[kept]).max() + 1e-9


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 30), st.integers(1, 6), st.integers(4, 24), st.integers(2, 4), st.booleans())
def test_theorem_1_a_new_concept_always_gets_a_shrub(seed, most, window, classes, shifting):
    """Fully grown shrubs, a step above B C / 4 m: a sample that all shrubs get wrong brings in a new one.

    If M shrubs had weight, one of them leaves.
    """
    rng = np.random.default_rng(seed)
    model = device(2, classes, window, shrubs=most, every=1, step=1.01 * window * classes / 4)
    met = 0
    for t in range(4 * window):
        x = rng.integers(-32767, 32768, 2).tolist()
        label = int(rng.integers(classes)) if shifting else (x[0] > 0) ^ (t // window & 1)
        model.predict(x)
        weights = list(model.words[WEIGHTS:])
        votes = model._arrays[3][classes + 2 : classes + 2 + len(weights)]
        members = [m for m, w in enumerate(weights) if w]
        unknown = bool(members) and all(votes[m] != label for m in members)
        model.learn(x, label)
        if unknown:
            met += 1
            after = list(model.words[WEIGHTS:])
            assert after[model.words[YOUNGEST]] > 0
            if len(members) == most:
                assert any(after[m] == 0 for m in members)
    assert met
