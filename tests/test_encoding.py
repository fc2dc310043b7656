"""Codes: the lab's encoding and the device's Encoder give the same ones, by every kind of range."""

from array import array

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki.encoder import RAW, Encoder
from niwaki.model import MISSING
from niwaki_host.errors import UsageError
from niwaki_host.runtimes import run
from niwaki_host.streams import from_arrays, open_stream
from niwaki_host.streams.encoding import (
    METHODS,
    Encoding,
    encode,
    encode_chunks,
    encode_stream,
    make_encoding,
)

finite = st.floats(-1e9, 1e9)
anything = st.one_of(st.floats(), st.integers(-(10**6), 10**6).map(float))


def device(X, ranges=None, **options) -> np.ndarray:
    """One sample after the other through the device's Encoder."""
    n = len(X[0])
    encoder, out = Encoder(n, ranges, **options), array("h", bytes(2 * n))
    return np.array([list(encoder.encode(row, out)) for row in X], np.int16)


def test_ends_missing_and_infinities():
    nan, inf = float("nan"), float("inf")
    values = [0.0, 10.0, 5.0, -1.0, 11.0, inf, -inf, nan, 1e-9, 10 - 1e-9]
    expected = [-32767, 32767, 0, -32767, 32767, 32767, -32767, MISSING, -32767, 32767]
    assert encode(np.array(values)[:, None], [(0, 10)])[:, 0].tolist() == expected
    assert device([[v] for v in values], [(0, 10)])[:, 0].tolist() == expected


def test_nominal_values():
    values = [0.0, 1.0, 4.0, 5.0, -1.0, float("nan"), float("inf")]
    expected = [0, 1, 4] + [MISSING] * 4
    assert encode(np.array(values)[:, None], [5])[:, 0].tolist() == expected
    assert device([[v] for v in values], [5])[:, 0].tolist() == expected
    assert device([[0], [4], [5], [-1]], [5])[:, 0].tolist() == [0, 4, MISSING, MISSING]


def test_raw_values_pass_through():
    values = list(range(-32767, 32768, 17)) + [32767]
    assert encode(np.array(values, float)[:, None], [RAW])[:, 0].tolist() == values
    assert device([[v] for v in values], [RAW])[:, 0].tolist() == values
    assert device([[-40000], [40000], [-32768]], [RAW])[:, 0].tolist() == [-32767, 32767, -32767]


@given(lo=finite, width=st.floats(1e-6, 1e9), values=st.lists(anything, min_size=1, max_size=20))
@settings(deadline=None)
def test_floats_are_the_same_on_host_and_device(lo, width, values):
    ranges = [(lo, lo + width)] if lo + width > lo else [(lo, lo + 1e3)]
    X = np.array(values)[:, None]
    assert np.array_equal(encode(X, ranges), device(X.tolist(), ranges))


@given(
    lo=st.integers(-(2**31), 2**31),
    width=st.integers(1, 2**32),
    places=st.lists(st.floats(-0.1, 1.1), min_size=1, max_size=20),
)
@settings(deadline=None)
def test_integers_are_exact(lo, width, places):
    """Long division, big integers and the host's floats agree with the definition."""
    values = [lo + int(place * width) for place in places]
    expected = [min(max((v - lo) * 65536 // width, 1), 65535) - 32768 for v in values]
    ranges = [(lo, lo + width)]
    assert device([[v] for v in values], ranges)[:, 0].tolist() == expected
    assert encode(np.array(values, float)[:, None], ranges)[:, 0].tolist() == expected


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=50))
def test_order_is_kept(values):
    codes = encode(np.array(sorted(values))[:, None], [(-50, 50)])[:, 0]
    assert (np.diff(codes.astype(int)) >= 0).all()


@given(
    data=st.lists(st.tuples(anything, finite, st.integers(-40000, 40000)), min_size=12, max_size=40),
    learn=st.integers(1, 12),
    margin=st.integers(0, 20),
)
@settings(deadline=None)
def test_learned_ranges_are_those_of_the_device(data, learn, margin):
    X = np.array(data, float)
    stream = from_arrays(X, np.arange(len(X)) % 2)
    encoding = make_encoding(stream, "learned", learn, margin)
    codes, _ = encode_stream(stream, encoding)
    assert np.array_equal(codes, device(X.tolist(), learn=encoding.learned, margin=margin))
    assert (codes[: encoding.learned] == MISSING).all()


def test_what_is_learned():
    encoder, out = Encoder(5, learn=3, margin=16), array("h", bytes(10))
    assert not encoder.ready and encoder.ranges == [None] * 5
    nan = float("nan")
    for row in ([1, 0.5, 7, nan, -20000], [3, -0.5, 7, nan, 0], [2, 0.0, 7, float("inf"), 20000]):
        assert list(encoder.encode(row, out)) == [MISSING] * 5
    assert encoder.ready
    # Integers stay integers; a constant gets a span; nothing seen, or wide already: 16-bit values.
    assert encoder.ranges == [(-31, 35), (-16.5, 16.5), (-28, 42), RAW, RAW]
    assert isinstance(encoder.ranges[0][0], int)
    again = Encoder(5, encoder.ranges)
    row = [2.5, 0.1, 9, 4, 12345]
    assert again.ready and list(again.encode(row, array("h", bytes(10)))) == list(encoder.encode(row, out))


def test_the_device_refuses_nonsense():
    for arguments in (
        {"ranges": [(0, 1)]},
        {"ranges": [(1, 0), (0, 1)]},
        {"ranges": [(0, 0), (0, 1)]},
        {"ranges": [(0, float("inf")), (0, 1)]},
        {"ranges": [(0, float("nan")), (0, 1)]},
        {"ranges": [0, 3]},
        {"ranges": [40000, 3]},
        {"ranges": [(0,), (0, 1)]},
        {"ranges": [(0, 1, 2), (0, 1)]},
        {"learn": 0},
        {"margin": -1},
        {"margin": float("nan")},
    ):
        with pytest.raises(ValueError):
            Encoder(2, **arguments)
    for arguments, message in (
        ((2.0,), "n_features must be an int"),
        ((None,), "n_features must be an int"),
        (("2", [3, 3]), "n_features must be an int"),
        ((1, [2.5]), r"feature 0: a range is \(lo, hi\)"),
        ((1, ["ab"]), r"feature 0: a range is \(lo, hi\)"),
        ((1, [True]), r"feature 0: a range is \(lo, hi\)"),
        ((2, [3, (0, None)]), r"feature 1: a range is \(lo, hi\)"),
        ((2, None, 2.5), "learn must be an int"),
        ((2, None, 3, "8"), "margin must be a number"),
    ):
        with pytest.raises(TypeError, match=message):
            Encoder(*arguments)
    for wrong in (0, -1, 4097, 1 << 40):
        with pytest.raises(ValueError, match=r"n_features must be in 1\.\.4096"):
            Encoder(wrong)
    encoder = Encoder(2, [(0, 1), (0, 1)])
    with pytest.raises(ValueError):
        encoder.encode([1], array("h", bytes(4)))
    with pytest.raises(ValueError):
        encoder.encode([1, 2], array("h", bytes(2)))
    for kind in "bBHI":
        with pytest.raises(TypeError, match=r"array\('h'\)"):
            encoder.encode([0, 1], array(kind, [0, 0]))


@pytest.mark.parametrize("ranges", [(0, 9), (0.0, 1.0), 5, None])
def test_what_is_not_a_number_leaves_no_trace(ranges):
    encoder, out = Encoder(2, [ranges, ranges]), array("h", [7, 7])
    for wrong in (None, "2", [2]):
        with pytest.raises(TypeError, match=r"feature 1: .* is not a number"):
            encoder.encode([1, wrong], out)
    assert out.tolist() == [7, 7] and encoder.left == (3 if ranges is None else 0)
    assert encoder._lo[0] is None or ranges is not None
    encoder.encode([True, float("nan")], out)
    assert out[1] == MISSING


def test_codes_may_replace_their_values():
    encoder, x = Encoder(3, [(0, 4095), 3, RAW]), array("h", [2048, 2, -5])
    assert encoder.encode(x, x) is x and x.tolist() == [8, 2, -5]


@pytest.mark.parametrize("spec", ["sea", "agrawal", "led", "imu", "sea:irrelevant=2,irrelevant_nominal=2"])
@pytest.mark.parametrize("method", METHODS)
def test_methods(spec, method):
    stream = open_stream(spec, limit=3000)
    encoding = make_encoding(stream, method)
    codes, y = encode_stream(stream, encoding)
    X, labels = stream.read()
    assert codes.dtype == np.int16 and np.array_equal(y, labels)
    for j, values in enumerate(stream.nominal):
        if values:
            assert np.array_equal(codes[:, j], X[:, j])
        elif method in ("auto", "whole"):
            assert encoding.learned == 0 and codes[:, j].min() >= -32767
        elif method == "raw" and spec == "imu":
            assert np.array_equal(codes[:, j], X[:, j])
    numeric = [j for j, values in enumerate(stream.nominal) if not values]
    if method == "whole" and numeric:
        assert (codes[:, numeric].min(axis=0) == -32767).all() and (
            codes[:, numeric].max(axis=0) == 32767
        ).all()
    assert bool(encoding.learned) == (method == "learned" and bool(numeric))
    parts = [part for part, _ in encode_chunks(stream, encoding, 700)]
    assert np.array_equal(np.concatenate(parts), codes)


def test_the_report_says_where_ranges_come_from():
    stream = open_stream("sea:irrelevant_nominal=1", limit=3000)
    told = {method: make_encoding(stream, method).describe() for method in (*METHODS, "0:10")}
    assert told["auto"] == "ranges known beforehand"
    assert told["learned"] == "ranges learned for 3 of 4 features from the first 3 samples, margin 128"
    assert "optimistic" in told["whole"] and "16-bit codes already" in told["raw"] and "0:10" in told["0:10"]


def test_a_short_stream_spends_a_tenth_on_learning():
    stream = from_arrays(np.arange(40.0)[:, None], np.arange(40) % 2)
    assert make_encoding(stream, learn=50).learned == 4


def test_ranges_in_a_file(tmp_path):
    stream = open_stream("agrawal", limit=300)
    path = tmp_path / "ranges.json"
    path.write_text('{"salary": [0, 200000], "age": [0, 128], "loan": null}')
    encoding = make_encoding(stream, str(path))
    assert encoding.ranges[0] == (0, 200000) and encoding.ranges[3] == 5  # nominal as the stream has it
    assert "learned for 4 of 9 features" in encoding.describe()  # loan, and what is not named
    path.write_text("[[0, 200000], [0, 1e5], [0, 128], 5, 20, 9, [0, 1e6], [0, 64], [0, 1e6]]")
    assert str(path) in make_encoding(stream, str(path)).describe()
    for text, message in (
        ("[[0, 1]]", "1 ranges, but the stream has 9 features"),
        ('{"salry": [0, 1]}', "no feature 'salry'; did you mean 'salary'?"),
        ("{", "not JSON"),
    ):
        path.write_text(text)
        with pytest.raises(UsageError, match=message.replace("?", r"\?")):
            make_encoding(stream, str(path))


def test_many_codes_are_kept_in_a_file(monkeypatch):
    stream = open_stream("sea", limit=500)
    codes, labels = encode_stream(stream)
    monkeypatch.setattr("niwaki_host.streams.encoding.SPILL", 1000)
    spilled, _ = encode_stream(stream)
    assert isinstance(spilled, np.memmap) and np.array_equal(spilled, codes)
    params = {"n_features": 3, "n_classes": 2, "budget": 2048}
    digests = {run("numba", "vfdt", params, X, labels).digest for X in (codes, spilled)}
    assert len(digests) == 1


def test_stated_ranges():
    stream = open_stream("sea", limit=100)
    X, _ = stream.read()
    same = encode(X, [(-5, 20)] * 3)
    assert np.array_equal(make_encoding(stream, "-5:20").encode(X), same)
    assert np.array_equal(make_encoding(stream, [(-5, 20)] * 3).encode(X), same)
    mixed = make_encoding(stream, [(-5, 20), None, None], learn=50)
    assert mixed.learned == 10 and mixed.describe().startswith("ranges learned for 2 of 3")


def test_constant_and_absent_features_can_be_encoded():
    X = np.column_stack([np.full(50, 3.0), np.full(50, np.nan), np.arange(50.0)])
    codes, _ = encode_stream(from_arrays(X, np.arange(50) % 2), None)
    whole = make_encoding(from_arrays(X, np.arange(50) % 2), "whole").encode(X)
    for found in (codes[10:], whole):
        assert len(set(found[:, 0])) == 1 and found[0, 0] != MISSING
        assert (found[:, 1] == MISSING).all() and len(set(found[:, 2])) == len(found)


@pytest.mark.parametrize("method", ["lerned", "1:0", "a:b", "1:2:3", "0:inf"])
def test_mistakes(method):
    with pytest.raises(UsageError, match="not one of auto, learned, whole, raw"):
        make_encoding(open_stream("sea", limit=100), method)
    with pytest.raises(UsageError, match="3 are needed"):
        make_encoding(open_stream("sea", limit=100), [(0, 1)])
    with pytest.raises(UsageError, match="3 features are needed"):
        Encoding([(0, 1)] * 3, "given").encode(np.zeros((4, 2)))
