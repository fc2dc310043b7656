"""A board on a serial port, through mpremote: run code there, put files there."""

from __future__ import annotations

import ast
import base64
import zlib
from pathlib import PurePosixPath
from typing import Any

from niwaki_host.errors import DeviceError, RuntimeMissing, UsageError

_CHUNK = 1536  # bytes of a file per command: the board needs the text and the bytes on its heap

_MAKE_DIRECTORY = """
import os
try:
    os.mkdir({path!r})
except OSError as error:
    if error.errno != 17:
        raise
"""

# Length and CRC-32 of a file on the board; None if that can't be known.
_CRC = """
try:
    from binascii import crc32
except ImportError:
    crc32 = None
def _crc(path):
    try:
        f = open(path, "rb") if crc32 else None
    except OSError:
        f = None
    if f is None:
        return None
    n = crc = 0
    buf = bytearray(256)
    while True:
        k = f.readinto(buf)
        if not k:
            break
        crc = crc32(memoryview(buf)[:k], crc)
        n += k
    f.close()
    return n, crc
"""


def _mpremote() -> Any:
    try:
        from mpremote import transport_serial
    except ImportError:
        raise RuntimeMissing("mpremote is missing; install it with: pip install niwaki[device]") from None
    return transport_serial


def find_port() -> str:
    """The serial port of the one board that is connected by USB."""
    _mpremote()
    from serial.tools import list_ports

    ports = [info for info in list_ports.comports() if info.vid is not None]
    if not ports:
        raise UsageError("no board found: connect one by USB, or name its serial port with --port")
    if len(ports) > 1:
        names = ", ".join(f"{info.device} ({info.description})" for info in ports)
        raise UsageError(f"more than one board: choose one with --port from {names}")
    return ports[0].device


class Link:
    """An open raw REPL, after a soft reset: the heap is fresh, and main.py does not run.

    An emulated board, on a pseudo-terminal, would forget its file system: it is reset only with `restart`.
    """

    def __init__(self, port: str, restart: bool = False) -> None:
        serial = _mpremote()
        self.port = port
        try:
            self._transport = serial.SerialTransport(port, timeout=30)
        except (serial.TransportError, OSError):
            raise UsageError(f"no serial port {port}, or another program uses it") from None
        try:
            self._transport.enter_raw_repl(soft_reset=restart or not self._transport.is_pty)
        except (serial.TransportError, OSError):
            self._transport.close()
            raise UsageError(
                f"what is connected to {port} is no MicroPython, or it does not answer"
            ) from None

    def __enter__(self) -> Link:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        serial = _mpremote()
        try:
            self._transport.exit_raw_repl()
        except (serial.TransportError, OSError):
            pass
        self._transport.close()

    def execute(self, source: str, timeout: float = 300) -> str:
        """Run source on the board; returns what it prints, raises DeviceError with the board's traceback."""
        serial = _mpremote()
        try:
            printed, error = self._transport.exec_raw(source, timeout=timeout)
        except (serial.TransportError, OSError) as failure:
            raise DeviceError(f"lost the board on {self.port}: {failure}") from None
        if error:
            raise DeviceError(
                f"{self.port} failed:\n{error.decode(errors='replace').replace(chr(13), '').strip()}"
            )
        return printed.decode(errors="replace").replace("\r", "")

    def evaluate(self, expression: str) -> Any:
        return ast.literal_eval(self.execute(f"print(repr({expression}))").strip())

    def put(self, files: dict[str, bytes], root: str) -> int:
        """Copy files below `root`; those that are there already, byte for byte, are left alone.

        Returns how many were written.
        """
        directories = {str(parent) for path in files for parent in PurePosixPath(root, path).parents}
        try:
            for directory in sorted(directories - {"/"}, key=len):
                self.execute(_MAKE_DIRECTORY.format(path=directory))
        except DeviceError as error:
            if "ENODEV" not in str(error):
                raise
            raise UsageError(
                f"the board on {self.port} has no file system to copy to: make one there "
                "(or start an emulated board anew), or use --romfs"
            ) from None
        targets = {str(PurePosixPath(root, path)): data for path, data in files.items()}
        self.execute(_CRC)
        there = self.evaluate(f"[_crc(p) for p in {list(targets)!r}]")
        stale = [
            t
            for t, crc in zip(targets, there, strict=True)
            if crc != (len(targets[t]), zlib.crc32(targets[t]))
        ]
        for target in stale:
            self._write(target, targets[target])
        self.execute("del _crc, crc32")
        return len(stale)

    def _write(self, target: str, data: bytes) -> None:
        command = f"from binascii import a2b_base64 as _a\n_f = open({target!r}, 'wb')\n"
        for start in range(0, len(data) or 1, _CHUNK):
            text = base64.b64encode(data[start : start + _CHUNK]).decode()
            self.execute(
                f"{command}_f.write(_a('{text}'))\n" + ("_f.close()" if start + _CHUNK >= len(data) else "")
            )
            command = ""

    def listing(self, path: str) -> list[str]:
        """Names in a directory; none when it is not there."""
        return (
            self.evaluate(f"[i[0] for i in __import__('os').ilistdir({path!r})]") if self._has(path) else []
        )

    def _has(self, path: str) -> bool:
        return bool(self.execute(f"import os\ntry:\n os.stat({path!r})\n print(1)\nexcept OSError:\n pass"))

    def remove(self, path: str) -> None:
        self.execute(f"import os\nos.remove({path!r})")
