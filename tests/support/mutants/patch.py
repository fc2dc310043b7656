"""Put a mutant in the place of a module that is loaded already, in a process that will soon end.

Importing the tests and all they need again takes seconds, so functions get the changed code in place: whoever
holds one has the mutant's. Its text is on the disk, where those find it who read a kernel's source.
"""

import importlib.machinery
import importlib.util
import pathlib
import sys
import types
from array import array
from pathlib import Path
from typing import Any

from support.mutants.change import Mutant

OURS = ("niwaki", "niwaki_host", "support", "conftest", "test_")


def _ours() -> list[types.ModuleType]:
    return [module for name, module in list(sys.modules.items()) if name.startswith(OURS)]


def _plain(function: Any) -> Any:
    """A function without the wrappers of the stand-in for `micropython`."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def _functions(namespace: dict[str, Any], module: str) -> dict[str, Any]:
    """Functions and methods that a module defines, by name."""
    found = {}
    for name, value in namespace.items():
        if isinstance(value, property):
            value = value.fget
        if isinstance(value, type) and value.__module__ == module:
            found.update({f"{name}.{k}": f for k, f in _functions(dict(vars(value)), module).items()})
        elif isinstance(value, types.FunctionType) and value.__module__ == module:
            found[name] = _plain(value)
    return found


def _values(namespace: dict[str, Any]) -> dict[str, Any]:
    kinds = (bool, int, float, str, bytes, tuple, list, dict, array)
    return {k: v for k, v in namespace.items() if isinstance(v, kinds) and not k.startswith("__")}


def _clear_caches() -> None:
    """What was computed from the module as it was."""
    for module in _ours():
        for value in list(vars(module).values()):
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def _read_changed(path: Path, file: Path) -> None:
    """Let those who read the module's text find the mutant's."""
    for name in ("read_text", "read_bytes"):
        read = getattr(pathlib.Path, name)

        def changed(self: Path, *arguments: Any, read: Any = read, **options: Any) -> Any:
            return read(file if self == path else self, *arguments, **options)

        setattr(pathlib.Path, name, changed)
    load = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: Any, name: str) -> Any:
        if Path(self.path) == path:
            return compile(file.read_text(), str(file), "exec")
        return load(self, name)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


def apply(mutant: Mutant, file: Path) -> None:
    """From now on the package has the mutant, whose text goes to `file`."""
    file.write_text(mutant.text)
    _read_changed(mutant.path, file)
    name = "niwaki" if mutant.module == "__init__" else f"niwaki.{mutant.module}"
    module = sys.modules.get(name)
    _clear_caches()
    if module is None:
        return  # whoever imports it gets the mutant
    before = dict(vars(module))
    fresh = types.ModuleType(name)
    fresh.__package__ = module.__package__
    fresh.__file__ = str(file)
    if hasattr(module, "__path__"):
        fresh.__path__ = module.__path__
    exec(compile(mutant.text, str(file), "exec"), vars(fresh))
    old, new = _functions(before, name), _functions(vars(fresh), name)
    for key in old.keys() & new.keys():
        old[key].__code__ = new[key].__code__
        old[key].__defaults__ = new[key].__defaults__
    namespaces = [(before, vars(fresh))]
    namespaces += [
        (dict(vars(cls)), dict(vars(getattr(fresh, key))))
        for key, cls in before.items()
        if isinstance(cls, type) and cls.__module__ == name and hasattr(fresh, key)
    ]
    owners = [module, *(v for v in before.values() if isinstance(v, type) and v.__module__ == name)]
    for owner, (was, now) in zip(owners, namespaces, strict=True):
        now_values = _values(now)
        for key, value in _values(was).items():
            if key not in now_values or now_values[key] == value:
                continue
            setattr(owner, key, now_values[key])
            for other in _ours():  # who has imported it by its name
                if vars(other).get(key) is value:
                    setattr(other, key, now_values[key])
