"""On the emulated Cortex-M3: a block of samples with instructions counted, around every single call.

The timer ticks once per 40 instructions, so one call is known to 40 only. Before each call the timer starts
anew and we wait for a different number of instructions: over 40 calls each phase of the tick occurs once, and
their average is exact. What reading the timer costs is measured in the same way and taken off by the host.
"""

import board
import micropython
from micropython import const

# As in niwaki_host/runtimes/events.py.
_ASK = const(0)
_LEARN = const(1)
_DEFER = const(2)
_LABEL = const(3)
_GUESS = const(5)

learns = learn_ticks = longest = predicts = predict_ticks = 0


@micropython.viper
def start(call: int):
    """Start the timer, then wait for a time that is different for each of 40 successive calls."""
    base = 0x20000000
    timer = ptr32(base + base)  # the address itself is too large for a literal
    timer[0] = 0
    timer[2] = 0x3FFFFFFF
    timer[1] = 0x3FFFFFFF
    timer[0] = 1
    n = call % 40
    while n:  # 7 instructions: no common factor with 40, so that all phases occur
        n -= 1


@micropython.viper
def ticks() -> int:
    base = 0x20000000
    return int(ptr32(base + base)[1])


def calibrate():
    """Ticks between two readings, in total over 400 pairs."""
    total = 0
    for t in range(400):
        start(t)
        a = ticks()
        b = ticks()
        total += a - b
    print(total)


def block(n, events, rows, predictions, kept):
    """As `board.block`."""
    global learns, learn_ticks, longest, predicts, predict_ticks
    board.begin()
    clf, x = board.clf, board.x
    width = len(x)
    for _ in range(n):
        code = board.get(events)
        verb = code >> 16
        y = code & 65535
        if verb != _LEARN and verb != _DEFER:
            board.copy(x, rows, width)
            rows += 2 * width
        if verb == _ASK:
            start(predicts)
            a = ticks()
            p = clf.predict(x)
            b = ticks()
            predict_ticks += a - b
            predicts += 1
            board.put(predictions, p)
            predictions += 2
        elif verb == _DEFER:
            board.keep(kept + 4 * board.get(events + 4), clf.answers())
        elif verb == _GUESS:
            clf.learn_unlabelled(x, board.self_train)
        else:
            late = verb == _LABEL and kept
            answers = board.get(kept + 4 * board.get(events + 4)) if late else 0
            start(learns)
            a = ticks()
            if late:
                clf.learn_late(x, y, answers)
            else:
                clf.learn(x, y)
            b = ticks()
            learn_ticks += a - b
            longest = max(longest, a - b)
            learns += 1
        events += 8
    board.end()
    print(clf.n_nodes, clf.n_leaves, board.peak)


def report():
    print(predicts, predict_ticks, learns, learn_ticks, longest)
