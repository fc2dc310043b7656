"""One change at a time to a module of the device package, by its syntax tree.

A *mutant* replaces a piece of a module's text: an operator, a comparison, a constant, a condition or a
statement.
Not changed are docstrings, messages, imports, and the blocks of constants that `make consts` writes.
"""

import ast
import bisect
import random
from dataclasses import dataclass
from pathlib import Path

import niwaki

PACKAGE = Path(niwaki.__file__).parent
GENERATED = "# From the layouts"  # the block of constants from here to an empty line is generated
FEWEST = 4  # mutants of every module, if it has so many

OPERATORS: dict[type[ast.operator], tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-",)),
    ast.Sub: ("-", ("+",)),
    ast.Mult: ("*", ("+", "//")),
    ast.FloorDiv: ("//", ("*",)),
    ast.Div: ("/", ("*",)),
    ast.Pow: ("**", ("*",)),
    ast.Mod: ("%", ("//",)),
    ast.LShift: ("<<", (">>",)),
    ast.RShift: (">>", ("<<",)),
    ast.BitAnd: ("&", ("|",)),
    ast.BitOr: ("|", ("&",)),
    ast.BitXor: ("^", ("&", "|")),
}
COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}


@dataclass(frozen=True)
class Mutant:
    module: str  # "tree.rule"
    scope: str  # the function or method, "" for the module itself
    kind: str
    line: int
    lines: tuple[int, ...]  # a test that runs one of these may notice it; none: it is run by an import
    old: str  # the changed lines, before and after
    new: str
    twin: int  # 1 for the first such change of the function
    text: str  # of the whole module, changed

    @property
    def key(self) -> str:
        """What names it in files, whatever line it is on."""
        where = f"{self.module} {self.scope}".strip() + (f" #{self.twin}" if self.twin > 1 else "")
        return f"{where}: `{self.old}` -> `{self.new}`"

    @property
    def path(self) -> Path:
        return path_of(self.module)


def path_of(module: str) -> Path:
    return PACKAGE.joinpath(*module.split(".")).with_suffix(".py")


def modules() -> list[str]:
    """Those of the device package that hold code."""
    paths = sorted(path.relative_to(PACKAGE).with_suffix("") for path in PACKAGE.rglob("*.py"))
    return [".".join(path.parts) for path in paths if path.stem != "__init__" or len(path.parts) == 1]


class _Text:
    """A module's text, and where its lines start; all in bytes, as the syntax tree counts."""

    def __init__(self, module: str) -> None:
        self.data = path_of(module).read_bytes()
        self.starts = [0]
        for line in self.data.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self.at(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.at(node.end_lineno, node.end_col_offset)

    def line_of(self, offset: int) -> int:
        return bisect.bisect_right(self.starts, offset)

    def generated(self) -> set[int]:
        """The lines that `make consts` writes."""
        lines = self.data.decode().splitlines()
        found: set[int] = set()
        for number, line in enumerate(lines, 1):
            if line.startswith(GENERATED) or (line.strip() and number - 1 in found):
                found.add(number)
        return found


Edit = tuple[str, int, int, str]  # kind, from, to, what comes there


class _Edits(ast.NodeVisitor):
    """Every change of a module, with the function that it is in."""

    def __init__(self, text: _Text) -> None:
        self.text = text
        self.scope: list[str] = []
        self.statement: ast.stmt | None = None
        self.found: list[tuple[str, ast.stmt, Edit]] = []
        self.in_function = 0

    def add(self, kind: str, start: int, end: int, new: str) -> None:
        assert self.statement is not None
        self.found.append((".".join(self.scope), self.statement, (kind, start, end, new)))

    def symbol(self, kind: str, start: int, end: int, old: str, news: tuple[str, ...]) -> None:
        """Replace an operator that stands somewhere between two operands."""
        at = self.text.data.index(old.encode(), start, end)
        for new in news:
            self.add(kind, at, at + len(old), new)

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt) and not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            self.statement = node
        super().visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        pass

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        pass

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.scope.append(node.name)
        for item in node.body:
            self.visit(item)
        self.scope.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.scope.append(node.name)
        self.in_function += 1
        for default in node.args.defaults:  # counted to the first statement, as there is no other
            self.statement = node.body[0]
            self.visit(default)
        for item in node.body:
            self.visit(item)
        self.in_function -= 1
        self.scope.pop()

    def visit_Raise(self, node: ast.Raise) -> None:
        self.add("statement", self.text.start(node), self.text.end(node), "pass")

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        if self.in_function:
            self.add("statement", self.text.start(node), self.text.end(node), "pass")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if self.in_function and not isinstance(node.targets[0], (ast.Name, ast.Tuple)):
            self.add("statement", self.text.start(node), self.text.end(node), "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.add("statement", self.text.start(node), self.text.end(node), "pass")
        old, news = OPERATORS[type(node.op)]
        between = self.text.end(node.target), self.text.start(node.value)
        self.symbol("operator", *between, old + "=", tuple(new + "=" for new in news))
        self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self.add("statement", self.text.start(node), self.text.end(node), "pass")

    def visit_Break(self, node: ast.Break) -> None:
        self.add("statement", self.text.start(node), self.text.end(node), "pass")

    def negated(self, test: ast.expr) -> None:
        start, end = self.text.start(test), self.text.end(test)
        self.add("condition", start, end, f"not ({self.text.data[start:end].decode()})")

    def visit_If(self, node: ast.If) -> None:
        self.negated(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.negated(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        self.add("condition", self.text.start(node.test), self.text.end(node.test), "0")
        for item in node.body:
            self.visit(item)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.symbol("condition", self.text.end(left), self.text.start(right), old, (new,))
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            return  # a message
        old, news = OPERATORS[type(node.op)]
        self.symbol("operator", self.text.end(node.left), self.text.start(node.right), old, news)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            old, news = COMPARISONS[type(operator)]
            self.symbol("comparison", self.text.end(left), self.text.start(right), old, news)
            left = right
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        start, end = self.text.start(node), self.text.end(node)
        if isinstance(value, bool):
            self.add("constant", start, end, str(not value))
        elif isinstance(value, int):
            self.add("constant", start, end, str(value + 1))
            if value:
                self.add("constant", start, end, str(value - 1))
        elif isinstance(value, float):
            self.add("constant", start, end, str(value * 2))


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def _lines(tree: ast.Module, statement: ast.stmt, first: int, last: int) -> tuple[int, ...]:
    """Where a change matters: the lines of a statement, or of the functions that use what it defines."""
    for function in _functions(tree):
        end = function.end_lineno or 0
        if function.body[0].lineno <= first <= end:
            return tuple(range(min(statement.lineno, first), last + 1))
        if function.lineno <= first <= end:  # a default
            return tuple(range(function.lineno, end + 1))
    names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)} - {"const"}
    found: set[int] = set()
    for function in _functions(tree):
        for node in ast.walk(function):
            name = (
                node.id
                if isinstance(node, ast.Name)
                else node.attr
                if isinstance(node, ast.Attribute)
                else ""
            )
            if name in names:
                line = node.lineno  # type: ignore[attr-defined]
                if line < function.body[0].lineno:  # as a default
                    found.update(range(function.lineno, (function.end_lineno or 0) + 1))
                found.add(line)
    return tuple(sorted(found))


class Pool:
    """All mutants of a module, in the order of its text; made one by one, as most are never wanted."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.text = _Text(module)
        self.tree = ast.parse(self.text.data)
        edits = _Edits(self.text)
        edits.visit(self.tree)
        generated = self.text.generated()
        self.edits = [item for item in edits.found if self.text.line_of(item[2][1]) not in generated]
        seen: dict[tuple[str, str, str], int] = {}
        self.twins = []
        for scope, _, edit in self.edits:
            key = (scope, *self.shown(edit))
            seen[key] = seen.get(key, 0) + 1
            self.twins.append(seen[key])

    def __len__(self) -> int:
        return len(self.edits)

    def shown(self, edit: Edit) -> tuple[str, str]:
        """The changed lines before and after."""
        _, start, end, new = edit
        data, starts = self.text.data, self.text.starts
        first, last = starts[self.text.line_of(start) - 1], starts[self.text.line_of(end - 1)]
        pieces = data[first:last], data[first:start] + new.encode() + data[end:last]
        old_text, new_text = (" ".join(piece.decode().split()) for piece in pieces)
        return old_text, new_text

    def mutant(self, number: int) -> Mutant:
        scope, statement, edit = self.edits[number]
        kind, start, end, new = edit
        data = self.text.data
        changed = (data[:start] + new.encode() + data[end:]).decode()
        ast.parse(changed)
        line, last = self.text.line_of(start), self.text.line_of(end - 1)
        lines = _lines(self.tree, statement, line, last)
        return Mutant(self.module, scope, kind, line, lines, *self.shown(edit), self.twins[number], changed)


def drawn(seed: int, count: int, only: tuple[str, ...] = ()) -> list[Mutant]:
    """So many mutants: a few of every module, the others in proportion to what a module has."""
    rng = random.Random(seed)
    pools = [Pool(module) for module in modules() if not only or module in only]
    total = sum(len(pool) for pool in pools)
    spread = max(0, count - FEWEST * len(pools))
    found = []
    for pool in pools:
        share = min(len(pool), FEWEST + round(spread * len(pool) / total))
        found += [pool.mutant(number) for number in rng.sample(range(len(pool)), share)]
    return found
