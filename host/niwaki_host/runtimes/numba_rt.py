"""numba: the same kernels as machine code of this desktop, over a whole stream in one compiled loop.

Every array load becomes a 64-bit signed integer, so that numba's rules for mixed and unsigned types never
apply, and every index an unsigned one, so that it does not test for Python's negative indices (a kernel has
none: `niwaki_host.device.checked` sees to that). The rewritten source is kept in the cache under a hash of
its text; numba keeps its machine code beside it, and a second run starts at once.
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

import numpy as np

from niwaki import layout
from niwaki.unlabelled import margin_of
from niwaki_host import jit
from niwaki_host.device.kernels import Rewriter, parse, rewrite
from niwaki_host.device.schedule import Schedule, schedule_of
from niwaki_host.errors import UsageError
from niwaki_host.runtimes.events import LABEL_MASK, PIECE, VERB_SHIFT, VERBS
from niwaki_host.runtimes.result import Job, Run, finish
from niwaki_host.toolchain import cache

_HEADER = """\
from numba import int64, njit, uintp

"""
_KERNEL = 'njit(cache=True, nogil=True, error_model="numpy")'
# The loop passes bare addresses to kernels, for speed: numba would pass an array as seven arguments, and
# would count references to a row of X.
_LOOP_HEADER = """\
from numba import types
from numba.extending import intrinsic


def _pointer_to(kind):
    @intrinsic
    def cast(typing, address):
        def code(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return types.CPointer(kind)(types.uintp), code

    return cast


int16s, int32s = _pointer_to(types.int16), _pointer_to(types.int32)
uint8s, uint16s = _pointer_to(types.uint8), _pointer_to(types.uint16)


"""
_INNER = 'njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)'
# Verbs are those of events.py. A sample that is not the one just asked is predicted first: the learn kernel
# uses what predict leaves in the scratch.
_LOOP = """\
@njit(cache=True, nogil=True, error_model="numpy")
def loop(addresses, samples, length, codes, rows, kept, predictions):
    words, halves, octets = int32s(addresses[0]), uint16s(addresses[1]), uint8s(addresses[2])
    scratch, log2 = int32s(addresses[4]), uint16s(addresses[5])
    for event in range(len(codes)):
        verb, y = int64(codes[event]) >> {shift}, int64(codes[event]) & {mask}
        row = int64(rows[event])
        x = int16s(samples + uintp(2 * row * length))
        if verb == {ASK}:
            predictions[row] = {predict}
            continue
{hooks}
        if verb != {LEARN}:
            {predict}
{recall}
        due = {learn}
        while due > 0:
"""
_SELF_TRAIN = """\
        if verb == {GUESS}:
            y = {predict}
            if {margin} < int64(addresses[6]):
                continue"""
_DEFER = """\
        if verb == {DEFER}:
            kept[row % len(kept)] = {answers}
            continue"""
_RECALL = """\
            answered = int64(-1)
            if verb == {LABEL}:
                answered = int64(kept[row % len(kept)])
            {recall}"""
_ASK = """\
@{inner}
def ask({arguments}:
    answer = {predict}
    while answer < 0:
{before}
        answer = {predict}
    return answer


"""
_BEFORE = """\
        if answer == -{said}:
            {call}
"""
_WORK = """\
            if due & {bit}:
                while {call} != 0:
                    pass
"""
_TURN = """\
            if due & {turn}:
                {predict}
                due = {learn}
                continue
"""
_AGAIN = """\
            due = {again}
"""


class Views(NamedTuple):
    """numpy views of a model's own arrays, in the order of a kernel's parameters."""

    words: np.ndarray
    halves: np.ndarray
    octets: np.ndarray
    x: np.ndarray
    scratch: np.ndarray
    log2: np.ndarray


def obstacle() -> str | None:
    return None if jit.available else jit.MISSING


class _Loads(Rewriter):
    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        node.slice = ast.Call(ast.Name("uintp", ast.Load()), [node.slice], [])
        if isinstance(node.ctx, ast.Store):
            return node
        return ast.Call(ast.Name("int64", ast.Load()), [node], [])


def _load(source: str) -> Any:
    """Import generated source from the cache, under a name that is made from its text."""
    import numba

    key = f"{source}{numba.__version__}{np.__version__}".encode()
    name = f"niwaki_{hashlib.sha256(key).hexdigest()[:16]}"
    path = cache.room("numba") / f"{name}.py"
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(f".{os.getpid()}")
            partial.write_text(source)
            partial.replace(path)
    except OSError as error:
        raise UsageError(
            f"{path.parent}: no place for compiled code ({error.strerror}); set NIWAKI_CACHE to a directory "
            "that can be written"
        ) from None
    return _import(name, path)


def _import(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # numba's cache looks its functions' modules up there
    spec.loader.exec_module(module)
    return module


def _kernel_source(kernel: Callable, name: str, decorator: str = _KERNEL) -> str:
    text = rewrite(kernel, _Loads())
    return text.replace(f"def {kernel.__name__}(", f"@{decorator}\ndef {name}(", 1)


@functools.cache
def compiled(kernel: Callable) -> Callable:
    """One kernel as machine code; takes what `views` gives."""
    return _load(_HEADER + _kernel_source(kernel, kernel.__name__)).__dict__[kernel.__name__]


@functools.cache
def _loop(schedule: Schedule, margin: Callable, credit: tuple[Callable, ...]) -> Callable:
    """The loop over events for a model's schedule; `credit` are its `answers` and `recall`, if it has any.

    The loop always contains self-training: a second loop without it would take seconds more to compile.

    Kernels and loop are one generated module: numba's own cache, which does not follow calls between files,
    could otherwise serve a loop with an old kernel in it.
    """
    named = {"predict": schedule.predict, "learn": schedule.learn, "margin": margin}
    named.update({f"due{step.due}": step.kernel for step in schedule.steps})
    named.update({f"before{said}": kernel for said, kernel in enumerate(schedule.before, 1)})
    if schedule.again:
        named["again"] = schedule.again.kernel
    named.update(zip(("answers", "recall"), credit, strict=False))
    parts = [_HEADER, _LOOP_HEADER]
    calls: dict[str, Any] = {"shift": VERB_SHIFT, "mask": LABEL_MASK, "turn": schedule.turn, **VERBS}
    for index, (name, kernel) in enumerate(named.items()):
        # Two kernels' modules may give one name different values, so each kernel has its own constants.
        parts.append(_scoped(_kernel_source(kernel, name, _INNER), f"_{index}"))
        calls[name] = f"{name}({', '.join(argument.arg for argument in parse(kernel).args.args)})"
    if schedule.before:
        said = range(1, len(schedule.before) + 1)
        before = "".join(_BEFORE.format(said=i, call=calls[f"before{i}"]) for i in said).rstrip()
        arguments = calls["predict"].partition("(")[2]
        parts.append(_ASK.format(inner=_INNER, arguments=arguments, before=before, **calls))
        calls["predict"] = calls["predict"].replace("predict", "ask", 1)
    hooks = [text.format(**calls) for text in (_SELF_TRAIN, *([_DEFER] if credit else []))]
    recall = _RECALL.format(**calls) if credit else ""
    parts.append(_LOOP.format(**{**calls, "hooks": "\n".join(hooks), "recall": recall}))
    parts += [_WORK.format(bit=step.due, call=calls[f"due{step.due}"]) for step in schedule.steps]
    parts.append(_TURN.format(**calls))
    parts.append(_AGAIN.format(**{"again": 0, **calls}))
    return _load("\n".join(parts)).loop


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
    from niwaki.model import LOG2

    return Views(
        np.frombuffer(model.words, np.int32),
        np.frombuffer(model.halves, np.uint16),
        np.frombuffer(model.octets, np.uint8),
        np.frombuffer(model._arrays[layout.A_SAMPLE], np.int16),
        np.frombuffer(model._arrays[layout.A_SCRATCH], np.int32),
        np.frombuffer(LOG2, np.uint16),
    )


def loop_of(model: Any) -> Callable:
    """The model's kernels as one compiled loop over events, for those who call it in other ways than `run`.

    The seventh of its addresses is not an address but the margin for self-training; only GUESS reads it.
    """
    return _loop(schedule_of(model), margin_of(model), getattr(type(model), "CREDIT", ()))


def run(job: Job, **_options: Any) -> Run:
    model = job.model
    addresses = np.array([*(view.ctypes.data for view in views(model)), job.self_train], np.uintp)
    loop = loop_of(model)
    predictions, kept = job.predictions(), np.zeros(job.script.waiting, np.int32)
    samples = np.uintp(job.X.ctypes.data), job.X.shape[1]
    nothing = np.zeros(0, np.int32)
    loop(addresses, *samples, nothing, nothing, kept, predictions)  # compiles, or reads from the cache
    curve, seconds = [], 0.0
    for piece in job.pieces(min(PIECE, max(1, job.script.n_steps // 100)) if job.progress else PIECE):
        start = time.perf_counter()
        loop(addresses, *samples, piece.codes, piece.rows, kept, predictions)
        seconds += time.perf_counter() - start
        if job.every and piece.done % job.every == 0:
            curve.append(job.point(piece.done, seconds))
        job.advance(piece.done)
    return finish(job, predictions, seconds, curve)
