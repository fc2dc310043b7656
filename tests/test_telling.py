"""How labels come: late, drawn, at first only, or taught in a lesson; and what does not go together."""

import json

import numpy as np
import pytest
from conftest import need

from niwaki_host.cli import main
from niwaki_host.compare import run
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.experiment import Task, simulate
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.evaluation.telling import JUDGED, Telling, spread
from niwaki_host.runtimes import RUNTIMES


def told(capsys, *arguments):
    assert main(list(map(str, (*arguments, "--json")))) == 0
    return json.loads(capsys.readouterr().out)


def complains(capsys, *arguments):
    """One line on stderr, exit code 2."""
    assert main(list(map(str, arguments))) == 2
    out, error = capsys.readouterr()
    assert not out and error.count("\n") == 1
    return error


def test_spread_is_even():
    rows = np.arange(100, 200)
    assert spread(rows, 4).tolist() == [100, 133, 166, 199]
    assert spread(rows, 100) is rows and spread(rows, 1).tolist() == [150]
    gaps = np.diff(spread(np.arange(10_007), JUDGED))
    assert set(gaps) == {3, 4}


def test_a_lesson_is_taught_from_the_first_half_and_judged_on_the_second():
    rng = np.random.default_rng(1)
    y = rng.choice([0, 0, 0, 1, 2, -1], 9000).astype(np.int16)
    taught, asked = Telling(teach=20).lesson(y, unready=100)
    assert y[taught].tolist() == [0] * 20 + [1] * 20 + [2] * 20
    assert taught.min() >= 100 and taught.max() < 4500
    for label in range(3):
        own = taught[y[taught] == label]
        assert (np.diff(own) > 0).all() and own[0] < 600 and own[-1] > 4000
    assert (
        len(asked) == JUDGED and asked.min() >= 4500 and (y[asked] >= 0).all() and (np.diff(asked) > 0).all()
    )
    mixed, also = Telling(teach=20, teach_order="mixed", seed=3).lesson(y, 100)
    assert sorted(mixed) == sorted(taught) and (np.diff(y[mixed]) != 0).sum() > 20
    assert np.array_equal(asked, also)
    assert not np.array_equal(mixed, Telling(teach=20, teach_order="mixed", seed=4).lesson(y, 100)[0])


def test_a_class_with_few_samples_is_taught_what_there_is():
    y = np.array([0, 0, 1, 0, 0, 0, 0, 1], np.int16)
    assert Telling(teach=3).lesson(y)[0].tolist() == [0, 1, 3, 2]
    with pytest.raises(UsageError, match="first half"):
        Telling(teach=3).lesson(np.array([-1, -1, 0, 1], np.int16))
    with pytest.raises(UsageError, match="second half"):
        Telling(teach=3).lesson(np.array([0, 1, -1, -1], np.int16))


def test_delays_are_drawn_from_their_range_by_the_seed():
    telling = Telling(delay=3, delay_most=9, seed=2)
    delays = telling.delays(5000)
    assert set(delays) == set(range(3, 10))
    assert np.array_equal(delays, telling.delays(5000))
    assert not np.array_equal(delays, Telling(delay=3, delay_most=9, seed=3).delays(5000))
    both = Telling(delay=0, delay_most=9, labelled=0.5, seed=2)
    late = both.delays(5000)[both.shown(np.zeros(5000, np.int16)) >= 0]
    assert abs(late.mean() - 4.5) < 0.3  # which labels are told says nothing about when


def test_labels_of_the_first_samples_only():
    y = np.zeros(100, np.int16)
    assert (Telling(labelled_first=30).shown(y) >= 0).tolist() == [True] * 30 + [False] * 70
    few = Telling(labelled_first=50, labelled=0.5, seed=1).shown(y) >= 0
    assert 10 < few[:50].sum() < 40 and not few[50:].any()


def test_taught_knowledge_is_judged_frozen(capsys):
    record = told(capsys, "simulate", "imu", "--limit", 3000, "--teach", 10, "--model", "vfdt")
    assert record["classes"] == 6 and len(record["untaught"]) == 1  # one comes in the second half only
    assert record["taught"] == record["learned"] == 50
    assert record["judged"] == 1500 and record["samples"] == 3000 and record["teach_order"] == "blocks"
    samples = prepare(Source("imu", 3000, seed=1))
    outcome = simulate(Task(Source("imu", 3000, seed=1), teach=10), samples)
    taught, asked = Telling(teach=10, seed=1).lesson(samples.y, samples.unready)
    assert record["accuracy"] == np.mean(outcome.run.predictions[asked] == samples.y[asked])
    assert (np.delete(outcome.run.predictions, asked) == -1).all()
    # By hand, on the device's own interface.
    from niwaki import Tree

    clf = Tree(samples.n_features, samples.n_classes, 8192)
    for row in taught:
        clf.learn(samples.X[row].tolist(), int(samples.y[row]))
    answers = [clf.predict(samples.X[row].tolist()) for row in asked[::50]]
    assert answers == outcome.run.predictions[asked[::50]].tolist()


def test_order_matters_to_a_model_that_follows(capsys):
    accuracy = {
        order: told(
            capsys,
            "simulate",
            "imu",
            "--limit",
            4000,
            "--teach",
            50,
            "--model",
            "shrubs",
            "--teach-order",
            order,
        )["accuracy"]
        for order in ("blocks", "mixed")
    }
    assert accuracy["mixed"] > accuracy["blocks"] + 0.1


@pytest.mark.parametrize("runtime", [name for name in RUNTIMES if name != "numba"])
@pytest.mark.parametrize("ways", [["--teach", 5], ["--delay", "3:40"], ["--labelled-first", 90]], ids=str)
def test_every_runtime_from_the_command_line(capsys, runtime, ways):
    need(runtime)
    order = ("simulate", "sea", "--limit", 300, "--budget", "2k", *ways)
    here, there = (told(capsys, *order, "--runtime", name) for name in ("numba", runtime))
    for name in ("digest", "accuracy", "learned"):
        assert here[name] == there[name]


def test_the_fields_of_a_run_say_how_labels_came(capsys):
    record = told(capsys, "simulate", "sea", "--limit", 400, "--delay", "5:50", "--labelled-first", 100)
    assert (record["delay"], record["delay_most"], record["labelled_first"]) == (5, 50, 100)
    assert record["teach"] == 0 and "taught" not in record
    assert record["learned"] == 100
    assert told(capsys, "simulate", "sea", "--limit", 400, "--labelled-first", 0)["learned"] == 0


@pytest.mark.parametrize(
    "options,words",
    [
        (["--teach", "5", "--delay", "3"], "leave out --delay"),
        (["--teach", "5", "--labelled", "0.5"], "--labelled"),
        (["--teach", "5", "--labelled-first", "50"], "--labelled-first"),
        (["--teach", "5", "--self-train", "60000"], "--self-train"),
        (["--teach", "5", "--every", "10"], "leave out --every"),
        (["--teach", "5", "--plot", "x.png"], "leave out --plot"),
        (["--teach", "5", "--importances", "mpg"], "leave out --importances"),
        (["--teach", "5", "--find-heap", "--runtime", "micropython"], "leave out --teach"),
        (["--teach-order", "mixed"], "add --teach K"),
        (["--teach", "5", "--teach-order", "mixd"], "'mixd': did you mean"),
        (["--teach", "-1"], "--teach"),
        (["--delay", "9:3"], "the first number must not be above the second"),
        (["--delay", "3:"], "--delay"),
        (["--delay", "soon"], "--delay"),
        (["--labelled-first", "-5"], "--labelled-first"),
    ],
    ids=str,
)
def test_what_does_not_go_together_is_said(capsys, options, words):
    assert words in complains(capsys, "simulate", "sea", "--limit", "300", *options)


def test_nothing_to_teach(capsys, tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("x,y\n" + "1,\n" * 50 + "2,a\n3,b\n" * 25)
    assert "first half" in complains(capsys, "simulate", path, "--teach", 3)


def test_a_sweep_is_taught(capsys, tmp_path):
    out = tmp_path / "out"
    order = ("sweep", "imu", "--limit", 1200, "--models", "vfdt,shrubs", "--budgets", "2k", "--jobs", 1)
    assert told(capsys, *order, "--teach", 10, "--out", out)["runs"] == 2
    import pyarrow.parquet as pq

    rows = pq.read_table(out / "results.parquet").to_pylist()
    assert {row["teach"] for row in rows} == {10} and {row["judged"] for row in rows} == {600}
    one = told(capsys, "simulate", "imu", "--limit", 1200, "--model", "vfdt", "--budget", "2k", "--teach", 10)
    assert [row["accuracy"] for row in rows if row["model"] == "vfdt"] == [one["accuracy"]]
    assert "taught 10 of each class in blocks" in (out / "report.html").read_text()
    assert "leave out --delay" in complains(capsys, *order, "--teach", 5, "--delay", 9, "--out", out)


def test_a_desktop_learns_in_batch_from_the_same_samples():
    need("sklearn")
    source = Source("imu", 3000, seed=1)
    samples, telling = prepare(source), Telling(teach=20, seed=1)
    entries = run.line_up(source, ["vfdt"], 8192, "numba", [], [], telling)
    rows = {row["name"]: row for row in run.compare(entries, samples, 8192, None, telling)}
    batch = [f"scikit-learn {name}" for name in ("random forest (100)", "3-NN, scaled", "naive Bayes")]
    assert set(rows) == {"vfdt 8k", "no change", "majority", *batch}
    taught, asked = telling.lesson(samples.y, samples.unready)
    from sklearn.naive_bayes import GaussianNB

    alone = GaussianNB().fit(samples.X[taught], samples.y[taught]).score(samples.X[asked], samples.y[asked])
    assert rows["scikit-learn naive Bayes"]["accuracy"] == pytest.approx(alone)
    assert rows["scikit-learn random forest (100)"]["accuracy"] > 0.8
    assert rows["scikit-learn random forest (100)"]["bytes"] > 10 * 8192
    assert rows["vfdt 8k"]["accuracy"] == simulate(Task(source, teach=20), samples).record["accuracy"]
    assert rows["no change"]["accuracy"] == pytest.approx(np.mean(samples.y[asked] == samples.y[taught[-1]]))


def test_river_is_taught_the_same():
    need("river")
    source = Source("imu", 2000, seed=1)
    samples, telling = prepare(source), Telling(teach=20, seed=1)
    without = ["ARF", "SRP", "EFDT", "HAT", "scikit"]
    entries = run.line_up(source, [], 8192, "numba", ["river"], without, telling)
    rows = {row["name"]: row for row in run.compare(entries, samples, 8192, None, telling)}
    from river.naive_bayes import GaussianNB

    taught, asked = telling.lesson(samples.y, samples.unready)
    alone = GaussianNB()
    for row in taught:
        alone.learn_one(dict(enumerate(samples.X[row].tolist())), int(samples.y[row]))
    right = [alone.predict_one(dict(enumerate(samples.X[row].tolist()))) == samples.y[row] for row in asked]
    assert rows["river naive Bayes"]["accuracy"] == np.mean(right) > 0.25


def test_batch_classifiers_take_missing_values_and_few_samples():
    need("sklearn")
    from niwaki_host.compare.batch_peers import batch_peers

    X = np.array([[1, -32768], [5, -32768], [1, -32768], [6, -32768]], np.int16)
    samples = Samples(X, np.array([0, 1, 0, 1], np.int16), ["a", "b"], ["x", "y"], [0, 0], [], "raw")
    for peer in batch_peers():
        assert peer.run(samples, Telling(teach=1), 0).predictions[2] in (0, 1)
