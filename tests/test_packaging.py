"""Packages for boards: mip, the manifest, .mpy sets, ROMFS, and parts that stand alone."""

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import need

from niwaki import __version__
from niwaki_host.deploy import bundle
from niwaki_host.deploy.arch import TARGETS
from niwaki_host.errors import UsageError
from niwaki_host.runtimes import emulator, package, romfs, unix_rt
from niwaki_host.toolchain import build

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "firmware_scripts"


def script(name: str):
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_packages_are_up_to_date() -> None:
    packages = script("packages")
    for name, parts in packages.PACKAGES.items():
        assert (ROOT / name).read_text() == packages.text(parts), "run: python firmware_scripts/packages.py"


@pytest.mark.parametrize("name", ["build", "packages", "smallest_heap"])
def test_scripts_tell_what_they_do_and_refuse_what_they_do_not_know(monkeypatch, capsys, name) -> None:
    module = script(name)
    monkeypatch.setattr(Path, "write_text", None)  # nothing is written meanwhile
    for argument, code in (("--help", 0), ("--chekc", 2)):
        monkeypatch.setattr(sys, "argv", [name, argument])
        with pytest.raises(SystemExit) as stopped:
            module.main()
        assert stopped.value.code == code
    summary = module.__doc__.partition("\n")[0]
    assert summary[-1] in ".:" and " ".join(capsys.readouterr().out.split()).count(summary.rstrip(":"))


def test_a_package_names_files_that_are_there() -> None:
    for path in ROOT.glob("package*.json"):
        content = json.loads(path.read_text())
        assert content["version"] == __version__
        for target, url in content["urls"]:
            assert target.startswith("niwaki/") and (ROOT / url).is_file()
    everything = {target for target, _ in json.loads((ROOT / "package.json").read_text())["urls"]}
    assert everything == {path for path in package.sources() if not path.endswith("layout.py")}


def test_editors_see_the_names_that_are_imported_lazily() -> None:
    import niwaki

    words = niwaki._WHERE.split()  # type: ignore
    stub = ast.parse((ROOT / "mcu/niwaki/__init__.pyi").read_text())
    froms = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    named = [(alias.asname, node.module) for node in froms for alias in node.names if alias.asname]
    seen = {name.lstrip("_"): module for name, module in named}  # a class of the stub adds to a Grove
    assert seen == dict(zip(words[::2], words[1::2], strict=True))


def test_a_tree_comes_without_shrubs_and_the_other_way_round() -> None:
    tree, shrubs = bundle.modules(["tree"]), bundle.modules(["shrubs"])
    assert not any("shrub" in path for path in tree)
    assert not any("tree" in path for path in shrubs)
    assert {"niwaki/image.py", "niwaki/tree/check.py"} <= set(tree)
    with pytest.raises(UsageError, match="no part 'leaf'"):
        bundle.modules(["leaf"])


_TRY = """
from niwaki import load, ImageError
from niwaki import CLASS
clf = CLASS(3, 2, 2048)
for i in range(300):
    clf.learn([i % 7, i % 5, 3], i % 2)
clf.save("model")
clf = load("model")
print(clf.samples)
try:
    load(OTHER)
except ImageError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("part", "name", "other"), [("tree", "Tree", "Shrubs"), ("shrubs", "Shrubs", "Tree")]
)
def test_each_part_works_alone(tmp_path, monkeypatch, part, name, other) -> None:
    """With nothing else on the board it learns, saves and loads, and knows what it can't load."""
    need("micropython")
    import niwaki

    foreign = tmp_path / "foreign"
    getattr(niwaki, other)(3, 2, 2048).save(str(foreign))
    only = bundle.modules([part])
    monkeypatch.setattr(package, "sources", lambda: only)
    source = _TRY.replace("CLASS", name).replace("OTHER", repr(str(foreign)))
    samples, message = unix_rt.execute(source, heap=1 << 17).splitlines()
    assert samples == "300"
    assert message == f"holds a model of class {other}, which is not installed here"


@pytest.mark.parametrize("options", ["", 'parts="tree"', 'parts="shrubs"', 'parts="grove"'])
def test_the_manifest_names_what_to_freeze(tmp_path, options) -> None:
    need("micropython")
    tools = build.source() / "src/tools"
    outer = tmp_path / "manifest.py"
    outer.write_text(f"include({str(ROOT / 'manifest.py')!r}{', ' if options else ''}{options})\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tools)!r}); import manifestfile as m\n"
        f"f = m.ManifestFile(m.MODE_FREEZE, {{'MPY_LIB_DIR': None}}); f.execute({str(outer)!r})\n"
        "print([file.target_path for file in f.files()])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    parts = options.partition('"')[2].rstrip('"')
    wanted = json.loads((ROOT / (f"package-{parts}.json" if parts else "package.json")).read_text())["urls"]
    assert sorted(ast.literal_eval(done.stdout)) == sorted(target for target, _ in wanted)


@pytest.mark.parametrize("target", TARGETS)
def test_every_architecture_compiles(target) -> None:
    need("micropython")
    files = bundle.compiled(bundle.ALL, target)
    assert len(files) == len(package.bundle(package.sources()))
    assert len(romfs.image(files)) > sum(map(len, files.values()))


def test_the_build_script_writes_and_measures(tmp_path) -> None:
    need("cortex-m3")
    command = [sys.executable, str(SCRIPTS / "build.py"), "--out", str(tmp_path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = {(row["target"], row["parts"]): row for row in json.loads(done.stdout)["rows"]}
    assert len(rows) == 3 * (len(TARGETS) + 1)
    assert (tmp_path / "xtensawin_6.3/niwaki/tree.mpy").stat().st_size > 500
    assert (tmp_path / "niwaki-armv7m_6.3.romfs").stat().st_size == rows["armv7m", "all"]["romfs"]
    bytecode, native = rows["bytecode", "tree"], rows["armv7m", "tree"]
    assert bytecode["heap_code"] < native["heap_code"] and bytecode["mpy"] < native["mpy"]
    assert native["heap_models"] < 4096 + 1536  # MicroPython keeps the names that the constructor used


@pytest.mark.parametrize(("viper", "heap"), [(False, 16 << 10), (True, 28 << 10)])
def test_a_4k_tree_learns_in_a_small_heap(viper, heap) -> None:
    """Code in ROMFS; firmware_scripts/smallest_heap.py looks for the limit itself."""
    need("cortex-m3")
    assert script("smallest_heap").learns(heap, "romfs", viper)


@pytest.mark.parametrize("model", ["Tree", "Shrubs", "Grove"])
def test_a_board_that_compiles_the_sources_needs_less_than_60_kb(model) -> None:
    """With a model of 8 KB; firmware_scripts/source_heap.py looks for the limit itself."""
    need("cortex-m3")
    heap = script("source_heap")
    with emulator.Board(heap.files(model, compiled=False), heap.HEAP) as board:
        assert heap.used(board, model, 60 << 10) is not None
        # how often garbage is collected is again what the program wants
        assert board.execute("import gc; print(gc.threshold())").strip() == "-1"
