"""Firmware for the emulated board beyond what the runtimes need: with a file system in flash, or with the
package frozen into it."""

import hashlib
import tempfile
from pathlib import Path

from niwaki_host.toolchain import build, cache

BOARD = Path(__file__).parent / "board"


def _key(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


def flash(heap: int = build.DEFAULT_HEAP) -> Path:
    """Firmware that can mount LittleFS and has a ROMFS partition, as real boards' firmware does."""
    support = [path.read_bytes() for path in sorted(BOARD.iterdir())]
    config = f"CFLAGS_EXTRA=-DMP_CONFIGFILE='\"{BOARD / 'config.h'}\"'"
    options = ("FROZEN_MANIFEST=", "MICROPY_VFS_LFS2=1", f"LDSCRIPT={BOARD / 'board.ld'}", config)
    return _build("flash", heap, options, _key(*support))


def frozen(sources: dict[str, str], heap: int = build.DEFAULT_HEAP) -> Path:
    """Firmware with these modules, given as path and text, frozen into it."""
    key = _key(*(f"{path}\n{text}".encode() for path, text in sorted(sources.items())))
    with tempfile.TemporaryDirectory(prefix="niwaki-") as name:
        work = Path(name)
        for path, text in sources.items():
            target = work / "modules" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        (work / "manifest.py").write_text('freeze("modules")\n')
        (work / "README.md").touch()  # the build takes a folder with this file for micropython-lib
        return _build("frozen", heap, (f"FROZEN_MANIFEST={work / 'manifest.py'}", f"MPY_LIB_DIR={work}"), key)


def _build(name: str, heap: int, options: tuple[str, ...], key: str) -> Path:
    build.ensure("firmware")  # says what is missing; brings the source and mpy-cross
    build.ensure("mpy-cross")
    base = build.source()
    target = base / "bin" / f"{name}-{heap}-{key}.elf"
    # Another configuration needs all files compiled anew, in a directory of its own. Other frozen modules
    # need one file compiled anew, so they share a directory.
    directory = f"build-{name}" if name == "frozen" else f"build-{name}-{key}"
    if target.exists():
        return target
    with cache.locked(base):
        if not target.exists():
            build.say(f"building Cortex-M3 firmware ({name}) with a heap of {heap} bytes")
            (base / "src/ports/qemu/main.c").touch()  # the one file that knows the size of the heap
            build.make(
                base,
                "ports/qemu",
                "BOARD=MPS2_AN385",
                f"BUILD={directory}",
                f"MICROPY_HEAP_SIZE={heap}",
                *(() if name == "frozen" else (f"USER_C_MODULES={BOARD.parent}",)),
                *options,
            )
            cache.place(base / "src/ports/qemu" / directory / "firmware.elf", target)
    return target
