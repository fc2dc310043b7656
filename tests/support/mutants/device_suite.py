"""The device suite, tests/device, in this process: each of its functions is a test."""

import ast
import importlib
import sys
from pathlib import Path

import pytest

DEVICE = Path(__file__).resolve().parents[2] / "device"
SHARED = ("tools", "runner", "grid")


def _tests() -> list[tuple[str, str]]:
    return [
        (path.stem, node.name)
        for path in sorted(DEVICE.glob("*.py"))
        if path.stem not in SHARED
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


sys.path.insert(0, str(DEVICE))  # before benchmarks/, which has some of the names too
FUNCTIONS = {(module, name): getattr(importlib.import_module(module), name) for module, name in _tests()}


@pytest.mark.parametrize(("module", "name"), FUNCTIONS)
def test_device(module, name):
    FUNCTIONS[module, name]()
