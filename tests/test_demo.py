"""niwaki demo: what it shows is there, and is so."""

import json

import pytest
from conftest import need

from niwaki_host import demo as demos
from niwaki_host.cli import main


def test_the_demo_shows_a_recovery_with_the_same_bytes_on_the_cortex(capsys, tmp_path):
    need("cortex-m3")
    picture = tmp_path / "demo.png"
    assert main(["demo", "--limit", "3000", "--out", str(picture), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert picture.read_bytes().startswith(b"\x89PNG") and record["picture"] == str(picture)
    assert record["equal"] and record["skipped"] == {} and record["drift"] == 1500
    runs = {(run["model"], run["runtime"], run["learns_after_drift"]): run for run in record["runs"]}
    for model in demos.MODELS.values():
        desktop, board, frozen = (
            runs[model, "numba", True],
            runs[model, "cortex-m3", True],
            runs[model, "numba", False],
        )
        assert desktop["digest"] == board["digest"] != frozen["digest"]
        assert desktop["model_bytes"] <= record["budget_bytes"] < board["peak_heap_bytes"]
        assert board["instructions_per_learn"] > 0 and board["instructions_per_predict"] > 0
        assert desktop["accuracy_at"] < desktop["accuracy_before"]
        assert desktop["accuracy_after"] > desktop["accuracy_at"]
        assert frozen["accuracy_before"] == desktop["accuracy_before"]
        assert frozen["accuracy_after"] < desktop["accuracy_after"] - 0.3
    taught = {run["model"]: run for run in record["taught"]}
    assert {run["asked"] for run in taught.values()} == {750}
    assert taught["grove"]["taught"] <= 6 * demos.TEACH
    assert taught["grove"]["accuracy"] > max(taught["vfdt"]["accuracy"], taught["shrubs"]["accuracy"])


def test_without_an_emulator_the_demo_says_what_it_skips(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(
        demos, "available", lambda: {"numba": None, "cortex-m3": "no emulator; run make setup"}
    )
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--limit", "2000"]) == 0
    text = capsys.readouterr().out
    assert "skipped: cortex-m3: no emulator; run make setup" in text and "same digest" not in text
    assert "picture: niwaki-demo.png" in text and (tmp_path / "niwaki-demo.png").exists()
    assert text.split("try next:")[1].count("niwaki ") == 3
    assert "then left alone for 500 samples" in text


def test_different_bytes_fail_the_demo(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(demos, "available", lambda: {"cortex-m3": "not here"})
    monkeypatch.setattr(demos.Demo, "equal", property(lambda self: False))
    assert main(["demo", "--limit", "2000", "--out", str(tmp_path / "demo.svg")]) == 1
    assert "DIFFER" in capsys.readouterr().out


@pytest.mark.parametrize("out", ["demo.txt", "nowhere/demo.png"])
def test_a_bad_name_for_the_picture_is_said_at_once(out, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demos, "prepare_demo", lambda limit: pytest.fail("ran before it looked"))
    assert main(["demo", "--out", out]) == 2
    assert capsys.readouterr().err.startswith(f"niwaki: {out}: ")
