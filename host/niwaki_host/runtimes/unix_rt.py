"""MicroPython's unix port, 32 bits: viper machine code, or bytecode alone, in a heap of a stated size."""

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from niwaki_host.errors import DeviceError, HeapError, UsageError
from niwaki_host.runtimes import package
from niwaki_host.runtimes.events import FETCHES, NOTE, encode
from niwaki_host.runtimes.result import Job, Run, finish, set_state
from niwaki_host.toolchain import build

_MIN_HEAP, _MAX_HEAP = 700, 1 << 30  # what the port itself takes, and what 32 bits have room for


def obstacle() -> str | None:
    return build.obstacle("unix") or build.cross_obstacle()


def _start(work: Path, module: str, heap: int, component: str = "unix") -> subprocess.Popen:
    command = [str(build.ensure(component)), "-X", f"heapsize={heap}", "-m", module]
    environment = {**os.environ, "MICROPYPATH": str(work)}
    return subprocess.Popen(
        command, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def _stage(work: Path, files: dict[str, str], viper: bool) -> None:
    for name, data in package.compiled({**package.sources(), **files}, "x86" if viper else None).items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def failure(output: str, heap: int, where: str) -> Exception:
    """The error that a failed script's output stands for."""
    if "MemoryError" in output:
        return HeapError(f"{where}: a heap of {heap} bytes is too small: {output.strip().splitlines()[-1]}")
    return DeviceError(f"{where} failed:\n{output.strip()}")


def execute(source: str, heap: int = build.DEFAULT_HEAP, *, viper: bool = True, threads: bool = False) -> str:
    """Run a script that may import niwaki, on a build with or without threads; returns what it prints."""
    with tempfile.TemporaryDirectory(prefix="niwaki-") as name:
        work = Path(name)
        _stage(work, {"script.py": source}, viper)
        process = _start(work, "script", heap, "unix-threads" if threads else "unix")
        output, _ = process.communicate()
    if process.returncode:
        raise failure(output, heap, "micropython")
    return output


def run(job: Job, *, viper: bool, heap: int | None = None, **_options: Any) -> Run:
    heap = heap or package.default_heap(job.model.budget)
    if not _MIN_HEAP <= heap <= _MAX_HEAP:
        raise UsageError(f"a heap of 32-bit MicroPython must be {_MIN_HEAP}..{_MAX_HEAP} bytes, not {heap}")
    with tempfile.TemporaryDirectory(prefix="niwaki-") as name:
        work = Path(name)
        _stage(work, put_job(work, job), viper)
        output = wait(_start(work, "driver", heap), work / "predictions", job, heap, "micropython")
        return take_result(work, job, output, heap)


def put_job(work: Path, job: Job) -> dict[str, str]:
    """Write the stream that the driver reads; returns the driver and its settings, as sources."""
    settings = {
        "class_name": job.class_name,
        "shape": job.shape,
        "kwargs": job.kwargs,
        "keeps": job.keeps,
        "self_train": job.self_train,
        "image": job.image is not None,
    }
    with open(work / "events", "wb") as events, open(work / "X", "wb") as codes:
        for piece in job.pieces():
            codes.write(job.X[piece.rows[np.isin(piece.verbs, FETCHES)]].tobytes())
            events.write(piece.words(job.script.waiting).tobytes())
            if job.every and piece.done % job.every == 0:
                events.write(np.array([encode(NOTE), piece.done], np.int32).tobytes())
    if job.image is not None:
        (work / "image").write_bytes(job.image)
    lines = "".join(f"{key} = {value!r}\n" for key, value in settings.items())
    return {"driver.py": (package.DRIVERS / "unix.py").read_text(), "job.py": lines}


def take_result(work: Path, job: Job, output: str, heap: int | None) -> Run:
    """The Run, from what the driver printed and wrote; a heap without a size (None) has no peak to tell."""
    peak, milliseconds = map(int, output.split())
    set_state(job.model, *((work / name).read_bytes() for name in ("words", "halves", "octets")))
    predictions = job.answers_by_row(np.fromfile(work / "predictions", np.int16))
    curve = np.fromfile(work / "curve", np.int32).reshape(-1, 4) * (1, 1, 1, 0.001)
    seconds = max(milliseconds, 0.5) / 1000  # a run shorter than the clock's step took some time, too
    return finish(job, predictions, seconds, curve, heap_bytes=heap, peak_heap_bytes=peak if heap else None)


def wait(process: subprocess.Popen, predictions: Path, job: Job, heap: int, where: str) -> str:
    """Wait for the driver; how far it is shows in the size of the file it writes."""
    try:
        while True:
            try:
                output, _ = process.communicate(timeout=0.2 if job.progress else None)
                break
            except subprocess.TimeoutExpired:
                if predictions.exists():
                    job.advance(job.script.n_taught + predictions.stat().st_size // 2)
    finally:
        process.kill()
    if process.returncode:
        raise failure(output, heap, where)
    job.advance(job.script.n_steps)
    return output
