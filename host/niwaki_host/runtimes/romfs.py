"""A read-only file system image for MicroPython's VfsRom: code in it is imported without a copy of its bytes.

Format: records of (kind, length, payload), numbers as big-endian groups of seven bits.
https://github.com/micropython/micropython/blob/master/extmod/vfs_rom.c
"""

_MAGIC = b"\xd2\xcd\x31"
_DATA, _DIRECTORY, _FILE = 2, 4, 5


def _number(value: int) -> bytes:
    encoded = [value & 0x7F]
    while value := value >> 7:
        encoded.insert(0, 0x80 | (value & 0x7F))
    return bytes(encoded)


def _record(kind: int, payload: bytes) -> bytes:
    return _number(kind) + _number(len(payload)) + payload


def _text(name: str) -> bytes:
    return _number(len(name)) + name.encode("ascii")


def _content(files: dict[str, bytes]) -> bytes:
    result = b""
    folders: dict[str, dict[str, bytes]] = {}
    for path, data in files.items():
        name, _, rest = path.partition("/")
        if rest:
            folders.setdefault(name, {})[rest] = data
        else:
            result += _record(_FILE, _text(name) + _record(_DATA, data))
    for name, inner in folders.items():
        result += _record(_DIRECTORY, _text(name) + _content(inner))
    return result


def image(files: dict[str, bytes]) -> bytes:
    """The image that holds `files`, by path."""
    data = _content(files)
    length = _number(len(data))
    if (len(_MAGIC) + len(length) + len(data)) % 2:
        length = b"\x80" + length
    return _MAGIC + length + data
