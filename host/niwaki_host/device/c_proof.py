"""Translate the proofs of stored models, and `scores`, to C: they use a little more Python than kernels do.

A function that may complain returns 0, or the line of the complaint in its Python file: `bad(...)` becomes a
return, `between(...)` is tested before the statement that contains it. Sets (`Once`) and buffers come from a
pool that the caller provides. What a function took from the pool is free again when the function returns;
what a loop's body took is free when the body starts again.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
from collections.abc import Callable, Mapping
from typing import Any

from niwaki_host.device.c_source import Kernel, names, read
from niwaki_host.device.c_translate import INDENT, TranslationError, Translator, comment, identifier

_ARRAYS = {
    "w": "int32_t",
    "words": "int32_t",
    "h": "uint16_t",
    "halves": "uint16_t",
    "b": "uint8_t",
    "octets": "uint8_t",
    "votes": "uint8_t",
}
_SETS = ("nodes", "leaves", "slots", "features")
_NO_CALLS = ("bad", "between", "Once", "range", "max", "min", "bool", "bytearray", "len")


def functions_of(check: Callable) -> list[Callable]:
    """`check` and all the functions that it calls, those first that others need."""
    found: list[Callable] = []

    def visit(function: Callable) -> None:
        if function in found:
            return
        known = dict(function.__globals__)
        for node in ast.walk(read(function).node):
            if isinstance(node, ast.ImportFrom):
                package = function.__module__.rpartition(".")[0]
                module = importlib.import_module(f".{node.module}", package)
                known.update({alias.name: getattr(module, alias.name) for alias in node.names})
        for node in ast.walk(read(function).node):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id not in _NO_CALLS and inspect.isfunction(known.get(node.func.id)):
                    visit(known[node.func.id])
        found.append(function)

    visit(check)
    return found


class ProofTranslator(Translator):
    """One function of a check."""

    def __init__(
        self, kernel: Kernel, function: str, constants: Mapping[str, str], calls: Mapping[str, str]
    ) -> None:
        super().__init__(kernel, function, constants)
        self.calls = calls
        self.pointers = dict(_ARRAYS)
        arrays = set(_ARRAYS) | set(self._sets())
        self.at_top = [name for name in self.at_top if name not in arrays]
        self.integers = [name for name in kernel.parameters if name not in arrays]
        self.aliases: dict[str, ast.IfExp] = {}
        self.counter = itertools.count()
        returns = [node for node in ast.walk(kernel.node) if isinstance(node, ast.Return) and node.value]
        self.gives_value = bool(returns)

    def _sets(self) -> list[str]:
        """The names of sets: a parameter is known by its name, a variable by what is assigned to it."""
        made = [
            node.targets[0].id
            for node in ast.walk(self.kernel.node)
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Call)
            and ast.unparse(node.value.func) == "Once"
        ]
        used = {
            ast.unparse(node.value) for node in ast.walk(self.kernel.node) if isinstance(node, ast.Attribute)
        }
        return [*made, *(name for name in self.kernel.parameters if name in _SETS and name in used)] + [
            name
            for name in self.kernel.parameters
            if name in _SETS and name not in used and self._passed_on(name)
        ]

    def _passed_on(self, name: str) -> bool:
        calls = (node for node in ast.walk(self.kernel.node) if isinstance(node, ast.Call))
        return any(isinstance(a, ast.Name) and a.id == name for call in calls for a in call.args)

    def signature(self) -> str:
        sets = self._sets()
        types = ["nw_pool *pool"]
        for name in self.kernel.parameters:
            if name in sets:
                types.append(f"nw_once *{name}")
            elif name in _ARRAYS:
                types.append(f"{_ARRAYS[name]} *{name}")
            else:
                types.append(f"int32_t {identifier(name)}")
        return f"static int32_t {self.function}({', '.join(types)})"

    def translate(self) -> str:
        self.lines += [*comment(self.kernel.doc), self.signature(), "{"]
        self.depth = 1
        for name in ["pool", *self.kernel.parameters]:
            self.put(f"(void){identifier(name)};")
        for name in self.at_top:
            self.put(f"int32_t {identifier(name)} = 0;")
            self.put(f"(void){identifier(name)};")
        self.block(self.kernel.body)
        if not self.gives_value:
            self.put("return 0;")
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"

    def fail(self, node: ast.AST) -> str:
        return f"return {getattr(node, 'lineno', 1)};"

    # -- statements

    def statement(self, node: ast.stmt) -> None:
        for call in self._betweens(node):
            self._test_between(call)
        super().statement(node)

    def _betweens(self, node: ast.stmt) -> list[ast.Call]:
        parts = [node.test] if isinstance(node, (ast.If, ast.While)) else []
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr)):
            parts = [node]
        calls = [inner for part in parts for inner in ast.walk(part) if isinstance(inner, ast.Call)]
        return [call for call in calls if ast.unparse(call.func) == "between"]

    def _test_between(self, call: ast.Call) -> None:
        value, low, high = (self.value(argument) for argument in call.args[1:])
        self.put(f"if (!nw_between({value}, {low}, {high})) {{")
        self.put(f"{INDENT}{self.fail(call)}")
        self.put("}")

    def do_ImportFrom(self, node: ast.ImportFrom) -> None:
        pass

    def do_Return(self, node: ast.Return) -> None:
        self.put(f"return {self.value(node.value) if node.value else '0'};")

    def do_Expr(self, node: ast.Expr) -> None:
        call = node.value
        assert isinstance(call, ast.Call)
        if isinstance(call.func, ast.Attribute):
            self._method(call)
        elif ast.unparse(call.func) == "bad":
            self.put(self.fail(call))
        elif ast.unparse(call.func) != "between":
            arguments = ", ".join(["pool", *(self.value(argument) for argument in call.args)])
            self.put("{")
            self.put(f"{INDENT}const uint32_t mark = pool->used;")
            self.put(f"{INDENT}const int32_t line = {self.calls[ast.unparse(call.func)]}({arguments});")
            self.put(f"{INDENT}pool->used = mark;")
            self.put(f"{INDENT}if (line) {{")
            self.put(f"{INDENT * 2}return line;")
            self.put(f"{INDENT}}}")
            self.put("}")
        self.beside(node.lineno, node.end_lineno)

    def _method(self, call: ast.Call) -> None:
        assert isinstance(call.func, ast.Attribute)
        name = ast.unparse(call.func.value)
        if call.func.attr == "take":
            test = f"!nw_take({name}, {self.value(call.args[0])})"
        else:
            test = f"{name}->taken != {name}->n"
        self.put(f"if ({test}) {{")
        self.put(f"{INDENT}{self.fail(call)}")
        self.put("}")

    def do_Assign(self, node: ast.Assign) -> None:
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Name) and isinstance(value, ast.IfExp):
            if all(isinstance(side, ast.Name) and side.id in _ARRAYS for side in (value.body, value.orelse)):
                self.aliases[target.id] = value
                return
        if isinstance(target, ast.Name) and isinstance(value, ast.Call):
            kind = ast.unparse(value.func)
            if kind == "Once":
                self.put(f"nw_once {target.id}_;")
                self.put(f"nw_once *{target.id} = &{target.id}_;")
                self.put(f"if (!nw_once_make({target.id}, pool, {self.value(value.args[1])})) {{")
                self.put(f"{INDENT}{self.fail(node)}")
                self.put("}")
                return
            if kind == "bytearray":
                self.put(f"uint8_t *{target.id} = nw_room(pool, {self.value(value.args[0])});")
                self.put(f"if (!{target.id}) {{")
                self.put(f"{INDENT}{self.fail(node)}")
                self.put("}")
                return
        for one in node.targets:
            single = ast.copy_location(ast.Assign([one], value), node)
            if isinstance(one, ast.Name) and self.in_place.get(one.id) is node:
                self.in_place[one.id] = single
            super().do_Assign(single)

    def do_For(self, node: ast.For) -> None:
        reset = any(
            isinstance(inner, ast.Call) and ast.unparse(inner.func) in ("Once", "bytearray")
            for inner in ast.walk(node)
        )
        if reset:
            mark = f"mark{next(self.counter)}"
            self.put(f"const uint32_t {mark} = pool->used;")
            node.body.insert(0, ast.copy_location(ast.Expr(ast.Name(mark, ast.Load())), node.body[0]))
        if isinstance(node.iter, ast.Tuple):
            assert isinstance(node.target, ast.Name)
            name = node.target.id
            values = ", ".join(self.value(item) for item in node.iter.elts)
            self.put(f"const int32_t {name}_all[] = {{{values}}};")
            self.put(f"for (int32_t {name}_at = 0; {name}_at < {len(node.iter.elts)}; {name}_at++) {{")
            declare = "int32_t " if self.in_place.get(name) is not None else ""
            self.lines.append(f"{INDENT * (self.depth + 1)}{declare}{name} = {name}_all[{name}_at];")
            self.inner(node.body)
            self.put("}")
            return
        super().do_For(node)

    def block(self, body: Any) -> None:
        for node in body:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Name):  # see do_For
                self.put(f"pool->used = {node.value.id};")
                continue
            self.say(node.lineno)
            self.statement(node)

    # -- values

    def expression(self, node: ast.expr) -> tuple[str, int]:
        if isinstance(node, ast.IfExp):
            return f"({self.test(node.test)} ? {self.value(node.body)} : {self.value(node.orelse)})", 15
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            first, *rest = (self.value(value) for value in node.values)
            for other in rest:
                first = f"(({first}) ? ({first}) : ({other}))"
            return first, 15
        if isinstance(node, (ast.Compare, ast.BoolOp)) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        ):
            return f"({self.condition(node)[0]})", 15
        if isinstance(node, ast.Attribute):
            return f"{ast.unparse(node.value)}->{node.attr}", 15
        if isinstance(node, ast.Call):
            return self.call(node), 15
        return super().expression(node)

    def call(self, node: ast.Call) -> str:
        name = ast.unparse(node.func)
        if name == "between":
            return f"({self.value(node.args[1])})"
        arguments = [self.value(argument) for argument in node.args]
        if name in ("max", "min"):
            first, second = arguments
            return f"({first} {'>' if name == 'max' else '<'} {second} ? {first} : {second})"
        if name == "bool":
            return f"(({arguments[0]}) != 0)"
        if name.endswith(".has"):
            return f"nw_has({name[:-4]}, {arguments[0]})"
        if name in self.calls:
            return f"{self.calls[name]}({', '.join(['pool', *arguments])})"
        raise TranslationError(f"{self.kernel.name}, line {node.lineno}: {ast.unparse(node)}")

    def condition(self, node: ast.expr) -> tuple[str, int]:
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn):
            tuple_ = node.comparators[0]
            assert isinstance(tuple_, ast.Tuple)
            left = self.value(node.left)
            return "(" + " && ".join(f"({left}) != {self.value(item)}" for item in tuple_.elts) + ")", 15
        return super().condition(node)

    def item(self, node: ast.Subscript) -> str:
        array = ast.unparse(node.value)
        if array in self.aliases:
            choice = self.aliases[array]
            index = self.value(node.slice)
            sides = (f"{ast.unparse(side)}[{index}]" for side in (choice.body, choice.orelse))
            return f"({self.test(choice.test)} ? {' : '.join(sides)})"
        return super().item(node)

    def narrow(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in self.aliases:
            return True
        if isinstance(node, (ast.Call, ast.Attribute, ast.IfExp, ast.BoolOp, ast.Compare)):
            return False
        return super().narrow(node)

    def natural(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in self.aliases:
            return True
        return super().natural(node)


def proof(check: Callable, prefix: str, fixed: Mapping[str, Mapping[int, int]]) -> str:
    """`check` and what it needs, as C: {prefix}_check. `fixed` has the items that never change, by array."""
    functions = functions_of(check)
    calls = {function.__name__: f"{prefix}_{function.__name__.lstrip('_')}" for function in functions}
    texts = []
    for function in functions:
        kernel = read(function)
        constants = {name: str(value) for name, value in kernel.constants.items()}
        one = ProofTranslator(kernel, calls[function.__name__], constants, calls)
        one.fixed = fixed
        texts.append(one.translate())
    return "\n".join(texts)


class _Method(ast.NodeTransformer):
    """`scores` of a class as a function of its arrays and the buffer for the result."""

    ORDER = ("words", "halves", "octets", "scratch")

    def __init__(self, constants: Mapping[str, int]) -> None:
        self.constants = constants
        self.renamed: dict[str, str] = {"at": "place"}

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if ast.unparse(node.value) == "self._arrays":
            index = node.slice
            number = self.constants[index.id] if isinstance(index, ast.Name) else ast.literal_eval(index)
            return ast.copy_location(ast.Name(self.ORDER[number], ast.Load()), node)
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id in self.ORDER:
            self.renamed[ast.unparse(node.targets[0])] = node.value.id
            return None
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.renamed.get(node.id, node.id)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if "_check_out" in ast.unparse(node) else self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if isinstance(node.ops[0], ast.Is):  # `self._at is scratch` is false in C: see equip()
            return ast.copy_location(ast.Constant(0), node)
        return self.generic_visit(node)


class _ScoresTranslator(ProofTranslator):
    def signature(self) -> str:
        return f"static void {self.function}(const niwaki_arrays *at, const int16_t *x, int32_t *out)"

    def translate(self) -> str:
        self.pointers |= {"scratch": "int32_t", "out": "int32_t"}
        self.lines += [*comment(self.kernel.doc), self.signature(), "{"]
        self.depth = 1
        self.take_arrays()
        self.lines = [
            line.replace("*restrict ", "*") for line in self.lines
        ]  # the call of `predict` changes the scratch, so no pointer is `restrict`
        for name in self.at_top:
            self.put(f"int32_t {identifier(name)} = 0;")
        self.block(self.kernel.body)
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"

    def call(self, node: ast.Call) -> str:
        if ast.unparse(node.func) == "self.predict":
            return f"{self.calls['predict']}(at, x)"
        return super().call(node)


def scores(cls: type, prefix: str) -> str:
    """The method `scores` of a class as C: {prefix}_scores."""
    original = read(cls.scores)  # type: ignore[attr-defined]
    node = ast.parse(ast.unparse(original.node)).body[0]
    known = inspect.unwrap(cls.scores).__globals__  # type: ignore[attr-defined]
    integers = {name: value for name, value in known.items() if isinstance(value, int)}
    node = ast.fix_missing_locations(_Method(integers).visit(node))
    body = tuple(node.body[1:]) if original.doc else tuple(node.body)
    used = {name.id for line in body for name in names(line)}
    constants = {name: value for name, value in original.constants.items() if name in used}
    kernel = Kernel("scores", original.module, node, body, original.doc, {}, constants, ("x", "out"))
    texts = {name: str(value) for name, value in constants.items()}
    return _ScoresTranslator(kernel, f"{prefix}_scores", texts, {"predict": f"{prefix}_answer"}).translate()
