"""What people meet with their own files: said in a line, by the command they gave."""

import json
import signal
import warnings

import pytest
from conftest import complains

from niwaki_host.streams import open_stream
from niwaki_host.sweep import local

KAPPAS = ("kappa", "kappa_m", "kappa_t")
ROWS = "".join(f"{i % 10},{i * 7 % 10},{'run' if i % 10 > 4 else 'walk'}\n" for i in range(400))


def test_a_first_row_that_looks_like_a_sample_is_told_once(niwaki, write):
    code, out, err = niwaki("simulate", write(ROWS), "--json")
    assert code == 0 and json.loads(out)["samples"] == 399
    assert err.startswith("niwaki: note: ") and err.count("\n") == 1 and "add --no-header if it is one" in err
    code, out, err = niwaki("simulate", write(ROWS), "--no-header", "--json")
    assert (code, err) == (0, "") and json.loads(out)["samples"] == 400


def test_the_workers_of_a_sweep_do_not_repeat_it(write, monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with warnings.catch_warnings(record=True) as told:
        local._start_worker()
        open_stream(write(ROWS))
    assert told == []


def test_texts_in_another_alphabet_and_codes_are_one_option(niwaki, write):
    path = write(("größe,b,label\n" + ROWS).encode("latin-1"))
    complains(niwaki("simulate", path), "--encoding cp1252")
    for words in (["latin-1"], ["latin-1", "0:10"], ["raw", "cp1252"]):
        options = [word for name in words for word in ("--encoding", name)]
        assert niwaki("simulate", path, *options)[0] == 0
    complains(niwaki("simulate", path, "--encoding", "raw", "--encoding", "whole"), "one of them only")
    complains(niwaki("simulate", path, "--encoding", "latin-1", "--encoding", "rwa"), "'rwa'", "latin-1")


def test_the_table_tells_of_rows_without_a_label(niwaki, write):
    path = write("a,b,label\n" + ROWS + "1,2,\n3,4,?\n")
    out = niwaki("simulate", path)[1]
    assert "2 of 402: predicted, not judged, not learned" in out
    assert json.loads(niwaki("simulate", path, "--json")[1])["unlabelled"] == 2
    assert "learned as predicted" in niwaki("simulate", path, "--self-train", "1000")[1]
    assert "without a label" not in niwaki("simulate", write("a,b,label\n" + ROWS))[1]


def row(table: str, name: str) -> str:
    """What stands right of a name."""
    (line,) = [line for line in table.splitlines() if line.startswith(f"│ {name}")]
    return line.split("│")[2].strip()


def test_the_table_has_what_a_guess_would_reach_and_explains_its_words(niwaki, write):
    path = write("a,b,label\n" + ROWS)
    out = niwaki("simulate", path)[1]
    record = json.loads(niwaki("simulate", path, "--json")[1])
    assert row(out, "majority") == f"{record['majority_accuracy']:.2%}" == "60.00%"
    assert row(out, "no change") == f"{record['no_change_accuracy']:.2%}" == "80.00%"
    words = ["kappa, accuracy beyond chance", "kappa M, beyond majority", "kappa temporal, beyond no change"]
    assert [row(out, word) for word in words] == [f"{record[key]:.4f}" for key in KAPPAS]


@pytest.mark.parametrize("model", ["vfdt", "hat", "shrubs", "grove"])
def test_what_is_filled_and_the_budget_do_not_contradict_each_other(niwaki, write, model):
    path = write("a,b,label\n" + ROWS)
    record = json.loads(niwaki("simulate", path, "--model", model, "--every", "100", "--json")[1])
    assert 0 < record["bytes_in_use"] <= record["model_bytes"] <= record["budget_bytes"]
    assert record["bytes_in_use"] == record["curve"]["bytes_in_use"][-1]
    out = niwaki("simulate", path, "--model", model)[1]
    assert row(out, "model, taken when it is made") == f"{record['model_bytes']:,} of 8,192 B"
    assert row(out, "of these, filled by now") == f"{record['bytes_in_use']:,} B"


def test_a_tree_of_one_node_explains_itself(niwaki):
    out = niwaki("simulate", "sea", "--limit", 50)[1]
    assert row(out, "nodes / leaves") == "1 / 1: no split yet, one leaf answers from all features"
    assert row(out, "features in splits") == "0 of 3"


@pytest.mark.parametrize("column", ["2024-05-01 10:00:07", "10:00:07"])
def test_a_column_of_times_says_what_to_do(niwaki, write, column):
    path = write("when,a,b,label\n" + "".join(f"{column},{line}\n" for line in ROWS.splitlines()))
    complains(niwaki("simulate", path), "'when' holds dates or times", "--drop when")
    assert niwaki("simulate", path, "--drop", "when")[0] == 0


def test_too_many_classes_say_the_limit(niwaki, write):
    path = write("a,label\n" + "".join(f"{i},{i / 7:.3f}\n" for i in range(400)))
    complains(niwaki("simulate", path), "at most 255 classes", "no regression", "--label")
