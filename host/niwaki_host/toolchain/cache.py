"""The directory that keeps what is built or downloaded, and the lock that lets one builder in at a time."""

import contextlib
import functools
import getpass
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from niwaki_host.errors import UsageError, notice


def root() -> Path:
    """`NIWAKI_CACHE`, or `niwaki` in the user's cache directory; a temporary one where that can't be."""
    if own := os.environ.get("NIWAKI_CACHE"):
        wanted = Path(own).expanduser().absolute()
    else:
        wanted = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "niwaki"
    return _usable(wanted)


def writable(directory: Path) -> bool:
    """Whether files can be made in a directory, which is made itself where it can be."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(directory, os.W_OK)


@functools.cache
def _usable(wanted: Path) -> Path:
    if writable(wanted) or (wanted.is_dir() and any(wanted.iterdir())):  # what is there can still be read
        return wanted
    return _instead(wanted)


@functools.cache
def _instead(wanted: Path) -> Path:
    place = Path(tempfile.gettempdir()) / f"niwaki-{_user()}"
    notice(f"{wanted} can't be written to: what is built or compiled goes to {place}")
    return place


def room(name: str) -> Path:
    """A folder of the cache that can be written to: for what is cheap to make again."""
    folder = root() / name
    if writable(folder):
        return folder
    folder = _instead(root()) / name
    if not writable(folder):
        raise UsageError(
            f"{folder}: no place for compiled code; set NIWAKI_CACHE to a directory that can be written"
        )
    return folder


def lend_to_matplotlib() -> None:
    """Give matplotlib a folder if home can't be written to: else it prints two long lines at every start."""
    if "MPLCONFIGDIR" in os.environ or sys.platform != "linux":
        return
    own = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "matplotlib"
    if not writable(own):
        os.environ["MPLCONFIGDIR"] = str(room("matplotlib"))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # the user has a number but no name, as in a container
        return str(os.getuid())


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold the directory's lock; a second builder waits and then finds the work done."""
    import fcntl  # Windows has no fcntl: only what builds needs it

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
