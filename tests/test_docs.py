"""What README and guide show is so: their code runs, their commands exist, their links lead somewhere.

```python           device code: runs on CPython and on MicroPython; the blocks of a page run in order
```python host      the lab's
```console          `niwaki` commands that are run; `console slow`: only their options are checked
```console board    commands that are run with the emulated board as the only one on USB, in test_record.py
<!-- setup ... -->  what a page's device code needs and does not show
"""

import importlib.util
import os
import re
import shlex
from pathlib import Path

import click
import pytest
from conftest import need

import niwaki
import niwaki.late
from niwaki_host import demo as demos
from niwaki_host import surface
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
    consoles = {"console", "console slow", "console board"}
    known = {*consoles, "python", "python host", "sh", "mermaid", "c", "text", ""}
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


def _script(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_api_page_is_made_from_the_code():
    """Signatures, options, defaults; every public class and method has an example, which runs above."""
    api = _script("api")
    assert api.OUT.read_text() == api.page(), "run: python docs/api.py"
    names = {*niwaki._WHERE.split()[::2], *surface.METHODS, *api.OF_A_GROVE} - {"MISSING"}
    assert names <= api.examples().keys()
    late = {name for name, where in niwaki.late._WHERE.items() if not name.startswith("_")}
    assert late <= api.examples().keys()
    text = api.page()
    for model, options in api.MODELS.items():
        said = (getattr(niwaki, model).__doc__ or "").replace(",", " ").replace(";", " ").split()
        assert not [option for option in options if option not in {word.rstrip(":") for word in said}], model
    assert "|  |" not in text and not re.search(r"^\w+\.py\. Cost", text, re.MULTILINE)


def test_the_site_has_every_page(monkeypatch):
    """`make site` builds it; here its configuration and the staged links are held, without building."""
    site, config = _script("site"), (ROOT / "mkdocs.yml").read_text()
    named = re.findall(r": (\w+\.md)$", config, re.MULTILINE)
    assert sorted(named) == sorted(site.sources())
    for name, source in site.sources().items():
        text = site.staged(source, "")
        assert "<!-- setup" not in text and not re.search(r"^```\w+ \w+", text, re.MULTILINE), name
        for target in re.findall(r"\]\(([^)#\s]+)", text):
            assert "://" in target or target in named or target.endswith(".png"), f"{name}: {target}"
    linked = site.staged(ROOT / "docs" / "c.md", "https://example.org/a/b")
    assert "https://example.org/a/b/blob/main/tests/test_c_fuzz.py" in linked
    readme = site.staged(ROOT / "README.md", "")
    assert "![Two gestures, taught with a mouse, and one of them recognised](playground.png)" in readme
    workflow = (ROOT / ".github" / "workflows" / "pages.yml").read_text()
    assert "make site" in workflow and "path: build/site" in workflow


def test_lines_of_the_pages_are_not_long():
    wrap = _script("wrap")
    for page in wrap.pages():
        assert not wrap.long_lines(page.read_text()), f"{page.name}: run: python docs/wrap.py"
    assert wrap.long_lines("word " * 30) and not wrap.long_lines("|" + "cell " * 30)
    assert wrap.wrapped("- " + "word " * 30).split("\n")[1].startswith("  word")
