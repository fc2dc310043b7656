"""Models over the stream: looking does not change them, and every runtime has the same curves."""

import csv
import json

import numpy as np
import pytest
from conftest import need

from niwaki_host.cli import main
from niwaki_host.device.memory_map import bytes_in_use, memory_map
from niwaki_host.device.models import MODELS
from niwaki_host.errors import DeviceError
from niwaki_host.evaluation import experiment
from niwaki_host.evaluation.experiment import Task, final_model, simulate
from niwaki_host.evaluation.features import depth, features_used
from niwaki_host.evaluation.samples import Source, prepare
from niwaki_host.inspect import export
from niwaki_host.runtimes import run

SOURCE = Source("bg1:attributes=12,features=0/1/2+3/4/5,drift=2500", limit=5000, seed=1)


@pytest.fixture(scope="module")
def samples():
    return prepare(SOURCE)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", ["mpg", "mdi"])
def test_looking_changes_nothing(model, kind, samples):
    plain = simulate(Task(SOURCE, model, 4096), samples)
    watched = simulate(Task(SOURCE, model, 4096, every=700), samples, importances=kind)
    assert watched.run.digest == plain.run.digest and not plain.curve and plain.ranking is None
    np.testing.assert_array_equal(watched.run.predictions, plain.run.predictions)
    assert watched.curve["at"].tolist() == [700, 1400, 2100, 2800, 3500, 4200, 4900, 5000]
    assert {len(values) for values in watched.curve.values()} == {8}
    ranking = watched.ranking
    assert ranking.scores.shape == (8, 12) and ranking.names == samples.feature_names
    used = (ranking.scores[-1] > 0).sum()
    assert used <= watched.curve["features_used"][-1] == watched.record["features_used"] <= 12


def test_cost_adds_up(samples):
    found = simulate(Task(SOURCE, "hat", 4096, every=500), samples)
    curve, record = found.curve, found.record
    assert (np.diff(curve["seconds"]) > 0).all() and curve["seconds"][-1] <= record["seconds"]
    assert curve["ram_hours"][-1] == pytest.approx(record["ram_hours"], rel=1e-6)
    assert (curve["bytes"] == record["model_bytes"]).all()
    assert (curve["bytes_in_use"] <= curve["bytes"]).all() and curve["bytes_in_use"][0] > 0
    assert curve["nodes"][-1] == record["nodes"] and curve["nodes"].dtype.kind == "i"


@pytest.mark.parametrize("runtime", ["cpython", "micropython", "cortex-m3"])
def test_the_curves_of_all_runtimes_are_the_same(runtime, samples):
    need(runtime)
    few = Source(SOURCE.stream, 1100, seed=1)
    data = prepare(few)
    ours, theirs = (
        simulate(Task(few, "shrubs", 4096, name, every=500), data, importances="mpg")
        for name in ("numba", runtime)
    )
    for name, values in ours.curve.items():
        if name in ("seconds", "ram_hours"):
            assert (np.diff(theirs.curve[name]) >= 0).all()
        else:
            np.testing.assert_array_equal(theirs.curve[name], values)
    np.testing.assert_array_equal(theirs.ranking.scores, ours.ranking.scores)


def test_a_device_that_goes_another_way_has_no_curves_of_its_model(samples, monkeypatch):
    def bent(runtime, *args, **options):
        result = run("numba", *args, **{**options, "heap": None, "measure": False})
        if runtime == "micropython":
            result.digest = "00000000"
        return result

    monkeypatch.setattr(experiment, "run", bent)
    with pytest.raises(DeviceError, match="did not end with the same bytes"):
        simulate(Task(SOURCE, "vfdt", 4096, "micropython", every=1000), samples)


@pytest.mark.parametrize("model", MODELS)
def test_features_and_bytes_agree_with_the_exported_model(model, samples):
    task = Task(SOURCE, model, 4096)
    built = final_model(task, simulate(task, samples))
    members = [member for member in export(built).members if member.weight]
    assert features_used(built) == len(
        {node.feature for member in members for node in member.nodes if not node.is_leaf}
    )
    assert depth(built) == max((node.depth for member in members for node in member.nodes), default=0)
    parts = memory_map(built)
    assert sum(part.nbytes for part in parts) == built.nbytes
    assert all(part.used is None or 0 <= part.used <= part.count for part in parts)
    assert 0 < bytes_in_use(built) <= built.nbytes


def test_a_drift_beyond_the_limit_is_none():
    assert [drift.position for drift in prepare(SOURCE).drifts] == [2500]
    assert prepare(Source(SOURCE.stream, 1000)).drifts == []


def test_relevant_features_lead_before_and_after_the_drift():
    source = Source("bg1:attributes=12,features=0/1/2+3/4/5,drift=10000", limit=20000, seed=1)
    ranking = simulate(Task(source, "hat", 16384, every=5000), importances="mpg").ranking
    for point, relevant in ((1, {0, 1, 2}), (3, {3, 4, 5})):
        assert np.argsort(-ranking.scores[point])[0] in relevant


def test_curves_go_to_a_file_and_to_json(tmp_path, capsys):
    table, picture = tmp_path / "curves.csv", tmp_path / "run.svg"
    args = ["simulate", SOURCE.stream, "--limit", "1000", "--curves", str(table), "--importances", "mdi"]
    assert main([*args, "--plot", str(picture), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    rows = list(csv.DictReader(table.open()))
    assert len(rows) == 200 == len(record["curve"]["at"])  # an interval that nobody chose
    assert [int(row["nodes"]) for row in rows] == record["curve"]["nodes"]
    scores = record["importances"]["scores"]
    assert record["importances"]["kind"] == "mdi" and len(scores) == 12
    assert [float(row["mdi attrib1"]) for row in rows] == scores["attrib1"]
    assert picture.stat().st_size > 20000
    assert main([*args, "--plot", str(tmp_path / "two.svg"), "--beside", "hat,vfdt,shrubs"]) == 0
    assert (tmp_path / "two.svg").stat().st_size > 20000
    capsys.readouterr()
    assert main([*args, "--every", "400"]) == 0
    assert "most important, mdi" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["--curves", "curves.txt"], ".csv"),
        (["--curves", "no/such/place.csv"], "no directory"),
        (["--beside", "hat"], "add --plot"),
        (["--importances", "mgp"], "did you mean 'mpg'?"),
    ],
)
def test_mistakes(args, word, capsys):
    assert main(["simulate", "sea", "--limit", "500", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and word in err and err.count("\n") == 1
