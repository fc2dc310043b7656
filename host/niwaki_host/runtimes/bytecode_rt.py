"""Bytecode on MicroPython's unix port: the 32-bit build, or PyPI's wheel of 64 bits where none can be built.

The wheel runs stripped sources, and ends with the same bytes. Its words are twice as wide, so the heap that
it uses tells nothing about a board: with the wheel no size of the heap can be set.
"""

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from niwaki_host.errors import UsageError
from niwaki_host.runtimes import unix_rt, wasm_rt
from niwaki_host.runtimes.result import Job, Run
from niwaki_host.toolchain import pypi

_HEAP = 4 << 20  # large, because words have 64 bits and sources are compiled in it
_WHERE = "micropython-bytecode"


def obstacle() -> str | None:
    why = unix_rt.obstacle()
    return None if why is None or pypi.unix() else f"{why}; or, without a compiler: {pypi.HOW}"


def _start(work: Path, module: str) -> subprocess.Popen:
    command = [*(pypi.unix() or []), "-X", f"heapsize={_HEAP}", "-m", module]
    environment = {**os.environ, "MICROPYPATH": str(work)}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, cwd=work, env=environment, **pipes)


def execute(source: str, **options: Any) -> str:
    """Run a script that may import niwaki; returns what it prints."""
    if unix_rt.obstacle() is None:
        return unix_rt.execute(source, viper=False, **options)
    with tempfile.TemporaryDirectory(prefix="niwaki-") as name:
        wasm_rt.stage(Path(name), {"script.py": source})
        process = _start(Path(name), "script")
        output, _ = process.communicate()
    if process.returncode:
        raise unix_rt.failure(output, _HEAP, _WHERE)
    return output


def run(job: Job, *, heap: int | None = None, **options: Any) -> Run:
    if (why := unix_rt.obstacle()) is None:
        return unix_rt.run(job, viper=False, heap=heap, **options)
    if heap:
        raise UsageError(f"a heap of a fixed size needs the 32-bit build of MicroPython: {why}")
    with tempfile.TemporaryDirectory(prefix="niwaki-") as name:
        work = Path(name)
        wasm_rt.stage(work, unix_rt.put_job(work, job))
        output = unix_rt.wait(_start(work, "driver"), work / "predictions", job, _HEAP, _WHERE)
        return unix_rt.take_result(work, job, output, None)
