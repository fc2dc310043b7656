"""Models in files: power-cut safe when saving, suspicious when loading.

An image is a pure function of the model, so it has the same bytes on every runtime, little-endian:

    0   "NIWAKI"
    6   format version, kind (1 tree, 2 shrubs, 3 grove)
    8   lengths of words, halves and octets, 32 bits each
    20  words, halves, octets
        in format 2 what is told about the model, up to 4,096 bytes: about.py
        CRC-32 of everything before

`save(path)` keeps two files, `path` and `path~`, and writes one after the other. While `path~` is written,
`path` holds the previous model; while `path` is, `path~` holds the previous or the new one. So a power cut
at any byte leaves a torn file, which its CRC gives away, and a whole one. `path`, when it is whole, is always
the newest. Nothing is renamed or removed, because that is not atomic on FAT. A file of the right size is
written over in place: then FAT changes no table, and in its directory only the time. A save writes one image
and two in turn, and nothing at all when the model has not changed.

`load(path)`, in generations.py, has no faith in a file. Kernels have no bounds checks, so before one runs
everything that can become an index, a loop or an overflow is proved to be what the constructor and `learn`
could have left there: see tree/check.py, shrubs/check.py and grove/check.py.
"""

import os
import sys
from array import array

from micropython import const

from . import fetch
from .model import ImageError, forget

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_ABOUT = const(6)
_IDENTITY = const(0)
_WORDS = const(1)
_HALVES = const(2)
_OCTETS = const(3)
_FEATURES = const(5)
_MAGIC = const(0x4E0000)
_FORMAT = const(1)
_FORMAT_ABOUT = const(2)
_KIND_AT = const(8)
_KIND_MASK = const(255)
_RING = const(0x1000000)
_BUSY = const(0x2000000)
_TORN = const(0x4000000)

try:
    from binascii import crc32
except ImportError:
    from .crc import crc32

_refused = None  # CRC of a whole image that did not pass its proof
_HEAD = 20
FORMAT_AT = 6
_LONGEST = 64  # no model has a longer header
_CHUNK = 128  # bytes read at a time to check a file; the only buffer that saving needs
_KINDS = {  # module, class, checks
    1: ("tree.tree", "Tree", "tree.check"),
    2: ("shrubs.shrubs", "Shrubs", "shrubs.check"),
    3: ("grove.grove", "Grove", "grove.check"),
}


class Foreign(ImageError):
    """Not damaged, but not for this version or this board: an older file must not take its place unasked."""


def twin(path):
    """The file beside `path` that keeps a whole model while `path` is written."""
    return path + "~"


def as_str(path):
    """A path as a str. Anything else is refused: str() of it would be the name of a strange file."""
    if hasattr(path, "__fspath__"):
        path = path.__fspath__()
    if not isinstance(path, str):
        raise TypeError("a path is a str, not %r" % (path,))
    return path


def refuse(crc):
    """Remember the CRC of an image that does not pass, None if it is torn: `save` does not count on it."""
    global _refused
    _refused = crc


def size(model):
    """Bytes of the model's image."""
    words = model._arrays[0]
    return _HEAD + 4 * words[_WORDS] + 2 * words[_HALVES] + words[_OCTETS] + len(section(model)) + 4


def section(model):
    """What is told about the model, as bytes."""
    a = model._arrays
    return fetch("about", "pack")(a[_A_ABOUT]) if len(a) > _A_ABOUT else b""


def _get(data, at):
    # Through bytes, because shifts would make large numbers, which are garbage, three times.
    return int.from_bytes(bytes(data[at : at + 4]), "little")


def _head(model):
    words = model._arrays[0]
    head = bytearray(_HEAD)
    head[:6] = b"NIWAKI"
    head[FORMAT_AT] = _FORMAT_ABOUT if len(model._arrays) > _A_ABOUT else _FORMAT
    head[7] = words[_IDENTITY] >> _KIND_AT & _KIND_MASK
    for k in range(3):
        head[8 + 4 * k : 12 + 4 * k] = words[1 + k].to_bytes(4, "little")
    return head


def _stored(path, buf):
    """CRC of the whole image in a file, or None when there is no whole image."""
    try:
        with open(path, "rb") as f:
            return _whole(f, buf)
    except OSError:
        return None


def _whole(f, buf):
    """CRC of the image in an open file, or None when it is torn; leaves the file at its start."""
    left = f.seek(0, 2) - 4
    f.seek(0)
    crc = 0
    while left > 0:
        part = buf
        if left < len(buf):
            part = memoryview(buf)[:left]
        n = f.readinto(part)
        if not n:
            return None
        crc = crc32(part if n == len(part) else memoryview(part)[:n], crc)
        left -= n
    if left < 0 or _get(f.read(4), 0) != crc:
        return None
    f.seek(0)
    return crc


def _write(path, model, head, end):
    """Write an image, over the old one when that has the same size."""
    total = size(model)
    mode = "wb"
    try:
        if os.stat(path)[6] == total:
            mode = "r+b"
    except OSError:
        pass
    with open(path, mode) as f:
        for data in (head, model._arrays[0], model._arrays[1], model._arrays[2], end):
            f.write(data)
        if hasattr(os, "fsync"):  # a desktop; on a board close() is enough
            f.flush()
            os.fsync(f.fileno())
    return total


def _check_sound(model):
    """Finish what an interrupt has left undone; refuse what would not load."""
    identity = model._arrays[_A_WORDS][_IDENTITY]
    if identity & _BUSY:
        model._nested(None)
    if identity & _TORN:
        raise ImageError("nothing is saved: an interrupt has left this model half changed")
    if hasattr(type(model), "_settle"):
        model._settle()
    if sys.implementation.name != "micropython":  # a board has no room for the proof of every save
        __import__("niwaki_host.device.images", globals(), locals(), ("prove",)).prove(model)


def save(model, path):
    """Save the model; returns the number of bytes written: 0 when the file holds this very model already."""
    path = as_str(path)
    _check_sound(model)
    head = _head(model)
    end = section(model)
    crc = crc32(model._arrays[2], crc32(model._arrays[1], crc32(model._arrays[0], crc32(head))))
    crc = crc32(end, crc)
    end += crc.to_bytes(4, "little")
    buf = bytearray(_CHUNK)
    old = _stored(path, buf)
    if old == crc:
        return 0
    alone = old is not None and old != _refused and _stored(twin(path), buf) != old
    buf = None
    written = _write(twin(path), model, head, end) if alone else 0
    return written + _write(path, model, head, end)


def read(f):
    """The model in an open file whose checksum is right."""
    scratch = _check_header(f)
    return _prove(_read(f), scratch)


def _check_head(head):
    if len(head) < _HEAD or head[:6] != b"NIWAKI":
        raise ImageError("not a model: it does not start with NIWAKI")
    if head[FORMAT_AT] > _FORMAT_ABOUT:
        raise Foreign(
            "saved by a newer niwaki, in format %d; this one reads up to format %d: update niwaki here"
            % (head[FORMAT_AT], _FORMAT_ABOUT)
        )
    if head[FORMAT_AT] < _FORMAT or head[7] not in _KINDS:
        raise Foreign("format %d, kind %d: there is no such model" % (head[FORMAT_AT], head[7]))


def _import(kind, which, name):
    """What `name` is in the module of a kind's class (0) or of its checks (2)."""
    try:
        return fetch(_KINDS[kind][which], name)
    except ImportError:
        raise Foreign("holds a model of class %s, which is not installed here" % _KINDS[kind][1])


def _sizes(f):
    """The kind that the file's header names, and sizes; leaves the file behind it."""
    total = f.seek(0, 2)
    f.seek(0)
    head = f.read(_HEAD)
    _check_head(head)
    sizes = [_get(head, 8 + 4 * k) for k in range(3)]
    more = total - (_HEAD + 4 * sizes[0] + 2 * sizes[1] + sizes[2] + 4)
    sizes.append(more)  # the length of what is told about the model
    if sizes[0] < 8 or not (0 < more <= 4096 if head[FORMAT_AT] == _FORMAT_ABOUT else more == 0):
        raise ImageError("damaged: %d bytes long, but its header speaks of other sizes" % total)
    return head[7], sizes


def _fill(f, data, size):
    if f.readinto(data) != size * len(data):
        raise ImageError("damaged: it ends too early")
    return data


def _check_header(f):
    """Prove the header, before room is made for the rest; returns the length of the scratch."""
    from .construct import Zeros

    kind, sizes = _sizes(f)
    words = _fill(f, array("i", Zeros(min(sizes[0], _LONGEST))), 4)
    if words[_IDENTITY] & ~_RING != _MAGIC | kind << _KIND_AT | _FORMAT:
        raise ImageError("damaged: its header and its words do not agree on what it is")
    for k in range(3):
        if words[_WORDS + k] != sizes[k]:
            raise ImageError("damaged: its header and its words do not agree on the sizes")
    f.seek(_HEAD + 4 * sizes[0] + 2 * sizes[1])
    values = f.read(max(0, min(words[_FEATURES], sizes[2])))
    places = 0
    if words[_IDENTITY] & _RING:
        f.seek(_HEAD + 4 * sizes[0] + 2 * sizes[1] - 4)
        places = int.from_bytes(f.read(2), "little")
        if not 1 <= places <= 4096:
            raise ImageError("damaged: %d places for samples that wait" % places)
    return _import(kind, 2, "check_header")(words, values, places)


def _read(f):
    """A model with the arrays of an open file in it, and nothing else as yet."""
    from .construct import Zeros

    kind, sizes = _sizes(f)
    model = object.__new__(_import(kind, 0, _KINDS[kind][1]))
    # The longest first, as in allocate(), and all before any is filled: reading takes heap, too.
    octets = bytearray(sizes[2])
    halves = array("H", Zeros(sizes[1]))
    model._arrays = (array("i", Zeros(sizes[0])), halves, octets)
    _fill(f, model._arrays[0], 4)
    _fill(f, model._arrays[1], 2)
    _fill(f, model._arrays[2], 1)
    if sizes[3]:
        model._arrays += (f.read(sizes[3]),)
    return model


def _prove(model, scratch):
    """Equip the model with what a kernel needs, once nothing in it can harm one."""
    kind = model._arrays[_A_WORDS][_IDENTITY] >> _KIND_AT & _KIND_MASK
    arrays = model._arrays[:3]
    told = model._arrays[3:]
    _import(kind, 2, "check")(*arrays)
    forget(_KINDS[kind][2])
    forget("proof tree.header_check tree.drift_check tree.room tree.header tree.options")
    forget("shrubs.plan shrubs.options grove.plan")
    from .construct import equip

    equip(model, *arrays, arrays[_A_WORDS][_FEATURES], scratch)
    forget("construct")
    if told:
        fetch("about_check", "prove")(model, told[0])
    if hasattr(type(model), "_choose_kernels"):
        model._choose_kernels()
    return model
