"""On the emulated Cortex-M3: one model over a stream that the host puts into PSRAM, block by block.

Addresses are those of PSRAM. Nothing here allocates while a block runs, and the collector is off then: what
is allocated would stay, and would show in the peak.
"""

import gc
from array import array

import micropython
import uctypes
from micropython import const

# As in niwaki_host/runtimes/events.py. An event is two words: verb << 16 | label, and its sample's place
# among those that wait. The codes of its sample are the next row, unless the sample is the one at hand.
_ASK = const(0)
_LEARN = const(1)
_DEFER = const(2)
_LABEL = const(3)
_TEACH = const(4)
_GUESS = const(5)

clf = None
x = None
peak = 0
self_train = 0


@micropython.viper
def copy(target: ptr16, source: int, n: int):
    items = ptr16(source)
    for i in range(n):
        target[i] = items[i]


@micropython.viper
def get(address: int) -> int:
    return int(ptr32(address)[0])


@micropython.viper
def keep(address: int, value: int):
    p = ptr32(address)
    p[0] = value


@micropython.viper
def put(address: int, value: int):
    p = ptr16(address)
    p[0] = value


def build(class_name, shape, kwargs, image, margin):
    global clf, x, self_train
    gc.threshold(4096)  # garbage of importing must not spread what stays over the whole heap
    import niwaki

    if image:
        clf = niwaki.load("/rom/image")
    else:
        clf = getattr(niwaki, class_name)(*shape, **kwargs)
    self_train = margin
    if margin:
        from niwaki.unlabelled import learn_unlabelled  # noqa: F401  to have it when the collector is off
    x = array("h", bytearray(2 * shape[0]))
    gc.threshold(-1)


def begin():
    gc.collect()
    gc.disable()


def end():
    global peak
    peak = max(peak, gc.mem_alloc())
    gc.enable()


def block(n, events, rows, predictions, kept):
    """Do what n events say. Answers are kept in the words at `kept`, which is 0 if the model keeps none."""
    begin()
    step = 2 * len(x)
    for _ in range(n):
        code = get(events)
        verb = code >> 16
        if verb != _LEARN and verb != _DEFER:
            copy(x, rows, len(x))
            rows += step
        if verb == _ASK:
            put(predictions, clf.predict(x))
            predictions += 2
        elif verb == _DEFER:
            keep(kept + 4 * get(events + 4), clf.answers())
        elif verb == _GUESS:
            clf.learn_unlabelled(x, self_train)
        elif verb == _LABEL and kept:
            clf.learn_late(x, code & 65535, get(kept + 4 * get(events + 4)))
        else:
            clf.learn(x, code & 65535)
        events += 8
    end()
    print(clf.n_nodes, clf.n_leaves, peak)


def save(address):
    """Copy the model's arrays to PSRAM, one after the other; print their sizes."""
    for name, size in (("words", 4), ("halves", 2), ("octets", 1)):
        data = getattr(clf, name)
        n = len(data) * size
        if n:
            uctypes.bytearray_at(address, n)[:] = uctypes.bytearray_at(uctypes.addressof(data), n)
        address += n
        print(n)
