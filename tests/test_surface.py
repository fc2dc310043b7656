"""What a model can do is visible on a desktop before its first use, and what it is can't be overwritten."""

import ast
import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest
from support.changed import package_in

import niwaki
from niwaki_host import surface

MODELS = (niwaki.Tree, niwaki.Shrubs, niwaki.Grove)
NAMES = (*surface.VALUES, *surface.METHODS)


@pytest.mark.parametrize("cls", MODELS, ids=lambda cls: cls.__name__)
def test_dir_and_help_show_all(cls):
    clf = cls(2, 2, 2048)
    shown = {**surface.VALUES, **surface.METHODS, **(surface.OF_A_GROVE if cls is niwaki.Grove else {})}
    assert set(shown) <= set(dir(clf)) and ("settle" in dir(clf)) == (cls is niwaki.Grove)
    text = pydoc.plain(pydoc.render_doc(cls))
    for name, says in shown.items():
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
    of_a_grove = {name for name, where in late._WHERE.items() if where == ("", "", "grove.tend")}
    assert set(surface.OF_A_GROVE) == of_a_grove


def test_the_stub_shows_the_whole_surface():
    def of_class(file, cls):
        stub = ast.parse((Path(niwaki.__file__).parent / file).read_text())
        body = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == cls).body
        return {node.name for node in body if isinstance(node, ast.FunctionDef)}

    assert set(surface.OF_A_GROVE) == of_class("__init__.pyi", "Grove")
    seen = of_class("model.pyi", "Model")
    assert {*NAMES, "learn", "predict", "scores", "importances", "nbytes", "n_nodes", "n_leaves"} <= seen


@pytest.mark.parametrize(
    ("thing", "says"),
    [
        (niwaki.Encoder(3, [(0, 1), None, 4]), "<Encoder: 3 features, 3 samples to learn from>"),
        (niwaki.Encoder(1, [(0, 1)]), "<Encoder: 1 features>"),
        (niwaki.Window(3, 32, 16), "<Window: 3 axes, 32 samples, a new one each 16, 18 features>"),
        (niwaki.Adwin(300), "<Adwin: 224 of 300 bytes, 0 ones in a window of 0>"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_stands_around_a_model_says_what_it_is(thing, says):
    assert repr(thing) == says


@pytest.mark.parametrize("name", niwaki._WHERE.split()[::2])
def test_any_name_can_be_the_first_import(name):
    done = subprocess.run(
        [sys.executable, "-c", f"from niwaki import {name}"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
