"""What a model needs of a heap when its code is .py, and when it is .mpy, on the emulated Cortex-M3.

    python firmware_scripts/source_heap.py [--save] [--json]

A board compiles .py files itself; .mpy files lie in ROMFS, and only their machine code is copied to the heap.
The script takes a part of a heap of 128 KB before the first import. It finds the smallest rest, to 1 KB, in
which a model of 8 KB is made and learns, as it does in every larger rest. It also says how much is used in
the end: the difference is what compiling takes for a moment. With --save the code of `save` is loaded, too.
"""

import argparse
import json
import sys

from niwaki_host.deploy import bundle
from niwaki_host.errors import HeapError
from niwaki_host.runtimes import emulator, package

HEAP = 128 << 10
STEP = 1 << 10
MOST = 80 << 10

# `taken` is one piece at the start of the heap: what is left is a smaller heap.
APP = """
import gc
gc.collect()
taken = bytearray(gc.mem_free() - {rest})
import niwaki
clf = niwaki.{model}(6, 4, 8192)
x = [0] * 6
for t in range(60):
    x[0] = t * 7 % 50
    x[1] = t
    clf.learn(x, t % 4)
{more}
gc.collect()
print(gc.mem_alloc() - len(taken))
"""
SAVE = "niwaki.fetch('image', 'save')"


def files(model: str, compiled: bool) -> dict[str, bytes]:
    sources = bundle.modules([model.lower()])
    if compiled:
        return package.compiled(sources, "armv7m")
    return {path: text.encode() for path, text in sources.items()}


def used(board: emulator.Board, model: str, rest: int, more: str = "") -> int | None:
    """Bytes in use after the model has learned; None where it does not fit into the rest of the heap."""
    try:
        return int(board.execute(APP.format(model=model, rest=rest, more=more)).split()[-1])
    except HeapError:
        return None


def smallest(model: str, compiled: bool, more: str) -> tuple[int, int]:
    """The smallest rest of the heap that is enough, and what is used of it in the end.

    It goes down step by step: a heap in pieces may happen to be enough where a larger one is not."""
    content = files(model, compiled)
    rest, found = MOST + STEP, 0
    while True:
        with emulator.Board(content, HEAP) as board:
            after = used(board, model, rest - STEP, more)
        if after is None:
            return rest, found
        rest, found = rest - STEP, after


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the lines")
    parser.add_argument("--save", action="store_true", help="load the code of `save`, too")
    options = parser.parse_args()
    rows, more = {}, SAVE if options.save else ""
    for model in ("Tree", "Shrubs", "Grove"):
        for compiled in (False, True):
            name = f"{model}, {'.mpy' if compiled else '.py'}"
            rows[name] = dict(zip(("heap", "used"), smallest(model, compiled, more), strict=True))
            if not options.json:
                print(
                    f"{name:14} {rows[name]['heap']:7,} B, {rows[name]['used']:7,} B in the end", flush=True
                )
    if options.json:
        print(json.dumps(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
