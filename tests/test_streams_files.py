"""Streams from files and from memory: what is read, and what is refused in one clear line."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from conftest import need
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki_host.errors import UsageError
from niwaki_host.streams import from_arrays, from_frame, open_stream
from niwaki_host.streams.fold import Folded

PLAIN = "a,b,label\n1,2.5,0\n3,-4,1\n5,6e2,0\n"


@pytest.mark.parametrize(
    "name", ["data.csv", "data.csv.gz", "data.csv.xz", "DATA.CSV", "DATA.CSV.BZ2", "data.csv.zip"]
)
def test_csv(write, name):
    stream = open_stream(write(PLAIN, name))
    X, y = stream.read()
    assert (
        stream.feature_names == ["a", "b"] and stream.class_names == ["0", "1"] and stream.nominal == [0, 0]
    )
    assert np.array_equal(X, [[1, 2.5], [3, -4], [5, 600]]) and y.tolist() == [0, 1, 0]


@pytest.mark.parametrize("label", ["what", 0, "0", -3])
def test_the_label_can_be_anywhere(write, label):
    stream = open_stream(write("what,x,z\nup,1,4\ndown,2,5\n"), label=label)
    X, y = stream.read()
    assert stream.class_names == ["down", "up"] and y.tolist() == [1, 0]
    assert stream.feature_names == ["x", "z"] and X.tolist() == [[1, 4], [2, 5]]


def test_integer_labels_are_sorted_by_size_and_texts_by_the_alphabet(write):
    stream = open_stream(write("x,label\n1,10\n2,9\n3,-1\n4,10.0\n"))
    assert stream.class_names == ["-1", "9", "10"] and stream.read()[1].tolist() == [2, 1, 0, 2]
    stream = open_stream(write("x,label\n1,ten\n2,nine\n3,9\n"))
    assert stream.class_names == ["9", "nine", "ten"]


def test_labels_that_are_no_whole_numbers_of_a_float_are_texts(write):
    stream = open_stream(write("x,label\n1,0\n2,inf\n3,-inf\n"))
    assert stream.class_names == ["-inf", "0", "inf"] and stream.read()[1].tolist() == [1, 2, 0]
    stream = open_stream(write("x,label\n1,9007199254740993\n2,9007199254740992\n"))
    assert stream.class_names == ["9007199254740992", "9007199254740993"]
    assert stream.read()[1].tolist() == [1, 0]


def test_missing_and_infinite_values(write):
    X, y = open_stream(write("a,b,c,label\n?,,NaN,0\n1,inf, -inf ,1\n+2,3,4,?\n")).read()
    assert np.isnan(X[0]).all()
    assert X[1].tolist() == [1, np.inf, -np.inf] and X[2].tolist() == [2, 3, 4]
    assert y.tolist() == [0, 1, -1]


def test_nominal_columns(write):
    path = write("color,k,label\nred,3,0\nblue,1,1\n?,3,0\nred,2,1\n")
    stream = open_stream(path)
    assert stream.nominal == [2, 0]
    assert np.array_equal(stream.read()[0][:, 0], [1, 0, np.nan, 1], equal_nan=True)
    stream = open_stream(path, nominal=["k"], drop=["color"])
    assert stream.feature_names == ["k"] and stream.nominal == [3]
    assert stream.read()[0][:, 0].tolist() == [2, 0, 2, 1]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", ";").replace(".", ","),
        PLAIN.replace(",", "\t"),
        PLAIN.rstrip("\n"),
        "\n" + PLAIN.replace("\n", "\n\n"),
        PLAIN.replace("1,2.5", ' 1 ,"2.5"'),
    ],
    ids=["bom", "crlf", "semicolons", "decimal commas", "tabs", "no last newline", "blank lines", "quotes"],
)
def test_dialects(write, text):
    X, y = open_stream(write(text)).read()
    assert np.array_equal(X, [[1, 2.5], [3, -4], [5, 600]]) and y.tolist() == [0, 1, 0]


def test_texts_of_several_lines(write):
    rows = "".join(f'{i},"line\n{i % 2}",{i % 2}\n' for i in range(100000))  # several blocks
    assert open_stream(write("i,text,label\n" + rows)).value_names == [[], ["line\n0", "line\n1"]]


def test_columns_of_the_same_name_are_numbered(write):
    path = write("x,x (2),x,x,label\n1,2,3,4,0\n5,6,7,8,1\n")
    stream = open_stream(path)
    assert stream.feature_names == ["x", "x (2)", "x (3)", "x (4)"]
    assert open_stream(path, drop=["x (3)"]).read()[0].tolist() == [[1, 2, 4], [5, 6, 8]]


def test_limit(write):
    stream = open_stream(write(PLAIN + "7,broken,1\n"), limit=3)
    assert stream.length == 3 and len(stream.read()[1]) == 3


def test_classes_can_be_more_than_seen(write):
    assert open_stream(write(PLAIN), classes=4).n_classes == 4


MANY = "".join(f"{i},{i % 2}\n" for i in range(300000))  # more than one block

MISTAKES = {
    "open quote": ('a,label\n"' + MANY, "a quote is never closed"),
    "missing file": (None, "no such file"),
    "empty": ("", "the file is empty"),
    "header only": ("a,b\n", "no row of data below the header"),
    "no header": ("1,2\n3,4\n", "a header row of column names is needed, or --no-header"),
    "one column": ("label\n1\n2\n", "at least one feature and a label"),
    "short row": ("a,b,label\n1,2,0\n3,1\n", "row 2: 2 values where the header has 3 columns"),
    "long row": ("a,b,label\n1,2,0\n3,1,1\n1,2,3,4\n", "row 3: 4 values where the header has 3 columns"),
    "text among numbers": (
        "a,b,label\n1,2,0\n1,x7,1\n",
        "row 2, column 'b': 'x7' is text in a column of numbers",
    ),
    "number among texts": (
        "a,b,label\n1,x,0\n1,7,1\n",
        "row 1, column 'b': 'x' is text in a column of numbers",
    ),
    "text far down": ("a,label\n" + MANY + "oops,1\n", "row 300001, column 'a': 'oops' is text"),
    "ragged far down": ("a,label\n" + MANY + "1\n", "row 300001: 1 values"),
    "one class": ("a,label\n1,7\n2,7\n", "one class only, '7'"),
    "no label": ("a,label\n1,\n2,?\n", "holds no label"),
    "too many classes": (
        "a,label\n" + "".join(f"1,{i}\n" for i in range(300)),
        "more than 255 different values; a model tells at most 255 classes apart, and there is no regression",
    ),
    "not text": (b"a,label\n1,\xff\xfe\n2,1\n", "is not UTF-8 text; say what it is written in"),
    "not text in the header": (b"t\xe9,label\n1,0\n2,1\n", "for example --encoding cp1252"),
    "another alphabet": (PLAIN.encode("utf-16"), "for example --encoding utf-16"),
    "dates": ("when,label\n2024-05-01T10:00:00Z,0\n2024-05-02T11:30:00.5Z,1\n", "(--drop when)"),
    "times of day": ("when,a,label\n10:00,1,0\n11:30:12,2,1\n", "holds dates or times, such as '10:00'"),
    "many dates": (
        "when,label\n"
        + "".join(f"1.2.{i % 9000 + 1000} {i % 24}:{i % 60:02},{i % 2}\n" for i in range(72000)),
        "holds dates or times, such as",
    ),
    "carriage returns": (PLAIN.replace("\n", "\r"), "lines end with a carriage return alone"),
    "no lines at all": ("x" * 200000 + ",label", "the first line is no header row"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_in_a_csv(write, tmp_path, case):
    text, message = MISTAKES[case]
    path = str(tmp_path / "data.csv") if text is None else write(text)
    with pytest.raises(UsageError) as caught:
        open_stream(path)
    assert str(caught.value).startswith(path) and message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_mistakes_in_options(write, tmp_path):
    path = write("a,b,label\n1,2,0\n3,1,1\n4,5,2\n")
    with pytest.raises(UsageError, match="3 classes, more than the 2 asked for"):
        open_stream(path, classes=2)
    with pytest.raises(UsageError, match="no column 'c'; it has a, b, label"):
        open_stream(path, label="c")
    with pytest.raises(UsageError, match="no column 3"):
        open_stream(path, label=3)
    with pytest.raises(UsageError, match="no feature is left"):
        open_stream(path, drop=["a", "b"])
    with pytest.raises(UsageError, match="is a directory"):
        open_stream(_directory(tmp_path))
    with pytest.raises(UsageError, match="unknown kind"):
        open_stream(write("x", "data.txt"))


def _directory(tmp_path) -> str:
    path = tmp_path / "folder.csv"
    path.mkdir()
    return str(path)


@pytest.mark.parametrize("suffix", [".csv.xz", ".csv.gz", ".csv.bz2", ".csv.zip", ".arff.gz"])
def test_a_damaged_archive(tmp_path, write, suffix):
    head = "a,label\n" if ".csv" in suffix else "@attribute a real\n@attribute label {0,1}\n@data\n"
    path = write(head + "1,0\n2,1\n" * 50000, f"data{suffix}")
    data = open(path, "rb").read()
    for damaged in (data[: len(data) // 2], b"not packed at all"):
        with open(path, "wb") as file:
            file.write(damaged)
        with pytest.raises(UsageError, match=f"data{suffix}: .*damaged or cut off"):
            open_stream(path)


def test_many_texts_are_no_nominal_feature(write):
    with pytest.raises(UsageError, match="column 'id' has more than 32767 different values"):
        open_stream(write("id,label\n" + "".join(f"u{i},{i % 2}\n" for i in range(33000))))


@given(rows=st.integers(1, 400), size=st.integers(1, 500), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_chunks_are_the_whole_file(tmp_path_factory, rows, size, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows + 2, 3)).round(3)
    X[rng.random(X.shape) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=np.arange(rows + 2) % 2)
    path = tmp_path_factory.mktemp("csv") / "data.csv"
    frame.to_csv(path, index=False)
    stream = open_stream(path)
    parts = list(stream.chunks(size))
    assert np.array_equal(np.concatenate([part for part, _ in parts]), X, equal_nan=True)
    assert np.concatenate([labels for _, labels in parts]).tolist() == frame["label"].tolist()


def test_a_large_file_is_not_held_in_memory(write, monkeypatch):
    monkeypatch.setattr("niwaki_host.streams.files.BLOCK", 1 << 14)
    path = write("a,b,c,label\n" + "".join(f"{i},{i + 0.5},{-i},{i % 3}\n" for i in range(200000)))
    stream = open_stream(path)
    tracemalloc.start()
    seen = sum(len(y) for _, y in stream.chunks())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seen == 200000 and peak < 1_500_000  # of 5 MB of text


ARFF = """% a comment
@RELATION 'a test'

@attribute temperature REAL
@attribute 'the sky' {sunny, 'part cloudy', rain}
@ATTRIBUTE class {yes,no}
@data
20.5, 'part cloudy', no
% another one
?, sunny, yes
-3, ?, no
"""


def test_arff(write):
    for name in ("data.arff", "data.arff.gz"):
        stream = open_stream(write(ARFF, name))
        X, y = stream.read()
        assert stream.feature_names == ["temperature", "the sky"] and stream.class_names == ["yes", "no"]
        assert stream.nominal == [0, 3] and y.tolist() == [1, 0, 1]
        assert np.array_equal(X, [[20.5, 1], [np.nan, 0], [-3, np.nan]], equal_nan=True)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("?, sunny, yes", "?, snow, yes", "row 2, column 'the sky': 'snow' is not declared"),
        ("?, sunny, yes", "?, sunny", "row 2: 2 values where the header has 3 columns"),
        ("20.5", "mild", "row 1, column 'temperature': 'mild' is text in a column of numbers"),
        ("@data", "", "is not a line of an ARFF header"),
        ("REAL", "DATE 'yyyy'", "column 'temperature' is of kind date; leave it out (--drop)"),
        ("REAL", "string", "column 'temperature' is of kind string; leave it out (--drop) or"),
        ("REAL", "complex", "attribute 'temperature' is of kind 'complex'"),
        ("temperature REAL", "temperature", "does not declare an attribute"),
        ("20.5, 'part cloudy', no", "{0 20.5}", "row 2: '?, sunny, yes' is not a sparse row"),
        (ARFF, "", "no @data line"),
    ],
)
def test_mistakes_in_an_arff(write, old, new, message):
    with pytest.raises(UsageError) as caught:
        open_stream(write(ARFF.replace(old, new), "data.arff"))
    assert message in str(caught.value)


QUIRKS = """
@relation r
@attribute 'the \\'odd\\' one' numeric [0,1]
@attribute\ttabbed\treal
@attribute "double" {'a, b',"it's" , c\\ d}
@attribute when date "yyyy-MM-dd"
@attribute note string
@attribute class {yes, no}
@data
1, 2e0 ,'a, b', 2001-01-01, 'hello, you', yes
?,+3, "it's",?, "x", no

-1,4,c\\ d,"2001-01-02", z, yes
"""


def test_quirks_of_arff(write):
    path = write(QUIRKS, "data.arff")
    stream = open_stream(path, drop=["when", "note"])
    X, y = stream.read()
    assert stream.feature_names == ["the 'odd' one", "tabbed", "double"]
    assert stream.value_names == [[], [], ["a, b", "it's", "c d"]] and y.tolist() == [0, 1, 0]
    assert np.array_equal(X, [[1, 2, 0], [np.nan, 3, 1], [-1, 4, 2]], equal_nan=True)
    texts = open_stream(path, drop=["when"], nominal=["note"])
    assert texts.value_names[3] == ["hello, you", "x", "z"]
    assert open_stream(path, label="note", drop=["when"]).n_classes == 3


def test_arff_between_tabs(write):
    path = write("@attribute a real\n@attribute b {u,v}\n@data\n1\tu\n2\tv\n", "data.arff")
    assert open_stream(path).read()[0].tolist() == [[1], [2]]


SPARSE = """@attribute a numeric
@attribute b {x,'y z'}
@attribute c real
@attribute class {u,v}
@data
{0 1.5, 3 v}
% a comment
{1 'y z',2 -2}
{}
{ 0 ?, 1 ? ,3 v }
"""


def test_sparse_arff(write):
    """What a row does not name is 0, or the first value that is declared."""
    for name in ("data.arff", "data.arff.xz"):
        stream = open_stream(write(SPARSE, name))
        X, y = stream.read()
        assert stream.nominal == [0, 2, 0] and y.tolist() == [1, 0, 0, 1]
        assert np.array_equal(X, [[1.5, 0, 0], [0, 1, -2], [0, 0, 0], [np.nan, np.nan, 0]], equal_nan=True)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{}", "{9 1}", "row 3: '9 1' is not a place below 4 and its value"),
        ("{}", "{a 1}", "row 3: 'a 1' is not a place"),
        ("{}", "{0 mild}", "row 3, column 'a': 'mild' is text in a column of numbers"),
        ("{}", "{1 w}", "row 3, column 'b': 'w' is not declared"),
        ("{}", "{0 1", "row 3: '{0 1' is not a sparse row"),
    ],
)
def test_mistakes_in_a_sparse_arff(write, old, new, message):
    with pytest.raises(UsageError) as caught:
        open_stream(write(SPARSE.replace(old, new), "data.arff"))
    assert message in str(caught.value)


def test_parquet(tmp_path):
    frame = pd.DataFrame(
        {
            "x": [1, 2, 3],
            "flag": [True, False, True],
            "c": pd.Categorical(["u", None, "v"]),
            "y": ["a", "b", "a"],
        }
    )
    frame.to_parquet(tmp_path / "data.parquet")
    for stream in (open_stream(tmp_path / "data.parquet"), from_frame(frame)):
        X, y = stream.read()
        assert stream.nominal == [0, 0, 2] and stream.class_names == ["a", "b"] and y.tolist() == [0, 1, 0]
        assert np.array_equal(X, [[1, 1, 0], [2, 0, np.nan], [3, 1, 1]], equal_nan=True)
    (tmp_path / "bad.parquet").write_bytes(b"nothing")
    with pytest.raises(UsageError, match="not a Parquet file"):
        open_stream(tmp_path / "bad.parquet")


def test_columns_that_are_neither_numbers_nor_texts(tmp_path):
    path = tmp_path / "data.parquet"
    frame = pd.DataFrame({"x": [1, 2], "when": pd.date_range("2024", periods=2), "y": [0, 1]})
    frame.to_parquet(path)
    for open_it in (lambda **options: open_stream(path, **options), lambda **o: from_frame(frame, **o)):
        with pytest.raises(UsageError, match=r"column 'when' is of kind timestamp\[ns\]; leave it out"):
            open_it()
        assert open_it(nominal=["when"]).nominal == [0, 2] and open_it(drop=["when"]).n_features == 1
    frame.assign(when=[[1], [2, 3]]).to_parquet(path)
    for options in ({}, {"nominal": ["when"]}, {"label": "when"}):
        with pytest.raises(UsageError, match=r"column 'when' is of kind list<.*>; leave it out \(--drop\)$"):
            open_stream(path, **options)
    frame.assign(when=[b"a", b"\xff"]).to_parquet(path)
    for options in ({}, {"nominal": ["when"]}, {"label": "when"}):
        with pytest.raises(UsageError, match="column 'when' of kind binary is not UTF-8 text"):
            open_stream(path, **options)


def test_numpy(tmp_path):
    X, y = np.arange(12.0).reshape(4, 3), np.array([5, 3, 5, 3])
    np.save(tmp_path / "a.npy", np.column_stack([X, y]))
    np.savez(tmp_path / "b.npz", X=X, y=y)
    np.savez(tmp_path / "c.npz", data=np.column_stack([X, y]))
    for name in ("a.npy", "b.npz", "c.npz"):
        stream = open_stream(tmp_path / name)
        values, labels = stream.read()
        assert (
            np.array_equal(values, X) and labels.tolist() == [1, 0, 1, 0] and stream.class_names == ["3", "5"]
        )
    (tmp_path / "d.npy").write_bytes(b"nothing")
    whole = (tmp_path / "b.npz").read_bytes()
    (tmp_path / "e.npz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "f.npz").write_bytes(whole.replace(X.tobytes(), X.tobytes()[::-1]))
    for name in ("d.npy", "e.npz", "f.npz"):
        with pytest.raises(UsageError, match="numpy data"):
            open_stream(tmp_path / name)
    np.save(tmp_path / "g.npy", np.column_stack([X, y]).astype(complex))
    with pytest.raises(UsageError, match="not a number"):
        open_stream(tmp_path / "g.npy")
    np.save(tmp_path / "h.npy", np.column_stack([X, y]).astype(str))
    assert np.array_equal(open_stream(tmp_path / "h.npy").read()[0], X)
    for arrays, message in (({"x": X, "y": y}, "it holds x, y"), ({"X": X, "y": 5}, "X must be")):
        np.savez(tmp_path / "i.npz", **arrays)
        with pytest.raises(UsageError, match=message):
            open_stream(tmp_path / "i.npz")


def test_labels_that_are_missing_in_arrays(tmp_path):
    X = np.arange(4.0).reshape(4, 1)
    np.save(tmp_path / "a.npy", np.column_stack([X, [5, np.nan, 3, 5]]))
    for stream in (open_stream(tmp_path / "a.npy"), from_arrays(X, np.array([5, None, 3, 5], object))):
        assert stream.class_names == ["3", "5"] and stream.read()[1].tolist() == [1, -1, 0, 1]


def test_arrays():
    assert from_arrays([[1], [2]], [np.inf, 3.0]).class_names == ["3.0", "inf"]
    stream = from_arrays([[1, 2], [3, 4]], ["b", "a"], classes=2)
    assert stream.class_names == ["a", "b"] and stream.read()[1].tolist() == [1, 0]
    for X, y, message in (
        ([[1], [2]], [0, 0], "fewer than two classes"),
        ([[1], [2]], [0], "X must be"),
        ([["x"], ["y"]], [0, 1], "not a number"),
        ([[1], [2]], np.array([0, "x"], object), "labels of several types"),
    ):
        with pytest.raises(UsageError, match=message):
            from_arrays(X, y)
    with pytest.raises(UsageError, match="more than 2"):
        from_arrays(np.zeros((3, 1)), [0, 1, 2], classes=2)


def test_streams_of_packages():
    need("river")
    for name, shape, classes in (("Phishing", (1250, 9), 2), ("imagesegments", (2310, 18), 7)):
        stream = open_stream(f"river:{name}")
        assert stream.read()[0].shape == shape and stream.n_classes == classes
    for name, message in (("Fishing", "did you mean river:Phishing"), ("Bikes", "regression")):
        with pytest.raises(UsageError, match=message):
            open_stream(f"river:{name}")


def test_the_watch():
    need("seglearn")
    stream = open_stream("seglearn:watch", limit=5000)
    assert stream.read()[0].shape == (5000, 6) and "ax" in stream.feature_names


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for name in ("river", "seglearn"):
        with pytest.raises(UsageError, match=f"pip install {name}"):
            open_stream(f"{name}:watch")


def test_labels_below_the_number_of_classes_are_classes_by_themselves(tmp_path):
    """A recording that lacks a class has the codes of one that has them all."""
    path = tmp_path / "some.csv"
    path.write_text("a,label\n1,3\n2,1\n3,\n4,3\n")
    stream = open_stream(str(path), classes=5)
    assert stream.class_names == ["0", "1", "2", "3", "4"]
    assert stream.read()[1].tolist() == [3, 1, -1, 3]
    assert open_stream(str(path), classes=3).class_names == ["1", "3", "unseen2"]


def test_many_values_are_folded_by_their_remainder_and_others_are_left_alone(write):
    rows = [f"v{i:03},{i % 7},{'abc'[i % 3]},{i % 2}\n" for i in range(300)]
    path = write("airport,x,carrier,label\n" + "".join(rows) + "?,1,a,0\n")
    plain, folded = open_stream(path), Folded(open_stream(path))
    assert (plain.nominal, folded.nominal) == ([300, 0, 3], [255, 0, 3])
    (X, y), (folded_X, folded_y) = plain.read(), folded.read()
    assert folded_X[:300, 0].tolist() == [i % 255 for i in range(300)] and np.isnan(folded_X[300, 0])
    assert np.array_equal(folded_X[:, 1:], X[:, 1:]) and np.array_equal(folded_y, y)
