"""Translate the lab's own source for MicroPython: take out annotations, data classes and typing.

So the page draws a model with the code that `niwaki inspect` uses, and needs no copy of it.
"""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

from niwaki_host.runtimes import package

# Modules that only describe types, or whose work the translation below does.
_NOT_ON_BOARDS = ("__future__", "typing", "dataclasses", "collections.abc", "functools")
_LAB = "niwaki_host"


def portable(source: str, wanted: tuple[str, ...]) -> str:
    """The wanted functions and classes of a module, and everything in the module that they use."""
    module = ast.parse(source)
    needed = _reachable(module, wanted)
    body = [statement for statement in module.body if _is_needed(statement, needed)]
    kept = ast.Module(body=body, type_ignores=[])
    return ast.unparse(ast.fix_missing_locations(_Plain().visit(kept))) + "\n"


def ported(wanted: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """The wanted names of modules, and everything in the lab that they use: path -> translated source."""
    needed = {module: set(names) for module, names in wanted.items()}
    found: dict[str, str] = {}
    waiting = list(needed)
    while waiting:
        module = waiting.pop()
        spec = importlib.util.find_spec(module)
        assert spec and spec.origin
        path = f"{module.replace('.', '/')}.py"
        found[path] = portable(Path(spec.origin).read_text(), tuple(needed[module]))
        for node in ast.walk(ast.parse(found[path])):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{_LAB}."):
                names = {alias.name for alias in node.names}
                if not names <= needed.setdefault(str(node.module), set()):
                    needed[str(node.module)] |= names
                    waiting.append(str(node.module))
    folders = {str(folder) for path in found for folder in list(Path(path).parents)[:-1]}
    return {**found, **{f"{folder}/__init__.py": "" for folder in sorted(folders)}}


def _names(statement: ast.stmt) -> list[str]:
    """What a statement at the top of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in statement.names]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _reachable(module: ast.Module, wanted: tuple[str, ...]) -> set[str]:
    uses = {}
    for statement in module.body:
        plain = _Plain().visit(ast.parse(ast.unparse(statement)))
        for name in _names(statement):
            uses[name] = {node.id for node in ast.walk(plain) if isinstance(node, ast.Name)}
    reached, waiting = set(), list(wanted)
    while waiting:
        name = waiting.pop()
        if name in uses and name not in reached:
            reached.add(name)
            waiting += uses[name]
    if missing := set(wanted) - reached:
        raise ValueError(f"there is no {', '.join(sorted(missing))}")
    return reached


def _is_needed(statement: ast.stmt, needed: set[str]) -> bool:
    if isinstance(statement, ast.ImportFrom) and statement.module in _NOT_ON_BOARDS:
        return False
    return bool(needed.intersection(_names(statement)))


class _Plain(ast.NodeTransformer):
    """Removes annotations, stars in lists and zip()'s keywords; writes out `__init__` for data classes."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            argument.annotation = None
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("property" if node.id == "cached_property" else node.id, node.ctx)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return self.generic_visit(ast.Assign(targets=[node.target], value=node.value))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "zip":
            node.keywords = []  # `strict` guards against mistakes, which a desktop finds
        return self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | list[ast.stmt]:
        """Import modules by full name: MicroPython first asks a package's `__getattr__`, which has none."""
        found: list[ast.stmt] = []
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            if node.level or not _is_module(name):
                return node
            if name.startswith("niwaki."):
                name = f"niwaki.{package.flat_name(name.removeprefix('niwaki.'))}"
            line = f"{alias.asname or alias.name} = __import__({name!r}, None, None, ('*',))"
            found += ast.parse(line).body
        return found

    def visit_List(self, node: ast.List) -> ast.AST:
        """Turn `[*a, b]` into `list(a) + [b]`: MicroPython has no stars in lists."""
        self.generic_visit(node)
        if not any(isinstance(item, ast.Starred) for item in node.elts):
            return node
        parts = [
            f"list({ast.unparse(item.value)})" if isinstance(item, ast.Starred) else f"[{ast.unparse(item)}]"
            for item in node.elts
        ]
        return ast.parse(" + ".join(parts), mode="eval").body

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        if any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list):
            fields = [item for item in node.body if isinstance(item, ast.AnnAssign)]
            node.body = [_constructor(fields), *(item for item in node.body if item not in fields)]
            node.decorator_list = []
        return self.generic_visit(node)


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _constructor(fields: list[ast.AnnAssign]) -> ast.stmt:
    """Write `__init__` of a data class; a factory makes its default anew at each call."""
    arguments, lines = ["self"], []
    for item in fields:
        assert isinstance(item.target, ast.Name)
        name, default = item.target.id, item.value
        value = name
        if isinstance(default, ast.Call) and ast.unparse(default.func) == "field":
            (factory,) = (word.value for word in default.keywords if word.arg == "default_factory")
            arguments.append(f"{name}=None")
            value = f"{ast.unparse(factory)}() if {name} is None else {name}"
        else:
            arguments.append(name if default is None else f"{name}={ast.unparse(default)}")
        lines.append(f"    self.{name} = {value}")
    return ast.parse(f"def __init__({', '.join(arguments)}):\n" + "\n".join(lines)).body[0]
