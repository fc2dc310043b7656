"""The device package with a line changed, beside the real one: to see a test fail when what it tests is off.

A *change* is (module, old text, new text), with the module as in `fetch`: "tree.rule". The old text must
occur once. The copy is on the disk, so that whoever reads a kernel's source finds the changed one.
"""

import importlib
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import niwaki

PACKAGE = Path(niwaki.__file__).parent


def path_of(module: str, package: Path = PACKAGE) -> Path:
    return package.joinpath(*module.split(".")).with_suffix(".py")


def copy_with(changes: tuple[tuple[str, str, str], ...], to: Path) -> None:
    """Write the package, changed, into the directory `to`."""
    shutil.copytree(PACKAGE, to / "niwaki")
    for module, old, new in changes:
        path = path_of(module, to / "niwaki")
        text = path.read_text()
        assert text.count(old) == 1, f"{module}: {old!r} occurs {text.count(old)} times"
        path.write_text(text.replace(old, new))


def _loaded() -> dict[str, Any]:
    return {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "niwaki"}


@contextmanager
def package_in(folder: Path) -> Iterator[Any]:
    """The package `niwaki` of another folder, which within the context is the one that imports find."""
    saved = _loaded()
    for name in saved:
        del sys.modules[name]
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield importlib.import_module("niwaki")
    finally:
        sys.path.remove(str(folder))
        for name in _loaded():
            del sys.modules[name]
        sys.modules.update(saved)


@contextmanager
def changed(*changes: tuple[str, str, str]) -> Iterator[Any]:
    """The package with these changes."""
    with TemporaryDirectory() as folder:
        copy_with(changes, Path(folder))
        with package_in(Path(folder)) as package:
            yield package
