"""On MicroPython's unix port: one model over one stream, from files and to files.

A sample is read, used and forgotten, so that the heap holds the model and little else. The collector is off
while the stream runs: what is allocated then would stay, and would show in the peak.
"""

import gc
import time
from array import array

import job

gc.threshold(4096)  # garbage of importing must not spread what stays over the whole heap
import niwaki


def main():
    if job.image:
        clf = niwaki.load("image")
    else:
        clf = getattr(niwaki, job.class_name)(*job.shape, **job.kwargs)
    delay, every, width, self_train = job.delay, job.every, job.shape[0], job.self_train
    x = array("h", bytearray(2 * width))
    old = array("h", bytearray(2 * width)) if delay else x
    value = array("h", bytearray(2))
    row = array("i", bytearray(16))
    codes, delayed, labels = open("X", "rb"), open("X", "rb"), open("labels", "rb")
    predictions, curve = open("predictions", "wb"), open("curve", "wb")

    if self_train:
        from niwaki.unlabelled import learn_unlabelled  # noqa: F401  to have it when the collector is off
    gc.collect()
    gc.disable()
    start = time.ticks_ms()
    for t in range(job.samples):
        codes.readinto(x)
        value[0] = clf.predict(x)
        predictions.write(value)
        labels.readinto(value)
        y = value[0]
        if delay and t >= delay:
            delayed.readinto(old)
        if y >= 0:
            clf.learn(old, y)
        elif y == -1 and self_train:
            clf.learn_unlabelled(old, self_train)
        if every and (t + 1) % every == 0:
            row[0] = t + 1
            row[1] = clf.n_nodes
            row[2] = clf.n_leaves
            row[3] = time.ticks_diff(time.ticks_ms(), start)
            curve.write(row)
    peak = gc.mem_alloc()
    gc.enable()
    milliseconds = time.ticks_diff(time.ticks_ms(), start)

    for name in ("words", "halves", "octets"):
        with open(name, "wb") as f:
            f.write(getattr(clf, name))
    predictions.close()
    curve.close()
    print(peak, milliseconds)


main()
