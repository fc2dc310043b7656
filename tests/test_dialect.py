"""Kernels keep to the dialect that means the same on every runtime (mpy-cross accepts far more)."""

import ast
import re
from pathlib import Path

import pytest

import niwaki

ARRAYS = {"words": "ptr32", "halves": "ptr16", "octets": "ptr8", "scratch": "ptr32", "log2": "ptr16"}
RECORDS = ("words", "halves", "octets", "scratch")
# Locals and header words that hold bits; their masks have names. 65535 is the width of a half.
PACKED = {"flags", "due", "kind", "shape", "window", "_FLAGS", "_NODE_SHAPE", "_IDENTITY", "_ADWIN_RECENT"}
FREE_MASKS = (65535,)
LIMIT = 0x3FFFFFFF
DIALECT = (Path(__file__).parent.parent / "docs" / "dialect.md").read_text()
OPERATORS = (
    *(ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod),
    *(ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor),
)
STATEMENTS = (
    *(ast.Assign, ast.AugAssign, ast.Return, ast.If, ast.While, ast.For),
    *(ast.Break, ast.Continue, ast.Pass),
)


def summands(node: ast.expr) -> list[ast.expr]:
    """What a sum or difference consists of."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return [*summands(node.left), *summands(node.right)]
    return [node]


def names_of(node: ast.expr) -> set[str]:
    """The names that a packed word is read by: a variable, or the header word in `words[_FLAGS]`."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - {"words", "halves", "scratch"}


def counted(function: ast.FunctionDef) -> set[str]:
    """Variables that go through something: loop variables, and those that are moved on by `+=` or `-=`.

    Also `s`, a sample of the window: samples are counted from 1, and their codes lie from 0.
    """
    moved = {node.target for node in ast.walk(function) if isinstance(node, ast.For | ast.AugAssign)}
    return {target.id for target in moved if isinstance(target, ast.Name)} | {"s"}


def is_kernel(node: ast.AST) -> bool:
    """Kernels take their arrays through `at`; those without decorator are bytecode, and equal in all else."""
    return isinstance(node, ast.FunctionDef) and [a.arg for a in node.args.args[:1]] == ["at"]


class Lint:
    """Collects what a kernel does that the dialect forbids."""

    def __init__(self, function: ast.FunctionDef, module: ast.Module) -> None:
        self.problems: list[str] = []
        self.constants = module_constants(module)
        self.viper = "micropython.viper" in map(ast.unparse, function.decorator_list)
        self.signature(function)
        body = self.arrays(function.body[ast.get_docstring(function) is not None :])
        names = [node for line in body for node in ast.walk(line) if isinstance(node, ast.Name)]
        self.assigned = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        self.counted = counted(function)
        self.block(body)

    def refuse(self, node: ast.AST, why: str) -> None:
        self.problems.append(f"line {getattr(node, 'lineno', 0)}: {why}")

    def signature(self, function: ast.FunctionDef) -> None:
        a = function.args
        if a.defaults or a.kwonlyargs or a.vararg or a.kwarg or a.posonlyargs:
            self.refuse(function, "only plain parameters without defaults")
        kinds = ["ptr32", "ptr16"] + ["int"] * len(a.args)
        typed = [f"{b.arg}: {kind}" for b, kind in zip(a.args, kinds, strict=False)]
        expected = typed if self.viper else [b.arg for b in a.args]
        if list(map(ast.unparse, a.args)) != expected:
            self.refuse(function, f"parameters must be {', '.join(expected)}")
        if (ast.unparse(function.returns) if function.returns else "") != ("int" if self.viper else ""):
            self.refuse(function, "viper returns int, bytecode has no annotations")
        self.pointers = {"x"}
        self.integers = {b.arg for b in a.args[2:]}

    def arrays(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Take `words = ptr32(at[0])` and the like from the top; returns the rest."""
        allowed = {}
        for place, (name, kind) in enumerate(ARRAYS.items()):
            allowed[f"{name} = {kind}(at[{place}])" if self.viper else f"{name} = at[{place}]"] = name
        while body and ast.unparse(body[0]) in allowed:
            self.pointers.add(allowed[ast.unparse(body[0])])
            body = body[1:]
        return body

    def block(self, body: list[ast.stmt]) -> None:
        for node in body:
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        if not isinstance(node, STATEMENTS):
            self.refuse(node, f"statement {type(node).__name__}")
        elif isinstance(node, ast.Assign):
            if len(node.targets) != 1:
                self.refuse(node, "one target only")
            self.target(node.targets[0])
            self.value(node.value)
        elif isinstance(node, ast.AugAssign):
            self.operator(node, node.op)
            self.target(node.target)
            self.value(node.value)
        elif isinstance(node, (ast.If, ast.While)):
            self.test(node.test)
            self.block(node.body)
            if isinstance(node, ast.While) and node.orelse:
                self.refuse(node, "else of a loop")
            self.block(node.orelse)
        elif isinstance(node, ast.For):
            self.loop(node)
        elif isinstance(node, ast.Return):
            if node.value is None:
                self.refuse(node, "return without a value")
            else:
                self.value(node.value)

    def loop(self, node: ast.For) -> None:
        call = node.iter
        if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "range" and not call.keywords):
            self.refuse(node, "for loops run over range()")
        else:
            for argument in call.args:
                self.value(argument)
        if not isinstance(node.target, ast.Name):
            self.refuse(node, "a loop variable is a name")
        if node.orelse:
            self.refuse(node, "else of a loop")
        self.block(node.body)

    def target(self, node: ast.expr) -> None:
        if isinstance(node, ast.Name):
            if node.id in self.pointers:
                self.refuse(node, f"assignment to pointer {node.id}")
        elif isinstance(node, ast.Subscript):
            self.subscript(node)
        else:
            self.refuse(node, f"assignment to {type(node).__name__}")

    def subscript(self, node: ast.Subscript) -> None:
        if not (isinstance(node.value, ast.Name) and node.value.id in self.pointers):
            self.refuse(node, "only pointer parameters can be indexed")
        elif node.value.id in RECORDS:
            self.offset(node.slice)
        self.value(node.slice)

    def offset(self, node: ast.expr) -> None:
        """A field of a record has a name. 1 is a neighbour where something is counted, as in `a[i + 1]`."""
        terms = list(summands(node))
        literals = [term for term in terms if isinstance(term, ast.Constant) and type(term.value) is int]
        names = {name.id for term in terms for name in ast.walk(term) if isinstance(name, ast.Name)}
        for literal in literals:
            if len(terms) > 1 and not (literal.value == 1 and names & self.counted):
                self.refuse(
                    literal, f"literal offset {literal.value} into a record: give it a name in the layout"
                )

    def test(self, node: ast.expr) -> None:
        """A condition: comparisons, and/or/not are for these alone, as values they have other types."""
        if isinstance(node, ast.BoolOp):
            for part in node.values:
                self.test(part)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.test(node.operand)
        elif isinstance(node, ast.Compare):
            if len(node.ops) != 1:
                self.refuse(node, "chained comparison")
            if not isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)):
                self.refuse(node, f"comparison {type(node.ops[0]).__name__}")
            for part in (node.left, *node.comparators):
                self.value(part)
        elif not (isinstance(node, ast.Constant) and node.value is True):
            self.value(node)

    def value(self, node: ast.expr) -> None:
        if isinstance(node, ast.Constant):
            if type(node.value) is not int:
                self.refuse(node, f"literal {node.value!r} is not an int")
            elif abs(node.value) > LIMIT:
                self.refuse(node, f"literal {node.value} has more than 30 bits")
        elif isinstance(node, ast.Name):
            self.name(node)
        elif isinstance(node, ast.BinOp):
            self.operator(node, node.op)
            self.value(node.left)
            self.value(node.right)
        elif isinstance(node, ast.UnaryOp):
            if not isinstance(node.op, (ast.USub, ast.Invert)):
                self.refuse(node, f"operator {type(node.op).__name__} as a value")
            self.value(node.operand)
        elif isinstance(node, ast.Subscript):
            self.subscript(node)
        else:
            self.refuse(node, f"expression {type(node).__name__}: {ast.unparse(node)}")

    def name(self, node: ast.Name) -> None:
        known = self.assigned | self.integers
        if node.id in self.pointers:
            self.refuse(node, f"pointer {node.id} as a value")
        elif node.id not in known and node.id not in self.constants:
            self.refuse(node, f"{node.id} is neither a local variable nor a const() of this module")

    def mask(self, node: ast.BinOp) -> None:
        """A bit of a packed word has a name."""
        for word, bits in ((node.left, node.right), (node.right, node.left)):
            if isinstance(bits, ast.Constant) and names_of(word) & PACKED and bits.value not in FREE_MASKS:
                self.refuse(node, f"literal mask {bits.value} on a packed word: give it a name in the layout")

    def operator(self, node: ast.AST, op: ast.operator) -> None:
        if isinstance(node, ast.BinOp) and isinstance(op, ast.BitAnd | ast.BitOr):
            self.mask(node)
        if not isinstance(op, OPERATORS):
            self.refuse(node, f"operator {type(op).__name__}")


def module_constants(module: ast.Module) -> set[str]:
    """Names that MicroPython inlines: `_NAME = const(...)`."""
    return {
        node.targets[0].id
        for node in module.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "const"
    }


def lint(source: str) -> list[str]:
    module = ast.parse(source)
    return [problem for node in module.body if is_kernel(node) for problem in Lint(node, module).problems]


MODULES = sorted(Path(niwaki.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_kernels_keep_to_the_dialect(path):
    assert lint(path.read_text()) == []


def letters(source: str) -> set[str]:
    """Locals of kernels whose names are single letters."""
    kernels = [node for node in ast.parse(source).body if is_kernel(node)]
    names = [node for kernel in kernels for node in ast.walk(kernel) if isinstance(node, ast.Name)]
    return {node.id for node in names if isinstance(node.ctx, ast.Store) and len(node.id) == 1}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_letters_mean_what_the_dialect_says(path):
    known = re.findall(r"`(.)`", re.search(r"- A local has one meaning.*?\n- ", DIALECT, re.S)[0])
    more = {"k", "p", "u"} if path.parent.name == "grove" else set()
    assert letters(path.read_text()) <= set(known) | more


def test_there_are_kernels():
    modules = [ast.parse(path.read_text()) for path in MODULES]
    assert sum(is_kernel(node) for module in modules for node in module.body) >= 3


KERNEL = """
_N = const(4)
_FLAGS = const(8)
N = 4
@micropython.viper
def f(at: ptr32, x: ptr16, y: int) -> int:
    words = ptr32(at[0])
    n = 0
    LINE
    return 0
"""


def kernel(line: str) -> str:
    return KERNEL.replace("LINE", line)


@pytest.mark.parametrize(
    "line",
    [
        "words[n] += 1 + _N",
        "m = -n // 3 % 5 << 2 >> 1 & 7 | ~n ^ 1",
        "for i in range(2, n, 2): words[i] = i",
        "while n > 0 and not words[n] == 1: n -= 1",
        "if (n & 3) != 0: pass",
        "m = words[n + _N]",
        "for i in range(n): words[i + 1] = 0",
        "flags = words[n]\n    m = flags & _N",
        "m = words[0] + words[3]",
    ],
)
def test_the_lint_accepts(line):
    assert lint(kernel(line)) == []


@pytest.mark.parametrize(
    "line",
    [
        "m = 1.5",
        "m = n / 2",
        "m = n ** 2",
        "m = 0x40000000",
        "m = min(n, 3)",
        "m = ptr32(n)",
        "m = int(n)",
        "m = 1 if n else 2",
        "m = n > 2",
        "m = n and 2",
        "m = N",
        "m = words",
        "words = n",
        "m = k = 1",
        "m, k = 1, 2",
        "if 0 < n < 3: pass",
        "if n in words: pass",
        "for v in words: pass",
        "for i in range(n): pass\n    else: pass",
        "print(n)",
        "m = None",
        "m = True",
        "m = words[1:2]",
        "return",
        "raise ValueError",
        "try: pass\n    except ValueError: pass",
        "m = [0]",
        "m: int = 3",
        "m = words[n + 3]",
        "m = words[n + 1]",
        "words[n - 2] = 0",
        "for i in range(n): words[i + 2] = 0",
        "flags = words[n]\n    m = flags & 48",
        "m = words[_FLAGS] & 8",
        "due = 0\n    due |= 4\n    m = due & 4",
    ],
)
def test_the_lint_refuses(line):
    assert lint(kernel(line))


@pytest.mark.parametrize(
    "header",
    [
        "def f(at: ptr32, x: ptr16, y: int = 1) -> int:",
        "def f(at, x: ptr16) -> int:",
        "def f(at: ptr32, x: ptr16):",
        "def f(at: ptr32, *x) -> int:",
        "def f(at: ptr32, x: ptr16) -> int:\n    words = ptr16(at[0])",
        "def f(at: ptr32, x: ptr16) -> int:\n    words = ptr32(at[1])",
        "def f(at: ptr32, x: ptr16) -> int:\n    n = 0\n    words = ptr32(at[0])",
        "def f(at: ptr32, x: ptr16) -> int:\n    n = at[0]",
    ],
)
def test_the_lint_refuses_signatures(header):
    assert lint(f"@micropython.viper\n{header}\n    return 0\n")


def test_the_lint_knows_bytecode_kernels():
    assert lint("def f(at, x):\n    halves = at[1]\n    return halves[0]\n") == []
    assert lint("def f(at, x):\n    halves = ptr16(at[1])\n    return halves[0]\n")
