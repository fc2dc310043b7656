"""Where a kernel's variables are declared in C."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from niwaki_host.device.c_source import names


def _blocks(body: Iterable[ast.stmt], path: tuple = ()) -> Iterator[tuple[ast.stmt, tuple]]:
    """Each statement of a body, nested ones too, with the path to it: pairs of block and field name."""
    for node in body:
        yield node, path
        for field in ("body", "orelse"):
            inner = getattr(node, field, None)
            if inner and isinstance(node, (ast.If, ast.While, ast.For)):
                yield from _blocks(inner, (*path, (node, field)))


def declarations(body: tuple[ast.stmt, ...], parameters: set[str]) -> tuple[dict[str, ast.stmt], list[str]]:
    """Where variables are declared: at their first assignment (by name), or at the top.

    A variable that is used only inside `for` loops that assign it is declared in each of these loops.
    """
    places: dict[str, list[tuple[ast.stmt, tuple, bool]]] = {}
    for node, path in _blocks(body):
        if isinstance(node, (ast.If, ast.While)):
            own: list[ast.AST] = [node.test]
        elif isinstance(node, ast.For):
            own = [node.iter]
        else:
            own = [node]
        direct = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        for part in own:
            for name in names(part):
                first = direct and name.id == node.targets[0].id  # type: ignore[attr-defined]
                first = first and name.id not in {n.id for n in names(node.value)}  # type: ignore[attr-defined]
                places.setdefault(name.id, []).append((node, path, first))
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            places.setdefault(node.target.id, []).append((node, path, True))
    assigned = {
        name.id for line in body for name in names(line) if isinstance(name.ctx, ast.Store)
    } - parameters
    in_place: dict[str, ast.stmt] = {}
    at_top = []
    for name in sorted(assigned, key=lambda name: (places[name][0][0].lineno, name)):
        uses = places[name]
        loops = [node for node, _, _ in uses if isinstance(node, ast.For) and node.target.id == name]  # type: ignore[attr-defined]
        if loops and all(node in loops or any(step[0] in loops for step in path) for node, path, _ in uses):
            in_place[name] = loops[0]
            continue
        node, path, first = uses[0]
        if first and node not in loops and all(other[: len(path)] == path for _, other, _ in uses):
            in_place[name] = node
        else:
            at_top.append(name)
    return in_place, at_top
