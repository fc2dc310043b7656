"""Measure niwaki on a board: latency, garbage, heap, flash. Prints one line of JSON.

    mpremote cp firmware_scripts/on_board_clock.py :
    mpremote run firmware_scripts/on_board_measure.py > board.json
    niwaki bench --board board.json

Garbage is what a call leaves on the heap while the collector is off; it should be nothing.
"""

import gc
import json
import os
import sys
from array import array

from on_board_clock import UNIT, overhead, ticks_diff, ticks_us

FEATURES = 6
CLASSES = 4
BUDGET = 8192
MODELS = (("vfdt", "Tree", {"leaf": "mc"}), ("vfdt", "Tree", {}), ("shrubs", "Shrubs", {}))
FILE = "niwaki-measure.tmp"


gc.threshold(4096)  # otherwise the garbage of imports leaves the free heap in small pieces


def used():
    gc.collect()
    return gc.mem_alloc()


def draw(x, seed):
    """Fill x; returns the next seed. The label is in its first feature, with some noise."""
    for f in range(len(x)):
        seed = (seed * 1103 + 12345) & 65535
        x[f] = seed - 32768
    return seed


def measure(class_name, options, samples):
    """Build, use and save one model, and return what that costs."""
    before = used()
    import niwaki

    cls = getattr(niwaki, class_name)
    code = used() - before
    clf = cls(FEATURES, CLASSES, BUDGET, **options)  # the first one also imports what its options need
    clf = None
    before = used()
    clf = cls(FEATURES, CLASSES, BUDGET, **options)
    model_heap = used() - before
    x = array("h", bytearray(2 * FEATURES))
    seed = 1
    zero = overhead()
    learn = predict = longest = garbage_learn = garbage_predict = 0
    gc.collect()
    gc.disable()
    for t in range(samples):
        seed = draw(x, seed)
        y = (seed >> 3) & 3 if t % 8 == 0 else (x[0] + 32768) >> 14
        a = gc.mem_alloc()
        start = ticks_us()
        clf.predict(x)
        spent = ticks_diff(ticks_us(), start)
        predict += spent
        b = gc.mem_alloc()
        start = ticks_us()
        clf.learn(x, y)
        spent = ticks_diff(ticks_us(), start)
        learn += spent
        if spent > longest:
            longest = spent
        c = gc.mem_alloc()
        garbage_predict += b - a
        garbage_learn += c - b
        if t % 50 == 49:
            gc.collect()
    gc.enable()
    garbage_predict -= samples * clock_garbage()
    garbage_learn -= samples * clock_garbage()
    start = ticks_us()
    try:
        written = clf.save(FILE)
        for name in (FILE, FILE + "~"):
            try:
                os.remove(name)
            except OSError:
                pass
    except OSError:
        written = 0  # a board without a file system
    save = ticks_diff(ticks_us(), start)
    return {
        "settings": options,
        "samples": samples,
        "budget_bytes": BUDGET,
        "model_bytes": clf.nbytes,
        UNIT + "_per_learn": learn // samples - zero,
        "max_" + UNIT + "_per_learn": longest - zero,
        UNIT + "_per_predict": predict // samples - zero,
        "garbage_per_learn_bytes": garbage_learn // samples,
        "garbage_per_predict_bytes": garbage_predict // samples,
        "code_heap_bytes": code,
        "model_heap_bytes": model_heap,
        "flash_write_bytes": written,
        "flash_write_" + UNIT: save,
    }


def clock_garbage():
    """Bytes of garbage that the measurement itself leaves: reading the clock and the heap."""
    gc.disable()
    a = gc.mem_alloc()
    start = ticks_us()
    ticks_diff(ticks_us(), start)
    b = gc.mem_alloc()
    gc.enable()
    return b - a


def main(samples=1000):
    rows = []
    for model, class_name, options in MODELS:
        gc.collect()
        try:
            row = measure(class_name, options, samples)
        except (ImportError, AttributeError, MemoryError) as error:
            print(model, "skipped:", error, file=sys.stderr)
            continue
        row["model"] = model
        rows.append(row)
    name = getattr(sys.implementation, "_machine", sys.platform)
    version = ".".join([str(n) for n in sys.implementation.version[:3]])
    print(json.dumps({"board": name, "micropython": version, "rows": rows}))


if __name__ == "__main__":
    main()
