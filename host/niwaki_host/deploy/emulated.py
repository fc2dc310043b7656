"""A Cortex-M3 board in QEMU on a pseudo-terminal, with a file system in flash and a ROMFS partition.

    with EmulatedBoard() as board:
        print(board.port)            # /dev/pts/7, for mpremote or `niwaki deploy --port`
        board.power_cycle()          # the flash stays

It does what boards do: boot.py and main.py run when it starts, a soft reset and `machine.reset()` start it
anew with its files, Ctrl-C stops a program, and what it prints is lost where nobody listens. QEMU rests while
the board waits or sleeps.

`python -m niwaki_host.deploy.emulated [HEAP]` starts one and prints its port, until it is interrupted.
"""

import argparse
import mmap
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tty
from pathlib import Path

from niwaki_host.deploy import firmware
from niwaki_host.runtimes.emulator import SIZE
from niwaki_host.toolchain import build, system

# The last megabyte of PSRAM is half flash with a file system (board/board.c), half ROMFS (board/rom.c).
_ROM = SIZE - (512 << 10)
_LOOK = 0.01  # seconds between looks whether somebody has opened the port


def obstacle() -> str | None:
    return system.missing(("qemu", "arm")) or build.obstacle("firmware") or build.obstacle("mpy-cross")


class _Line:
    """The serial line between QEMU's pipes and whoever opens `port`.

    QEMU's own pseudo-terminals are too slow: it looks only once a second whether somebody has opened one.
    """

    def __init__(self, process: subprocess.Popen) -> None:
        assert process.stdin and process.stdout
        self._in, self._out = process.stdin, process.stdout
        self._end, port = pty.openpty()
        tty.setraw(port)
        self.port = os.ttyname(port)
        os.close(port)
        os.set_blocking(self._end, False)
        self._closed = False
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._send, self._receive)]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """To be called when QEMU has ended."""
        self._closed = True
        for thread in self._threads:
            thread.join()
        self._in.close()
        self._out.close()
        os.close(self._end)

    def _ready(self, event: int) -> bool | None:
        """Whether the port can be read, or written to; None where nobody has opened it."""
        poll = select.poll()
        poll.register(self._end, event)
        found = dict(poll.poll(1000 * _LOOK)).get(self._end, 0)
        if found & select.POLLIN:  # there is something to read, even if its sender has closed the port
            return True
        return bool(found & event) if not found & select.POLLHUP else None

    def _send(self) -> None:
        """What comes by the port goes to the board."""
        while not self._closed:
            ready = self._ready(select.POLLIN)
            try:
                if ready:
                    self._in.write(os.read(self._end, 4096))
                elif ready is None:
                    time.sleep(_LOOK)
            except OSError:  # the port was closed, or QEMU has ended
                time.sleep(_LOOK)

    def _receive(self) -> None:
        """What the board prints goes to the port; where nobody listens it is lost."""
        while data := self._out.read(65536):
            while data and not self._closed:
                ready = self._ready(select.POLLOUT)
                if ready is None:
                    break
                try:
                    data = data[os.write(self._end, data) :] if ready else data
                except BlockingIOError:  # the port is full
                    pass
                except OSError:  # the port was closed meanwhile
                    break


class EmulatedBoard:
    """`rom` is what its ROMFS partition holds: the firmware mounts it at /rom."""

    def __init__(self, heap: int = build.DEFAULT_HEAP, kernel: Path | None = None, rom: bytes = b"") -> None:
        self.heap = heap
        self._kernel = kernel or firmware.flash(heap)
        self._directory = tempfile.TemporaryDirectory(prefix="niwaki-")
        self._path = Path(self._directory.name) / "psram"
        with open(self._path, "wb+") as handle:
            os.truncate(handle.fileno(), SIZE)
            self.memory = mmap.mmap(handle.fileno(), SIZE)
        self.put_rom(rom)
        self._process: subprocess.Popen | None = None
        self._start()

    def __enter__(self) -> "EmulatedBoard":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._stop()
        self.memory.close()
        self._directory.cleanup()

    def put_rom(self, rom: bytes) -> None:
        """Let the ROMFS partition hold this image, or nothing."""
        self.memory[_ROM:] = rom.ljust(SIZE - _ROM, b"\xff")

    def power_cycle(self) -> None:
        """Switch the board off and on again, without a warning; `port` may be another one afterwards."""
        self._stop()
        self._start()

    def _stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._line.close()
            self._process = None

    def _start(self) -> None:
        command = [
            "qemu-system-arm",
            *("-machine", "mps2-an385,memory-backend=psram"),
            *("-object", f"memory-backend-file,id=psram,size={SIZE},mem-path={self._path},share=on"),
            *("-icount", "shift=0", "-display", "none", "-monitor", "none", "-semihosting"),
            *("-serial", "stdio", "-kernel", str(self._kernel)),
        ]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._line = _Line(self._process)
        self.port = self._line.port


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "heap", nargs="?", type=int, default=build.DEFAULT_HEAP, help="bytes, by default 64 KB"
    )
    heap = parser.parse_args().heap
    for number in (signal.SIGINT, signal.SIGTERM):  # even if a shell has made this job ignore SIGINT
        signal.signal(number, signal.default_int_handler)
    with EmulatedBoard(heap) as board:
        print(board.port, flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            return 0


if __name__ == "__main__":
    sys.exit(main())
