"""The behaviour tests in tests/device on each runtime, as they are."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from conftest import need

from niwaki_host.runtimes import package
from niwaki_host.toolchain import build

DEVICE = Path(__file__).parent / "device"
SHARED = ("tools", "runner")
MODULES = sorted(path.stem for path in DEVICE.glob("*.py") if path.stem not in SHARED)
LARGE = ("byte_model",)  # budgets up to 64 KB
RUNTIMES = ("cpython", "micropython", "micropython-bytecode", "cortex-m3")


@cache
def _files(march: str | None) -> dict[str, bytes]:
    tests = {path.name: path.read_text() for path in DEVICE.glob("*.py")}
    return package.compiled({**package.sources(), **tests}, march)


def _cpython(module: str, _work: Path) -> str:
    command = [sys.executable, "-c", f"import runner; runner.run({module!r})"]
    environment = {**os.environ, "PYTHONPATH": str(DEVICE)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


def _unix(module: str, work: Path, march: str | None) -> str:
    for name, data in _files(march).items():
        path = work / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    command = [str(build.ensure("unix")), "-X", "heapsize=1m", "-c", f"import runner; runner.run({module!r})"]
    environment = {**os.environ, "MICROPYPATH": str(work)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


_boards: dict[int, object] = {}


@pytest.fixture(scope="module", autouse=True)
def _close_boards():
    yield
    while _boards:
        _boards.popitem()[1].close()


def _cortex(module: str, _work: Path) -> str:
    """All modules run on one board: it takes longer to start than most tests take."""
    from niwaki_host.runtimes.emulator import Board

    heap = build.MAX_HEAP if module in LARGE else build.DEFAULT_HEAP
    if heap not in _boards:
        _boards[heap] = Board(_files("armv7m"), heap)
    return _boards[heap].execute(f"import runner; runner.run({module!r})")


def run(runtime: str, module: str, work: Path) -> str:
    need(runtime)
    if runtime == "cpython":
        return _cpython(module, work)
    if runtime == "cortex-m3":
        return _cortex(module, work)
    return _unix(module, work, "x86" if runtime == "micropython" else None)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_behaviour(runtime, module, tmp_path):
    output = run(runtime, module, tmp_path)
    source = (DEVICE / f"{module}.py").read_text()
    expected = sorted(line[4:].split("(")[0] for line in source.splitlines() if line.startswith("def test_"))
    passed = sorted(line[3:] for line in output.splitlines() if line.startswith("ok "))
    assert expected and passed == expected, output
