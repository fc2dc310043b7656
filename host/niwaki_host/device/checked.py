"""Kernels that check themselves: every intermediate within +-2**30, every index inside its array.

Viper wraps silently and walks off arrays; CPython does neither but accepts negative indices and large
intermediates. A kernel that runs here without an error is safe there.
"""

import ast
from collections.abc import Callable, Sequence
from typing import Any

from niwaki_host.device.kernels import Rewriter, rewrite

LIMIT = 1 << 30


class RangeError(AssertionError):
    """A kernel left the range that every runtime shares."""


def _value(value: int, text: str) -> int:
    if not -LIMIT <= value <= LIMIT:
        raise RangeError(f"{text} is {value}")
    return value


def _index(items: Sequence, index: int, text: str) -> int:
    if not 0 <= index < len(items):
        raise RangeError(f"{text}: index {index} of {len(items)}")
    return index


def _shift(count: int, text: str) -> int:
    if not 0 <= count <= 31:
        raise RangeError(f"{text}: shift by {count}")
    return count


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


class _Checks(Rewriter):
    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        text = ast.Constant(ast.unparse(node))
        self.generic_visit(node)
        if isinstance(node.op, (ast.LShift, ast.RShift)):
            node.right = _call("_shift", node.right, text)
        if isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.LShift)):
            return _call("_value", node, text)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        text = ast.Constant(ast.unparse(node))
        self.generic_visit(node)
        return _call("_value", node, text) if isinstance(node.op, ast.USub) else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        text = ast.Constant(ast.unparse(node))
        self.generic_visit(node)
        node.slice = _call("_index", node.value, node.slice, text)
        return node


def checked(kernel: Callable) -> Callable:
    """The same kernel, raising RangeError where another runtime could differ."""
    namespace: dict[str, Any] = {"_value": _value, "_index": _index, "_shift": _shift}
    exec(compile(rewrite(kernel, _Checks()), f"<checked {kernel.__name__}>", "exec"), namespace)
    return namespace[kernel.__name__]
