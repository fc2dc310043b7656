"""A board on a serial port, through mpremote: run code there, put files there."""

from __future__ import annotations

import ast
import base64
import zlib
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any

from niwaki_host.errors import DeviceError, RuntimeMissing, UsageError

_CHUNK = 1536  # bytes of a file per command: the board needs the text and the bytes on its heap

_POLL = 0.1  # seconds between looks at a board that says nothing
_END = b"\x04"  # the raw REPL sends this after a program's output, and again after its traceback
_INTERRUPT = b"\x03"
_PATIENCE = 60  # seconds to wait for a board that is slow to start, as an emulated one on a busy machine

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
        raise RuntimeMissing("mpremote is missing: pip install 'niwaki-ml[device]'") from None
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
    """An open raw REPL, after a soft reset: the heap is fresh, and main.py does not run."""

    def __init__(self, port: str) -> None:
        serial = _mpremote()
        self.port = port
        try:
            self._transport = serial.SerialTransport(port, timeout=30)
        except (serial.TransportError, OSError):
            raise UsageError(f"no serial port {port}, or another program uses it") from None
        try:
            self._transport.enter_raw_repl(timeout_overall=_PATIENCE)
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

    def lines(self, source: str) -> Iterator[str | None]:
        """Run source; yields each line that it prints, and None now and then when there is none.

        A program that ends by itself ends the lines, with DeviceError if it failed. Closing the iterator (or
        leaving the loop and dropping the iterator) interrupts the program.
        """
        serial = _mpremote()
        port = self._transport.serial
        patience = port.timeout
        done = False
        try:
            self._transport.exec_raw_no_follow(source)
            port.timeout = _POLL
            text = b""
            while not done:
                byte = port.read(1)  # one at a time: what follows the end must stay unread
                done = byte == _END
                if not byte:
                    yield None
                elif byte == b"\n" or (done and text):
                    yield text.decode(errors="replace").strip("\r")
                    text = b""
                else:
                    text += byte
            if error := self._transport.read_until(1, _END, timeout=_PATIENCE).rstrip(_END):
                words = error.decode(errors="replace").replace("\r", "").strip()
                raise DeviceError(f"{self.port} failed:\n{words}")
        except (serial.TransportError, OSError) as failure:
            done = True
            raise DeviceError(f"lost the board on {self.port}: {failure}") from None
        finally:
            if not done:
                self._stop()
            port.timeout = patience

    def _stop(self) -> None:
        """Interrupt what runs; its last words, and KeyboardInterrupt's traceback, are of no interest."""
        for _ in range(3):  # a program may catch the first KeyboardInterrupt
            self._transport.serial.write(_INTERRUPT)
            if self._transport.read_until(1, _END, timeout=2).endswith(_END):
                self._transport.read_until(1, _END, timeout=2)
                return

    def restart(self) -> bool:
        """Let the board's own program run again, if it has one: to be called last."""
        if not self._has("main.py"):
            return False
        self._transport.exit_raw_repl()
        self._transport.read_until(1, b">>> ", timeout=2)
        self._transport.serial.write(_END)  # a soft reset, outside of the raw REPL
        self._transport.read_until(1, b"soft reboot\r\n", timeout=2)
        return True

    def get(self, path: str, advance: Callable[[int], None] = lambda done: None) -> bytes | None:
        """A file of the board; None when it is not there."""
        if not self._has(path):
            return None
        size = self.evaluate(f"__import__('os').stat({path!r})[6]")
        data = b""
        command = f"from binascii import b2a_base64 as _b\n_f = open({path!r}, 'rb')\n"
        while len(data) < size:
            data += base64.b64decode(self.execute(f"{command}print(_b(_f.read({_CHUNK})).decode(), end='')"))
            command = ""
            advance(len(data))
        if size:
            self.execute("_f.close()")
        if self._crc([path])[0] not in (None, (len(data), zlib.crc32(data))):
            raise DeviceError(f"{path} did not come whole from {self.port}: try again")
        return data

    def _crc(self, paths: list[str]) -> list[tuple[int, int] | None]:
        """Length and CRC-32 of files on the board; None where that can't be known."""
        self.execute(_CRC)
        found = self.evaluate(f"[_crc(p) for p in {paths!r}]")
        self.execute("del _crc, crc32")
        return found

    def put(
        self, files: dict[str, bytes], root: str, advance: Callable[[int], None] = lambda done: None
    ) -> int:
        """Copy files below `root`; those that are there already, byte for byte, are left alone.

        Returns how many were written; `advance` is told how many bytes of them.
        """
        directories = {str(parent) for path in files for parent in PurePosixPath(root, path).parents}
        try:
            for directory in sorted(directories - {"/"}, key=len):
                self.execute(_MAKE_DIRECTORY.format(path=directory))
        except DeviceError as error:
            if "ENODEV" not in str(error):
                raise
            raise UsageError(
                f"the board on {self.port} has no file system to copy to: make one there or use --romfs"
            ) from None
        targets = {str(PurePosixPath(root, path)): data for path, data in files.items()}
        there = self._crc(list(targets))
        stale = [
            t
            for t, crc in zip(targets, there, strict=True)
            if crc != (len(targets[t]), zlib.crc32(targets[t]))
        ]
        done = 0
        for target in stale:
            before = done
            self.write(target, targets[target], lambda n, before=before: advance(before + n))
            done += len(targets[target])
        return len(stale)

    def write(self, target: str, data: bytes, advance: Callable[[int], None] = lambda done: None) -> None:
        """One file, whatever is there; its directory must be."""
        command = f"from binascii import a2b_base64 as _a\n_f = open({target!r}, 'wb')\n"
        for start in range(0, len(data) or 1, _CHUNK):
            text = base64.b64encode(data[start : start + _CHUNK]).decode()
            self.execute(
                f"{command}_f.write(_a('{text}'))\n" + ("_f.close()" if start + _CHUNK >= len(data) else "")
            )
            command = ""
            advance(min(start + _CHUNK, len(data)))

    def listing(self, path: str) -> list[str]:
        """Names in a directory; none when it is not there."""
        return (
            self.evaluate(f"[i[0] for i in __import__('os').ilistdir({path!r})]") if self._has(path) else []
        )

    def _has(self, path: str) -> bool:
        return bool(self.execute(f"import os\ntry:\n os.stat({path!r})\n print(1)\nexcept OSError:\n pass"))

    def remove(self, path: str) -> None:
        self.execute(f"import os\nos.remove({path!r})")
