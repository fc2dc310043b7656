"""A Cortex-M3 board in QEMU on a pseudo-terminal, with a file system in flash and a ROMFS partition.

    with EmulatedBoard() as board:
        print(board.port)            # /dev/pts/7, for mpremote or `niwaki deploy --port`
        board.power_cycle()          # the flash stays

It does what boards do: boot.py and main.py run when it starts, a soft reset and `machine.reset()` start it
anew with its files, Ctrl-C stops a program.

`python -m niwaki_host.deploy.emulated [HEAP]` starts one and prints its port, until it is interrupted.
"""

import argparse
import mmap
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from niwaki_host.deploy import firmware
from niwaki_host.errors import DeviceError
from niwaki_host.runtimes.emulator import SIZE
from niwaki_host.toolchain import build, system

# The last megabyte of PSRAM is half flash with a file system (board/board.c), half ROMFS (board/rom.c).
_ROM = SIZE - (512 << 10)


def obstacle() -> str | None:
    return system.missing(("qemu", "arm")) or build.obstacle("firmware") or build.obstacle("mpy-cross")


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
        """Off and on again, without a warning; `port` may be another one afterwards."""
        self._stop()
        self._start()

    def _stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout
            self._process.stdout.close()
            self._process = None

    def _start(self) -> None:
        command = [
            "qemu-system-arm",
            *("-machine", "mps2-an385,memory-backend=psram"),
            *("-object", f"memory-backend-file,id=psram,size={SIZE},mem-path={self._path},share=on"),
            *("-icount", "shift=0", "-display", "none", "-monitor", "none", "-semihosting"),
            *("-serial", "pty", "-kernel", str(self._kernel)),
        ]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self._process.stdout
        line = self._process.stdout.readline()
        match = re.search(r"redirected to (\S+)", line)
        if not match:
            self._stop()
            raise DeviceError(f"QEMU gave no serial port: {line.strip()}")
        self.port = match[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "heap", nargs="?", type=int, default=build.DEFAULT_HEAP, help="bytes, by default 64 KB"
    )
    heap = parser.parse_args().heap
    for number in (signal.SIGINT, signal.SIGTERM):  # also where a shell has a job ignore the first
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
