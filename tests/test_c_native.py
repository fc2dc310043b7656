"""Native modules: for which architectures they can be made, what a class keeps, that a board takes them."""

import ast
import json

import pytest
from conftest import need

import niwaki
from niwaki import layout
from niwaki_host import cli
from niwaki_host.deploy import bundle, emulated, native
from niwaki_host.device import images
from niwaki_host.errors import DeviceError, RuntimeMissing
from niwaki_host.runtimes import package
from niwaki_host.runtimes.emulator import Board

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


def beside(parts: list[str], *dropped: str) -> dict[str, bytes]:
    """A stock package for the emulated board, with these native modules copied beside its own."""
    modules = bundle.modules(parts)
    made = native.compiled(modules, "armv7m")
    return {
        **package.compiled(modules, "armv7m"),
        **{f"niwaki/{name}": made[f"niwaki/{name}"] for name in dropped},
    }


TAUGHT = """
import sys
from niwaki import Tree
def taught(**options):
    t = Tree(3, 2, 2048, grace=20, **options)
    for i in range(300):
        t.learn([i % 7 - 3, i % 5, i % 3], int(i % 7 > 3))
    return t
def state(t):
    return sum(t.words) + 3 * sum(t.halves) + 5 * sum(t.octets), t.n_nodes
print("niwaki.tree_c" in sys.modules, "niwaki.tree" in sys.modules)
print(state(taught()), state(taught(leaf="mc")))
"""
RARE = """
print(state(taught(criterion="gini")), state(taught()), state(taught(count_bits=16)))
"""


def test_a_module_beside_a_stock_package_is_found():
    """The same class, interface and files; what it lacks is said; without it nothing changes."""
    need("cortex-m3-c")
    with Board(package.compiled(bundle.modules(["tree"]), "armv7m")) as board:
        stock = board.execute(TAUGHT)
        rare = board.execute(RARE)
    assert stock.startswith("False True")
    with Board(beside(["tree"], "tree_c.mpy")) as board:
        assert board.execute(TAUGHT) == stock.replace("False True", "True False")
        with pytest.raises(DeviceError, match="an option of this model needs tree_c_all"):
            board.execute("taught(criterion='gini')")
        assert board.execute("print(taught().predict([3, 0, 0]))").strip() == "1", "others go on"
    with Board(beside(["tree"], "tree_c.mpy", "tree_c_all.mpy")) as board:
        board.execute(TAUGHT)
        assert board.execute(RARE) == rare


LEARNS = "for i in range({}, {}): t.learn([i % 7 - 3, i % 5, i % 3], int(i % 7 > 3))\n"
SAYS = "print(state(t), type(t).__name__)"


def test_a_model_in_a_file_goes_from_one_to_the_other():
    """What Python has saved a native class loads, and learns on as if nothing had been."""
    need("cortex-m3-c")
    model = {"t": niwaki.Tree(3, 2, 2048, grace=20)}
    exec(LEARNS.format(0, 150), model)
    image = images.to_bytes(model["t"])
    with Board({**beside(["tree"], "tree_c.mpy"), "image": image}) as board:
        board.execute(TAUGHT)
        made = board.execute("t = Tree(3, 2, 2048, grace=20)\n" + LEARNS.format(0, 300) + SAYS)
        load = "import niwaki\nt = niwaki.load('/rom/image')\n"
        assert board.execute(load + LEARNS.format(150, 300) + SAYS) == made


def test_a_module_of_another_version_is_refused():
    need("cortex-m3-c")
    files = beside(["tree"], "tree_c.mpy")
    sources = bundle.modules(["tree"])
    start = sources["niwaki/__init__.py"].replace(niwaki.__version__, "0.0.9")
    other = package.compiled({**sources, "niwaki/__init__.py": start}, "armv7m")
    with Board({**files, "niwaki/__init__.mpy": other["niwaki/__init__.mpy"]}) as board:
        with pytest.raises(DeviceError, match=f"tree_c.mpy is for niwaki {niwaki.__version__}"):
            board.execute("from niwaki import Tree")


@pytest.mark.parametrize("name", CLASSES)
def test_learn_from_inside_native_learn_is_refused(name):
    """A hard interrupt, or another thread, can come in its midst: the header says that it is at work."""
    need("cortex-m3-c")
    with Board(native.compiled(bundle.modules([name.lower()]), "armv7m")) as board:
        board.execute(f"from niwaki import {name}\nm = {name}(3, 2, 4096)\nm.learn([1, 2, 3], 1)")
        board.execute(f"m.words[0] |= {layout.BUSY}")  # as it is while a first call is at work
        with pytest.raises(DeviceError, match="learn is called from inside learn"):
            board.execute("m.learn([1, 2, 3], 0)")
        assert board.execute("print(m.samples)").strip() == "1", "nothing of it was learned"
        board.execute(f"m.words[0] &= ~{layout.BUSY}\nm.learn([1, 2, 3], 0)")
        assert board.execute(f"print(m.samples, m.words[0] & {layout.BUSY})").split() == ["2", "0"]


def test_a_model_may_have_a_method_of_its_own():
    """Methods of native classes are found without a search; what a program puts in their place, too."""
    need("cortex-m3-c")
    with Board(native.compiled(bundle.modules(["tree"]), "armv7m")) as board:
        board.execute("from niwaki import Tree\nm, n = Tree(2, 2, 2048), Tree(2, 2, 2048)")
        board.execute(
            "class Loud(Tree):\n def predict(self, x): return -super().predict(x) - 1\nk = Loud(2, 2, 2048)"
        )
        answers = "print(m.predict([1, 2]), n.predict([1, 2]), k.predict([1, 2]))"
        assert board.execute(answers).split() == ["0", "0", "-1"]
        board.execute("m.predict = lambda x: 7")
        assert board.execute(answers).split() == ["7", "0", "-1"]
        with pytest.raises(DeviceError, match="not a model"):
            board.execute("Tree.predict(5, [1, 2])")
