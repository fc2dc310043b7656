"""The command line: fields of --json, exit codes, one line for every mistake."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from niwaki_host.cli import main

FIELDS = (
    "stream model runtime samples features classes budget_bytes model_bytes accuracy kappa_m kappa_t "
    "nodes leaves seconds samples_per_second digest"
).split()


@pytest.fixture
def niwaki(capsys):
    """Run a command; returns its exit code, stdout and stderr."""

    def call(*args):
        code = main([str(arg) for arg in args])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def csv(tmp_path):
    """A small file: two numeric features, a nominal one, text labels, a missing value."""
    rng = np.random.default_rng(1)
    lines = ["a,b,colour,kind"]
    for i in range(600):
        x, y = rng.normal(size=2)
        value = "" if i == 7 else f"{x:.4f}"
        lines.append(f"{value},{y:.4f},{'red' if y > 0 else 'blue'},{'up' if x + y > 0 else 'down'}")
    path = tmp_path / "small.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def complains(result, *words):
    """Exit code 2, nothing on stdout, one line on stderr with these words in it."""
    code, out, err = result
    assert (code, out) == (2, "")
    assert err.startswith("niwaki: ") and err.count("\n") == 1 and err.endswith("\n")
    for word in words:
        assert word in err


def test_simulate_json_has_the_stated_fields_and_nothing_else_on_stdout(niwaki):
    code, out, err = niwaki("simulate", "sea", "--model", "vfdt", "--budget", "8k", "--limit", 2000, "--json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert list(record)[: len(FIELDS)] == FIELDS
    assert record["samples"] == 2000 and record["budget_bytes"] == 8192 >= record["model_bytes"]
    assert 0.5 < record["accuracy"] <= 1 and len(record["digest"]) == 8


def test_simulate_prints_a_table(niwaki):
    code, out, _ = niwaki("simulate", "sea", "--limit", 500)
    assert code == 0
    assert "accuracy" in out and "vfdt on sea" in out


def test_simulate_a_file_with_text_labels_and_nominal_features(niwaki, csv):
    code, out, _ = niwaki("simulate", csv, "--json", "--encoding", "whole")
    record = json.loads(out)
    assert code == 0
    assert (record["features"], record["classes"], record["samples"]) == (3, 2, 600)
    assert record["accuracy"] > 0.75 and "optimistic" in record["encoding"]


def test_label_may_be_any_column(niwaki, csv):
    _, out, _ = niwaki("simulate", csv, "--label", "colour", "--drop", "kind", "--json")
    record = json.loads(out)
    assert (record["features"], record["classes"]) == (2, 2)


def test_curves_have_a_point_per_interval(niwaki):
    _, out, _ = niwaki("simulate", "sea", "--limit", 1050, "--every", 500, "--json")
    curve = json.loads(out)["curve"]
    assert curve["at"] == [500, 1000, 1050]
    assert {len(values) for values in curve.values()} == {3}


def test_delayed_and_hidden_labels_are_learned_late_or_never(niwaki):
    def learned(*args):
        return json.loads(niwaki("simulate", "sea", "--limit", 1000, "--json", *args)[1])["learned"]

    assert learned() == 1000
    assert learned("--delay", 100) == 900
    few = learned("--labelled", 0.1)
    assert 60 < few < 140
    assert learned("--labelled", 0.1) == few != learned("--labelled", 0.1, "--seed", 2)


def test_settings_reach_the_model(niwaki):
    def digest(*args):
        return json.loads(niwaki("simulate", "sea", "--limit", 1500, "--json", *args)[1])["digest"]

    assert digest("--set", "leaf=mc", "--set", "grace=50") != digest() == digest("--set", "leaf=nba")


def test_plot_is_written(niwaki, tmp_path):
    for name in ("run.png", "run.svg"):
        path = tmp_path / name
        code, _, _ = niwaki("simulate", "sea:drift=500", "--limit", 1000, "--plot", path)
        assert code == 0 and path.stat().st_size > 5000


def test_streams_are_listed(niwaki):
    code, out, _ = niwaki("streams")
    assert code == 0 and "agrawal" in out and "drift=POSITION" in out
    assert "function=1" in niwaki("streams", "sea")[1]
    record = json.loads(niwaki("streams", "--json")[1])
    assert record["generators"]["sea"]["parameters"]["function"]["default"] == 1
    complains(niwaki("streams", "agraval"), "did you mean 'agrawal'?")


@pytest.mark.parametrize(
    ("args", "word"),
    [
        ([""], "name is empty"),
        (["."], "is a directory"),
        (["sea:nois=3"], "did you mean 'noise'?"),
        (["sea:abc=3"], "it has balance, drift"),
        (["sea", "--set", "grac=50"], "unknown option 'grac': did you mean 'grace'?"),
        (["sea", "--set", "xyzzy=50"], "known: adaptive"),
        (["sea", "--save", "no/such/place"], "no directory"),
    ],
)
def test_mistakes_get_a_suggestion(niwaki, args, word):
    complains(niwaki("simulate", *args, "--limit", 300), word)


def test_verify_agrees_on_the_desktop_runtimes(niwaki):
    code, out, _ = niwaki("verify", "sea", "--limit", 1000, "--runtimes", "cpython,numba", "--json")
    record = json.loads(out)
    assert code == 0 and record["equal"] is True
    assert set(record["digests"]) == {"cpython", "numba"} and len(set(record["digests"].values())) == 1


def test_verify_fails_when_a_runtime_differs(niwaki, monkeypatch):
    from niwaki_host.evaluation import experiment

    real = experiment.run

    def bent(runtime, *args, **options):
        result = real(runtime, *args, **options)
        if runtime == "numba":
            result.digest = "00000000"
        return result

    monkeypatch.setattr(experiment, "run", bent)
    code, out, _ = niwaki("verify", "sea", "--limit", 300, "--runtimes", "cpython,numba", "--json")
    assert code == 1 and json.loads(out)["equal"] is False


@pytest.mark.parametrize("ci,expected", [("", 0), ("true", 1)])
def test_a_missing_runtime_is_named_and_fails_only_in_ci(niwaki, monkeypatch, ci, expected):
    from niwaki_host import runtimes
    from niwaki_host.errors import RuntimeMissing
    from niwaki_host.evaluation import experiment

    def only_desktop(runtime, *args, **options):
        if runtime not in ("cpython", "numba"):
            raise RuntimeMissing(f"runtime {runtime} can't run here: no emulator")
        return runtimes.run(runtime, *args, **options)

    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(experiment, "run", only_desktop)
    code, out, _ = niwaki("verify", "sea", "--limit", 300, "--json")
    record = json.loads(out)
    assert code == expected and record["equal"] is True
    assert set(record["skipped"]) == {"micropython", "micropython-bytecode", "cortex-m3"}
    complains(niwaki("verify", "sea", "--limit", 300, "--runtimes", "cortex-m3"), "no emulator")


@pytest.mark.parametrize("model", ["vfdt", "hat", "shrubs"])
@pytest.mark.parametrize("budget", ["2k", "8k", "64k"])
def test_plan_accounts_for_every_byte(niwaki, model, budget):
    code, out, _ = niwaki(
        "plan", "--features", 6, "--classes", 4, "--model", model, "--budget", budget, "--json"
    )
    record = json.loads(out)
    assert code == 0
    assert sum(part["bytes"] for part in record["parts"]) == record["model_bytes"] <= record["budget_bytes"]
    assert record["model_bytes"] + record["spare_bytes"] == record["budget_bytes"]
    rest = {part["name"]: part["bytes"] for part in record["parts"]}.get("rounding to blocks of 16", 0)
    assert 0 <= rest < 5 * 16
    assert record["smallest_budget_bytes"] <= record["budget_bytes"]
    assert all(part["bytes"] > 0 for part in record["parts"])


def test_plan_names_the_smallest_budget(niwaki):
    smallest = json.loads(niwaki("plan", "--features", 6, "--classes", 4, "--json")[1])[
        "smallest_budget_bytes"
    ]
    assert niwaki("plan", "--features", 6, "--classes", 4, "--budget", smallest)[0] == 0
    complains(niwaki("plan", "--features", 6, "--classes", 4, "--budget", smallest - 1), "smallest")


def test_bench_on_the_desktop(niwaki):
    code, out, _ = niwaki("bench", "--runtime", "numba", "--samples", 500, "--models", "vfdt", "--json")
    rows = json.loads(out)["rows"]
    assert code == 0 and [row["settings"] for row in rows] == [{"leaf": "mc"}, {"leaf": "nba"}]


@pytest.mark.parametrize(
    "args,words",
    [
        (["simulat", "sea"], ["'simulate'"]),
        (["nonsense"], ["simulate", "verify"]),
        (["simulate"], ["STREAM"]),
        (["simulate", "sea", "--bugdet", "8k"], ["--budget"]),
        (["simulate", "sea", "--model", "vfd"], ["'vfdt'"]),
        (["simulate", "sea", "--runtime", "numbra"], ["'numba'"]),
        (["simulate", "sea", "--budget", "lots"], ["lots", "8k"]),
        (["simulate", "sea", "--budget", "64"], ["smallest"]),
        (["simulate", "sea", "--set", "grace"], ["key=value"]),
        (["simulate", "sea", "--set", "gracious=1"], ["gracious"]),
        (["simulate", "sea", "--limit", "0"], ["--limit"]),
        (["simulate", "sae"], ["sae"]),
        (["simulate", "sea", "--plot", "run.txt"], [".png"]),
        (["simulate", "sea", "--plot", "/no/such/place/run.png"], ["/no/such/place"]),
        (["simulate", "sea", "--heap", "32k"], ["cortex-m3"]),
        (["simulate", "no/such/file.csv"], ["no/such/file.csv"]),
        (["plan", "--classes", "4"], ["--features"]),
        (["verify", "sea", "--runtimes", "cpython,numbra"], ["'numba'"]),
    ],
)
def test_mistakes_are_answered_in_one_line(niwaki, args, words):
    complains(niwaki(*args), *words)


@pytest.mark.parametrize(
    "text,words",
    [
        ("", []),
        ("a,b,label\n", []),
        ("a,b,label\n1,2,x\n1,2\n", []),
        ("a,b,label\n1,2,x\n1,2,x\n", ["one class"]),
    ],
    ids=["empty", "header only", "ragged", "one class"],
)
def test_bad_files_are_answered_in_one_line(niwaki, tmp_path, text, words):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    complains(niwaki("simulate", path), "bad.csv", *words)


def test_a_failure_on_the_device_is_shown_with_its_own_traceback(niwaki, monkeypatch):
    from niwaki_host.errors import DeviceError
    from niwaki_host.evaluation import experiment

    def fails(*_args, **_options):
        raise DeviceError("micropython failed:\nTraceback: line 7\nIndexError")

    monkeypatch.setattr(experiment, "run", fails)
    code, out, err = niwaki("simulate", "sea", "--limit", 10)
    assert (code, out) == (1, "") and err.startswith("niwaki: micropython failed") and "IndexError" in err


def test_help_and_version(niwaki):
    code, out, _ = niwaki("--help")
    assert code == 0 and "simulate" in out and "verify" in out
    code, out, _ = niwaki("--version")
    assert code == 0 and out.startswith("niwaki ")
    code, out, err = niwaki()
    assert code == 2 and out == "" and "simulate" in err


def test_ctrl_c_exits_with_130_and_one_line():
    command = [
        sys.executable,
        "-m",
        "niwaki_host.cli",
        "simulate",
        "sea",
        "--runtime",
        "cpython",
        "--limit",
        "3000000",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2.5)  # it is long past its imports, and far from its end
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "niwaki: interrupted\n")


def test_a_reader_that_goes_away_is_no_error():
    script = f"{sys.executable} -m niwaki_host.cli simulate sea --limit 300 | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env={**os.environ})
    assert done.stderr == "" and done.returncode in (0, 141)


def test_simulate_saves_the_model(niwaki, tmp_path):
    from niwaki import load
    from niwaki_host.runtimes.result import digest

    image = tmp_path / "model.nwk"
    _, out, _ = niwaki("simulate", "sea", "--budget", "4k", "--limit", 2000, "--json", "--save", image)
    assert digest(load(str(image))) == json.loads(out)["digest"]
