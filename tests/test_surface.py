"""What a model can do is visible on a desktop before its first use, and what it is can't be overwritten."""

import ast
import inspect
import pydoc
from pathlib import Path

import pytest
from support.changed import package_in

import niwaki
from niwaki_host import surface

MODELS = (niwaki.Tree, niwaki.Shrubs)
NAMES = (*surface.VALUES, *surface.METHODS)


@pytest.mark.parametrize("cls", MODELS, ids=lambda cls: cls.__name__)
def test_dir_and_help_show_all(cls):
    clf = cls(2, 2, 2048)
    assert set(NAMES) <= set(dir(clf))
    text = pydoc.plain(pydoc.render_doc(cls))
    for name, says in {**surface.VALUES, **surface.METHODS}.items():
        if name in vars(cls):  # what another test has used is the device's own function by now: late.py
            says = inspect.getdoc(vars(cls)[name]) or "nothing"
        assert name in text and says.partition("\n")[0] in text


def test_a_fresh_import_shows_them_too():
    with package_in(Path(niwaki.__file__).parents[1]) as package:
        for name in surface.METHODS:
            assert inspect.getdoc(getattr(package.Tree, name)), name
            assert name in dir(package.Shrubs)


@pytest.mark.parametrize("name", surface.VALUES)
def test_nothing_is_shadowed_in_silence(name):
    clf = niwaki.Tree(2, 2, 2048)
    before = getattr(clf, name)
    with pytest.raises(AttributeError):
        setattr(clf, name, 1)
    assert getattr(clf, name) is before or getattr(clf, name) == before


def test_the_table_of_late_methods_is_the_devices():
    from niwaki import late

    assert set(surface.METHODS) <= set(late._WHERE)


def test_the_stub_shows_the_whole_surface():
    stub = ast.parse((Path(niwaki.__file__).parent / "model.pyi").read_text())
    model = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "Model")
    seen = {node.name for node in model.body if isinstance(node, ast.FunctionDef)}
    assert {*NAMES, "learn", "predict", "scores", "importances", "nbytes", "n_nodes", "n_leaves"} <= seen
