"""MicroPython's WebAssembly build under node: the bytecode that a browser runs, on stripped sources.

Its heap grows by itself, so there is no cap to set here.
"""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from niwaki_host.errors import UsageError
from niwaki_host.runtimes import package, unix_rt
from niwaki_host.runtimes.result import Job, Run
from niwaki_host.toolchain import system, wasm

_HEAP = 1 << 20  # bytes, to begin with


def obstacle() -> str | None:
    return system.missing(("npm",)) or wasm.obstacle()


def start(work: Path, module: str) -> subprocess.Popen:
    """Run a module of the directory `work`; the files that it writes are there when it has ended."""
    library = wasm.ensure() / "micropython.mjs"
    command = ["node", str(package.DRIVERS / "wasm.mjs"), str(library), str(work), module, str(_HEAP)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def stage(work: Path, files: dict[str, str]) -> None:
    """Put the device package and `files` into the directory, without what only machine code needs."""
    for name, text in package.flatten({**package.sources(), **files}).items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(package.strip(text))


def execute(source: str, **_options: Any) -> str:
    """Run a script that may import niwaki; returns what it prints."""
    with tempfile.TemporaryDirectory(prefix="niwaki-") as name:
        stage(Path(name), {"script.py": source})
        process = start(Path(name), "script")
        output, _ = process.communicate()
    if process.returncode:
        raise unix_rt.failure(output, _HEAP, "wasm")
    return output


def run(job: Job, *, heap: int | None = None, **_options: Any) -> Run:
    if heap:
        raise UsageError("runtime wasm has no heap of a fixed size: its heap grows")
    with tempfile.TemporaryDirectory(prefix="niwaki-") as name:
        work = Path(name)
        stage(work, unix_rt.put_job(work, job))
        output = unix_rt.wait(start(work, "driver"), work / "predictions", job, _HEAP, "wasm")
        return unix_rt.take_result(work, job, output, None)
