"""The directory that keeps what is built or downloaded, and the lock that lets one builder in at a time."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


def root() -> Path:
    """`NIWAKI_CACHE`, or `niwaki` in the user's cache directory."""
    if own := os.environ.get("NIWAKI_CACHE"):
        return Path(own).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "niwaki"


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold the directory's lock; a second builder waits and then finds the work done."""
    import fcntl  # not everywhere: what builds nothing does without

    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / ".lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def place(source: Path, target: Path) -> Path:
    """Copy a file so that `target` is never seen half written."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.copy2(source, partial)
    os.replace(partial, target)
    return target
