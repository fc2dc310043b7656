"""Models between desktop and board: `niwaki push`, `niwaki pull`.

A board keeps a model in two files, `path` and `path~`, and is whole at any moment because one of them is
(mcu/niwaki/image.py). A push does as `save` does there: the new image goes to `path~`, is proved by its
checksum, and only then is copied over `path`, on the board.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from niwaki import image
from niwaki_host.deploy import arch
from niwaki_host.deploy.link import Link
from niwaki_host.device import images
from niwaki_host.errors import DeviceError, UsageError
from niwaki_host.runtimes.result import digest

_PLACES = ("/", "/flash", "/sd")  # where boards keep files

_COPY = """
def _copy(source, target):
    buf = bytearray(256)
    with open(source, "rb") as f, open(target, "wb") as g:
        while True:
            n = f.readinto(buf)
            if not n:
                break
            g.write(memoryview(buf)[:n])
_copy({source!r}, {target!r})
del _copy
"""

# The board's own load proves the image; the digest is that of the loaded arrays.
_LOAD = """
import gc
gc.collect()
def _loaded(path):
    try:
        import niwaki
    except ImportError:
        return None
    try:
        from binascii import crc32
    except ImportError:
        from niwaki.crc import crc32
    m = niwaki.load(path)
    return "%08x" % crc32(m.octets, crc32(m.halves, crc32(m.words))), m.restored()
print(repr(_loaded({path!r})))
"""

# Finds the files that begin as a model does.
_FIND = """
import os
def _models(place):
    found = []
    try:
        names = [e[0] for e in os.ilistdir(place) if e[1] == 0x8000]
    except OSError:
        return found
    for name in names:
        path = place.rstrip("/") + "/" + name
        with open(path, "rb") as f:
            if f.read(6) == b"NIWAKI":
                found.append(path)
    return found
print(repr([p for place in {places!r} for p in _models(place)]))
"""


@dataclass
class Moved:
    """What was moved, and what was found where it went."""

    source: str
    target: str
    model: Any
    digest: str
    checked: str  # how the copy was checked
    replaced: Any = None  # the model that was there before
    changed: bool = True
    restarted: bool = False

    def record(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "target": self.target,
            "digest": self.digest,
            "checked": self.checked,
            "samples": self.model.samples,
            "model_bytes": self.model.nbytes,
            "replaced": None if self.replaced is None else repr(self.replaced),
            "changed": self.changed,
            "restarted": self.restarted,
        }


def push(
    port: str,
    data: bytes,
    name: str,
    target: str,
    *,
    force: bool = False,
    advance: Callable[[int], None] = lambda done: None,
) -> Moved:
    """Put an image onto the board at `port` as `target`, and see that the board loads just that model."""
    model = images.from_bytes(data)  # proved here first: nothing else reaches the board
    target = posixpath.join("/", target)
    with Link(port) as link:
        old = link.get(target)
        if old is None:
            old = link.get(image.twin(target))  # a save that a power cut tore may have left only this one
        changed = old != data
        replaced = model_or_none(old) if changed else None
        if old is not None and changed and not force:
            held = f"another model, {replaced!r}" if replaced else "a file that is no model of this version"
            raise UsageError(
                f"{target} on the board holds {held}: --force writes over it, --to NAME keeps both, "
                "and niwaki pull brings it home first"
            )
        if changed:
            _write(link, data, target, advance)
        moved = Moved(name, f"{port}:{target}", model, digest(model), _check(link, target, model))
        moved.replaced, moved.changed = replaced, changed
        moved.restarted = link.restart()
    return moved


def _write(link: Link, data: bytes, target: str, advance: Callable[[int], None]) -> None:
    twin = image.twin(target)
    # put() could skip it: an image ends in its own CRC, so all images of one length have the same CRC-32.
    try:
        link.write(twin, data, advance)
    except DeviceError as error:
        for code, why in (("ENOENT", "there is no such directory"), ("ENODEV", "there is no file system")):
            if code in str(error):
                raise UsageError(f"{target}: {why} on the board") from None
        raise
    if link.get(twin) != data:
        raise DeviceError(f"{target} did not arrive whole; what the board had before is untouched: try again")
    link.execute(_COPY.format(source=twin, target=target))


def _check(link: Link, target: str, model: Any) -> str:
    try:
        found = arch.parse(link.execute(_LOAD.format(path=target)))
    except DeviceError as error:
        if "MemoryError" in str(error):
            raise UsageError(
                f"{target} is on the board, whole, but the code and the model do not fit its heap: "
                "niwaki deploy --romfs leaves more of it, as does a smaller --budget"
            ) from None
        if "ImageError" in str(error) or "Foreign" in str(error):
            why = str(error).splitlines()[-1].partition(":")[2].strip()
            raise UsageError(
                f"{target} is on the board, whole, but the board's niwaki refuses it: {why}; niwaki deploy "
                "brings this version, and its --parts the class"
            ) from None
        raise
    if found is None:
        return "bytes only: the board has no niwaki as yet, niwaki deploy brings it"
    if found != (digest(model), ""):
        raise DeviceError(f"the board loads another model from {target}: digest {found[0]} {found[1]}")
    return "loaded there, same digest"


def model_or_none(data: bytes | None) -> Any:
    """The model of an image; None if it is no image of this version."""
    try:
        return None if data is None else images.from_bytes(data)
    except UsageError:
        return None


def pull(
    port: str, path: str | None = None, advance: Callable[[int], None] = lambda done: None
) -> tuple[str, bytes, Any, str, bool]:
    """The model at `path` on the board, or its only one: path, image, model, a note, whether main.py runs.

    As `load` does on the board, the other of the two files is taken when the newest does not pass.
    """
    with Link(port) as link:
        path = posixpath.join("/", path) if path else _only(link)
        data = link.get(path, advance)
        model, note = model_or_none(data), ""
        if model is None:
            other = link.get(image.twin(path), advance)
            model = model_or_none(other)
            if model is None and data is None and other is None:
                raise UsageError(f"there is no {path} on the board{_there(link)}")
            if model is None:
                images.from_bytes(data or other or b"")  # raises what is wrong with it
            state = "is not there" if data is None else "is damaged"
            note = f"{path} {state}: this is the model before, from {image.twin(path)}"
            data = other
        assert data is not None
        return path, data, model, note, link.restart()


def models(link: Link) -> list[str]:
    """Paths of the models on the board, without the second file of each."""
    found = arch.parse(link.execute(_FIND.format(places=_PLACES)))
    return sorted({path.removesuffix("~") for path in found})


def _only(link: Link) -> str:
    found = models(link)
    if not found:
        raise UsageError("there is no model on the board, at its top level: name the file, niwaki pull PATH")
    if len(found) > 1:
        raise UsageError(f"more than one model on the board: name one of {', '.join(found)}")
    return found[0]


def _there(link: Link) -> str:
    found = models(link)
    return f"; there is {', '.join(found)}" if found else ""
