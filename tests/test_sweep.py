"""Sweeps: nothing is lost or done twice, whoever is killed; the report stands on its own."""

import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
from html.parser import HTMLParser
from types import SimpleNamespace

import pandas as pd
import pytest
from conftest import SHELLS_130, need
from support.sweep_workers import always_dies, dies_once, row

from niwaki_host.cli import main
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.check import check_model
from niwaki_host.evaluation.experiment import Task
from niwaki_host.evaluation.samples import Source, prepare
from niwaki_host.sweep import cluster
from niwaki_host.sweep.analysis import analyse
from niwaki_host.sweep.grid import grid, key
from niwaki_host.sweep.local import run_local
from niwaki_host.sweep.report import verdict, write_report
from niwaki_host.sweep.runner import run_sweep
from niwaki_host.sweep.store import JOURNAL, RESULTS, SCHEMA, Store
from niwaki_host.sweep.work import work

SEA = Source("sea", limit=300)


# --- the grid


def test_the_grid_has_every_combination_stream_by_stream():
    tasks = grid([SEA, Source("led")], ["vfdt", "shrubs"], [1024, 2048], [1, 2], runtime="numba")
    assert len(tasks) == len({key(task) for task in tasks}) == 16
    streams = [task.source.stream for task in tasks]
    assert streams == sorted(streams, reverse=True)


def test_a_file_is_run_for_one_seed_only_unless_labels_are_hidden(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    assert len(grid([Source(str(path))], ["vfdt"], [1024], [1, 2, 3])) == 1
    assert len(grid([Source(str(path))], ["vfdt"], [1024], [1, 2, 3], labelled=0.5)) == 3


def test_a_key_follows_everything_that_decides_the_result(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,a\n")
    task = Task(Source(str(path)))
    before = key(task)
    assert before == key(Task(Source(str(path))))
    assert before != key(Task(Source(str(path)), settings=(("grace", 100),)))
    path.write_text("x,y\n1,a\n2,b\n")
    assert before != key(task)


# --- the store


def test_rows_survive_and_a_cut_line_does_not_hurt(tmp_path):
    with Store(tmp_path) as store:
        store.add(row(1, accuracy=0.5))
        store.add(row(2, accuracy=0.75))
    with open(tmp_path / JOURNAL, "ab") as journal:
        journal.write(b'{"key": "k3", "sta')  # killed while writing
    with Store(tmp_path) as store:
        assert list(store.rows) == ["k1", "k2"]
        store.add(row(4))
    assert [json.loads(line)["key"] for line in open(tmp_path / JOURNAL)] == ["k1", "k2", "k4"]
    frame = pd.read_parquet(tmp_path / RESULTS)
    assert list(frame["key"]) == ["k1", "k2", "k4"] and list(frame.columns) == SCHEMA.names


def test_results_are_written_even_when_the_sweep_breaks(tmp_path):
    with pytest.raises(KeyboardInterrupt), Store(tmp_path) as store:
        store.add(row(1))
        raise KeyboardInterrupt
    assert len(pd.read_parquet(tmp_path / RESULTS)) == 1


def test_one_sweep_at_a_time(tmp_path):
    with Store(tmp_path), pytest.raises(UsageError, match="another sweep"), Store(tmp_path):
        pass


def test_a_foreign_file_is_not_overwritten(tmp_path):
    (tmp_path / JOURNAL).write_text("dear diary\n")
    with pytest.raises(UsageError, match="not a sweep's journal"), Store(tmp_path):
        pass
    assert (tmp_path / JOURNAL).read_text() == "dear diary\n"


def test_failed_runs_are_tried_again_refused_ones_are_not(tmp_path):
    with Store(tmp_path) as store:
        store.add(row(1, status="failed"))
        store.add(row(2, status="refused"))
        assert [store.done(k) for k in ("k1", "k2", "k3")] == [False, True, False]


def test_duckdb_reads_the_results(tmp_path):
    need("duckdb")
    import duckdb

    with Store(tmp_path) as store:
        store.add(row(1, accuracy=0.5))
        store.add(row(2, accuracy=0.7))
    with duckdb.connect() as database:
        found = database.execute(f"select max(accuracy) from '{tmp_path / RESULTS}'").fetchone()
    assert found == (0.7,)


# --- workers that die


def test_a_killed_worker_costs_no_result(tmp_path, monkeypatch):
    monkeypatch.setenv("NIWAKI_TEST_MARKER", str(tmp_path / "died"))
    tasks = grid([SEA], ["vfdt"], [1024, 2048, 4096, 8192])
    rows = list(run_local(tasks, jobs=2, do=dies_once))
    assert (tmp_path / "died").exists()
    assert sorted(found["key"] for found in rows) == ["k1024", "k2048", "k4096", "k8192"]


def test_workers_that_keep_dying_end_the_sweep_with_advice():
    with pytest.raises(UsageError, match="keep dying"):
        list(run_local(grid([SEA], ["vfdt"], [1024]), jobs=1, do=always_dies))


def test_who_stops_early_leaves_nobody_behind(tmp_path, monkeypatch):
    """A thread that ends while Python does would print its own trouble after the one line of an interrupt."""
    (tmp_path / "died").touch()
    monkeypatch.setenv("NIWAKI_TEST_MARKER", str(tmp_path / "died"))
    before = threading.active_count()
    rows = run_local(grid([SEA], ["vfdt"], [1024, 2048, 4096]), jobs=1, do=dies_once)
    next(rows)
    rows.close()
    assert threading.active_count() == before and not multiprocessing.active_children()


# --- the command


def sweep(out, *more):
    words = f"sweep sea led --limit 400 --models vfdt,shrubs --runtime cpython --jobs 1 --out {out}"
    return [*words.split(), *more]


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.targets, self.ids, self.tags = [], [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "data", "action"):
                self.targets.append(value)
            if name == "id":
                self.ids.append(value)


def test_a_second_sweep_adds_what_is_new_and_writes_a_report_that_needs_nothing(tmp_path):
    sources = [Source("sea", limit=400, seed=1), Source("led", limit=400, seed=1)]
    with Store(tmp_path) as store:
        run_sweep(grid(sources, ["vfdt", "shrubs"], [256, 2048, 4096], runtime="cpython"), store, jobs=2)
    before = (tmp_path / JOURNAL).read_bytes()
    assert main(sweep(tmp_path, "--budgets", "256,2k,4k,8k", "--json")) == 0
    after = (tmp_path / JOURNAL).read_bytes()
    assert after.startswith(before)
    assert len(before.splitlines()) == 12 and len(after.splitlines()) == 16
    frame = pd.read_parquet(tmp_path / RESULTS)
    assert frame["status"].value_counts().to_dict() == {"ok": 12, "refused": 4}
    assert set(frame.loc[frame["status"] == "refused", "budget_bytes"]) == {256}
    assert (frame["model_bytes"].dropna() <= frame.loc[frame["status"] == "ok", "budget_bytes"]).all()
    stands_alone((tmp_path / "report.html").read_text())
    pictures = [f"{name}.{kind}" for name in ("pareto", "ranks") for kind in ("png", "svg")]
    for name in (*pictures, "accuracy.csv", "apf.csv", "ranks.csv"):
        assert (tmp_path / name).stat().st_size > 20


@pytest.mark.parametrize(
    "args,words",
    [
        (["--set", "nonsense=1"], "no run was possible: vfdt: unknown option 'nonsense'"),
        (["--budgets", "10,20"], "no run was possible: vfdt: budget of 10 bytes is too small"),
        (["--encoding", "nonsense"], "encoding 'nonsense'"),
        (["--encoding", "nothing.json"], "nothing.json"),
        (["--seeds", "1,99999999999"], "parameter seed"),
    ],
)
def test_a_sweep_without_one_possible_run_is_bad_usage_and_writes_nothing(tmp_path, capsys, args, words):
    assert main(sweep(tmp_path / "out", *args)) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"niwaki: {words}") and err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_setting_may_be_a_list(tmp_path, capsys):
    words = "sweep sea --limit 50 --models vfdt --budgets 2k --runtime cpython --jobs 1 --json"
    assert main([*words.split(), "--set", "nominal=[0,0,9]", "--out", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == 1


def test_what_a_machine_lacks_may_be_there_next_time(tmp_path, capsys, monkeypatch):
    from niwaki_host import runtimes

    assert work(Task(Source("nothing.csv")))["status"] == "failed"
    assert work(Task(SEA, budget=10))["status"] == "refused"
    monkeypatch.setattr(runtimes, "_module", lambda name: SimpleNamespace(obstacle=lambda: "no compiler"))
    assert work(Task(SEA, runtime="micropython"))["status"] == "failed"
    assert main(sweep(tmp_path / "out", "--runtime", "micropython")) == 2
    assert "no compiler" in capsys.readouterr().err and not (tmp_path / "out").exists()


def stands_alone(text):
    """No script, no address, no picture from elsewhere; every reference is answered in the page."""
    links = Links()
    links.feed(text)
    assert "script" not in links.tags and {"svg", "table"} <= links.tags
    assert all(target.startswith(("#", "data:")) for target in links.targets)
    assert not re.search(r"url\((?!#)|@import", text)
    assert len(links.ids) == len(set(links.ids))
    used = {target[1:] for target in links.targets if target.startswith("#")}
    assert used <= set(links.ids)


def test_ctrl_c_leaves_readable_results_and_the_sweep_goes_on(tmp_path, capsys):
    words = (
        "sweep sea --models vfdt --runtime cpython --budgets 1k,2k,4k,8k,16k,32k,64k --limit 4000 --jobs 1"
    )
    sweeping = [*words.split(), "--out", str(tmp_path)]
    command = [sys.executable, "-m", "niwaki_host.cli", *sweeping]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    journal = tmp_path / JOURNAL
    patience = time.monotonic() + 120
    while not (journal.exists() and journal.stat().st_size) and time.monotonic() < patience:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    kept = pd.read_parquet(tmp_path / RESULTS)
    advice = f"{len(kept)} of 7 runs are kept in {tmp_path}, and the same command goes on from there"
    assert (out, err) == ("", f"niwaki: interrupted; {advice}\n")
    assert process.returncode in SHELLS_130
    assert 1 <= len(kept) < 7 and (kept["status"] == "ok").all()
    before = journal.read_bytes()
    assert main([*sweeping, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == 7
    assert journal.read_bytes().startswith(before)


def test_mistakes_are_answered_in_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(cluster, "TIMEOUT", 1)
    for args in (
        ["--seeds", "one"],
        ["--budgets", ""],
        ["--models", "vfdt,shrug"],
        ["--cluster", "tcp://127.0.0.1:9"],
        ["nothing.csv"],
        ["seaa"],
    ):
        assert main(sweep(tmp_path / "x", *args)) == 2
        assert re.fullmatch(r"niwaki: [^\n]+\n", capsys.readouterr().err)


# --- the analysis


def frame(scores):
    """Rows from {(stream, model, budget): accuracy}."""
    rows = [
        {
            "status": "ok",
            "stream": s,
            "model": m,
            "budget_bytes": b,
            "model_bytes": b - 2,
            "accuracy": a,
            "seed": 1,
        }
        for (s, m, b), a in scores.items()
    ]
    return pd.DataFrame(rows).reindex(columns=SCHEMA.names)


def test_areas_and_ranks_of_a_known_table():
    better = {(s, "a", b): 0.7 + b / 100 for s in "xyz" for b in (10, 20)}
    worse = {(s, "b", b): 0.6 + b / 100 for s in "xyz" for b in (10, 20)}
    middle = {(s, "c", b): 0.65 + b / 100 for s in "xyz" for b in (10, 20)}
    analysis = analyse(frame({**better, **worse, **middle}))
    assert analysis.models == ["a", "b", "c"] and analysis.streams == ["x", "y", "z"]
    assert analysis.ranks.mean.to_dict() == {"a": 1, "b": 3, "c": 2}
    assert analysis.ranks.friedman.p < 0.05 and "Best mean rank: a" in verdict(analysis)
    assert (analysis.apf.loc["x"] == analysis.apf.loc["y"]).all()


def test_wilcoxon_groups_and_another_level():
    """Two models that take turns, one that always loses."""
    three = [{"x": 0.90 + 0.02 * (i % 2), "y": 0.91, "z": 0.5 + i / 100} for i in range(10)]
    pairs = [
        (f"s{i}", model, budget, three[i][model]) for i in range(10) for model in "xyz" for budget in (9, 10)
    ]
    rows = frame({(stream, model, budget): score for stream, model, budget, score in pairs})
    ranks = analyse(rows, alpha=0.05, test="wilcoxon").ranks
    assert ranks and ranks.groups == [(0, 1)] and ranks.test == "wilcoxon"
    strict, loose = (analyse(rows, alpha=alpha).ranks for alpha in (0.01, 0.1))
    assert strict and loose and strict.critical_difference > ranks.critical_difference
    assert loose.critical_difference < ranks.critical_difference
    assert analyse(rows, alpha=1e-6, test="wilcoxon").ranks.groups == [(0, 2)]


def test_of_several_settings_tables_have_the_best_and_fronts_have_all():
    rows = pd.DataFrame(
        [
            {"status": "ok", "stream": "s", "model": "m", "budget_bytes": 100, "model_bytes": size,
             "accuracy": score, "settings": settings}
            for settings, seeds in (("a", ((90, 0.6), (90, 0.8))), ("b", ((40, 0.5), (40, 0.5))))
            for size, score in seeds
        ]
    )  # fmt: skip
    found = analyse(rows)
    assert found.accuracy.loc[("s", 100), "m"] == pytest.approx(0.7)
    scores, sizes = found.fronts()["s"]["m"]
    assert sorted(zip(sizes, scores, strict=True)) == [(40, 0.5), (90, pytest.approx(0.7))]


def test_random_settings_are_the_same_again_and_more_of_them_only_add():
    models, budgets = ["vfdt", "ht-reg", "shrubs", "grove", "bag:svfdt1"], [4096, 8192]

    def drawn(count, seed=1, **common):
        return grid([Source("sea", 300)], models, budgets, search=(count, seed), **common)

    few, many = drawn(5), drawn(20)
    assert len(few) == 25 and set(few) <= set(many) and set(map(key, few)) <= set(map(key, many))
    assert set(drawn(5, seed=2)) != set(few) == set(drawn(5))
    assert {task.budget for task in many} == set(budgets)
    assert len({task.settings for task in many}) > 80
    assert {dict(task.settings)["grace"] for task in drawn(9, settings=(("grace", 77),))} == {77}
    refused = []
    for task in few:
        try:
            check_model(task, prepare(task.source))
        except UsageError as error:
            refused.append(str(error))
    assert len(refused) < 10 and all("too small" in why for why in refused), refused


def test_a_model_without_a_run_on_a_stream_gets_no_area(tmp_path):
    scores = {
        ("x", "a", 10): 0.9,
        ("x", "b", 20): 0.8,
        ("y", "a", 10): 0.9,
        ("x", "a", 20): 0.95,
        ("y", "a", 20): 0.9,
    }
    analysis = analyse(frame(scores))
    assert analysis.apf.loc["y", "b"] == 0
    assert "<svg" in write_report(analysis, tmp_path, {}).read_text()


def test_one_stream_or_no_result_still_gives_a_report(tmp_path):
    one = analyse(frame({("x", "a", 10): 0.9}))
    assert one.ranks is None and write_report(one, tmp_path, {"streams": "<x>"}).exists()
    none = frame({("x", "a", 10): 0.9}).assign(status="refused", error="too small")
    assert "too small" in write_report(analyse(none), tmp_path, {}).read_text()


# --- a cluster


def test_a_worker_of_the_cluster_is_killed_in_the_middle(tmp_path):
    need("distributed")
    from distributed import Client, LocalCluster

    tasks = grid([Source("sea", limit=1500)], ["vfdt"], [1024 * k for k in range(1, 13)], runtime="cpython")
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as local,
        Client(local.scheduler_address) as client,
        Store(tmp_path) as store,
    ):
        workers = client.run(os.getpid)
        killed = []

        def kill_one(done):
            if done == 3:
                killed.append(workers.popitem()[1])
                os.kill(killed[0], signal.SIGKILL)

        keys = run_sweep(tasks, store, cluster=local.scheduler_address, progress=kill_one)
        assert killed and [store.rows[k]["status"] for k in keys] == ["ok"] * 12
    local_row = next(run_local(tasks[:1], jobs=1))
    assert store.rows[keys[0]]["digest"] == local_row["digest"]
