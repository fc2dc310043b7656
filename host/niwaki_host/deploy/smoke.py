"""The smoke test: 200 samples learned on the board and on the desktop, one digest."""

from __future__ import annotations

from typing import Any

SAMPLES = 200

# The same source runs on both sides. A board has a clock, or a timer that counts instructions by 40.
SOURCE = """
import gc
from array import array

if hasattr(gc, "threshold"):
    gc.threshold(4096)  # else the garbage of imports leaves the free heap in small pieces
try:
    from binascii import crc32
except ImportError:
    from niwaki.crc import crc32
try:
    from time import ticks_diff, ticks_us
    UNIT = "microseconds"
except ImportError:
    import machine
    UNIT = "instructions"
    TIMER = 0x40000000
    machine.mem32[TIMER + 8] = -1
    machine.mem32[TIMER] = 1
    def ticks_us():
        return machine.mem32[TIMER + 4] & 0x3FFFFFFF
    def ticks_diff(a, b):
        return (b - a) * 40


def smoke(class_name, n_features, n_classes, budget, options, samples):
    gc.collect()
    before = gc.mem_free() if hasattr(gc, "mem_free") else 0
    import niwaki
    clf = getattr(niwaki, class_name)(n_features, n_classes, budget, **options)
    x = array("h", bytearray(2 * n_features))
    seed = 1
    spent = 0
    for t in range(20):  # what reading the clock costs
        start = ticks_us()
        spent -= ticks_diff(ticks_us(), start)
    spent = spent * samples // 20
    for t in range(samples):
        for f in range(n_features):
            seed = (seed * 1103 + 12345) & 65535
            x[f] = seed - 32768
        y = (seed >> 3) % n_classes if t % 7 == 0 else (x[0] + 32768) * n_classes >> 16
        start = ticks_us()
        clf.learn(x, y)
        spent += ticks_diff(ticks_us(), start)
    digest = crc32(clf.octets, crc32(clf.halves, crc32(clf.words)))
    gc.collect()
    after = gc.mem_free() if hasattr(gc, "mem_free") else 0
    return "%08x" % digest, UNIT, spent // samples, before - after, after
"""


def call(class_name: str, shape: tuple[int, int, int], options: dict[str, Any]) -> str:
    """The call that runs the smoke test, as text."""
    return f"smoke({class_name!r}, {shape[0]}, {shape[1]}, {shape[2]}, {options!r}, {SAMPLES})"


def here(class_name: str, shape: tuple[int, int, int], options: dict[str, Any]) -> str:
    """The digest that the desktop ends with."""
    clock = "def ticks_us():\n    return 0\ndef ticks_diff(a, b):\n    return 0\nUNIT = ''\n"
    body = SOURCE[SOURCE.index("def smoke") :]
    names: dict[str, Any] = {}
    exec("import gc\nfrom array import array\nfrom binascii import crc32\n" + clock + body, names)
    return eval(call(class_name, shape, options), names)[0]
