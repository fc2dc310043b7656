"""Native modules: for which architectures they can be made, what a class keeps, that a board takes them."""

import ast
import json

import pytest
from conftest import need

from niwaki_host import cli
from niwaki_host.deploy import bundle, emulated, native
from niwaki_host.errors import RuntimeMissing
from niwaki_host.runtimes import package

CLASSES = native.class_names(package.sources())


@pytest.mark.parametrize("arch", ["armv6m", "armv7m", "armv7emsp", "armv7emdp", "rv32imc"])
@pytest.mark.parametrize("name", CLASSES)
def test_a_module_for_every_architecture_whose_compiler_is_here(name, arch):
    need("cortex-m3-c")
    if arch == "rv32imc":
        need("riscv")
    data = native.module(name, False, arch)
    assert data[0] == ord("M") and 2000 < len(data) < 12 * 1024


def test_what_can_not_be_made_is_said(monkeypatch):
    assert "there are for x86, armv6m" in (native.obstacle("z80") or "")
    monkeypatch.setenv("PATH", "")
    assert "apt-get install gcc-arm-none-eabi" in (native.obstacle("armv7m") or "")
    assert "Espressif" in (native.obstacle("xtensawin") or "")
    with pytest.raises(RuntimeMissing, match="arm-none-eabi-gcc"):
        native.module("Tree", False, "armv7m")


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_keeps_all_but_its_kernels(name):
    """Its methods are there, two of them from the native module; nothing imports a viper kernel."""
    folder = name.lower()
    before = package.sources()[f"niwaki/{folder}/{folder}.py"]
    after = native.sources(package.sources())[f"niwaki/{folder}/{folder}.py"]

    def public(text):
        owner = next(n for n in ast.parse(text).body if isinstance(n, ast.ClassDef) and n.name == name)
        names = [getattr(n, "name", None) or ast.unparse(getattr(n, "targets", [n])[0]) for n in owner.body]
        return {n for n in names if not n.startswith(("_", "'", '"')) and n.islower() and n != "pass"}

    assert public(before) == public(after)
    imports = [n for n in ast.parse(after).body if isinstance(n, ast.ImportFrom) and n.level == 1]
    methods = {ast.unparse(n.value) for n in ast.walk(ast.parse(after)) if isinstance(n, ast.Assign)}
    kernels = [a.name for n in imports if n.module for a in n.names if a.name not in methods]
    assert not kernels, "kernels come from the native module"  # a method may be from elsewhere: scores
    assert "@micropython" not in after


def test_a_board_gets_native_modules(capsys):
    need("cortex-m3-c")
    need("mpremote")
    with emulated.EmulatedBoard() as board:
        for options in (["--parts", "tree"], ["--parts", "shrubs", "--model", "shrubs"]):
            board.power_cycle()
            assert cli.main(["deploy", "--port", board.port, "--native", "--json", *options]) == 0
            report = json.loads(capsys.readouterr().out)
            assert report["equal"] and report["architecture"] == "armv7m, native"


def test_native_and_bytecode_exclude_each_other(monkeypatch, capsys):
    assert cli.main(["deploy", "--native", "--bytecode", "--port", "nowhere"]) == 2
    assert "--bytecode" in capsys.readouterr().err


def test_parts_alone_can_be_native():
    need("cortex-m3-c")
    files = native.compiled(bundle.modules(["shrubs"]), "armv7m")
    assert "niwaki/shrubs_c.mpy" in files and "niwaki/tree_c.mpy" not in files
