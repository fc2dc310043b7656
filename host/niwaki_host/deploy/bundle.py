"""The device package, or the parts of it that somebody wants, as files for a board."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from niwaki_host.errors import UsageError
from niwaki_host.runtimes import package

_LATE = ("image", "checkpoint", "pending", "unlabelled")  # see late.py
# What can be had by itself: the modules that are imported by name alone, at run time, come with it.
PARTS = {
    "tree": ("tree", "tree_check", "tree_novelty", *_LATE),
    "shrubs": ("shrubs", "shrub_check", "shrub_novelty", *_LATE),
    "encoder": ("encoder",),
    "window": ("window",),
    "adwin": ("adwin",),
}
ALL = tuple(PARTS)


def _imports(source: str) -> set[str]:
    """Modules of the package that a module imports, at its top or in a function."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            found.add(node.module)
    return found


def modules(parts: Iterable[str] = ALL) -> dict[str, str]:
    """Source of the modules that these parts need, by path on the board, in a stable order."""
    sources = package.sources()
    wanted = {"__init__"}
    for part in parts:
        if part not in PARTS:
            raise UsageError(f"there is no part {part!r}; there are {', '.join(PARTS)}")
        wanted.update(PARTS[part])
    queue = sorted(wanted)
    while queue:
        for name in _imports(sources[f"niwaki/{queue.pop()}.py"]) - wanted:
            wanted.add(name)
            queue.append(name)
    return {path: text for path, text in sources.items() if path[len("niwaki/") : -len(".py")] in wanted}


def compiled(parts: Iterable[str], march: str | None) -> dict[str, bytes]:
    """The same as `.mpy`: with machine code for `march`, or bytecode alone."""
    return package.compiled(modules(parts), march)
