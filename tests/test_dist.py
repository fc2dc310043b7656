"""What strangers install: wheel and sdist, built once, tried in an environment of their own."""

import ast
import email
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from conftest import need

from niwaki import __version__
from niwaki_host.toolchain import cache

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = "https://example.org/somebody/niwaki"
NAME = f"niwaki_ml-{__version__}"
_NOT_SOURCE = (
    ".git",
    ".venv",
    "build",
    "dist",
    "results",
    "*.egg-info",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
)


@pytest.fixture(scope="session")
def dist(tmp_path_factory, worker_id) -> Path:
    """A directory with both, made from a copy of the tree; processes of the same test run share it."""
    need("build")
    base = tmp_path_factory.getbasetemp()
    out = (base if worker_id == "master" else base.parent) / "dist"
    with cache.locked(out):
        if not (out / f"{NAME}-py3-none-any.whl").exists():
            source = out / "source"
            shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*_NOT_SOURCE))
            command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)]
            settings = {**os.environ, "NIWAKI_REPOSITORY": REPOSITORY}
            done = subprocess.run(command, env=settings, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
    return out


@pytest.fixture(scope="session")
def metadata(dist) -> email.message.Message:
    with zipfile.ZipFile(dist / f"{NAME}-py3-none-any.whl") as wheel:
        return email.message_from_bytes(wheel.read(f"{NAME}.dist-info/METADATA"))


def test_the_wheel_holds_both_packages_and_what_they_read(dist):
    with zipfile.ZipFile(dist / f"{NAME}-py3-none-any.whl") as wheel:
        held = set(wheel.namelist())
    for package, place in (("niwaki", "mcu"), ("niwaki_host", "host")):
        files = [path for path in (ROOT / place / package).rglob("*") if path.is_file()]
        wanted = {str(path.relative_to(ROOT / place)) for path in files if "__pycache__" not in path.parts}
        assert wanted <= held and f"{package}/py.typed" in held
    assert {name.split("/")[0] for name in held} == {"niwaki", "niwaki_host", f"{NAME}.dist-info"}


def test_the_sdist_holds_what_a_packager_needs(dist):
    with tarfile.open(dist / f"{NAME}.tar.gz") as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    files = "Makefile LICENSE SECURITY.md CITATION.cff manifest.py pyproject.toml setup.py .ci/run".split()
    files += [path.name for path in ROOT.glob("package*.json")]
    for folder in ("docs", "tests", "firmware_scripts"):
        paths = [path for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix != ".pyc"]
        files += [str(path.relative_to(ROOT)) for path in paths]
    assert set(files) <= held
    assert not [name for name in held if name.endswith((".pyc", ".mpy")) or "__pycache__" in name]


def test_the_metadata_is_what_an_index_shows(metadata):
    assert metadata["Name"] == "niwaki-ml" and metadata["Version"] == __version__
    urls = dict(url.split(", ") for url in metadata.get_all("Project-URL", []))
    assert urls["Repository"] == REPOSITORY and urls["Changelog"].startswith(REPOSITORY)
    assert metadata["License-Expression"] == "MIT" and metadata["Author"] and metadata["Keywords"]
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])
    extras = [text for text in metadata.get_all("Requires-Dist", []) if text.startswith("niwaki")]
    assert extras and all(text.startswith("niwaki-ml[") for text in extras)


def test_links_and_pictures_of_the_description_work_on_an_index_page(metadata):
    text = metadata.get_payload()
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert len(targets) > 20
    for target in targets:
        kind, tag, path = target.removeprefix(f"{REPOSITORY}/").split("/", 2)
        assert target.startswith(REPOSITORY) and tag == f"v{__version__}", target
        assert kind == ("raw" if path.endswith(".png") else "blob") and (ROOT / path).exists(), target


def test_nobody_is_told_to_install_the_other_niwaki():
    wrong = re.compile(r"pip install [^\n]*\bniwaki(?!-ml)\b")
    for folder in ("host", "docs", "mcu", "firmware_scripts", ".github"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".md", ".yml", ".html", ".js"):
                assert not wrong.search(path.read_text("utf-8")), path
    for path in ROOT.glob("*.md"):
        assert not wrong.search(path.read_text("utf-8")), path


@pytest.fixture(scope="session")
def environment(dist, tmp_path_factory) -> Path:
    """The wheel alone; what it depends on is lent by this environment, which pip would download for minutes.

    `make check-dist` installs everything."""
    place = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    python = place / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps"]
    subprocess.run([*command, str(dist / f"{NAME}-py3-none-any.whl")], check=True, capture_output=True)
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own = subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True).stdout.strip()
    Path(own, "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return place / "bin"


def test_the_wheel_works_elsewhere_without_compilers(environment, tmp_path):
    """`niwaki demo` from another directory, where PATH has nothing but the environment."""
    settings = {**os.environ, "PATH": str(environment), "PYTHONPATH": ""}

    def run(*words: str) -> str:
        done = subprocess.run(
            [str(environment / words[0]), *words[1:]],
            cwd=tmp_path,
            env=settings,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = run("python", "-c", "import niwaki, niwaki_host; print([niwaki.__file__, niwaki_host.__file__])")
    assert all(path.startswith(str(environment.parent)) for path in ast.literal_eval(where))
    assert run("niwaki", "--version") == f"niwaki {__version__}\n"
    shown = run("niwaki", "demo")
    assert "taught once" in shown and "skipped: cortex-m3: missing QEMU for Arm" in shown
    assert (tmp_path / "niwaki-demo.png").stat().st_size > 5000


def test_the_citation_and_the_changelog_name_this_version():
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## {__version__}\n" in (ROOT / "CHANGELOG.md").read_text()


def test_workflows_call_what_everybody_can_call():
    """Their steps are make targets or the script that runs them; nothing is done there alone."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for name, wanted in (("test", ".ci/run"), ("test", "check-dist"), ("release", "release"), ("pages", "")):
        text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text()
        called = re.findall(r"- run: make ([a-z-]+)", text)
        assert set(called) <= targets and (
            not wanted or wanted in (*called, *re.findall(r"run: (\S+)", text))
        )
        assert called or ".ci/run" in text
