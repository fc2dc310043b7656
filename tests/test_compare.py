"""Comparisons: everybody gets the same samples, sizes are measured, who is missing is named."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest
from conftest import complains, need

from niwaki_host.cli import main
from niwaki_host.cli.compare import _picture
from niwaki_host.compare import run
from niwaki_host.compare.baselines import majority, no_change
from niwaki_host.compare.peer import Peer, Result, loop, row
from niwaki_host.compare.river_peers import _sample
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.evaluation.telling import Telling


def samples(labels, codes=None):
    y = np.array(labels, np.int16)
    X = np.zeros((len(y), 1), np.int16) if codes is None else np.array(codes, np.int16)
    return Samples(X, y, ["x"] * X.shape[1], ["a", "b", "c"], [0] * X.shape[1], [], "raw")


def test_baselines_by_hand():
    data = samples([2, 2, -1, 1, 1, 1, 0])
    at_once, late = Telling(), Telling(delay=2)
    assert no_change(data, at_once).predictions.tolist() == [0, 2, 2, 2, 1, 1, 1]
    assert majority(data, at_once).predictions.tolist() == [0, 2, 2, 2, 2, 1, 1]
    assert no_change(data, late).predictions.tolist() == [0, 0, 0, 2, 2, 2, 1]
    assert majority(data, late).predictions.tolist() == [0, 0, 0, 2, 2, 2, 2]
    assert majority(data, Telling(delay=9)).predictions.tolist() == [0] * 7


def test_everybody_is_told_the_same_labels_as_late():
    data = samples([0, 1, 2, 1, 0, 2] * 50)
    telling = Telling(delay=3, labelled=0.5, seed=4)
    heard, asked = [], []
    loop(data, telling, int, asked.append, lambda x, y: heard.append((x, y, len(asked))))
    assert all(y == data.y[x] for x, y, _ in heard) and 100 < len(heard) < 200
    shown = telling.shown(data.y)
    assert heard == [(x, shown[x], x + 4) for x in range(297) if shown[x] >= 0]


def test_own_models_and_river_hear_of_labels_late():
    need("river")
    source = Source("sea", limit=400, seed=1)
    data = prepare(source)
    entries = run.line_up(source, ["vfdt"], 16384, "cpython", ["river"], ["ARF", "SRP", "HAT", "EFDT"])
    never, late = (
        {found["name"]: found for found in run.compare(entries, data, 16384, None, telling)}
        for telling in (Telling(delay=400), Telling(delay=50, seed=1))
    )
    always_first = float(np.mean(data.y == 0))
    for name in ("vfdt 16k", "no change", "majority"):
        assert never[name]["accuracy"] == pytest.approx(always_first)
        assert late[name]["accuracy"] > always_first
    assert never["river HT"]["accuracy"] == 0 < late["river HT"]["accuracy"]


def test_a_missing_value_is_no_key_for_river():
    data = samples([0, 1], [[5, -32768], [-7, 8]])
    assert [_sample(codes) for codes in data.X] == [{0: 5}, {0: -7, 1: 8}]


def test_a_row_relates_bytes_to_the_budget():
    data = samples([0, 1, 1])
    found = row(Peer("p", "river", lambda _: None), Result(np.array([0, 1, 0]), 2048, 0.5), data, 1024)
    assert found["times_budget"] == 2 and found["accuracy"] == pytest.approx(2 / 3)
    assert found["samples_per_second"] == 6


def test_river_runs_on_nominal_and_missing_values():
    need("river")
    data = prepare(Source("agrawal", limit=250))
    data.X[::7, 0] = -32768
    entries = run.line_up(Source("agrawal"), ["vfdt"], 16384, "cpython", ["river"], ["ARF", "SRP"])
    rows = run.compare(entries, data, 16384)
    assert [found["family"] for found in rows] == ["niwaki", *["river"] * 5, *["baseline"] * 2]
    assert all(found["bytes"] > 1000 for found in rows[:6])
    assert all(0 < found["accuracy"] < 1 for found in rows)


@pytest.mark.parametrize("style", ["json", "csv", "markdown", "table"])
def test_formats(style, capsys):
    code = main(
        ["compare", "sea", "--limit", "300", "--models", "vfdt", "--against", "river", "--runtime", "cpython"]
        + ["--without", "ARF,SRP,EFDT,HAT,max_size", "--format", style]
    )
    out, _ = capsys.readouterr()
    assert code == 0
    if style == "json":
        record = json.loads(out)
        names = [found["name"] for found in record["streams"][0]["rows"]]
        assert set(record["bytes"]) == {"niwaki", "river", "baseline"}
    elif style == "csv":
        names = [found["name"] for found in csv.DictReader(io.StringIO(out))]
    else:
        names = [
            line.strip("|│ ").split("  ")[0].split(" | ")[0] for line in out.splitlines() if "16k" in line
        ]
        assert "no change" in out
    assert names[0] == "vfdt 16k"


def test_who_is_missing_is_named(capsys, monkeypatch, tmp_path):
    def gone(_budget):
        raise UsageError("river is not installed: pip install 'niwaki-ml[compare]'")

    monkeypatch.setitem(run.FAMILIES, "river", gone)
    args = [
        "compare",
        "sea",
        "--limit",
        "200",
        "--models",
        "vfdt",
        "--against",
        "river",
        "--runtime",
        "cpython",
    ]
    for ci, expected in (("", 0), ("true", 1)):
        monkeypatch.setenv("CI", ci)
        assert main([*args, "--json"]) == expected
        assert "pip install" in json.loads(capsys.readouterr().out)["missing"]["river"]
    monkeypatch.delenv("CI")
    assert main([*args, "--plot", str(tmp_path / "bars.png")]) == 0
    assert "missing: river: river is not installed" in capsys.readouterr().out
    assert (tmp_path / "bars.png").stat().st_size > 5000


def test_mistakes_are_answered_in_one_line(capsys):
    for args in (["--against", "rivers"], ["--without", "AFR"], ["--format", "xml"], ["--budget", "600"]):
        code = main(["compare", "sea", "--limit", "200", "--runtime", "cpython", "--against", "river", *args])
        out, err = capsys.readouterr()
        if args[0] == "--budget":  # a model that does not fit is named; the others run
            assert code == 0 and "smallest" in out
        else:
            assert (code, out, err.count("\n")) == (2, "", 1)


def test_a_stream_that_cannot_be_read_is_found_before_anything_runs(capsys, tmp_path):
    words = "compare sea nothing.csv --limit 50 --models vfdt --runtime cpython --against river --plot"
    assert main([*words.split(), str(tmp_path / "bars.png")]) == 2
    assert capsys.readouterr() == ("", "niwaki: nothing.csv: no such file\n")
    assert not list(tmp_path.iterdir())


def moa_rows(*options):
    """In a process of its own: only a fresh Java can be given the agent that measures sizes."""
    command = [sys.executable, "-m", "niwaki_host.cli", "compare", "sea", "--limit", "300"]
    command += ["--against", "moa", "--models", "vfdt", "--runtime", "cpython", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {found["name"]: found for found in json.loads(done.stdout)["streams"][0]["rows"]}


def test_moa_takes_part_and_measures_itself():
    need("capymoa")
    need("java")
    rows = moa_rows()
    expected = [
        "HT",
        "HT max_byte_size=16k",
        "HAT",
        "EFDT",
        "ARF (10)",
        "SRP (10)",
        "OzaBag (10)",
        "SmoothBoost (10)",
        "kNN (k 3, 1,000)",
        "SAM-kNN (k 5, 5,000)",
    ]
    moa = {name: found for name, found in rows.items() if found["family"] == "MOA"}
    assert set(moa) == {f"MOA {name}" for name in [*expected, "naive Bayes"]} | {"CapyMOA Shrubs"}
    assert all(found["bytes"] > 300 for found in moa.values())
    assert moa["MOA ARF (10)"]["bytes"] > 10 * moa["MOA HT"]["bytes"]
    assert all(found["accuracy"] > 0.6 for found in moa.values())


def test_ctrl_c_is_not_left_to_java():
    need("capymoa")
    need("java")
    script = """
import os, signal, time
from niwaki_host.compare.moa_agent import start_moa
signal.signal(signal.SIGINT, signal.default_int_handler)
start_moa()
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


def test_moa_is_told_labels_late():
    """By a loop of our own, which does without them what MOA's does."""
    need("capymoa")
    need("java")
    script = """
import numpy as np
from niwaki_host.compare import moa_peers
from niwaki_host.evaluation.telling import Telling
from niwaki_host.evaluation.samples import Source, prepare

data = prepare(Source("agrawal:missing=5", limit=600, seed=1))
data.y[::50] = -1
for peer in moa_peers.moa_peers(16384):
    if peer.name in ("MOA HT", "MOA naive Bayes", "MOA HAT"):
        make = peer.run.args[0]
        found = []
        for way, more in ((moa_peers._prequential, ()), (moa_peers._told, (Telling(),))):
            schema = moa_peers._schema(data)
            found.append(way(make(schema).moa_learner, schema, data, *more)[0])
        known = data.y >= 0
        assert (found[0] == found[1])[known].all(), peer.name
        late = peer.run(data, Telling(delay=100)).predictions
        assert (late != found[0])[known].any() and (late[:101] == late[0]).all(), peer.name
        print(peer.name)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:-1] == ["MOA HT", "MOA HAT", "MOA naive Bayes"]


def test_each_stream_has_a_picture_of_its_own():
    streams = ("sea", "imu:drift=0.5%", "imu:drift=0.7%", "here/a.csv")
    names = [_picture("out/bars.png", streams, number) for number in range(1, 5)]
    assert names == [f"out/bars-{name}.png" for name in ("sea", "imu-drift-0-2", "imu-drift-0-3", "a")]
    assert _picture("bars.png", ("sea",), 1) == "bars.png"


def test_accuracy_and_bytes_over_the_stream(niwaki, tmp_path):
    """Bytes are asked for before the next question; what asking takes is not the classifier's time."""
    picture = tmp_path / "course.svg"
    code, out, _ = niwaki(
        "compare", "sea", "--limit", 700, "--models", "vfdt,bag:vfdt,trees=2", "--against", "river",
        "--without", "SRP,ARF,EFDT,HAT", "--every", 300, "--plot", picture, "--json",
    )  # fmt: skip
    assert code == 0 and "memory" in picture.read_text()
    rows = {found["name"]: found for found in json.loads(out)["streams"][0]["rows"]}
    for found in rows.values():
        assert found["curve"]["at"] == [300, 600, 700] and len(found["curve"]["bytes"]) == 3
        assert found["curve"]["accuracy"][-1] == pytest.approx(found["accuracy"])
        assert found["curve"]["bytes"][-1] == found["bytes"]
    assert len(set(rows["vfdt 16k"]["curve"]["bytes"])) == 1
    river = rows["river naive Bayes"]["curve"]["bytes"]
    assert all(river) and rows["majority"]["curve"]["bytes"] == [None] * 3
    complains(niwaki("compare", "sea", "--teach", 5, "--every", 100), "--every")
