"""Open a file: its bytes come decompressed, and in UTF-8 whatever charset the file has."""

import bz2
import codecs
import gzip
import io
import lzma
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

from niwaki_host.errors import UsageError

BROKEN = (EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, OSError)
_RECODED = 1 << 16  # bytes that are turned into UTF-8 at a time
_MARKS_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _open_zip(path: Path, _mode: str) -> IO[bytes]:
    """The only file in it."""
    archive = zipfile.ZipFile(path)
    held = [entry for entry in archive.infolist() if not entry.is_dir() and "__MACOSX" not in entry.filename]
    if len(held) != 1:
        names = ", ".join(entry.filename for entry in held[:5]) or "nothing"
        raise UsageError(f"{path}: a zip with one file in it is needed; it holds {names}")
    if held[0].flag_bits & 1:
        raise UsageError(f"{path}: is encrypted; unpack it first")
    return archive.open(held[0])


OPENERS: dict[str, Any] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open, ".zip": _open_zip}


def open_bytes(path: Path, charset: str | None = None) -> IO[bytes]:
    """Open a file decompressed, and turned from `charset` (a name that Python knows) into UTF-8."""
    if not path.exists():
        raise UsageError(f"{path}: no such file")
    if path.is_dir():
        raise UsageError(f"{path}: is a directory, not a file")
    try:
        file = OPENERS.get(path.suffix.lower(), open)(path, "rb")
    except BROKEN as error:
        raise damaged(path, error) from None
    return io.BufferedReader(_Recoded(file, charset), _RECODED) if charset else file


class _Recoded(io.RawIOBase):
    def __init__(self, file: IO[bytes], charset: str) -> None:
        self._file, self._decoder, self._ready = file, codecs.getincrementaldecoder(charset)(), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            raw = self._file.read(_RECODED)
            self._ready = self._decoder.decode(raw, final=not raw).encode()
            if not raw:
                break
        count = min(len(buffer), len(self._ready))
        buffer[:count], self._ready = self._ready[:count], self._ready[count:]
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


def damaged(path: Path, error: Exception) -> UsageError:
    """The error to raise when a file can't be read to its end."""
    if isinstance(error, OSError) and error.strerror:  # an error of the system, not of a decompressor
        return UsageError(f"{path}: cannot be read: {error.strerror}")
    return UsageError(f"{path}: the compressed data is damaged or cut off ({error})")


def not_text(path: Path, charset: str | None, where: str = "") -> UsageError:
    """The error to raise for bytes that are no text, with the most likely remedy."""
    if charset:
        return UsageError(f"{path}{where}: is not text in {charset}; what was it written in? (--encoding)")
    with open_bytes(path) as file:
        likely = "utf-16" if file.read(2) in _MARKS_16 else "cp1252"
    return UsageError(
        f"{path}{where}: is not UTF-8 text; say what it is written in, for example --encoding {likely}"
    )
