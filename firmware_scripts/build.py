"""Compile the device package for every architecture, as .mpy files and ROMFS images; say what they cost.

    python firmware_scripts/build.py [--out build] [--json]

Leaves OUT/ARCH/niwaki/*.mpy and OUT/niwaki-ARCH.romfs; with kernels from C OUT/native-ARCH/niwaki/*.mpy, and
a line for each architecture whose compiler is not here. The table gives, for the whole package, for what a
tree needs and for what shrubs need, the bytes of the .mpy files, and the heap that is gone after the import
and after a 4k model has been built: measured on the emulated Cortex-M3, code in ROMFS, where the code runs
there.
"""

import argparse
import json
import sys
from pathlib import Path

from niwaki_host.deploy import bundle, native
from niwaki_host.deploy.arch import TARGETS
from niwaki_host.runtimes import emulator, package, romfs

SETS = {"all": bundle.ALL, "tree": ("tree",), "shrubs": ("shrubs",)}
CLASSES = {"all": ("Tree", "Shrubs"), "tree": ("Tree",), "shrubs": ("Shrubs",)}
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
    """Bytes of heap for the code, and for models of 4 KB with all that they import later."""
    code = models = 0
    with emulator.Board(files) as board:
        board.execute(_MEASURE)
        for name in names:
            costs = board.execute(f"print(*cost({name!r}))").split()
            code += int(costs[0])
            models += int(costs[1])
    return code, models


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
        for path, data in everything.items():
            place = options.out / target / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        (options.out / f"niwaki-{target}.romfs").write_bytes(romfs.image(everything))
        for name, parts in SETS.items():
            wanted = {str(Path(path).with_suffix(".mpy")) for path in package.bundle(bundle.modules(parts))}
            files = {path: data for path, data in everything.items() if path in wanted}
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
    """The package with modules from C, OUT/native-ARCH/niwaki/*.mpy: their sizes, and what can't be made."""
    made, skipped = {}, {}
    for arch in TARGETS:
        if why := native.obstacle(arch):
            skipped[arch] = why
            continue
        files = native.compiled(bundle.modules(bundle.ALL), arch)
        for path, data in files.items():
            place = out / f"native-{arch}" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
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
