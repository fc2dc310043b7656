"""C: the kernels translated to C99, compiled by the machine's own compiler, called through ctypes."""

from __future__ import annotations

import ctypes
import functools
import time
from typing import Any

import numpy as np

from niwaki import layout
from niwaki_host.device import c_build
from niwaki_host.device.c_model import TEMPLATES, Parts, Unit, parts_of, steps
from niwaki_host.runtimes.events import LABEL_MASK, PIECE, VERB_SHIFT, VERBS
from niwaki_host.runtimes.result import Job, Run, finish

__all__ = ["obstacle", "run"]

obstacle = c_build.obstacle


def source(parts: Parts) -> str:
    """A model's kernels and the loop around them."""
    unit = Unit(parts.prefix, parts.all, integer="int_fast32_t")  # as wide as an address, on a desktop
    loop = (TEMPLATES / "loop.c").read_text()
    answers, recall = map(unit.call, parts.credit) if parts.credit else ("0", "(void)answered")
    texts = {
        "answer": f"{unit.prefix}_answer",
        "teach": f"{unit.prefix}_teach",
        "margin": unit.call(parts.margin) if parts.margin else "65537",
        "answers": answers,
        "recall": recall,
        "VERB_SHIFT": VERB_SHIFT,
        "LABEL_MASK": LABEL_MASK,
        **VERBS,
    }
    for name, text in texts.items():
        loop = loop.replace(f"@{name}@", str(text))
    return unit.source() + "\n" + steps(unit, parts) + loop


@functools.cache
def _loop(parts: Parts) -> Any:
    library = ctypes.CDLL(str(c_build.build(source(parts))))
    loop = library.niwaki_loop
    loop.restype = None
    loop.argtypes = [*[ctypes.c_void_p] * 9, *[ctypes.c_int64] * 2, ctypes.c_int32]
    return loop


def _addresses(model: Any) -> list[int]:
    """The addresses of words, halves, octets and scratch."""
    return [np.frombuffer(array, np.uint8).ctypes.data for array in model._arrays[: layout.A_LOG2]]


def run(job: Job, **_options: Any) -> Run:
    loop = _loop(parts_of(job.model))
    predictions, kept = job.predictions(), np.zeros(job.script.waiting, np.int32)
    arrays = _addresses(job.model)
    curve, seconds = [], 0.0
    for piece in job.pieces(min(PIECE, max(1, job.script.n_steps // 100)) if job.progress else PIECE):
        stream = [array.ctypes.data for array in (job.X, piece.codes, piece.rows, kept, predictions)]
        start = time.perf_counter()
        loop(*arrays, *stream, len(piece.codes), len(kept), job.self_train)
        seconds += time.perf_counter() - start
        if job.every and piece.done % job.every == 0:
            curve.append(job.point(piece.done, seconds))
        job.advance(piece.done)
    return finish(job, predictions, seconds, curve)
