"""The command line: fields of --json, exit codes, one line for every mistake."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import pytest
from conftest import SHELLS_130, complains

from niwaki_host.errors import UsageError
from niwaki_host.sizes import parse_size

FIELDS = (
    "stream model runtime samples features classes budget_bytes model_bytes accuracy kappa_m kappa_t "
    "nodes leaves seconds samples_per_second digest"
).split()


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
    assert learned("--labelled", 0.1, "--seed", -1) > 0


def test_settings_reach_the_model(niwaki):
    def digest(*args):
        return json.loads(niwaki("simulate", "sea", "--limit", 1500, "--json", *args)[1])["digest"]

    assert digest("--set", "leaf=mc", "--set", "grace=50") != digest() == digest("--set", "leaf=nba")


def test_settings_that_are_yes_or_no(niwaki):
    def digest(*args):
        return json.loads(niwaki("simulate", "sea", "--limit", 300, "--json", *args)[1])["digest"]

    assert digest("--set", "adaptive=no") == digest() == digest("--set", "adaptive=off")
    assert digest("--set", "adaptive=yes") == digest("--model", "hat") != digest()


def test_a_text_that_never_changes_is_a_feature_without_use(niwaki, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("unit,x,label\n" + "".join(f"A7,{i % 10},{i % 10 > 4}\n" for i in range(400)))
    code, out, _ = niwaki("simulate", path, "--json")
    assert code == 0 and json.loads(out)["accuracy"] > 0.95


def test_a_text_with_too_many_values_for_a_tree_is_named(niwaki, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("ident,x,label\n" + "".join(f"id{i},{i % 10},{i % 2}\n" for i in range(300)))
    complains(niwaki("simulate", path), "'ident'", "300", "255", "--drop")
    assert niwaki("simulate", path, "--model", "shrubs")[0] == 0
    code, out, _ = niwaki("simulate", path, "--fold", "--json")
    assert code == 0 and json.loads(out)["features"] == 2


def test_room_for_classes_that_are_not_seen(niwaki, tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, X=np.arange(40.0).reshape(20, 2), y=np.arange(20) % 2)
    for stream in ("sea", path):
        _, out, _ = niwaki("simulate", stream, "--classes", 5, "--limit", 20, "--json")
        assert json.loads(out)["classes"] == 5


def test_plot_is_written(niwaki, tmp_path):
    for name in ("run.png", "run.svg"):
        path = tmp_path / name
        code, _, _ = niwaki("simulate", "sea:drift=500", "--limit", 1000, "--plot", path)
        assert code == 0 and path.stat().st_size > 5000


def test_names_are_shown_and_drawn_as_they_are(niwaki, tmp_path, recwarn):
    path, image = tmp_path / "a[red] $_{x$.csv", tmp_path / "model"
    rows = "".join(f"{i % 10},{i % 3},{'[/a]' if i % 10 > 4 else '$_{b$'}\n" for i in range(400))
    path.write_text("temp [c],温度,label\n" + rows, "utf-8")
    pictures = [tmp_path / "run.png", tmp_path / "tree.png"]
    out = niwaki("simulate", path, "--importances", "mpg", "--plot", pictures[0], "--save", image)[1]
    assert "temp [c] 0." in out and "a[red] $_{x$.csv" in out
    assert "│ temp [c] " in niwaki("inspect", image, "--stream", path, "--plot", pictures[1])[1]
    assert all(picture.exists() for picture in pictures)
    assert not [found for found in recwarn if "Glyph" in str(found.message)]


def test_streams_are_listed(niwaki):
    code, out, _ = niwaki("streams")
    assert code == 0 and "agrawal" in out and "drift=POSITION" in out
    assert "function=1" in niwaki("streams", "sea")[1]
    record = json.loads(niwaki("streams", "--json")[1])
    assert record["generators"]["sea"]["parameters"]["function"]["default"] == 1
    record = json.loads(niwaki("streams", "led_a", "--json")[1])
    assert list(record["generators"]) == ["led"] and list(record["presets"]) == ["led_a"]
    complains(niwaki("streams", "agraval"), "did you mean 'agrawal'?")


@pytest.mark.parametrize(
    ("args", "word"),
    [
        ([""], "name is empty"),
        (["seaa"], "did you mean 'sea'?"),
        (["sea_b"], "did you mean 'sea_a'?"),
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
    assert set(record["skipped"]) == set(runtimes.RUNTIMES) - {"cpython", "numba"}
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
        (["simulate", "sea", "--model", "VFDT"], ["'vfdt'"]),
        (["simulate", "sea:noise=1,noise=2"], ["noise is given twice"]),
        (["simulate", "sea", "--seed", "99999999999"], ["-2147483648..2147483647"]),
        (["simulate", "sea", "--set", "budget=2000"], ["write --budget"]),
        (["plan", "--features", "6", "--classes", "4", "--set", "n_features=3"], ["of the samples"]),
        (["simulate", "sea", "--runtime", "numbra"], ["'numba'"]),
        (["simulate", "sea", "--budget", "lots"], ["lots", "8k"]),
        (["simulate", "sea", "--budget", "64"], ["smallest"]),
        (
            ["compare", "sea", "--limit", "50", "--budget", "10"],
            ["no run was possible", "smallest that works"],
        ),
        (
            ["sweep", "sea", "--limit", "50", "--budgets", "10"],
            ["no run was possible", "smallest that works"],
        ),
        (["verify", "sea", "--limit", "50", "--budget", "10"], ["smallest that works"]),
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
        (["simulate", "sea", "--save", ""], ["--save", "empty"]),
        (["sweep", "sea", "--out", ""], ["--out", "empty"]),
        (["demo", "--out", "no/such/place.png"], ["no directory no/such"]),
        (["simulate", "sea", "--set", "model=hat"], ["unknown option 'model'"]),
        (["simulate", "sea", "--set", "grace={[]:1}"], ["grace must be"]),
        (["simulate", "sea", "--set", "nominal=b'\\0\\0\\3'", "--json"], ["nominal"]),
        (["simulate", "sea", "--labelled", "nan"], ["--labelled", "nan"]),
        (["simulate", "sea", "--limit", "9" * 20], ["--limit"]),
        (["simulate", "sea", "--limit", "9", "--delay", "9" * 20], ["--delay"]),
        (["simulate", "sea", "--limit", "9", "--every", "3", "--window", "9" * 20], ["--window"]),
    ],
)
def test_mistakes_are_answered_in_one_line(niwaki, args, words):
    complains(niwaki(*args), *words)


def test_a_model_that_cannot_be_built_is_found_before_the_others_run(niwaki, monkeypatch, tmp_path):
    from niwaki_host.cli import bench

    monkeypatch.setattr(bench, "bench", lambda *_args: pytest.fail("another model was measured"))
    complains(niwaki("bench", "--models", "vfdt,shrubs", "--set", "leaf=mc"), "shrubs: unknown option 'leaf'")
    table, picture = tmp_path / "run.csv", tmp_path / "run.png"
    wide = ("simulate", "sea:irrelevant=300", "--limit", 20, "--curves", table, "--plot", picture)
    complains(niwaki(*wide, "--beside", "vfdt,shrubs"), "shrubs: n_features")
    assert not table.exists() and not picture.exists()


@pytest.mark.parametrize("there", [True, False], ids=["file", "directory"])
def test_a_place_that_cannot_be_written_is_named_before_anything_is(niwaki, monkeypatch, tmp_path, there):
    kept, barred = tmp_path / "kept.csv", tmp_path / "barred.svg"
    if there:
        barred.write_text("old")
    forbidden = barred if there else tmp_path
    monkeypatch.setattr(os, "access", lambda path, mode: path != forbidden)
    complains(
        niwaki("simulate", "sea", "--limit", 9, "--curves", kept, "--plot", barred), "cannot be written"
    )
    assert not kept.exists()


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


@pytest.mark.parametrize(
    "size,found",
    [("8k", 8192), ("8KiB", 8192), ("1.5k", 1536), (" 2 M ", 1 << 21), (np.int64(4), 4), (4.0, 4)],
)
def test_sizes(size, found):
    assert parse_size(size) == found


@pytest.mark.parametrize("size", ["", "k", "-1", "0", "1.0001k", "1e9", "0x10", "9" * 400, None, True, 2.5])
def test_what_is_no_size_is_refused(size):
    with pytest.raises(UsageError, match="is not a"):
        parse_size(size)


def test_a_failure_on_the_device_is_shown_with_its_own_traceback(niwaki, monkeypatch):
    from niwaki_host.errors import DeviceError
    from niwaki_host.evaluation import experiment

    def fails(*_args, **_options):
        raise DeviceError("micropython failed:\nTraceback: line 7\nIndexError")

    monkeypatch.setattr(experiment, "run", fails)
    code, out, err = niwaki("simulate", "sea", "--limit", 10)
    assert (code, out) == (1, "") and err.startswith("niwaki: micropython failed") and "IndexError" in err


def test_a_machine_without_a_place_for_compiled_code_is_told_where_to_name_one(niwaki, monkeypatch, tmp_path):
    from niwaki_host.runtimes import numba_rt
    from niwaki_host.streams import synthetic

    (tmp_path / "file").touch()
    monkeypatch.setenv("NIWAKI_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    numba_rt._loop.cache_clear()
    code, out, err = niwaki("simulate", "sea", "--limit", 10)
    assert (code, out) == (2, "") and "set NIWAKI_CACHE to a directory" in err.splitlines()[-1]

    def refuses(*_args):
        raise RuntimeError("cannot cache function 'next_bits': no locator available for file 'javarandom.py'")

    monkeypatch.setattr(synthetic, "_expand", refuses)
    complains(niwaki("simulate", "sea", "--limit", 10), "NUMBA_CACHE_DIR")


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
    assert (out, err) == ("", "niwaki: interrupted\n")
    assert process.returncode in SHELLS_130


@pytest.mark.parametrize("args", ["simulate sea --limit 300", "simulate sea --limit 300 --json", "plan -h"])
def test_a_reader_that_goes_away_is_no_failed_check(args):
    """A pipe that nobody reads any more: 141, as of a program that SIGPIPE ends, and not a word."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "niwaki_host.cli", *args.split()],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("args", ["simulate sea --limit 300", "simulate sea --limit 300 --json", "plan -h"])
def test_a_closed_standard_output_is_said_in_one_line(args):
    done = subprocess.run(
        ["sh", "-c", f'exec "{sys.executable}" -m niwaki_host.cli {args} >&-'],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("niwaki: standard output is closed") and done.stderr.count("\n") == 1


def test_a_closed_standard_error_does_not_stop_a_command():
    script = f'exec "{sys.executable}" -m niwaki_host.cli plan --features 6 --classes 4 2>&-'
    done = subprocess.run(["sh", "-c", script], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and "slots" in done.stdout


def test_a_terminal_without_unicode_gets_what_it_can_show():
    command = [sys.executable, "-m", "niwaki_host.cli", "plan", "--features", "6", "--classes", "4"]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"") and b"slots" in done.stdout


def test_the_lab_runs_where_there_are_no_unix_modules(tmp_path):
    script = f"""
import sys
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
from niwaki_host.cli import main
wanted = ["--limit", "100", "--json"]
sys.exit(
    main(["simulate", "sea", *wanted])
    or main(["verify", "sea", "--runtimes", "cpython,numba", *wanted])
    or main(["sweep", "sea", "--jobs", "1", "--out", {str(tmp_path)!r}, *wanted])
)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_simulate_saves_the_model(niwaki, tmp_path):
    from niwaki import load
    from niwaki_host.runtimes.result import digest

    image = tmp_path / "model.nwk"
    _, out, _ = niwaki("simulate", "sea", "--budget", "4k", "--limit", 2000, "--json", "--save", image)
    assert digest(load(str(image))) == json.loads(out)["digest"]
