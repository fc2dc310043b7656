"""A Cortex-M3 board in QEMU: its REPL, and its PSRAM as a piece of this process's memory.

The machine's 16 MB of PSRAM are a file that QEMU maps and we map too, so that streams and results need no
transfer at all. Commands go through the raw REPL on the serial port, which is QEMU's stdin and stdout: no
terminal is needed. `-icount shift=0` makes virtual time count instructions; QEMU is slower then.
"""

import mmap
import os
import queue
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

from niwaki_host.errors import DeviceError, HeapError
from niwaki_host.runtimes import romfs
from niwaki_host.toolchain import build, system

PSRAM = 0x21000000
SIZE = 16 << 20
TIMEOUT = 300.0


def obstacle() -> str | None:
    return system.missing(("qemu",)) or build.obstacle("firmware") or build.cross_obstacle()


class Board:
    """A running board with `files` mounted read-only at /rom, importable.

    >>> with Board({}, heap=65536) as board:                                        # doctest: +SKIP
    ...     board.execute("print(6 * 7)")
    '42'
    """

    def __init__(
        self,
        files: dict[str, bytes],
        heap: int = build.DEFAULT_HEAP,
        firmware: Path | None = None,
        counted: bool = True,
    ) -> None:
        self.heap = heap
        firmware = firmware or build.ensure("firmware", heap)
        rom = romfs.image(files)
        self.data = PSRAM + (len(rom) + 4095 & -4096)  # first address after the code
        self.free = PSRAM + SIZE - self.data
        self._directory = tempfile.TemporaryDirectory(prefix="niwaki-")
        path = Path(self._directory.name) / "psram"
        with open(path, "wb+") as handle:
            os.truncate(handle.fileno(), SIZE)
            self._memory = mmap.mmap(handle.fileno(), SIZE)
        self._memory[: len(rom)] = rom
        command = [
            "qemu-system-arm",
            *("-machine", "mps2-an385,memory-backend=psram"),
            *("-object", f"memory-backend-file,id=psram,size={SIZE},mem-path={path},share=on"),
            *(("-icount", "shift=0") if counted else ()),
            *("-display", "none", "-monitor", "none", "-semihosting", "-serial", "stdio"),
            *("-kernel", str(firmware)),
        ]
        self._log = open(Path(self._directory.name) / "log", "w+")
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, bufsize=0
        )
        self._received: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._receive, daemon=True).start()
        self._pending = b""
        try:
            self._until(b">>> ", TIMEOUT)
            self._send(b"\x01")
            self._wake()
            self._until(b"raw REPL; CTRL-B to exit\r\n>", TIMEOUT)
            self.execute(
                "import vfs, uctypes, sys\n"
                f"vfs.mount(vfs.VfsRom(uctypes.bytearray_at({PSRAM}, {len(rom)})), '/rom')\n"
                "sys.path[:] = ['/rom']\n"
            )
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Board":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._log.close()
        self._memory.close()
        self._directory.cleanup()

    def write(self, address: int, data: bytes) -> None:
        """Put data into PSRAM."""
        self._memory[address - PSRAM : address - PSRAM + len(data)] = data

    def read(self, address: int, size: int) -> bytes:
        return self._memory[address - PSRAM : address - PSRAM + size]

    def execute(self, source: str, timeout: float = TIMEOUT) -> str:
        """Run source on the board; returns what it prints, raises DeviceError with the board's traceback."""
        self._halt(False)
        self._send(source.encode() + b"\x04")
        reply = self._until(b"\x04>", timeout)
        self._halt(True)
        printed, _, error = reply.removeprefix(b"OK").partition(b"\x04")
        if error:
            text = error.decode(errors="replace").replace("\r", "").strip()
            if "MemoryError" in text:
                last = text.splitlines()[-1]
                raise HeapError(f"cortex-m3: a heap of {self.heap} bytes is too small: {last}")
            raise DeviceError(f"cortex-m3 failed:\n{text}")
        return printed.decode(errors="replace").replace("\r", "")

    def _halt(self, halt: bool) -> None:
        """Stop QEMU or let it go on: a prompt that waits for input would keep a core of the desktop busy."""
        if hasattr(signal, "SIGSTOP"):
            self._process.send_signal(signal.SIGSTOP if halt else signal.SIGCONT)

    def _wake(self) -> None:
        """Send a signal that QEMU ignores: else QEMU sees input that came early only a second later."""
        if hasattr(signal, "SIGIO"):
            self._process.send_signal(signal.SIGIO)

    def _send(self, data: bytes) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(data)
        except BrokenPipeError:
            raise self._died() from None

    def _receive(self) -> None:
        assert self._process.stdout
        while data := self._process.stdout.read(65536):
            self._received.put(data)
        self._received.put(b"")

    def _until(self, mark: bytes, timeout: float) -> bytes:
        """What the board sends up to `mark`."""
        while mark not in self._pending:
            try:
                data = self._received.get(timeout=timeout)
            except queue.Empty:
                raise DeviceError(f"cortex-m3 gave no sign of life for {timeout:.0f} s") from None
            if not data:
                raise self._died()
            self._pending += data
        reply, _, self._pending = self._pending.partition(mark)
        return reply

    def _died(self) -> DeviceError:
        self._log.seek(0)
        output = self._pending.decode(errors="replace") + self._log.read()
        return DeviceError(f"QEMU ended unexpectedly:\n{output.strip()}")
