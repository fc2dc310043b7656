"""Comparisons: everybody gets the same samples, sizes are measured, who is missing is named."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest
from conftest import need

from niwaki_host.cli import main
from niwaki_host.compare import run
from niwaki_host.compare.baselines import majority, no_change
from niwaki_host.compare.peer import Peer, Result, row
from niwaki_host.compare.river_peers import _rows
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.samples import Samples, Source, prepare


def samples(labels, codes=None):
    y = np.array(labels, np.int16)
    X = np.zeros((len(y), 1), np.int16) if codes is None else np.array(codes, np.int16)
    return Samples(X, y, ["x"] * X.shape[1], ["a", "b", "c"], [0] * X.shape[1], [], "raw")


def test_baselines_by_hand():
    data = samples([2, 2, -1, 1, 1, 1, 0])
    assert no_change(data).predictions.tolist() == [0, 2, 2, 2, 1, 1, 1]
    assert majority(data).predictions.tolist() == [0, 2, 2, 2, 2, 1, 1]


def test_a_missing_value_is_no_key_for_river():
    assert list(_rows(samples([0, 1], [[5, -32768], [-7, 8]]))) == [{0: 5}, {0: -7, 1: 8}]


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
        raise UsageError("river is not installed: pip install 'niwaki[compare]'")

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
    for args in (["--against", "rivers"], ["--without", "AFR"], ["--format", "xml"], ["--budget", "100"]):
        code = main(["compare", "sea", "--limit", "200", "--runtime", "cpython", "--against", "river", *args])
        out, err = capsys.readouterr()
        if args[0] == "--budget":  # a model that does not fit is named; the others run
            assert code == 0 and "smallest" in out
        else:
            assert (code, out, err.count("\n")) == (2, "", 1)


def test_moa_takes_part_and_measures_itself():
    need("capymoa")
    need("java")
    # In a process of its own: only a fresh Java can be given the agent that measures sizes.
    command = [
        sys.executable,
        "-m",
        "niwaki_host.cli",
        "compare",
        "sea",
        "--limit",
        "300",
        "--against",
        "moa",
    ]
    done = subprocess.run(
        [*command, "--models", "vfdt", "--runtime", "cpython", "--json"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    rows = {found["name"]: found for found in json.loads(done.stdout)["streams"][0]["rows"]}
    expected = [
        "HT",
        "HT max_byte_size=16k",
        "HAT",
        "EFDT",
        "ARF (10)",
        "SRP (10)",
        "OzaBag (10)",
        "SmoothBoost (10)",
    ]
    moa = {name: found for name, found in rows.items() if found["family"] == "MOA"}
    assert set(moa) == {f"MOA {name}" for name in [*expected, "naive Bayes"]} | {"CapyMOA Shrubs"}
    assert all(found["bytes"] > 300 for found in moa.values())
    assert moa["MOA ARF (10)"]["bytes"] > 10 * moa["MOA HT"]["bytes"]
    assert all(found["accuracy"] > 0.6 for found in moa.values())
