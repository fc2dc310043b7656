"""Kernels as the C translator reads them: syntax tree, docstring, comments, constants."""

from __future__ import annotations

import ast
import functools
import inspect
import io
import textwrap
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# What `at` holds, in this order: the array's name, the type of its items in C, whether it may be written.
ARRAYS = {
    "words": "int32_t",
    "halves": "uint16_t",
    "octets": "uint8_t",
    "scratch": "int32_t",
    "log2": "uint16_t",
}


@dataclass(frozen=True)
class Kernel:
    """One function of the device package."""

    name: str
    module: str
    node: ast.FunctionDef
    body: tuple[ast.stmt, ...]  # without docstring and without the lines that take arrays from `at`
    doc: str
    comments: dict[int, tuple[str, bool]]  # by line: text, and whether it has the line to itself
    constants: dict[str, int]  # by their names in Python
    parameters: tuple[str, ...]

    @property
    def stores(self) -> frozenset[str]:
        """Names of the arrays that it writes to."""
        found = (node for node in ast.walk(self.node) if isinstance(node, ast.Subscript))
        return frozenset(ast.unparse(node.value) for node in found if isinstance(node.ctx, ast.Store))

    @property
    def uses(self) -> frozenset[str]:
        """Every name in its body."""
        return frozenset(name.id for line in self.body for name in names(line))


def names(node: ast.AST) -> Iterator[ast.Name]:
    return (inner for inner in ast.walk(node) if isinstance(inner, ast.Name))


@functools.cache
def read(function: Callable) -> Kernel:
    """A function of the device package, as text and as a tree."""
    function = inspect.unwrap(function)
    text = textwrap.dedent(inspect.getsource(function))
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    doc = ast.get_docstring(node) or ""
    body = node.body[1:] if doc else node.body
    parameters = tuple(argument.arg for argument in node.args.args)
    if parameters[:1] == ("at",):
        body = [line for line in body if not _takes_array(line)]
    used = {name.id for line in body for name in names(line)}
    known = function.__globals__
    constants = {name: known[name] for name in sorted(used) if isinstance(known.get(name), int)}
    return Kernel(
        name=function.__name__,
        module=function.__module__,
        node=node,
        body=tuple(body),
        doc=doc,
        comments=_comments(text),
        constants=constants,
        parameters=parameters,
    )


def _takes_array(line: ast.stmt) -> bool:
    """Is this `words = ptr32(at[0])`, or the same without the cast?"""
    if not isinstance(line, ast.Assign):
        return False
    name = ast.unparse(line.targets[0])
    return name in ARRAYS and f"at[{list(ARRAYS).index(name)}]" in ast.unparse(line.value)


def _comments(text: str) -> dict[int, tuple[str, bool]]:
    found = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and "type: ignore" not in token.string:
            alone = not token.line[: token.start[1]].strip()
            found[token.start[0]] = (token.string.lstrip("# ").rstrip(), alone)
    return found
