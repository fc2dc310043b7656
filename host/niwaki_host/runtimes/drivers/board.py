"""On the emulated Cortex-M3: one model over a stream that the host puts into PSRAM, block by block.

Addresses are those of PSRAM. Nothing here allocates while a block runs, and the collector is off then: what
is allocated would stay, and would show in the peak.
"""

import gc
from array import array

import micropython
import uctypes

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
    v = int(ptr16(address)[0])
    if v > 32767:
        v -= 65536
    return v


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


def block(n, rows, delayed, labels, predictions):
    """Predict n rows; learn each row of `delayed` that has a label. Both may be the same rows."""
    begin()
    width = len(x)
    step = 2 * width
    for _ in range(n):
        copy(x, rows, width)
        put(predictions, clf.predict(x))
        y = get(labels)
        if y >= 0:
            if delayed != rows:
                copy(x, delayed, width)
            clf.learn(x, y)
        elif y == -1 and self_train:
            if delayed != rows:
                copy(x, delayed, width)
            clf.learn_unlabelled(x, self_train)
        rows += step
        delayed += step
        labels += 2
        predictions += 2
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
