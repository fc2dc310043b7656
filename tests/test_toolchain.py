"""The cache of MicroPython builds, and what is said when something is missing."""

import sys

import pytest
from conftest import need

from niwaki_host import runtimes
from niwaki_host.errors import RuntimeMissing
from niwaki_host.toolchain import __main__ as toolchain
from niwaki_host.toolchain import aptsource, build, cache, system, wasm


@pytest.fixture
def bare_machine(tmp_path, monkeypatch):
    """No programs, nothing built."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("NIWAKI_CACHE", str(tmp_path / "cache"))
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
