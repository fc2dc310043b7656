"""The machine's own C compiler: generated source to a shared library, kept in the cache."""

from __future__ import annotations

import functools
import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from niwaki_host.errors import DeviceError, UsageError
from niwaki_host.toolchain import cache

# A desktop CPU predicts branches well. Without the two options the compiler would replace some branches by
# code that computes both values, and the CPU would wait for both.
LIBRARY_FLAGS = ("-std=c99", "-O2", "-fno-if-conversion", "-fno-if-conversion2", "-fPIC", "-shared")


def compiler() -> list[str] | None:
    """The compiler that $CC names, or the first of cc, gcc and clang that exists; None if there is none."""
    if own := os.environ.get("CC"):
        command = shlex.split(own)
        return command if shutil.which(command[0]) else None
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    return [found] if found else None


def obstacle() -> str | None:
    """Why nothing can be compiled here, or None."""
    if compiler():
        return None
    if own := os.environ.get("CC"):
        return f"CC names {own}, which is not on the path"
    return "there is no C compiler; on Debian: apt-get install gcc libc6-dev"


@functools.cache
def _version(command: tuple[str, ...]) -> str:
    done = subprocess.run([*command, "--version"], capture_output=True, text=True)
    return done.stdout.partition("\n")[0]


def build(source: str, flags: Sequence[str] = LIBRARY_FLAGS, suffix: str = ".so") -> Path:
    """Compile C source; the cache keeps the result under a hash of source, flags and compiler."""
    command = compiler()
    if command is None:
        raise DeviceError(obstacle() or "")
    key = "\0".join([source, *flags, *command, _version(tuple(command))])
    name = hashlib.sha256(key.encode()).hexdigest()[:20]
    folder = cache.room("c")
    target = folder / f"{name}{suffix}"
    if target.exists():
        return target
    partial = folder / f".{name}.{os.getpid()}{suffix}"
    text = folder / f"{name}.c"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text.write_text(source)
    except OSError as error:
        raise UsageError(
            f"{folder}: no place for compiled code ({error.strerror}); set NIWAKI_CACHE to a directory "
            "that can be written"
        ) from None
    done = subprocess.run([*command, *flags, "-o", partial, text], capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or ["no message"]
        raise DeviceError(f"{command[0]} refuses {text}: {lines[0]}")
    os.replace(partial, target)
    return target
