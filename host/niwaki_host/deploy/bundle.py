"""The device package, or the parts of it that somebody wants, as files for a board."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable

from niwaki_host.errors import UsageError
from niwaki_host.runtimes import package

FOLDERS = tuple(sorted({path.split("/")[1] for path in package.sources() if path.count("/") == 2}))
# Modules that a model loads on first use (late.py), or only if its kernels are bytecode (`guard` of torn.py)
_LATE = (
    "image",
    "generations",
    "checkpoint",
    "pending",
    "unlabelled",
    "describe",
    "advice",
    "about",
    "duplicate",
    "torn",
)
# The parts that one can choose: each model, with its whole folder, and the modules that need no model.
PARTS = {
    **dict.fromkeys(FOLDERS, _LATE),
    "encoder": ("encoder",),
    "window": ("window",),
    "adwin": ("adwin",),
}
ALL = tuple(PARTS)


@functools.lru_cache(maxsize=1024)  # each set of parts asks for the same modules
def _imports(source: str, module: str) -> frozenset[str]:
    """Modules of the package that a module imports, at its top or in a function."""
    froms = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom) and node.level]
    return frozenset(package.imported(node, module) or "__init__" for node in froms)


def modules(parts: Iterable[str] = ALL) -> dict[str, str]:
    """Source of the modules that these parts need, by path on the board, in a stable order."""
    sources = {package.module_of(path): (path, text) for path, text in package.sources().items()}
    wanted = {"__init__"}
    for part in parts:
        if part not in PARTS:
            raise UsageError(f"there is no part {part!r}; there are {', '.join(PARTS)}")
        wanted.update(PARTS[part])
        if part in FOLDERS:
            own = (module for module in sources if module.split(".")[0] == part)
            wanted.update(module for module in own if not module.endswith("layout"))
    queue = sorted(wanted)
    while queue:
        module = queue.pop()
        for name in _imports(sources[module][1], module) - wanted:
            wanted.add(name)
            queue.append(name)
    return {path: text for module, (path, text) in sources.items() if module in wanted}


def compiled(parts: Iterable[str], march: str | None) -> dict[str, bytes]:
    """The modules that these parts need, as `.mpy`: with machine code for `march`, or bytecode alone."""
    return package.compiled(modules(parts), march)
