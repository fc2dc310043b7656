"""Kernel modules repeat the offsets they need, as const() is inlined within a module only: one value each."""

import importlib
import pkgutil

import pytest

import niwaki  # noqa: F401  brings a stand-in for the module `micropython`

FAMILIES = ("tree", "shrubs")


def integers(module_name: str) -> dict[str, int]:
    """Module-level integer names, without the underscore that makes them free on MicroPython."""
    module = importlib.import_module(f"niwaki.{module_name}")
    return {
        name.lstrip("_"): value
        for name, value in vars(module).items()
        if name.lstrip("_").isupper() and type(value) is int
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_equal_names_have_equal_values(family):
    package = importlib.import_module(f"niwaki.{family}")
    names = [f"{family}.{item.name}" for item in pkgutil.iter_modules(package.__path__)]
    seen: dict[str, tuple[int, str]] = {}
    for module in names:
        for name, value in integers(module).items():
            first, where = seen.setdefault(name, (value, module))
            assert value == first, f"{name} is {value} in {module} and {first} in {where}"
