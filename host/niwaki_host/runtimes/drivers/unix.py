"""On MicroPython's unix port: one model over one stream, from files and to files.

A sample is read, used and forgotten, so that the heap holds the model and little else. The collector is off
while the stream runs: what is allocated then would stay, and would show in the peak.
"""

import gc
import time
from array import array

import job
from micropython import const

# As in niwaki_host/runtimes/events.py. An event is two words: verb << 16 | label, and its sample's place
# among those that wait. The codes of its sample are next in the file, unless the sample is the one at hand.
_ASK = const(0)
_LEARN = const(1)
_DEFER = const(2)
_LABEL = const(3)
_TEACH = const(4)
_GUESS = const(5)
_NOTE = const(6)

gc.threshold(4096)  # garbage of importing must not spread what stays over the whole heap
import niwaki


def main():
    if job.image:
        clf = niwaki.load("image")
    else:
        clf = getattr(niwaki, job.class_name)(*job.shape, **job.kwargs)
    self_train, keeps = job.self_train, job.keeps
    x = array("h", bytearray(2 * job.shape[0]))
    event = array("i", bytearray(8))
    value = array("h", bytearray(2))
    answers = array("i", bytearray(4))
    point = array("i", bytearray(16))
    events, codes = open("events", "rb"), open("X", "rb")
    predictions, curve = open("predictions", "wb"), open("curve", "wb")
    kept = open("kept", "w+b") if keeps else None

    if self_train:
        from niwaki.unlabelled import learn_unlabelled  # noqa: F401  to have it when the collector is off
    gc.collect()
    gc.disable()
    start = time.ticks_ms()
    while events.readinto(event) == 8:
        verb = event[0] >> 16
        y = event[0] & 65535
        if verb == _ASK:
            codes.readinto(x)
            value[0] = clf.predict(x)
            predictions.write(value)
        elif verb == _LEARN:
            clf.learn(x, y)
        elif verb == _TEACH or verb == _LABEL and not keeps:
            codes.readinto(x)
            clf.learn(x, y)
        elif verb == _LABEL:
            codes.readinto(x)
            kept.seek(4 * event[1])
            kept.readinto(answers)
            clf.learn_late(x, y, answers[0])
        elif verb == _DEFER:
            answers[0] = clf.answers()
            kept.seek(4 * event[1])
            kept.write(answers)
        elif verb == _GUESS:
            codes.readinto(x)
            clf.learn_unlabelled(x, self_train)
        elif verb == _NOTE:
            point[0] = event[1]
            point[1] = clf.n_nodes
            point[2] = clf.n_leaves
            point[3] = time.ticks_diff(time.ticks_ms(), start)
            curve.write(point)
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
