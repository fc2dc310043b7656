"""What the behaviour tests share. They import nothing but niwaki, and run on a board as they are."""

import gc
import sys
from array import array

# Not on CPython; and on WebAssembly the collector waits until a script has ended, so that garbage counts too.
HEAP_IS_COUNTED = hasattr(gc, "mem_alloc") and sys.platform != "webassembly"


class Random:
    """A small generator that gives the same numbers everywhere: 16-bit xorshift."""

    def __init__(self, seed):
        self.state = (seed * 2654435 + 40503) & 0xFFFF or 1

    def below(self, n):
        s = self.state
        s ^= (s << 7) & 0xFFFF
        s ^= s >> 9
        s ^= (s << 8) & 0xFFFF
        self.state = s
        return s % n


def codes(n):
    return array("h", bytearray(2 * n))


def draw(rng, x, n_classes, span=600):
    """Fill x with codes around zero and return a label that depends on them, one in ten at random."""
    for i in range(len(x)):
        x[i] = rng.below(span) - span // 2
    if rng.below(10) == 0:
        return rng.below(n_classes)
    y = 1 if x[0] > 0 else 0
    if x[len(x) - 1] > span // 6:
        y += 2
    return y % n_classes


def teach(model, n, seed=1, span=600):
    """Learn n samples of `draw`; returns how many of the last half were predicted rightly."""
    rng = Random(seed)
    x = codes(model.n_features)
    right = 0
    for i in range(n):
        y = draw(rng, x, model.n_classes, span)
        if 2 * i >= n and model.predict(x) == y:
            right += 1
        model.learn(x, y)
    return right


def state(model):
    """A copy of the whole state."""
    return bytes(model.words), bytes(model.halves), bytes(model.octets)


def checksum(model):
    """A sum of the whole state that no board needs a library for (Adler-32)."""
    a, b = 1, 0
    for part in (model.words, model.halves, model.octets):
        for v in bytes(part):
            a = (a + v) % 65521
            b = (b + a) % 65521
    return f"{b:04x}{a:04x}"


def refuses(errors, call, *arguments, **options):
    """The message of the error that the call must raise."""
    try:
        call(*arguments, **options)
    except errors as error:
        message = str(error)
        assert message, "an error without a message"
        return message
    raise AssertionError(f"accepted {arguments!r} {options!r}")


def used():
    """Bytes of the heap that are in use."""
    gc.collect()
    return gc.mem_alloc()


def measure(make, arguments, options):
    """Bytes of heap that a model takes, and what it says of itself.

    The first model stays alive while others are measured: whatever a stale register or stack word points to
    (the collector can't tell) would otherwise be counted before and be gone after. It may also keep garbage
    for a moment: the middle of three.
    """
    first = make(*arguments, **options)
    taken = []
    for _ in range(3):
        clf = None
        before = used()
        clf = make(*arguments, **options)
        taken.append(used() - before)
    return sorted(taken)[1], clf.nbytes, first.budget
