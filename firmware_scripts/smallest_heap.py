"""The smallest heap in which a 4k tree learns on the emulated Cortex-M3, to 256 bytes.

    python firmware_scripts/smallest_heap.py [--json]

The code lies in ROMFS or is frozen into the firmware, as bytecode or with viper's machine code. The heap
holds everything else: code that is not in ROM, the model, MicroPython's own objects, the collector's tables.
Firmware is built for each size.
"""

import argparse
import json
import sys
from pathlib import Path

from niwaki_host.deploy import bundle, firmware
from niwaki_host.errors import HeapError
from niwaki_host.runtimes import emulator, package
from niwaki_host.toolchain import build

STEP = 256
LOW, HIGH = 8 << 10, 48 << 10

# This is what a main.py would be on a tight board: it is compiled, and its collector keeps the free heap in
# one piece while modules are imported. Within 1,500 samples the tree splits, and tries to split in vain.
APP = """
import gc
gc.threshold(256)
from array import array
from niwaki import Tree

def run(n):
    clf = Tree(6, 4, 4096)
    x = array("h", bytearray(12))
    seed = 1
    for t in range(n):
        for f in range(6):
            seed = (seed * 1103 + 12345) & 65535
            x[f] = seed >> 4
        clf.learn(x, (x[0] > 2000) + 2 * (x[1] > 1000))
        clf.predict(x)
    print(clf.n_nodes)

run(1500)
"""


def learns(heap: int, place: str, viper: bool) -> bool:
    """Whether the tree learns in a heap of so many bytes."""
    sources = {**bundle.modules(["tree"]), "app.py": APP}
    files, kernel = {}, None
    before = set(cached())
    if place == "frozen":
        texts = sources if viper else {path: package.strip(text) for path, text in sources.items()}
        kernel = firmware.frozen(texts, heap)
    else:
        files = package.compiled(sources, "armv7m" if viper else None)
    try:
        with emulator.Board(files, heap, kernel) as board:
            return int(board.execute("import sys\nsys.path.append('.frozen')\nimport app")) > 1
    except HeapError:
        return False
    finally:
        for path in set(cached()) - before:  # firmware for every size would fill the cache
            path.unlink(missing_ok=True)


def cached() -> list[Path]:
    """Firmware that is built already."""
    base = build.home()
    return list((base / "bin").glob("*.elf")) if base else []


def smallest(place: str, viper: bool) -> int:
    low, high = LOW // STEP, HIGH // STEP
    while low < high:
        middle = (low + high) // 2
        if learns(middle * STEP, place, viper):
            high = middle
        else:
            low = middle + 1
    return low * STEP


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the lines")
    options = parser.parse_args()
    found = {}
    for place in ("romfs", "frozen"):
        for viper in (False, True):
            name = f"{place}, {'viper' if viper else 'bytecode'}"
            found[name] = smallest(place, viper)
            if not options.json:
                print(f"{name:18} {found[name]:7,} B  {found[name] / 1024:5.2f} KB", flush=True)
    if options.json:
        print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
