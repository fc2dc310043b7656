"""A Cortex-M3 board in QEMU on a pseudo-terminal, with a file system in flash and a ROMFS partition.

    with EmulatedBoard() as board:
        print(board.port)            # /dev/pts/7, for mpremote or `niwaki deploy --port`
        board.power_cycle()          # the flash stays

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
from niwaki_host.deploy.link import Link
from niwaki_host.errors import DeviceError
from niwaki_host.runtimes.emulator import PSRAM, SIZE
from niwaki_host.toolchain import build, system

FLASH = PSRAM + SIZE - (1 << 20)  # the last megabyte of PSRAM
FLASH_SIZE = 512 << 10  # the other half is the ROMFS partition: board/rom.c

# A board's own firmware mounts the flash before anything else runs.
_BOOT = """
import sys, uctypes, vfs
class Flash:
    def __init__(self, address, size):
        self.memory = uctypes.bytearray_at(address, size)
        self.count = size // 4096
    def readblocks(self, block, buf, offset=0):
        at = block * 4096 + offset
        buf[:] = memoryview(self.memory)[at : at + len(buf)]
    def writeblocks(self, block, buf, offset=0):
        at = block * 4096 + offset
        self.memory[at : at + len(buf)] = buf
    def ioctl(self, op, arg):
        return self.count if op == 4 else 4096 if op == 5 else 0
flash = Flash(ADDRESS, SIZE)
try:
    vfs.mount(flash, "/")
except OSError:
    vfs.VfsLfs2.mkfs(flash)
    vfs.mount(flash, "/")
sys.path[:] = ["", "/lib"]
del Flash, flash
"""


def obstacle() -> str | None:
    return system.missing(("qemu", "arm")) or build.obstacle("firmware") or build.obstacle("mpy-cross")


class EmulatedBoard:
    """`rom` is mounted nowhere, but lies at PSRAM for whoever wants to."""

    def __init__(self, heap: int = build.DEFAULT_HEAP, kernel: Path | None = None, rom: bytes = b"") -> None:
        self.heap = heap
        self._kernel = kernel or firmware.flash(heap)
        self._directory = tempfile.TemporaryDirectory(prefix="niwaki-")
        self._path = Path(self._directory.name) / "psram"
        with open(self._path, "wb+") as handle:
            os.truncate(handle.fileno(), SIZE)
            self.memory = mmap.mmap(handle.fileno(), SIZE)
        self.memory[: len(rom)] = rom
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
        try:
            self._boot()
        except BaseException:
            self.close()
            raise

    def _boot(self) -> None:
        with Link(self.port) as link:
            link.execute(_BOOT.replace("ADDRESS", str(FLASH)).replace("SIZE", str(FLASH_SIZE)))


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
