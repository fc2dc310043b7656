"""The behaviour tests in tests/device on each runtime, as they are."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import need

from niwaki_host.deploy import native
from niwaki_host.runtimes import package, wasm_rt
from niwaki_host.runtimes.emulator import Board
from niwaki_host.toolchain import build

DEVICE = Path(__file__).parent / "device"
SHARED = ("tools", "runner", "grid")
MODULES = sorted(path.stem for path in DEVICE.glob("*.py") if path.stem not in SHARED)
RUNTIMES = ("cpython", "micropython", "micropython-bytecode", "cortex-m3", "cortex-m3-c", "wasm")


@cache
def _files(march: str | None, builder: Any = package) -> dict[str, bytes]:
    tests = {path.name: path.read_text() for path in DEVICE.glob("*.py")}
    return builder.compiled({**package.sources(), **tests}, march)


def _cpython(script: str) -> str:
    command = [sys.executable, "-c", script]
    path = os.pathsep.join([str(DEVICE), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


def _unix(script: str, work: Path, march: str | None) -> str:
    for name, data in _files(march).items():
        path = work / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    command = [str(build.ensure("unix")), "-X", "heapsize=1m", "-c", script]
    environment = {**os.environ, "MICROPYPATH": str(work)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


_HEAP = 1 << 19  # to collect garbage takes an emulated board as long as its heap is large
_boards: dict[str, Board] = {}


@pytest.fixture(scope="module", autouse=True)
def _close_board():
    yield
    while _boards:
        _boards.popitem()[1].close()


def _cortex(script: str, runtime: str) -> str:
    """Everything runs on one board: it takes longer to start than most tests take."""
    if runtime not in _boards:
        files = _files("armv7m", native if runtime == "cortex-m3-c" else package)
        _boards[runtime] = Board(files, _HEAP, counted=False)
    return _boards[runtime].execute(script)


def run(runtime: str, script: str, work: Path) -> str:
    """What the script prints; it may import niwaki and the modules of tests/device."""
    need(runtime)
    if runtime == "cpython":
        return _cpython(f"import niwaki; {script}")
    if runtime.startswith("cortex-m3"):
        return _cortex(script, runtime)
    if runtime == "wasm":
        tests = {path.name: path.read_text() for path in DEVICE.glob("*.py")}
        wasm_rt.stage(work, {**tests, "script.py": script})
        return wasm_rt.start(work, "script").communicate()[0]
    return _unix(script, work, "x86" if runtime == "micropython" else None)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_behaviour(runtime, module, tmp_path):
    output = run(runtime, f"import runner; runner.run({module!r})", tmp_path)
    source = (DEVICE / f"{module}.py").read_text()
    expected = sorted(line[4:].split("(")[0] for line in source.splitlines() if line.startswith("def test_"))
    passed = sorted(line[3:] for line in output.splitlines() if line.startswith("ok "))
    assert expected and passed == expected, output


@cache
def _reference() -> list[str]:
    return _cpython("import niwaki; import grid; grid.report()").splitlines()


@pytest.mark.parametrize("runtime", RUNTIMES[1:])
def test_grid_ends_with_the_same_bytes(runtime, tmp_path):
    expected = _reference()
    assert len(expected) > 20 and len({line.split()[2] for line in expected}) == len(expected)
    assert run(runtime, "import grid; grid.report()", tmp_path).splitlines() == expected


def test_grid_ends_with_the_same_bytes_on_numba(monkeypatch):
    """The host's own loop over the same samples."""
    monkeypatch.syspath_prepend(str(DEVICE))
    import grid
    from tools import Random, checksum

    from niwaki_host.runtimes import numba_rt
    from niwaki_host.runtimes.events import Prequential
    from niwaki_host.runtimes.result import Job

    cases = [*(("Tree", case) for case in grid.cases()), *(("Grove", case) for case in grid.groves())]
    for seed, (line, (kind, case)) in enumerate(zip(_reference(), cases, strict=False), 1):
        name, shape, options = case
        rng, row = Random(seed), np.zeros(shape[0], np.int16)
        X, y = np.zeros((grid.SAMPLES, shape[0]), np.int16), np.zeros(grid.SAMPLES, np.int16)
        for i in range(grid.SAMPLES):
            y[i] = grid.fill(rng, i, row, shape[1])
            X[i] = row
        clf = getattr(grid, kind)(*shape, **options)
        done = numba_rt.run(Job(clf, kind, options, X, Prequential(y, 0)))
        assert [name, checksum(clf), str(done.nodes)] == [line.split()[k] for k in (0, 2, 3)]
