"""Translate kernels to readable C99, one function per kernel: names, comments and layout are kept.

The dialect keeps every intermediate within +-2^30, so 32 bits hold it, and nothing is undefined in C:

- `//` and `%` floor: nw_div and nw_mod. `<<` is computed in unsigned numbers where its left operand may be
  below 0.
- `>>` of a negative number must be arithmetic: the prelude refuses a compiler where it is not.
- Where `int` has 16 bits, C would compute with two narrow numbers in 16 bits: one of them is cast.
- The arrays never overlap: they are `restrict`.
- A variable is declared where its first value is assigned if every use of it comes after that in the same
  block; otherwise at the top of the function, as 0.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from niwaki.layout import FEATURES
from niwaki_host.device.c_declare import declarations
from niwaki_host.device.c_source import ARRAYS, Kernel, names

_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int "
    "long register restrict return short signed sizeof static struct switch typedef union unsigned void "
    "volatile while".split()
)
OPERATORS = {
    ast.Add: ("+", 12),
    ast.Sub: ("-", 12),
    ast.Mult: ("*", 13),
    ast.LShift: ("<<", 11),
    ast.RShift: (">>", 11),
    ast.BitAnd: ("&", 8),
    ast.BitXor: ("^", 7),
    ast.BitOr: ("|", 6),
}
_COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
ATOM, _UNARY, _PLUS, _COMPARE, _AND, _OR = 15, 14, 12, 10, 5, 4
_SHORT = 16  # a loop of at most so many statements may be written twice
_NARROW = 32767  # the largest `int` that C promises
_WIDTH = 110
INDENT = "    "


class TranslationError(ValueError):
    """The source has something that the translator does not know."""


def identifier(name: str) -> str:
    """A Python name, changed where it is a keyword of C."""
    return f"{name}_" if name in _KEYWORDS else name


class Translator:
    """Translates one function. `constants` maps the Python names of its constants to their C names."""

    def __init__(self, kernel: Kernel, function: str, constants: Mapping[str, str]) -> None:
        self.kernel = kernel
        self.function = function
        self.constants = constants
        self.lines: list[str] = []
        self.depth = 0
        self.pending = dict(kernel.comments)
        self.pointers = dict(ARRAYS) | {"x": "int16_t", "out": "int32_t"}
        self.integers = [name for name in kernel.parameters[1:] if name not in ("x", "out")]
        self.in_place, self.at_top = declarations(kernel.body, set(self.integers))
        self.declared: set[str] = set()
        self.fixed: Mapping[str, Mapping[int, int]] = {}  # by array: the items that never change, with values
        self.unswitch = False  # write a short loop twice rather than test the same condition each time
        self.hold_log2 = False  # whether `at` has the table of logarithms, too
        self.integer = "int32_t"  # the type of variables; a desktop computes faster in its own width
        self.never: Mapping[int, str] = {}  # by header word: a constant whose bits the word never has

    # -- the whole function

    def signature(self) -> str:
        types = []
        for name in self.kernel.parameters:
            if name == "length":
                continue  # callers in C pass codes of the right length
            if name == "at":
                types.append("const niwaki_arrays *at")
            elif name == "x":
                types.append(f"{'' if 'x' in self.kernel.stores else 'const '}int16_t *x")
            elif name == "out":
                types.append("int32_t *out")
            else:
                types.append(f"int32_t {identifier(name)}")
        return f"static int32_t {self.function}({', '.join(types)})"

    def translate(self) -> str:
        for line in comment(self.kernel.doc):
            self.lines.append(line)
        self.lines.append(self.signature())
        self.lines.append("{")
        self.depth = 1
        self.take_arrays()
        for name in self.at_top:
            self.put(f"{self.integer} {identifier(name)} = 0;")
        first = self.kernel.body[0].lineno
        for line in [line for line in self.pending if line < first - 1]:
            del self.pending[line]
        self.block(self.kernel.body)
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"

    def take_arrays(self) -> None:
        used = self.kernel.uses
        for name, kind in ARRAYS.items():
            if name in used and name not in self.kernel.parameters and name != "log2":
                const = "" if name in self.kernel.stores else "const "
                self.put(f"{const}{kind} *restrict {name} = at->{name};")
                if name in self.fixed:
                    self.put(f"(void){name};")
        if self.hold_log2 and "log2" in used:
            self.put("const uint16_t *restrict niwaki_log2 = at->log2;")
        for name in self.kernel.parameters:
            if name == "length":
                self.put(f"int32_t length = {self.length()};")
            elif name == "at" and not used & set(ARRAYS) - {"log2"}:
                self.put("(void)at;")
            elif name != "at" and name not in used:
                self.put(f"(void){identifier(name)};")

    def length(self) -> str:
        """How many codes a sample has."""
        number = self.fixed.get("words", {}).get(FEATURES)
        return f"at->words[{FEATURES}]" if number is None else str(number)

    # -- statements

    def put(self, text: str) -> None:
        self.lines.append(INDENT * self.depth + text)

    def say(self, before: int) -> None:
        """Write the comments that have a line to themselves, up to the line of a statement."""
        for line in sorted(self.pending):
            text, alone = self.pending[line]
            if line < before and alone:
                self.put(f"// {text}")
                del self.pending[line]

    def beside(self, line: int, end: int | None = None) -> None:
        """Write the comment at the end of a statement's own lines."""
        for number in range(line, (end or line) + 1):
            if number in self.pending and not self.pending[number][1]:
                text = f"  // {self.pending.pop(number)[0]}"
                if len(self.lines[-1]) + len(text) > _WIDTH:
                    self.lines.insert(-1, INDENT * self.depth + text.strip())
                else:
                    self.lines[-1] += text

    def block(self, body: Iterable[ast.stmt]) -> None:
        for node in body:
            self.say(node.lineno)
            self.statement(node)

    def inner(self, body: list[ast.stmt]) -> None:
        self.depth += 1
        self.block(body)
        self.depth -= 1

    def statement(self, node: ast.stmt) -> None:
        method = getattr(self, f"do_{type(node).__name__}", None)
        if method is None:
            raise TranslationError(f"{self.kernel.name}, line {node.lineno}: {type(node).__name__}")
        method(node)

    def do_Pass(self, node: ast.Pass) -> None:
        self.put(";")

    def do_Break(self, node: ast.Break) -> None:
        self.put("break;")
        self.beside(node.lineno)

    def do_Continue(self, node: ast.Continue) -> None:
        self.put("continue;")
        self.beside(node.lineno)

    def do_Return(self, node: ast.Return) -> None:
        self.put(f"return {self.value(node.value)};")
        self.beside(node.lineno, node.end_lineno)

    def do_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        value = self.value(node.value)
        if isinstance(target, ast.Name):
            kind = ""
            if self.in_place.get(target.id) is node:
                kind = f"{self.integer} "
                self.declared.add(target.id)
            self.put(f"{kind}{identifier(target.id)} = {value};")
        else:
            assert isinstance(target, ast.Subscript)
            self.put(self.store(target, value))
        self.beside(node.lineno, node.end_lineno)

    def store(self, target: ast.Subscript, value: str) -> str:
        return f"{self.item(target)} = {value};"

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        plain = isinstance(
            node.op, (ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor, ast.RShift)
        )
        if plain and self.compound():
            target = (
                self.item(node.target) if isinstance(node.target, ast.Subscript) else self.value(node.target)
            )
            self.put(f"{target} {OPERATORS[type(node.op)][0]}= {self.value(node.value)};")
            self.beside(node.lineno, node.end_lineno)
            return
        load = ast.parse(ast.unparse(node.target), mode="eval").body
        whole = ast.Assign([node.target], ast.BinOp(load, node.op, node.value))
        self.do_Assign(ast.copy_location(whole, node))

    def compound(self) -> bool:
        """Whether `a[i] += v` may stay one operation."""
        return True

    def do_If(self, node: ast.If, word: str = "if") -> None:
        self.put(f"{word} ({self.test(node.test)}) {{")
        self.beside(node.lineno, node.test.end_lineno)
        self.inner(node.body)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) and self.is_elif(node):
            self.do_If(node.orelse[0], "} else if")
            return
        if node.orelse:
            self.put("} else {")
            self.inner(node.orelse)
        self.put("}")

    @staticmethod
    def is_elif(node: ast.If) -> bool:
        return node.orelse[0].col_offset == node.col_offset

    def do_While(self, node: ast.While) -> None:
        if self.unswitch and (twice := _unswitched(node)):
            self.do_If(twice)
            return
        if isinstance(node.test, ast.Constant) and node.test.value is True:
            self.put("for (;;) {")
        else:
            self.put(f"while ({self.test(node.test)}) {{")
        self.beside(node.lineno, node.test.end_lineno)
        self.inner(node.body)
        self.put("}")

    def do_For(self, node: ast.For) -> None:
        """`for i in range(...)`: the end is computed once; i keeps its last value where somebody reads it."""
        assert isinstance(node.iter, ast.Call) and isinstance(node.target, ast.Name)
        arguments = node.iter.args
        start = self.value(arguments[0]) if len(arguments) > 1 else "0"
        stop = arguments[-1] if len(arguments) < 3 else arguments[1]
        step = _literal(arguments[2]) if len(arguments) == 3 else 1
        name = identifier(node.target.id)
        inside = {n.id for line in node.body for n in names(line) if isinstance(n.ctx, ast.Store)}
        own = self.in_place.get(node.target.id) is not None
        counter = name
        if node.target.id in inside or not own:
            counter = f"{name}_at"
        head = f"{self.integer} {counter} = {start}"
        end = self.value(stop)
        if not self.steady(stop, inside):
            head += f", {name}_end = {end}"
            end = f"{name}_end"
        compare = "<" if step > 0 else ">"
        change = f"{counter}{'++' if step > 0 else '--'}" if abs(step) == 1 else f"{counter} += {step}"
        self.put(f"for ({head}; {counter} {compare} {end}; {change}) {{")
        self.beside(node.lineno)
        if counter != name:
            declare = f"{self.integer} " if own else ""
            self.lines.append(f"{INDENT * (self.depth + 1)}{declare}{name} = {counter};")
        self.inner(node.body)
        self.put("}")

    def steady(self, node: ast.expr, assigned: set[str]) -> bool:
        """Whether a loop's end is a number or a variable that the loop leaves alone."""
        if isinstance(node, ast.Constant):
            return True
        return isinstance(node, ast.Name) and node.id not in assigned

    # -- conditions

    def test(self, node: ast.expr) -> str:
        return self.condition(node)[0]

    def condition(self, node: ast.expr) -> tuple[str, int]:
        if isinstance(node, ast.BoolOp):
            sign, level = ("&&", _AND) if isinstance(node.op, ast.And) else ("||", _OR)
            parts = (self.condition(part) for part in node.values)
            return f" {sign} ".join(f"({text})" if inner <= _AND else text for text, inner in parts), level
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            text, level = self.condition(node.operand)
            return f"!{text}" if level >= _UNARY else f"!({text})", _UNARY
        if isinstance(node, ast.Compare):
            if len(node.ops) != 1:
                raise TranslationError(f"{self.kernel.name}, line {node.lineno}: chained comparison")
            sides = [self.expression(side) for side in (node.left, node.comparators[0])]
            texts = [text if level > _COMPARE else f"({text})" for text, level in sides]
            return f"{texts[0]} {_COMPARISONS[type(node.ops[0])]} {texts[1]}", _COMPARE
        return self.expression(node)

    # -- values

    def value(self, node: ast.expr | None) -> str:
        assert node is not None
        return self.expression(node)[0]

    def expression(self, node: ast.expr) -> tuple[str, int]:
        """The text of a value in C, and how tightly its outermost operator binds."""
        if isinstance(node, ast.Constant):
            return str(int(node.value)), ATOM  # type: ignore[arg-type]
        if isinstance(node, ast.Name):
            return self.constants.get(node.id) or identifier(node.id), ATOM
        if isinstance(node, ast.Subscript):
            return self.load(node), ATOM
        if isinstance(node, ast.UnaryOp):
            text, level = self.expression(node.operand)
            if isinstance(node.op, ast.USub):
                if isinstance(node.operand, ast.Constant):
                    return f"-{text}", _UNARY
                return self.made(f"-{text if level > _UNARY else f'({text})'}", node), _UNARY
            if isinstance(node.op, ast.Invert):
                if self.narrow(node.operand):
                    text, level = f"(int32_t){text if level >= _UNARY else f'({text})'}", _UNARY
                return f"~{text if level >= _UNARY else f'({text})'}", _UNARY
        if isinstance(node, ast.BinOp):
            return self.operation(node)
        raise TranslationError(f"{self.kernel.name}, line {node.lineno}: {ast.unparse(node)}")

    def load(self, node: ast.Subscript) -> str:
        fixed = self.fixed_item(node)
        if fixed is not None:
            return f"INT32_C({fixed})" if fixed >= 0 else f"({fixed})"
        array, number = self.place(node)
        never = self.never.get(number) if array == "words" and number is not None else None
        return f"({self.item(node)} & ~{never})" if never else self.item(node)

    def place(self, node: ast.Subscript) -> tuple[str, int | None]:
        """An array, and the index in it where that is a constant."""
        array = ast.unparse(node.value)
        return "words" if array == "w" else array, _number(node.slice, self.kernel.constants)

    def fixed_item(self, node: ast.Subscript) -> int | None:
        """The value of an item if it never changes in the models of this source, else None."""
        array, number = self.place(node)
        return None if number is None else self.fixed.get(array, {}).get(number)

    def item(self, node: ast.Subscript) -> str:
        array = ast.unparse(node.value)
        return f"{'niwaki_log2' if array == 'log2' else array}[{self.value(node.slice)}]"

    def operation(self, node: ast.BinOp) -> tuple[str, int]:
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            power = _literal(node.right)
            if power and power > 0 and not power & (power - 1):
                sign, amount = (
                    (">>", power.bit_length() - 1) if isinstance(node.op, ast.FloorDiv) else ("&", power - 1)
                )
                text, level = self.expression(node.left)
                return (
                    f"{text if level >= _UNARY else f'({text})'} {sign} {amount}",
                    11 if sign == ">>" else 8,
                )
            name = "nw_div" if isinstance(node.op, ast.FloorDiv) else "nw_mod"
            return f"{name}({self.value(node.left)}, {self.shifted(node.right)})", ATOM
        sign, level = OPERATORS[type(node.op)]
        if isinstance(node.op, ast.LShift) and not self.natural(node.left):
            return self.made(f"nw_shl({self.value(node.left)}, {self.shift(node.right)})", node), ATOM
        left, right = self.expression(node.left), self.expression(node.right)
        both = self.narrow(node.left) and (isinstance(node.op, ast.LShift) or self.narrow(node.right))
        if both and not self.folded(node):
            text = left[0] if left[1] >= _UNARY else f"({left[0]})"
            left = f"(int32_t){text}", _UNARY
        first = left[0] if self.bare(left[1], level, sign, node.left, True) else f"({left[0]})"
        second = right[0] if self.bare(right[1], level, sign, node.right, False) else f"({right[0]})"
        if sign in ("<<", ">>"):
            second = self.shift(node.right, second)
        return self.made(f"{first} {sign} {second}", node), self.level(level, node)

    def level(self, level: int, node: ast.BinOp) -> int:
        return level

    def made(self, text: str, node: ast.expr) -> str:
        """The text of an operation; the checked translator adds a test of its result."""
        return text

    def shift(self, node: ast.expr, text: str | None = None) -> str:
        """The number by which to shift, as text."""
        return text or self.value(node)

    def shifted(self, node: ast.expr) -> str:
        """The divisor, as text."""
        return self.value(node)

    def bare(self, inner: int, outer: int, sign: str, node: ast.expr, left: bool) -> bool:
        """Whether an operand needs no brackets, neither for the compiler nor for a reader."""
        if inner >= _UNARY:
            return not (sign == "-" and not left and inner == _UNARY and isinstance(node, ast.UnaryOp))
        if outer == _PLUS:
            return inner == 13 or (left and inner == _PLUS)
        return left and inner == outer and sign in "*&|^"

    # -- types

    def narrow(self, node: ast.expr) -> bool:
        """Whether C may compute this with an `int` of 16 bits."""
        if isinstance(node, ast.Constant):
            return abs(int(node.value)) <= _NARROW  # type: ignore[arg-type]
        if isinstance(node, ast.Name):
            return node.id in self.constants and abs(self.kernel.constants[node.id]) <= _NARROW
        if isinstance(node, ast.Subscript):
            return self.pointers[ast.unparse(node.value)] != "int32_t"
        if isinstance(node, ast.UnaryOp):
            return self.narrow(node.operand)
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, (ast.LShift, ast.RShift)):
                return self.narrow(node.left) and not isinstance(node.op, ast.LShift)
            return self.narrow(node.left) and self.narrow(node.right) and self.folded(node)
        return False

    def folded(self, node: ast.expr) -> bool:
        """Whether an operation on narrow numbers can't leave 16 bits: two constants, or a mask."""
        if not isinstance(node, ast.BinOp):
            return False
        if isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor, ast.RShift)):
            return True
        numbers = [_number(side, self.kernel.constants) for side in (node.left, node.right)]
        if None in numbers or isinstance(node.op, ast.LShift):
            return False
        return abs(numbers[0]) + abs(numbers[1]) <= 180  # type: ignore[arg-type]

    def natural(self, node: ast.expr) -> bool:
        """Whether a number is certainly not below 0."""
        number = _number(node, self.kernel.constants)
        if number is not None:
            return number >= 0
        if isinstance(node, ast.Subscript):
            fixed = self.fixed_item(node)
            return self.pointers[ast.unparse(node.value)].startswith("uint") or (fixed or -1) >= 0
        return False


def _unswitched(loop: ast.While) -> ast.If | None:
    """For a short loop with an `if` that it can't change: the `if`, with a loop in each branch."""
    inside = [node for node in ast.walk(loop) if isinstance(node, ast.stmt)]
    assigned = {name.id for name in names(loop) if isinstance(name.ctx, ast.Store)}
    for i, node in enumerate(loop.body):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.orelse:
            if node.test.id not in assigned and len(inside) <= _SHORT:
                ways = []
                for branch in (node.body, node.orelse):
                    body = [*loop.body[:i], *branch, *loop.body[i + 1 :]]
                    ways.append([ast.copy_location(ast.While(loop.test, body, []), loop)])
                return ast.copy_location(ast.If(node.test, ways[0], ways[1]), loop)
    return None


def comment(text: str) -> list[str]:
    """A docstring as a comment."""
    lines = text.replace("*/", "* /").splitlines()
    if not lines:
        return []
    body = [f" * {line}".rstrip() for line in lines[1:]]
    if body:
        return [f"/* {lines[0]}", *body, " */"]
    return [f"/* {lines[0]} */"]


def _literal(node: ast.expr) -> int:
    """An integer that stands in the text, or 0."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_literal(node.operand)
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else 0


def _number(node: ast.expr, constants: Mapping[str, int]) -> int | None:
    """The value of a literal or a constant, with or without a sign; None for anything else."""
    if isinstance(node, ast.Constant):
        return int(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand, constants)
        return None if inner is None else -inner
    return None
