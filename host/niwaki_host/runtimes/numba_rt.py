"""numba: the same kernels as machine code of this desktop, over a whole stream in one compiled loop.

Every array load becomes a 64-bit signed integer, so that numba's rules for mixed and unsigned types never
apply, and every index an unsigned one, so that it does not test for Python's negative indices (a kernel has
none: `niwaki_host.checked` sees to that). The rewritten source is kept in the cache under a hash of its text;
numba keeps its machine code beside it, and a second run starts at once.
"""

import ast
import functools
import hashlib
import importlib.util
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np

from ..kernels import Rewriter, rewrite
from ..toolchain import cache
from .result import Job, Run, finish

_HEADER = """\
from numba import int64, njit, uintp

_jit = njit(cache=True, nogil=True, error_model="numpy")

"""
_STATE = "words, halves, octets, {x}, scratch, log2"


class Views(NamedTuple):
    """numpy views of a model's own arrays, in the order of a kernel's parameters."""

    words: np.ndarray
    halves: np.ndarray
    octets: np.ndarray
    x: np.ndarray
    scratch: np.ndarray
    log2: np.ndarray


def obstacle() -> str | None:
    return None


class _Loads(Rewriter):
    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        node.slice = ast.Call(ast.Name("uintp", ast.Load()), [node.slice], [])
        if isinstance(node.ctx, ast.Store):
            return node
        return ast.Call(ast.Name("int64", ast.Load()), [node], [])


def _load(source: str) -> Any:
    """Import generated source from the cache, under a name that its text decides."""
    key = f"{source}{numba.__version__}{np.__version__}".encode()
    name = f"niwaki_{hashlib.sha256(key).hexdigest()[:16]}"
    path = cache.root() / "numba" / f"{name}.py"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_text(source)
        partial.replace(path)
    return _import(name, path)


def _import(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # numba's cache looks its functions' modules up there
    spec.loader.exec_module(module)
    return module


def _kernel_source(kernel: Callable, name: str) -> str:
    text = rewrite(kernel, _Loads())
    return text.replace(f"def {kernel.__name__}(", f"@_jit\ndef {name}(", 1)


@functools.cache
def compiled(kernel: Callable) -> Callable:
    """One kernel as machine code; takes what `views` gives."""
    return _load(_HEADER + _kernel_source(kernel, kernel.__name__)).__dict__[kernel.__name__]


@functools.cache
def _loop(kernels: tuple[Callable, ...], learn_needs_predict: bool) -> Callable:
    """The prequential loop over samples first..last for one model's kernels.

    Kernels and loop are one generated module: they are optimised together, and numba's own cache, which does
    not follow calls between files, can't serve a loop with an old kernel in it.
    """
    names = ["predict", "learn", *(f"work{k}" for k in range(len(kernels) - 2))]
    parts = [_HEADER]
    for index, kernel in enumerate(kernels):
        # Constants of the kernels' modules may differ under one name: each kernel has its own.
        parts.append(_scoped(_kernel_source(kernel, names[index]), f"_{index}"))
    row, old = _STATE.format(x="X[t]"), _STATE.format(x="X[t - delay]")
    lines = [
        "@_jit",
        f"def loop({_STATE.format(x='x')}, X, labels, delay, predictions, first, last):",
        "    for t in range(first, last):",
        f"        predictions[t] = predict({row})",
        "        y = int64(labels[t])",
        "        if y < 0:",
        "            continue",
    ]
    if learn_needs_predict:
        lines += ["        if delay > 0:", f"            predict({old})"]
    lines.append(f"        due = learn({old}, y)")
    for k, name in enumerate(names[2:]):
        lines += [f"        if due & {1 << k}:", f"            while {name}({old}) != 0: pass"]
    return _load("\n".join([*parts, *lines, ""])).loop


def _scoped(source: str, suffix: str) -> str:
    """Rename the constants at the top of a kernel's source."""
    tree = ast.parse(source)
    names = {node.targets[0].id for node in tree.body if isinstance(node, ast.Assign)}  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id += suffix
    return ast.unparse(tree) + "\n"


def views(model: Any) -> Views:
    """numpy views of the model's arrays: kernels change the model itself."""
    from niwaki.fixed import LOG2

    return Views(
        np.frombuffer(model.words, np.int32),
        np.frombuffer(model.halves, np.uint16),
        np.frombuffer(model.octets, np.uint8),
        np.frombuffer(model._x, np.int16),
        np.frombuffer(model._scratch, np.int32),
        np.frombuffer(LOG2, np.uint16),
    )


def run(job: Job, **_options: Any) -> Run:
    model = job.model
    state = views(model)
    loop = _loop(tuple(model.KERNELS), type(model).LEARN_NEEDS_PREDICT)
    labels = job.delayed_labels()
    predictions = np.empty(job.n_samples, np.int16)
    loop(*state, job.X, labels, job.delay, predictions, 0, 0)  # compiles, or reads from the cache
    curve = []
    step = job.every or (max(1, job.n_samples // 100) if job.progress else job.n_samples)
    start = time.perf_counter()
    for first in range(0, job.n_samples, step or 1):
        last = min(first + step, job.n_samples)
        loop(*state, job.X, labels, job.delay, predictions, first, last)
        if job.every and last % job.every == 0:
            curve.append((last, model.n_nodes, model.n_leaves))
        job.advance(last)
    return finish(job, predictions, time.perf_counter() - start, curve)
