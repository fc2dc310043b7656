"""Modules repeat the names of the layouts, as const() is inlined within a module only: one value each."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

import niwaki
from niwaki import layout, model
from niwaki.grove import layout as grove_layout
from niwaki.shrubs import layout as shrubs_layout

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "firmware_scripts" / "consts.py"
_spec = importlib.util.spec_from_file_location("consts", SCRIPT)
assert _spec and _spec.loader
consts = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(consts)

MODULES = consts.modules()
LAYOUTS = sorted(consts.ROOT.rglob("layout.py"))


def constants(path: Path) -> dict[str, int]:
    """The `_NAME = const(n)` of a module, without the underscore."""
    found = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            if ast.unparse(node.value.func) == "const":
                value = eval(ast.unparse(node.value.args[0]), {}, {f"_{k}": v for k, v in found.items()})
                found[ast.unparse(node.targets[0]).lstrip("_")] = value
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_every_module_is_held_to_the_layouts(module):
    """Its block is what `make consts` writes, and no other constant has the name of one of a layout."""
    assert module.read_text() == consts.written(module), "run: make consts"
    known = consts.known(module)
    for name, value in constants(module).items():
        assert known.get(name, value) == value, f"_{name} is {value} here and {known[name]} in the layout"


def test_the_models_layouts_do_not_contradict_the_shared_one():
    shared = consts.layout(consts.ROOT / "layout.py")
    assert len(LAYOUTS) >= 3
    for path in LAYOUTS:
        for name, value in consts.layout(path).items():
            assert shared.get(name, value) == value, f"{name} in {path}"


@pytest.mark.parametrize("folder", sorted({path.parent for path in MODULES}), ids=lambda path: path.name)
def test_what_two_modules_of_a_folder_define_by_themselves_is_equal(folder):
    """What no layout has, but several modules; they may become one module on a board."""
    seen: dict[str, tuple[int, str]] = {}
    for path in MODULES:
        if path.parent == folder:
            for name, value in constants(path).items():
                first, where = seen.setdefault(name, (value, path.stem))
                assert value == first, f"{name} is {value} in {path.stem} and {first} in {where}"


def test_a_name_is_used_by_some_module():
    """A register that nobody reads by its name is one that somebody may read by its number.

    Named by itself or in a mask. The first field of a record, 0, needs no name in the code.
    """
    text = "\n".join(path.read_text() for path in consts.ROOT.rglob("*.py"))
    unused = [
        name
        for path in LAYOUTS
        for name, value in consts.layout(path).items()
        if value and not re.search(rf"\b_{name}\b|[=|] {name}\b", text) and name not in ("A_LOG2", "LISTS")
    ]
    assert unused == []


def test_the_table_of_logarithms_is_where_the_layout_says():
    clf = niwaki.Tree(1, 2, 2048)
    assert clf._arrays[layout.A_LOG2] is model.LOG2


def test_only_a_trees_options_choose_kernels():
    """Whatever the options of shrubs and groves, all steps of their schedules are done."""
    for module in (shrubs_layout, grove_layout):
        assert [flags for _, _, flags in module.SCHEDULE] == [0] * len(module.SCHEDULE)
