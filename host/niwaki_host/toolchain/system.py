"""Compilers and emulator from the system: what is there, and what installs the rest."""

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path


def _on_path(name: str) -> bool:
    return shutil.which(name) is not None


def _compiles(compiler: str, *flags: str) -> bool:
    """Whether the compiler is there and finds its C headers."""
    if not _on_path(compiler):
        return False
    source = "#include <string.h>\n#include <stdint.h>\nint main(void) { return 0; }\n"
    with tempfile.TemporaryDirectory() as work:
        command = [compiler, *flags, "-x", "c", "-", "-o", str(Path(work) / "out")]
        return subprocess.run(command, input=source, text=True, capture_output=True).returncode == 0


NEWLIB = "/usr/include/newlib"  # headers of a C library for bare metal, in Debian for all processors


class Need:
    """Something the system provides: how to see that it is there, which Debian packages bring it."""

    def __init__(self, label: str, packages: str, probe: Callable[[], bool]) -> None:
        self.label, self.packages = label, packages.split()
        self.present = functools.cache(probe)


NEEDS = {
    "make": Need("make and xz", "make xz-utils", lambda: _on_path("make") and _on_path("xz")),
    "cc": Need("a C compiler", "gcc libc6-dev", lambda: _compiles("gcc")),
    "cc32": Need("a C compiler for 32 bits", "gcc-multilib", lambda: _compiles("gcc", "-m32")),
    "arm": Need(
        "a C compiler for Cortex-M",
        "gcc-arm-none-eabi libnewlib-arm-none-eabi",
        lambda: _compiles("arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-c"),
    ),
    "riscv": Need(
        "a C compiler for RISC-V",
        "gcc-riscv64-unknown-elf libnewlib-dev",
        lambda: _compiles(
            "riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32", "-isystem", NEWLIB, "-c"
        ),
    ),
    "qemu": Need("QEMU for Arm", "qemu-system-arm", lambda: _on_path("qemu-system-arm")),
    "npm": Need("node and npm", "nodejs npm", lambda: _on_path("node") and _on_path("npm")),
    "java": Need("a Java runtime (for MOA)", "default-jre-headless", lambda: _on_path("java")),
}

# Debian's python3 comes without venv. `make setup` asks for it on its own, before all else.
VENV = Need(
    "Python's venv with pip",
    f"python3.{sys.version_info.minor}-venv",
    lambda: importlib.util.find_spec("ensurepip") is not None,
)

_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def browser() -> str | None:
    """A Chromium to open a sweep's report with."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


# Large, and for tests only: `make test` and `make browser` bring it, `make setup` does not.
BROWSER = Need("Chromium", "chromium-headless-shell", lambda: browser() is not None)


def missing(names: tuple[str, ...]) -> str | None:
    """What of `names` is not there and how to get it, or None."""
    absent = [NEEDS[name] for name in names if not NEEDS[name].present()]
    if not absent:
        return None
    packages = " ".join(package for need in absent for package in need.packages)
    return f"missing {', '.join(need.label for need in absent)}; on Debian: apt-get install {packages}"


# `make demo` does not need these: `make test` installs both, and `make playground` installs npm.
_LATER = ("npm", "riscv")
SETUP = [need for name, need in NEEDS.items() if name not in _LATER]


def install(report: Callable[[str], None], needs: Iterable[Need] = SETUP) -> None:
    """Install what is absent, when we may; say what is skipped, and why, when we may not."""
    absent = [need for need in needs if not need.present()]
    if not absent:
        report(f"{', '.join(need.label for need in needs)}: all there")
        return
    packages = [package for need in absent for package in need.packages]
    if shutil.which("apt-get") is None:
        report(f"skipped system packages (no apt-get here): {' '.join(packages)}")
        return
    if os.geteuid() != 0:
        report(f"skipped system packages (not root); run: apt-get install {' '.join(packages)}")
        return
    report(f"installing system packages: {' '.join(packages)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    for step in (["apt-get", "update", "-q"], command):
        done = subprocess.run(step, env=environment, capture_output=True, text=True)
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if line.startswith("E:")]
            report(f"skipped: {' '.join(step[:2])} failed: {(errors or ['no message'])[0]}")
    for need in absent:
        need.present.cache_clear()
