"""RAM caps on a real MicroPython: what holds, what does not, and that the byte model tells the same."""

import json

import pytest
from conftest import need

from niwaki_host.cli import main
from niwaki_host.runtimes import execute


@pytest.fixture
def simulate(capsys):
    need("micropython")

    def call(*args):
        code = main(["simulate", "sea", "--limit", "300", "--runtime", "micropython", "--json", *args])
        return code, json.loads(capsys.readouterr().out)

    return call


def test_a_heap_that_is_large_enough_holds(simulate):
    code, record = simulate("--heap", "64k", "--budget", "4k")
    assert code == 0 and record["held"] is True
    assert record["heap_bytes"] == 65536 > record["peak_heap_bytes"] > record["model_bytes"]


def test_a_run_of_one_sample_has_a_speed(simulate):
    _, record = simulate("--limit", "1")
    assert record["samples"] == 1 and record["seconds"] > 0 and record["samples_per_second"] > 0


def test_a_heap_smaller_than_the_model_does_not_hold(simulate):
    code, record = simulate("--heap", "8k", "--budget", "8k")
    assert code == 1 and record["held"] is False
    assert record["heap_bytes"] == 8192 and "too small" in record["error"]


def test_a_heap_that_micropython_does_not_start_with_is_bad_usage(capsys):
    need("micropython")
    assert main(["simulate", "sea", "--limit", "20", "--runtime", "micropython", "--heap", "1"]) == 2
    assert capsys.readouterr().err.startswith("niwaki: a heap of 32-bit MicroPython must be 700..")


def test_the_smallest_heap_follows_the_byte_model(simulate):
    small, large = (simulate("--budget", budget, "--find-heap")[1] for budget in ("4k", "12k"))
    model = large["model_bytes"] - small["model_bytes"]
    assert large["peak_heap_bytes"] - small["peak_heap_bytes"] == model
    # In steps of 512; a heap keeps its own tables (1/43 of it) and is never free of gaps.
    assert abs(large["smallest_heap_bytes"] - small["smallest_heap_bytes"] - model) <= 0.2 * model
    assert small["peak_heap_bytes"] <= small["smallest_heap_bytes"] <= 65536
    assert small["beside_model_bytes"] == small["smallest_heap_bytes"] - small["model_bytes"]


def test_the_cortex_m3_counts_instructions_and_garbage(capsys):
    need("cortex-m3")
    assert main(["bench", "--models", "vfdt", "--set", "leaf=mc", "--samples", "300", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (
        0
        < row["instructions_per_predict"]
        < row["instructions_per_learn"]
        < row["max_instructions_per_learn"]
    )
    assert row["garbage_per_predict_bytes"] == row["garbage_per_learn_bytes"] == 0
    assert 0 < row["model_heap_bytes"] <= row["model_bytes"] <= row["budget_bytes"]
    assert 0 < row["flash_bytes"] < 65536


TIGHT = """
import gc
gc.threshold(4096)
taken = bytearray(gc.mem_free() - {rest})
try:
    from niwaki import Tree
    {more}
except MemoryError as error:
    print(error)
print(gc.threshold())
"""


@pytest.mark.parametrize(
    ("rest", "more", "message"),
    [
        (9000, "pass", "no heap for niwaki.tree: .mpy takes less than .py, ROMFS less still"),
        (
            40000,
            "Tree(6, 4, 30000)",
            "no heap for a budget of 30000 bytes: take less, or code as .mpy or ROMFS",
        ),
    ],
)
def test_a_heap_that_is_too_small_says_what_to_do(rest, more, message) -> None:
    """And the collector's threshold is the program's own again."""
    need("micropython")
    printed = execute("micropython", TIGHT.format(rest=rest, more=more), heap=131072)
    said, threshold = printed.splitlines()
    assert said.startswith(message) and threshold == "4096"
