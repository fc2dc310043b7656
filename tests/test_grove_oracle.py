"""scikit-learn as an oracle for a grove's neighbours and histograms."""

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import NearestNeighbors

from niwaki import Grove
from niwaki import layout as shared
from niwaki.grove import layout
from niwaki_host.evaluation.samples import Source, prepare
from niwaki_host.references.grove_lockstep import Device

STREAMS = ("sea", "rbf:classes=4", "imu", "waveform")
TAUGHT, ASKED = 500, 300
BUDGET = 16384
NEAR = 300


def taught(spec: str, **options) -> tuple[Device, np.ndarray]:
    """A grove that was taught some samples, and others to ask."""
    samples = prepare(Source(spec, TAUGHT + ASKED + 200, seed=3))
    device = Device(Grove(samples.n_features, samples.n_classes, BUDGET, **options))
    X, y = samples.X[samples.unready :], samples.y[samples.unready :]
    for x, label in zip(X[:TAUGHT], y[:TAUGHT].tolist(), strict=True):
        device.put_back(x, -1)
        device.learn(x, label)
    device.grove.settle()  # or shrubs, and with them weights, would change between questions
    return device, X[TAUGHT : TAUGHT + ASKED]


def codes_of(device: Device, x: np.ndarray) -> np.ndarray:
    """The sample as the device compares it."""
    device.ask(x)
    first = layout.S_ROWS + 2 * device.classes
    return device.state.scratch[first : first + len(x)].copy()


@pytest.mark.parametrize("spec", STREAMS)
def test_the_three_neighbours_are_those_of_scikit_learn(spec):
    """With histograms and shrubs silent, the scores are 3, 2 and 1 times NEAR for the neighbours' classes."""
    device, X = taught(spec, bins=0, near=NEAR)
    device.known[:] = 0  # no shrub votes
    count, weights = device.word(layout.COUNT), device.weights.astype(float)
    memory, labels = device.codes[:count], device.labels[:count]
    assert len(set(weights)) > 1
    asked = np.array([codes_of(device, x) for x in X])
    assert (asked > 0).all()
    oracle = NearestNeighbors(n_neighbors=4, metric="manhattan").fit(memory * weights)
    distances, places = oracle.kneighbors(asked * weights)
    clear = (np.diff(distances, axis=1) > 0).all(1)  # the oracle's order of equals is its own
    assert clear.sum() > ASKED // 4
    for x, nearest in zip(X[clear], places[clear, :3], strict=True):
        device.ask(x)
        expected = np.bincount(labels[nearest], NEAR * np.array([3, 2, 1]), device.classes)
        scores = device.state.scratch[layout.S_ROWS : layout.S_ROWS + device.classes]
        assert np.array_equal(scores, expected)


@pytest.mark.parametrize("spec", STREAMS)
def test_the_nearest_of_the_newest_is_that_of_scikit_learn(spec):
    device, X = taught(spec)
    first, newest = device.word(layout.MEMORY), device.word(layout.NEWEST)
    assert newest == device.word(layout.RECENT) > 3
    weights = device.weights.astype(float)
    oracle = NearestNeighbors(n_neighbors=2, metric="manhattan")
    oracle.fit(device.codes[first : first + newest] * weights)
    distances, places = oracle.kneighbors([codes_of(device, x) * weights for x in X])
    clear = distances[:, 0] < distances[:, 1]  # the oracle's order of equals is its own
    assert clear.sum() > ASKED // 2
    found = [device.ask(x).newest for x in X[clear]]
    assert np.array_equal(found, device.labels[first + places[clear, 0]])


@pytest.mark.parametrize("spec", STREAMS)
def test_histograms_answer_as_scikit_learn(spec):
    """CategoricalNB on the codes' bins; alpha 1/4 is (4 h + 1) / (4 n + bins)."""
    device, X = taught(spec, memory=TAUGHT)
    count, bins = device.word(layout.COUNT), device.word(layout.BINS)
    assert count == TAUGHT and device.word(shared.SAMPLES) == TAUGHT and bins
    # From the memory, which holds all that the histograms have counted: bins fold as codes do.
    taught_bins = device.codes[:count].astype(int) * bins // 256
    oracle = CategoricalNB(alpha=0.25, min_categories=bins).fit(taught_bins, device.labels[:count])
    asked = np.array([codes_of(device, x) for x in X])
    chances = oracle.predict_proba(asked * bins // 256)
    ours = [device.ask(x).bayes for x in X]
    best = np.sort(chances, axis=1)
    sure = best[:, -1] > 1.5 * best[:, -2]
    assert sure.sum() > ASKED // 2
    assert np.array_equal(np.array(ours)[sure], oracle.classes_[chances[sure].argmax(1)])
