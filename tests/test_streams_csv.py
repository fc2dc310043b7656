"""Files as people have them: no header, tabs, archives, other alphabets than UTF-8's."""

import warnings

import pytest
from conftest import zipped

from niwaki_host.errors import Notice, UsageError
from niwaki_host.streams import open_stream


def test_tsv(write):
    for name in ("data.tsv", "data.tsv.gz"):
        stream = open_stream(write("a, raw\tb\tlabel\n1\t2\tx\n3\t4\ty\n", name))
        assert stream.feature_names == ["a, raw", "b"] and stream.read()[0].tolist() == [[1, 2], [3, 4]]


def test_a_zip_of_several_files_is_refused(tmp_path):
    path = tmp_path / "data.csv.zip"
    path.write_bytes(zipped(b"a,label\n1,0\n2,1\n", b"more"))
    with pytest.raises(UsageError, match=r"one file in it is needed; it holds folder/data0.csv, "):
        open_stream(path)


def test_a_csv_without_a_header(write):
    """Texts as labels, or numbers only: every row is a sample."""
    for text in ("1.5,2,walk\n3,4,run\n5,6,walk\n", "1.5,2,7\n3,4,8\n5,6,7\n"):
        stream = open_stream(write(text), header=False)
        X, y = stream.read()
        assert stream.feature_names == ["x0", "x1"] and X.tolist() == [[1.5, 2], [3, 4], [5, 6]]
        assert len(y) == 3 and y[0] == y[2] != y[1]
    with pytest.raises(UsageError, match=r"for \.csv and \.tsv files"):
        open_stream(write("@attribute a real\n@attribute b {0,1}\n@data\n", "data.arff"), header=False)


@pytest.mark.parametrize(
    ("first", "label", "doubtful"),
    [
        ("1.5,2,walk", None, True),
        ("walk,1.5,2", 0, True),
        ("0,0,other", None, True),
        ("red,2,walk", None, True),  # a class that comes again
        ("red,2,label", None, False),
        ("a,b,label", None, False),
        ("0,1,label", None, False),  # the numbers of columns, as data frames write them
        ("1,2,label", None, False),
    ],
)
def test_a_header_that_looks_like_a_sample_is_told(write, first, label, doubtful):
    rows = "walk,3,4\nrun,5,6\n" if label == 0 else "3,4,walk\n5,6,run\n"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert open_stream(write(f"{first}\n{rows}"), label=label).length == 2
    assert [one.category for one in told] == [Notice] * doubtful
    assert all("add --no-header" in str(one.message) for one in told)


@pytest.mark.parametrize("charset", ["latin-1", "cp1252", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.arff"])
def test_texts_in_other_encodings(write, charset, name):
    text = "größe,where,label\n" + "1,café,Ärger\n2,zürich,ok\n" * 30000  # more than one block
    if name.endswith("arff"):
        head = "@attribute größe real\n@attribute where {café,zürich}\n@attribute label {Ärger,ok}\n@data\n"
        text = head + text.partition("\n")[2]
    stream = open_stream(write(text.encode(charset), name), charset=charset)
    assert stream.feature_names == ["größe", "where"] and stream.length == 60000
    assert stream.value_names[1] == ["café", "zürich"] and sorted(stream.class_names) == ["ok", "Ärger"]


def test_a_wrong_encoding_is_said_in_one_line(write):
    with pytest.raises(UsageError, match="is not text in ascii; what was it written in"):
        open_stream(write("a,label\n" + "1,x\n" * 50000 + "1,ü\n"), charset="ascii")
    with pytest.raises(UsageError, match="Parquet are always UTF-8"):
        open_stream(write("", "data.parquet"), charset="latin-1")
