"""Interrupts and a second core, as docs/interrupts.md says, as far as MicroPython on a desktop allows.

Scheduled calls run between bytecodes as soft interrupts do; a locked heap is what a hard interrupt has; the
unix port's threads have no global lock, like the two cores of an RP2040.
"""

import pytest
from conftest import need

from niwaki_host.runtimes import cortex, unix_rt

_COMMON = """
import micropython
from array import array
from binascii import crc32
from niwaki import Shrubs, Tree, Window, load

def digest(clf):
    return crc32(clf.octets, crc32(clf.halves, crc32(clf.words)))

def teach(clf, n, seed):
    x = array("h", bytearray(2 * clf.n_features))
    for i in range(n):
        for f in range(len(x)):
            seed = (seed * 1103 + 12345) & 65535
            x[f] = (seed >> 4) - 2048
        clf.learn(x, (1 if x[0] > 0 else 0) + (1 if x[1] > 700 else 0))
    return clf
"""

_LOCKED = (
    _COMMON
    + """
# A hard interrupt handler may not allocate. Splits, halvings and shrubs are among these samples.
tree = teach(Tree(4, 3, 4096, grace=30), 600, 1)
shrubs = teach(Shrubs(4, 3, 4096), 100, 1)
win = Window(4, 8)
out = array("h", bytearray(2 * win.n_features))
def handler():
    teach_locked(tree)
    teach_locked(shrubs)
x = array("h", (5, -900, 3, 4))
def teach_locked(clf):
    for i in range(200):
        x[0] = i * 7 - 700
        clf.predict(x)
        clf.learn(x, i % 3)
        if win.push(x):
            win.features(out)
handler()
micropython.heap_lock()
handler()
micropython.heap_unlock()
print("ok")
"""
)


@pytest.mark.parametrize("execute", [unix_rt.execute, cortex.execute])
def test_nothing_that_learns_allocates(execute) -> None:
    need("micropython")
    need("cortex-m3")
    assert execute(_LOCKED).strip() == "ok"


_SOFT = (
    _COMMON
    + """
# A soft interrupt that uses models of its own, in the middle of whatever the main program does with others.
alone = [digest(teach(Tree(4, 3, 4096, grace=30), 1500, 1)), digest(teach(Shrubs(4, 3, 4096), 150, 2))]
mine = Tree(4, 3, 4096, grace=30)
theirs = Shrubs(4, 3, 4096)
state = [2, 0]
x = array("h", bytearray(8))
def interrupt(_):
    if state[1] == 150:
        return
    state[1] += 1
    seed = state[0]
    for f in range(4):
        seed = (seed * 1103 + 12345) & 65535
        x[f] = (seed >> 4) - 2048
    state[0] = seed
    theirs.learn(x, (1 if x[0] > 0 else 0) + (1 if x[1] > 700 else 0))
_predict = mine.predict
seed = 1
y = array("h", bytearray(8))
for i in range(1500):
    micropython.schedule(interrupt, None)
    for f in range(4):
        seed = (seed * 1103 + 12345) & 65535
        y[f] = (seed >> 4) - 2048
    mine.learn(y, (1 if y[0] > 0 else 0) + (1 if y[1] > 700 else 0))
print([digest(mine), digest(theirs)] == alone, state[1])
"""
)


def test_an_interrupt_may_use_a_model_of_its_own() -> None:
    need("micropython")
    for viper in (True, False):
        assert unix_rt.execute(_SOFT, heap=1 << 18, viper=viper) == "True 150\n"


_CORES = (
    _COMMON
    + """
# Two cores, a model each, at the same time.
import _thread, time
alone = [digest(teach(Tree(4, 3, 4096, grace=30), 3000, seed)) for seed in (1, 2)]
models = [Tree(4, 3, 4096, grace=30), Tree(4, 3, 4096, grace=30)]
x = [array("h", bytearray(8)), array("h", bytearray(8))]
done = [0, 0]

def work(k):
    clf, sample, seed = models[k], x[k], k + 1
    for i in range(3000):
        for f in range(4):
            seed = (seed * 1103 + 12345) & 65535
            sample[f] = (seed >> 4) - 2048
        clf.learn(sample, (1 if sample[0] > 0 else 0) + (1 if sample[1] > 700 else 0))
    done[k] = 1

_thread.start_new_thread(work, (1,))
work(0)
while not done[1]:
    time.sleep_ms(1)
print([digest(m) for m in models] == alone)
"""
)


def test_two_cores_may_each_use_a_model() -> None:
    need("micropython")
    assert unix_rt.execute(_CORES, heap=1 << 19, threads=True) == "True\n"


_HANDOVER = (
    _COMMON
    + """
# The pattern for one model: the interrupt fills a window, the main program predicts and learns.
win = Window(2, 16, 8)
out = array("h", bytearray(2 * win.n_features))
clf = Tree(win.n_features, 2, 4096, grace=20)
x = array("h", bytearray(4))
state = [0]
def interrupt(_):
    t = state[0] = state[0] + 1
    x[0] = 500 if (t >> 6) & 1 and t & 2 else 0
    x[1] = t & 63
    win.push(x)
right = asked = 0
while state[0] < 8000:
    micropython.schedule(interrupt, None)
    if win.ready:
        win.features(out)
        y = 1 if out[3] == 500 else 0
        asked += 1
        if clf.predict(out) == y:
            right += 1
        clf.learn(out, y)
print(right * 100 // asked > 90, asked + win.missed >= 990)
"""
)


def test_an_interrupt_samples_and_the_main_program_learns() -> None:
    need("micropython")
    assert unix_rt.execute(_HANDOVER, heap=1 << 18) == "True True\n"
