"""Compile the device package for every architecture, as .mpy files and ROMFS images; say what they cost.

    python firmware_scripts/build.py [--out build] [--json]

It writes OUT/ARCH_VERSION/niwaki/*.mpy, where the version is that of the .mpy format (armv6m_6.3), with the
packages that mip reads beside them, and OUT/niwaki-ARCH_VERSION.romfs. The package with kernels from C goes
to OUT/native-ARCH_VERSION; for an architecture whose compiler is missing, a line says so.
From a web server that has OUT, a board installs

    mpremote mip install http://HOST/armv6m_6.3/package.json              all
    mpremote mip install http://HOST/armv6m_6.3/package-tree.json         what a tree needs

The table has a row for the whole package, for what a tree needs and for what shrubs need. It gives the bytes
of the .mpy files, and the heap that the import and a 4k model take. The heap is measured on the emulated
Cortex-M3 with the code in ROMFS; code for other processors can't run there, and has no such number.
"""

import argparse
import functools
import json
import sys
from pathlib import Path

from niwaki import __version__
from niwaki_host.deploy import bundle, native
from niwaki_host.deploy.arch import TARGETS
from niwaki_host.runtimes import emulator, package, romfs

SETS = {"all": bundle.ALL, "tree": ("tree",), "shrubs": ("shrubs",)}
CLASSES = {"all": ("Tree", "Shrubs"), "tree": ("Tree",), "shrubs": ("Shrubs",)}
_SUB = 3  # the sub-version that bytecode gets, though any board of version 6 takes it
ON_THE_BOARD = ("bytecode", "armv6m", "armv7m")  # what a Cortex-M3 executes

_MEASURE = """
import gc
def used():
    gc.collect()
    return gc.mem_alloc()
def cost(name):
    before = used()
    cls = getattr(__import__("niwaki"), name)
    code = used() - before
    before = used()
    clf = cls(6, 4, 4096)
    for i in range(50):
        clf.learn((i, 2, 3, 4, 5, 6), i & 3)
    return code, used() - before
"""


def heap(files: dict[str, bytes], names: tuple[str, ...]) -> tuple[int, int]:
    """Bytes of heap for the code, and for models of 4 KB with the code that they import on first use."""
    code = models = 0
    with emulator.Board(files) as board:
        board.execute(_MEASURE)
        for name in names:
            costs = board.execute(f"print(*cost({name!r}))").split()
            code += int(costs[0])
            models += int(costs[1])
    return code, models


@functools.cache
def compiled_names(parts: tuple[str, ...]) -> frozenset[str]:
    """The .mpy files that these parts need."""
    return frozenset(str(Path(path).with_suffix(".mpy")) for path in package.bundle(bundle.modules(parts)))


def mpy_version(files: dict[str, bytes]) -> str:
    """Version of the .mpy format, and the sub-version that machine code has; a set of files has only one."""
    return f"{max(data[1] for data in files.values())}.{max(data[2] & 3 for data in files.values()) or _SUB}"


def write(out: Path, target: str, files: dict[str, bytes]) -> str:
    """Write a directory that mip installs from; return its name."""
    name = f"{target}_{mpy_version(files)}"
    for path, data in files.items():
        place = out / name / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    sets = {"": files, **{f"-{part}": compiled_names((part, "encoder", "window")) for part in bundle.FOLDERS}}
    for part, wanted in sets.items():
        if not set(wanted) <= set(files):  # with kernels from C the package has other files
            continue
        urls = [[path, path] for path in files if path in wanted]
        content = {"version": __version__, "urls": urls, "deps": []}
        (out / name / f"package{part}.json").write_text(json.dumps(content, indent=2) + "\n")
    return name


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("build"), help="directory, by default build")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    options = parser.parse_args()
    can_run = emulator.obstacle() is None
    rows = []
    for target in ("bytecode", *TARGETS):
        march = None if target == "bytecode" else target
        everything = package.compiled(bundle.modules(bundle.ALL), march)
        name = write(options.out, target, everything)
        (options.out / f"niwaki-{name}.romfs").write_bytes(romfs.image(everything))
        for name, parts in SETS.items():
            files = {path: data for path, data in everything.items() if path in compiled_names(parts)}
            row = {"target": target, "parts": name, "files": len(files), "mpy": sum(map(len, files.values()))}
            row["romfs"] = len(romfs.image(files))
            if can_run and target in ON_THE_BOARD:
                row["heap_code"], row["heap_models"] = heap(files, CLASSES[name])
            rows.append(row)
            if not options.json:
                show(row)
    made, skipped = build_native(options.out)
    if options.json:
        print(json.dumps({"rows": rows, "native": made, "skipped": skipped}))
        return 0
    for arch, sizes in made.items():
        print(f"native modules for {arch}: {', '.join(f'{name} {size:,}' for name, size in sizes.items())}")
    for arch, why in skipped.items():
        print(f"no native modules for {arch}: {why}")
    return 0


def build_native(out: Path) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    """Write the packages with modules from C; return the modules' sizes, and why an architecture has none."""
    made, skipped = {}, {}
    for arch in TARGETS:
        if why := native.obstacle(arch):
            skipped[arch] = why
            continue
        files = native.compiled(bundle.modules(bundle.ALL), arch)
        write(out, f"native-{arch}", files)
        sizes = {Path(path).name: len(data) for path, data in files.items()}
        made[arch] = {name: size for name, size in sizes.items() if name.endswith(("_c.mpy", "_c_all.mpy"))}
    return made, skipped


def show(row: dict) -> None:
    columns = ("target", "parts", "files", "mpy", "romfs", "heap_code", "heap_models")
    widths = (10, 7, 6, 8, 8, 10, 12)
    if row["target"] == "bytecode" and row["parts"] == "all":
        print(*(name.rjust(width) for name, width in zip(columns, widths, strict=True)))
    values = (f"{row[key]:,}" if isinstance(row.get(key), int) else row.get(key, "-") for key in columns)
    print(*(value.rjust(width) for value, width in zip(values, widths, strict=True)), flush=True)


if __name__ == "__main__":
    sys.exit(main())
