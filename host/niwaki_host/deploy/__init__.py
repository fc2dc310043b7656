"""Put the device package onto a board and see that it works there: `niwaki deploy`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from niwaki_host.deploy import arch, bundle, smoke
from niwaki_host.deploy import native as native_modules
from niwaki_host.deploy.link import Link, find_port
from niwaki_host.device import models
from niwaki_host.errors import DeviceError, HeapError, UsageError
from niwaki_host.runtimes import package
from niwaki_host.runtimes import romfs as romfs_image

__all__ = ["Report", "deploy"]


@dataclass
class Report:
    """What was found, done and measured."""

    port: str
    board: str
    micropython: str
    architecture: str
    files: int
    written: int
    flash_bytes: int
    digest: str
    desktop_digest: str
    unit: str
    per_learn: int
    heap_used: int
    heap_free: int

    @property
    def equal(self) -> bool:
        return self.digest == self.desktop_digest

    def record(self) -> dict[str, Any]:
        record = asdict(self)
        unit = record.pop("unit")
        record[f"{unit}_per_learn"] = record.pop("per_learn")
        return {**record, "equal": self.equal}


def deploy(
    port: str | None = None,
    *,
    model: str = "vfdt",
    shape: tuple[int, int, int] = (6, 4, 4096),
    settings: dict[str, Any] | None = None,
    parts: Collection[str] = bundle.ALL,
    bytecode: bool = False,
    native: bool = False,
    romfs: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> Report:
    """Compile the package for the board at `port`, copy it there, and run the smoke test with `model`.

    bytecode  no machine code; native  machine code from C
    romfs     into the ROMFS partition instead of the file system
    """
    if native and bytecode:
        raise UsageError("--native is machine code, --bytecode is none: choose one")
    models.build(model, *shape, **(settings or {}))  # first: a wrong option must not reach the board
    class_name, options = models.resolve(model, settings or {})
    if (part := class_name.lower()) not in parts:
        raise UsageError(f"model {model} needs part {part}: add it to --parts, or try out another --model")
    wanted = smoke.here(class_name, shape, options)
    port = port or find_port()
    written = 0
    with Link(port) as link:
        machine = arch.ask(link)
        if machine.name != "micropython":
            raise UsageError(f"{port} runs {machine.name}, not MicroPython")
        march = None if bytecode else machine.march
        say(f"{machine.machine}, MicroPython {machine.version}, {march or 'bytecode'}")
        if native:
            _check_native(machine, march)
            say("kernels and methods from C")
        files = _files(machine, parts, march, native)
        if not romfs and link.listing("/rom/lib/niwaki"):
            raise UsageError("the board's ROMFS partition holds niwaki, and would win: deploy with --romfs")
        if not romfs:
            written = _copy(link, files, machine.library)
            say(f"{written} of {len(files)} files copied to {machine.library}")
        elif not link.evaluate("hasattr(__import__('vfs'), 'rom_ioctl')"):
            raise UsageError("this board's firmware has no ROMFS partition; deploy without --romfs")
    if romfs:
        written = _write_romfs(port, files)
        say(f"{written} files written to ROMFS")
    with Link(port) as link:  # after another reset: the heap is fresh, ROMFS is mounted
        printed = _smoke(link, smoke.call(class_name, shape, options), machine)
    digest, unit, per_learn, used, free = arch.parse(printed)
    return Report(
        port=port,
        board=machine.machine,
        micropython=machine.version,
        architecture=f"{march}, native" if native else march or "bytecode",
        files=len(files),
        written=written,
        flash_bytes=sum(map(len, files.values())),
        digest=digest,
        desktop_digest=wanted,
        unit=unit,
        per_learn=per_learn,
        heap_used=used,
        heap_free=free,
    )


def _smoke(link: Link, call: str, machine: arch.Machine) -> str:
    try:
        return link.execute(_FORGET + smoke.SOURCE + f"\nprint(repr({call}))")
    except DeviceError as error:
        if "MemoryError" not in str(error):
            raise
        raise HeapError(
            "the code and a model do not fit the heap of the board, of which "
            f"{machine.free_heap:,} bytes were free: try a smaller --budget, --bytecode, or --romfs"
        ) from None


# A board that was not reset may have an older version in memory.
_FORGET = """
import sys
for _name in [n for n in sys.modules if n == "niwaki" or n.startswith("niwaki.")]:
    del sys.modules[_name]
"""


def _check_native(machine: arch.Machine, march: str | None) -> None:
    """Native modules are for the board's own architecture, and come as .mpy."""
    if march is None:
        raise UsageError(f"{machine.machine} runs bytecode only: deploy without --native")
    if not machine.loads_mpy:
        raise UsageError(f"MicroPython {machine.version} there does not take .mpy files of this version")
    if why := native_modules.obstacle(march):
        raise UsageError(f"no native modules for {march} here: {why}")


def _files(machine: arch.Machine, parts: Iterable[str], march: str | None, native: bool) -> dict[str, bytes]:
    if native and march:
        return native_modules.compiled(bundle.modules(parts), march)
    if machine.loads_mpy:
        return bundle.compiled(parts, march)
    sources = package.flatten(bundle.modules(parts))
    return {path: (text if march else package.strip(text)).encode() for path, text in sources.items()}


def _copy(link: Link, files: dict[str, bytes], library: str) -> int:
    """Copy, and remove what an earlier version left: a board imports an old .py before a new .mpy."""
    keep = {path.partition("/")[2] for path in files}
    for folder in ("", *(f"{part}/" for part in bundle.FOLDERS)):  # a board imports a folder before a file
        for name in link.listing(f"{library}/niwaki/{folder}".rstrip("/")):
            if folder + name not in keep and name.endswith((".py", ".mpy")):
                link.remove(f"{library}/niwaki/{folder}{name}")
    return link.put(files, library)


def _write_romfs(port: str, files: dict[str, bytes]) -> int:
    with tempfile.TemporaryDirectory(prefix="niwaki-") as name:
        image = Path(name) / "niwaki.romfs"
        image.write_bytes(romfs_image.image({f"lib/{path}": data for path, data in files.items()}))
        command = [sys.executable, "-m", "mpremote", "connect", port, "romfs", "deploy", str(image)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise UsageError(f"mpremote can't write the ROMFS partition: {lines[-1]}")
    return len(files)
