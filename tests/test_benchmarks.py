"""The committed tables: each has its script, and says version, date and command."""

import re
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
RESULTS = sorted((BENCHMARKS / "results").iterdir())
HEADING = re.compile(r"# .+\n\nniwaki \d+\.\d+\.\d+.*, \d{4}-\d\d-\d\d: `python benchmarks/(\w+\.py)[^`]*`\n")
SHARED = {"common.py", "run.py"}


@pytest.fixture
def tables(monkeypatch) -> dict[str, tuple[str, ...]]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import run

    sys.modules.pop("run")
    return run.TABLES


@pytest.mark.parametrize("path", RESULTS, ids=lambda p: p.stem)
def test_a_result_says_version_date_and_command(path) -> None:
    match = HEADING.match(path.read_text())
    assert match, "begin with: # Title, niwaki VERSION, DATE: `python benchmarks/SCRIPT ...`"
    assert (BENCHMARKS / match[1]).is_file()
    assert "/" not in match[0].replace("benchmarks/", ""), "files by their names"


def test_every_script_makes_a_table_and_every_table_has_one(tables) -> None:
    scripts = {path.name for path in BENCHMARKS.glob("*.py")} - SHARED
    used = {words[0] for words in tables.values()}
    # The defaults of shrubs were found in many steps: its page tells them.
    assert used | {"shrubs_defaults.py"} == scripts
    committed = {path.stem for path in RESULTS}
    assert committed <= set(tables) | {"shrubs_defaults"}
    assert committed == set(re.findall(r"\]\(results/(\w+)\.md\)", (BENCHMARKS / "README.md").read_text()))
