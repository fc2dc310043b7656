"""C: the kernels translated to C99, compiled by the machine's own compiler, called through ctypes."""

from __future__ import annotations

import ctypes
import functools
import time
from typing import Any

import numpy as np

from niwaki_host.device import c_build
from niwaki_host.device.c_model import TEMPLATES, Parts, Unit, parts_of, steps
from niwaki_host.runtimes.result import Job, Run, finish

__all__ = ["obstacle", "run"]

obstacle = c_build.obstacle


def source(parts: Parts) -> str:
    """A model's kernels and the loop around them."""
    unit = Unit(parts.prefix, parts.all)
    loop = (TEMPLATES / "loop.c").read_text()
    margin = unit.call(parts.margin) if parts.margin else "65537"
    for name, text in (
        ("answer", f"{unit.prefix}_answer"),
        ("teach", f"{unit.prefix}_teach"),
        ("margin", margin),
    ):
        loop = loop.replace(f"@{name}@", text)
    return unit.source() + "\n" + steps(unit, parts) + loop


@functools.cache
def _loop(parts: Parts) -> Any:
    library = ctypes.CDLL(str(c_build.build(source(parts))))
    loop = library.niwaki_loop
    loop.restype = None
    loop.argtypes = [*[ctypes.c_void_p] * 7, *[ctypes.c_int64] * 3, ctypes.c_int32]
    return loop


def _addresses(model: Any) -> list[int]:
    """Of words, halves, octets and scratch."""
    return [np.frombuffer(array, np.uint8).ctypes.data for array in model._arrays[:4]]


def run(job: Job, **_options: Any) -> Run:
    loop = _loop(parts_of(job.model))
    labels = job.delayed_labels()
    predictions = np.empty(job.n_samples, np.int16)
    stream = [array.ctypes.data for array in (job.X, labels, predictions)]
    arrays = _addresses(job.model)
    curve = []
    step = job.every or (max(1, job.n_samples // 100) if job.progress else job.n_samples)
    seconds = 0.0
    for first in range(0, job.n_samples, step or 1):
        last = min(first + step, job.n_samples)
        start = time.perf_counter()
        loop(*arrays, *stream, first, last, job.delay, job.self_train)
        seconds += time.perf_counter() - start
        if job.every and last % job.every == 0:
            curve.append(job.point(last, seconds))
        job.advance(last)
    return finish(job, predictions, seconds, curve)
