"""river's and scikit-learn's interfaces: their own checks, and the bits of the device behind them."""

import copy
import pickle

import numpy as np
import pytest
from conftest import need

from niwaki import Encoder
from niwaki_host import adapters
from niwaki_host.adapters.common import Codes, Engine
from niwaki_host.device.models import build
from niwaki_host.errors import UsageError
from niwaki_host.runtimes import run
from niwaki_host.streams import open_stream
from niwaki_host.streams.encoding import encode_stream, make_encoding

MODELS = ("vfdt", "shrubs", "grove")


@pytest.fixture
def River():
    need("river")
    return adapters.RiverClassifier


@pytest.fixture
def Sklearn():
    need("sklearn")
    return adapters.SklearnClassifier


@pytest.fixture(scope="module")
def floats():
    """600 samples of three features in different units, two text labels."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 3)) * [1, 50, 1e-3] + [0, 900, 0]
    return X, np.where(X[:, 1] > 900, "hot", "cold")


def as_dicts(X):
    return [dict(zip("abc", row, strict=True)) for row in X.tolist()]


# The engine


@pytest.mark.parametrize(
    "name,options",
    [("vfdt", {}), ("vfdt", {"leaf": "mc"}), ("hat", {"leaf": "nb"}), ("shrubs", {})],
)
def test_engine_has_the_devices_bits_and_scores(small_stream, name, options):
    X, y = small_stream[0], np.maximum(small_stream[1], 0)
    engine, device = (Engine(build(name, 6, 4, 8192, **options)) for _ in range(2))
    engine.learn(X, y)
    for codes, label in zip(X, y.tolist(), strict=True):
        device.code[0] = codes
        device.learn_one(label)
    assert engine.model.words == device.model.words and engine.model.halves == device.model.halves
    state = bytes(engine.model.words), bytes(engine.model.halves), bytes(engine.model._arrays[3])
    shares, answers = engine.probabilities(X[:50]), engine.predict(X[:50])
    assert (bytes(engine.model.words), bytes(engine.model.halves), bytes(engine.model._arrays[3])) == state
    assert np.array_equal(shares.argmax(axis=1), answers)
    out = [0] * 4
    for codes, share in zip(X[:50].tolist(), shares, strict=True):
        engine.model.scores(codes, out)
        assert np.allclose(share, np.array(out) / 65536, atol=0.005)


def test_engine_refuses_what_would_harm_a_kernel():
    engine = Engine(build("vfdt", 3, 2, 4096))
    for codes, labels in [(np.zeros((2, 4)), [0, 0]), (np.zeros((2, 3)), [0, 2]), (np.zeros((2, 3)), [0])]:
        with pytest.raises(ValueError):
            engine.learn(codes, np.array(labels))


def test_codes_learn_ranges_as_the_encoder_does(floats):
    X = floats[0].copy()
    encoder, codes = Encoder(3), Codes([None] * 3)
    for t, row in enumerate(X[:200]):
        expected = encoder.encode(row.tolist(), [0] * 3)
        assert codes.encode(X[t : t + 1], np.empty((1, 3), np.int16))[0].tolist() == expected
        if codes.learning:
            codes.look(X[t : t + 1])
    assert codes.ranges == encoder.ranges


# river


@pytest.mark.parametrize("model", MODELS)
def test_rivers_own_checks(River, model):
    from river.checks import check_estimator

    classifier = River(model)
    assert not classifier._unit_test_skips()
    check_estimator(classifier)


@pytest.mark.parametrize("model", MODELS)
def test_river_gives_what_a_simulation_gives(River, model):
    stream = open_stream("sea", limit=600)
    codes, y = encode_stream(stream, make_encoding(stream, "learned"))
    classifier = River(model, budget=4096, n_classes=2)
    seen = dict.fromkeys(y.tolist())  # classes by first appearance
    translate = {label: place for place, label in enumerate(seen)}
    expected = run(
        "numba",
        model,
        {"n_features": 3, "n_classes": 2, "budget": 4096},
        codes,
        np.array([translate[label] for label in y.tolist()], np.int16),
    )
    answers = []
    for x, label in zip(as_dicts(stream.read()[0]), y.tolist(), strict=True):
        answers.append(classifier.predict_one(x))
        classifier.learn_one(x, label)
    assert answers[0] is None
    assert [translate[a] for a in answers[1:]] == expected.predictions[1:].tolist()
    assert bytes(classifier.model_.words) == expected.words.tobytes()


def test_river_labels_features_and_text(River):
    classifier = River(n_classes=2, n_features=4, learn=5, grace=20)
    assert classifier.predict_one({"a": 1}) is None and classifier.predict_proba_one({"a": 1}) == {}
    for t in range(400):
        x = {"a": t % 7, "colour": "red" if t % 2 else "blue"}
        if t > 100:
            x |= {"late": t, "later": 1.0, "too late": 2.0}
        classifier.learn_one(x, ("odd", t % 2) if t % 2 else None)
    assert classifier.features_ == ["a", "colour", "late", "later"]
    assert classifier.ranges_[1] == 16
    assert classifier.predict_one({"colour": "red"}) == ("odd", 1)
    assert classifier.predict_one({"colour": "blue", "a": None}) is None
    assert set(classifier.predict_proba_one({"colour": "green"})) == {None, ("odd", 1)}
    with pytest.raises(ValueError, match="n_classes"):
        classifier.learn_one({"a": 1}, "third")
    with pytest.raises(ValueError, match=r"'a': 'x' is not a number.*nominal"):
        classifier.learn_one({"a": "x"}, None)


def test_a_sample_that_river_refuses_leaves_no_trace(River):
    classifier = River(n_classes=2)
    classifier.learn_one({"a": 1}, "one")
    for value in ("x", 10**400, [1]):
        with pytest.raises(ValueError, match=r"'a': .* is not a number"):
            classifier.learn_one({"a": value}, "other")
    assert classifier.classes_ == ["one"] and classifier.model_.samples == 1
    with pytest.raises(ValueError, match="nominal values, not 0"):
        River(nominal={"a": 0}).learn_one({"a": "x"}, 1)


def test_river_pickle_goes_on_where_it_was(River, floats):
    X, y = floats
    rows = list(zip(as_dicts(X), y.tolist(), strict=True))
    classifier = River("vfdt", n_classes=2)
    for x, label in rows[:300]:
        classifier.learn_one(x, label)
    others = [pickle.loads(pickle.dumps(classifier)), copy.deepcopy(classifier)]
    for x, label in rows[300:]:
        for one in (classifier, *others):
            one.learn_one(x, label)
    for one in others:
        assert one.model_.words == classifier.model_.words and one.model_ is not classifier.model_


# scikit-learn


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks(Sklearn, model):
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(Sklearn(model), on_skip=None)


def test_scikit_learn_batches_are_one_stream(Sklearn, floats):
    X, y = floats
    whole = Sklearn(budget="4k").partial_fit(X, y, classes=["cold", "hot"])
    parts = Sklearn(budget="4k", ranges=whole.ranges_)
    for at in range(0, len(X), 97):
        parts.partial_fit(X[at : at + 97], y[at : at + 97], classes=["hot", "cold"])
    assert parts.model_.words == whole.model_.words and parts.model_.samples == len(X)
    assert parts.score(X, y) > 0.9 and parts.model_.nbytes <= 4096
    assert parts.classes_.tolist() == ["cold", "hot"]
    again = pickle.loads(pickle.dumps(parts))
    assert np.array_equal(again.predict_proba(X), parts.predict_proba(X))
    with pytest.raises(ValueError, match="'warm'"):
        parts.partial_fit(X[:1], ["warm"])
    for classes in (None, []):
        with pytest.raises(ValueError, match="first call"):
            Sklearn().partial_fit(X, y, classes=classes)


def test_scikit_learn_options_are_parameters(Sklearn, floats):
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    X, y = floats
    classifier = clone(Sklearn("ht-reg", leaf="mc"))
    given = {name: value for name, value in classifier.get_params().items() if value is not None}
    assert given == {"model": "ht-reg", "budget": "8k", "leaf": "mc"}
    assert {"grace", "window", "memory", "seed"} <= classifier.get_params().keys()
    assert repr(classifier) == "SklearnClassifier(leaf='mc', model='ht-reg')"
    assert "ht-reg" in classifier._repr_html_()
    search = GridSearchCV(classifier, {"grace": [50, 100], "leaf": ["mc", "nba"]}, cv=2).fit(X, y)
    assert search.best_estimator_.get_params()["grace"] in (50, 100)
    with pytest.raises(ValueError, match="budgett"):
        classifier.set_params(budgett=1)
    with pytest.raises(TypeError, match="gracious"):
        Sklearn(gracious=1)
    with pytest.raises(ValueError, match="smallest"):
        Sklearn(budget=64).fit(X, y)


def test_scikit_learn_missing_and_nominal(Sklearn):
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.integers(0, 4, 800), rng.normal(size=800)]).astype(float)
    y = X[:, 0] == 2
    X[rng.random(X.shape) < 0.05] = np.nan
    classifier = Sklearn(ranges=[4, None], grace=50).fit(X, y)
    assert classifier.ranges_[0] == 4 and bytes(classifier.model_.octets[:2]) == b"\x04\0"
    assert classifier.score(X, y) > 0.95
    assert Sklearn(ranges=[np.int64(4), np.array([-1, 1])]).fit(X, y).ranges_ == [4, (-1, 1)]
    assert Sklearn(ranges=np.array([[0, 4], [-1, 1]])).fit(X, y).ranges_ == [(0, 4), (-1, 1)]


def _frames(columns):
    import pandas
    import polars

    yield pandas.DataFrame(columns)
    yield polars.DataFrame(columns)


@pytest.mark.parametrize("model", MODELS)
def test_scikit_learn_takes_text_columns_and_frames(Sklearn, model):
    rng = np.random.default_rng(6)
    kinds = rng.choice(["oak", "pine", "yew"], 600)
    y = np.where(kinds == "pine", "soft", "hard")
    columns = {"girth": rng.normal(size=600), "kind": kinds.tolist()}
    columns["kind"][5] = None
    found = []
    for frame in _frames(columns):
        classifier = Sklearn(model).fit(frame, y)
        assert classifier.feature_names_in_.tolist() == ["girth", "kind"]
        assert classifier.values_ == [None, ["oak", "pine", "yew"]] and classifier.ranges_[1] == 3
        shares = classifier.feature_importances_
        assert shares.sum() == pytest.approx(1) and shares[1] > shares[0]
        assert classifier.score(frame, y) > 0.97
        found.append(classifier)
    rows = [[girth, kind] for girth, kind in zip(*columns.values(), strict=True)]
    assert (found[0].predict(rows) == found[1].predict(frame)).all()
    assert found[0].model_.words == found[1].model_.words == Sklearn(model).fit(rows, y).model_.words
    found[0].predict([[0.5, "birch"]])  # a text that is not known is missing
    with pytest.raises(ValueError, match="different texts"):
        Sklearn(model).fit([[str(i)] for i in range(300)], [0, 1] * 150)
    with pytest.raises(ValueError, match="2 features"):
        found[0].predict([["oak"]])


def test_river_ranks_features(River, floats):
    X, y = floats
    classifier = River("vfdt", n_classes=2, grace=50)
    assert classifier.feature_importances_ == {}
    for x, label in zip(as_dicts(X), y.tolist(), strict=True):
        classifier.learn_one(x, label)
    shares = classifier.feature_importances_
    assert sum(shares.values()) == pytest.approx(1) and max(shares, key=shares.__getitem__) == "b"


def test_a_polars_frame_is_a_stream():
    from niwaki_host.streams import from_frame

    streams = [from_frame(frame) for frame in _frames({"a": [1.5, 2.0, 3.5], "label": ["x", "y", "x"]})]
    assert [stream.class_names for stream in streams] == [["x", "y"]] * 2
    assert [stream.feature_names for stream in streams] == [["a"]] * 2


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    import builtins

    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "river_classifier":
            raise ModuleNotFoundError("No module named 'river'", name="river")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match=r"niwaki-ml\[compare\]"):
        adapters.__getattr__("RiverClassifier")
    with pytest.raises(AttributeError):
        adapters.Nothing  # noqa: B018
