"""Write the blocks of constants of the device package's modules from its layouts.

python firmware_scripts/consts.py            write them
python firmware_scripts/consts.py --check    exit with 1 if one of them is out of date

MicroPython inlines `_NAME = const(n)` only in the module that says it. So each module that uses names of
mcu/niwaki/layout.py, or of its folder's layout, has a block of such lines. The block starts with a comment
that names this command, and ends with an empty line.
"""

import argparse
import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "mcu" / "niwaki"
MARK = "# From the layouts, by `make consts`:"


def layout(path: Path) -> dict[str, int]:
    """The names of a layout and their values, in its order."""
    names: dict[str, int] = {}
    if path.exists():
        exec(compile(path.read_text(), str(path), "exec"), {}, names)
    return {name: value for name, value in names.items() if name.isupper() and isinstance(value, int)}


def known(module: Path) -> dict[str, int]:
    """The names that a module may use: those of the layout of all models, and of its own folder's layout."""
    names = layout(ROOT / "layout.py")
    if module.parent != ROOT:
        names.update(layout(module.parent / "layout.py"))
    return names


def block(module: Path) -> list[str]:
    """The lines of a module's block; none for a module that uses no name of a layout."""
    tree = ast.parse(module.read_text())
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    used = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    lines = [
        f"_{name} = const({value if abs(value) < 1 << 17 else f'0x{value:X}' if value > 0 else value})"
        for name, value in known(module).items()
        if f"_{name}" in used
    ]
    return [MARK, *lines] if lines else []


def written(module: Path) -> str:
    """The module's text with its block as it must be."""
    lines = module.read_text().splitlines()
    new = block(module)
    if MARK in lines:
        start = lines.index(MARK)
        end = start
        while end < len(lines) and lines[end]:
            end += 1
    elif new:
        body = ast.parse(module.read_text()).body
        imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
        start = end = (imports[-1].end_lineno or 0) if imports else 0
        new = ["", *new]
    else:
        return module.read_text()
    return "\n".join([*lines[:start], *new, *lines[end:]]) + "\n"


def modules() -> list[Path]:
    return [path for path in sorted(ROOT.rglob("*.py")) if path.name != "layout.py"]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only look: exit with 1 if one is out of date")
    check = parser.parse_args().check
    stale = [module for module in modules() if module.read_text() != written(module)]
    for module in stale:
        if not check:
            module.write_text(written(module))
    if stale:
        names = ", ".join(str(module.relative_to(ROOT)) for module in stale)
        print(("out of date: " if check else "written: ") + names)
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
