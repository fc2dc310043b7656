"""What README and guide show is so: their code runs, their commands exist, their links lead somewhere.

```python           device code: runs on CPython and on MicroPython; the blocks of a page run in order
```python host      the lab's
```console          `niwaki` commands that are run; `console slow`: only their options are checked
<!-- setup ... -->  what a page's device code needs and does not show
"""

import os
import re
import shlex
from pathlib import Path

import click
import pytest
from conftest import need

import niwaki
from niwaki_host import demo as demos
from niwaki_host.cli import cli, main
from niwaki_host.device.memory_map import smallest_budget
from niwaki_host.runtimes import execute

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")]
PAGES += [ROOT / name / "README.md" for name in ("benchmarks", "firmware_scripts")]
PAGES += sorted((ROOT / "docs").glob("*.md"))
_BLOCK = re.compile(r"^```([a-z ]*)\n(.*?)^```$|^<!-- (setup)\n(.*?)^-->$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, *kinds: str) -> list[str]:
    found = _BLOCK.findall(page.read_text())
    return [text or hidden for kind, text, setup, hidden in found if (kind or setup) in kinds]


def commands(page: Path, kind: str) -> list[list[str]]:
    lines = "".join(blocks(page, kind)).splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("niwaki ")]


def mentioned(page: Path) -> list[list[str]]:
    """Commands with options within the text."""
    return [shlex.split(line)[1:] for line in re.findall(r"`(niwaki \w+ [^`]*[^`.])`", page.read_text())]


def with_blocks(*kinds: str) -> list:
    return [pytest.param(page, id=page.stem) for page in PAGES if blocks(page, *kinds)]


@pytest.mark.parametrize("page", with_blocks("python"))
@pytest.mark.parametrize("runtime", ["cpython", "micropython"])
def test_device_code_runs(page, runtime, tmp_path, monkeypatch):
    need(runtime)
    monkeypatch.chdir(tmp_path)
    script = "\n".join(blocks(page, "setup", "python"))
    if runtime == "cpython":
        exec(compile(script, page.name, "exec"), {"__name__": "page", "niwaki": niwaki})
    else:
        execute(runtime, script, heap=256 * 1024)


@pytest.mark.parametrize("page", with_blocks("python host"))
def test_lab_code_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks(page, "python host")), page.name, "exec"), {"__name__": "page"})


@pytest.mark.parametrize("page", with_blocks("console"))
def test_commands_work(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for words in commands(page, "console"):
        assert main(words) == 0, f"niwaki {shlex.join(words)}: {capsys.readouterr().err}"


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in PAGES])
def test_commands_have_these_options(page):
    for words in commands(page, "console") + commands(page, "console slow") + mentioned(page):
        command = cli.get_command(click.Context(cli), words[0])
        assert command is not None, f"there is no command {words[0]}"
        command.make_context(words[0], words[1:])


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in PAGES])
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_kind_of_block_is_known():
    # C: tests/test_c_library.py compiles it
    known = {"python", "python host", "console", "console slow", "sh", "mermaid", "c", ""}
    for page in PAGES:
        opened = re.findall(r"^```(.*)$", page.read_text(), re.MULTILINE)
        assert {kind.strip() for kind in opened} <= known, page.name


def test_the_tests_map_names_every_test():
    page = (ROOT / "docs" / "architecture.md").read_text()
    patterns = re.findall(r"`(test_\w*\*?\w*\.py)`", page)
    for path in (ROOT / "tests").glob("test_*.py"):
        assert any(path.match(pattern) for pattern in patterns), f"{path.name} is not on the tests' map"


def test_the_readme_shows_the_demo_as_it_is(monkeypatch):
    """Accuracies before, at and after the drift; a change of the models must change the README too."""
    monkeypatch.setattr(demos, "available", lambda: {"cortex-m3": "not needed here"})
    demo = demos.run_demo(demos.prepare_demo())
    text = (ROOT / "README.md").read_text()
    for part in demo.parts:
        shown = " | ".join(f"{100 * value:.1f} %" for value in (part.before, part.at, part.after))
        assert shown in text, f"{part.name}{', taught once' if part.frozen else ''}: {shown}"
    for part in demo.taught:
        shown = f"{part.name} {100 * part.accuracy:.1f} %"
        assert shown in text, f"taught and left alone: {shown}"


def test_the_readme_names_the_smallest_tree():
    smallest = smallest_budget("vfdt", 6, 4, 2048, {})
    assert f"6 features, 4 classes | {smallest:,} bytes |" in (ROOT / "README.md").read_text()


def test_the_pages_name_no_machine():
    for page in PAGES:
        assert not re.search(r"/(home|work|root|tmp|Users)/", page.read_text()), page.name
    assert os.path.getsize(ROOT / "docs" / "demo.png") < 100_000
