"""The source of kernels as syntax trees, for the tools that rewrite them: numba and the checked mode."""

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from niwaki.layout import FEATURES
from niwaki_host.device.schedule import schedule_of

ARRAYS = ("words", "halves", "octets", "scratch", "log2")  # what `at` holds, in this order


def kernels_of(model: Any) -> tuple[Callable, ...]:
    """The kernels of a model, each once: predict, learn, and what `learn` may find due."""
    return schedule_of(model).kernels


@functools.cache
def parse(kernel: Callable) -> ast.FunctionDef:
    """The kernel's syntax tree, without docstring, decorator and annotations."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kernel))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    tree.decorator_list = []
    tree.returns = None
    for argument in tree.args.args:
        argument.annotation = None
    if ast.get_docstring(tree) is not None:
        tree.body = tree.body[1:]
    return _unfold(tree)


def _unfold(tree: ast.FunctionDef) -> ast.FunctionDef:
    """Give a kernel that takes its arrays through `at` one parameter for each of them.

    `def f(at, x, ...)` that starts with `words = ptr32(at[0])` and the like becomes
    `def f(words, halves, octets, x, scratch, log2, ...)`.
    """
    names = [argument.arg for argument in tree.args.args]
    if names[0] != "at":
        return tree
    body = [line for line in tree.body if not _unpacks(line)]
    tree.body = body
    if "length" in names:  # the length of x: here x has always one code for each feature
        names.remove("length")
        body.insert(0, ast.parse(f"length = words[{FEATURES}]").body[0])
    parameters = [*ARRAYS[:3], names[1], *ARRAYS[3:], *names[2:]]
    tree.args.args = [ast.arg(name) for name in parameters]
    return tree


def _unpacks(line: ast.stmt) -> bool:
    """Is this `words = ptr32(at[0])`, or the same without the cast?"""
    if not isinstance(line, ast.Assign):
        return False
    name = ast.unparse(line.targets[0])
    return name in ARRAYS and f"at[{ARRAYS.index(name)}]" in ast.unparse(line.value)


def constants(kernel: Callable) -> dict[str, Any]:
    """The module-level names that the kernel reads, with their values."""
    names = {node.id for node in ast.walk(parse(kernel)) if isinstance(node, ast.Name)}
    known = inspect.unwrap(kernel).__globals__
    found = {name: known[name] for name in sorted(names) if name in known}
    for name, value in found.items():
        if not isinstance(value, int):
            raise TypeError(f"{kernel.__name__} reads {name}, which is no integer constant")
    return found


class Rewriter(ast.NodeTransformer):
    """Turns `a[i] += v` into `a[i] = a[i] + v`, so that a subclass sees every load, store and operation."""

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        target = ast.unparse(node.target)
        load = ast.parse(target, mode="eval").body
        plain = ast.Assign([node.target], ast.BinOp(load, node.op, node.value))
        return self.visit(ast.copy_location(plain, node))


def rewrite(kernel: Callable, rewriter: ast.NodeTransformer) -> str:
    """The source text of the kernel after `rewriter`, its constants first."""
    tree = ast.parse(ast.unparse(parse(kernel)))  # a copy: transformers change what they visit
    tree = ast.fix_missing_locations(rewriter.visit(tree))
    header = [f"{name} = {value!r}" for name, value in constants(kernel).items()]
    return "\n".join([*header, "", ast.unparse(tree), ""])
