"""Drift: monitors at split nodes, and alternate subtrees that take over when they are better (HAT).

Bifet and Gavalda, "Adaptive learning from evolving data streams", 2009. A monitor follows the error of the
subtree below its node with an ADWIN. When the error rises, an alternate subtree starts from an empty leaf,
beside the node and out of reach from the root. It learns the same samples; it replaces the node only when it
is significantly better, or as good for long, and is dropped when it is worse. Alternates learn with
the kernels of the main tree, which then start at the alternate's root (S_START): `watch` says at which.

words   MONITOR0 ...: see tree/layout.py
halves  monitors: node + 1 (0: free), samples since the alternate's birth + 1 (0: none), errors of main
        subtree and alternate since then, samples in this period, ADWIN
octets  map: per sibling pair, the monitor of its parent + 1
scratch behind all else: alternates on the path, the list of monitors for `adwin` (number, capacity,
        confidence, pairs), the monitors of those alternates

The root of monitor m's alternate is node MAX_NODES + m. Its parent and depth are those of the node that it
would replace, so that the regularised rule sees the same ancestors.
"""

import micropython
from micropython import const

from ..adwin import adwin
from .alternates import begin
from .learn import learn
from .predict import predict
from .replace import replace
from .shrink import shrink

_SAMPLES = const(7)
_LANES = const(10)
_MAX_NODES = const(12)
_NODE0 = const(10)
_ROWS = const(35)
_MONITOR0 = const(37)
_MONITORS = const(38)
_MONITOR = const(39)
_MAP0 = const(40)
_CANDIDATE = const(41)
_HITS = const(42)
_SPARE = const(43)
_NODE = const(6)
_WATCH = const(5)  # halves of a monitor before its ADWIN
_PROOF = const(300)  # samples before an alternate is judged
_FADE = const(1023)  # errors are halved after so many samples, and one
_YOUTH = const(10000)  # samples before it can be dropped
_PATIENCE = const(20000)  # samples after which an alternate that is as good takes over
_SWITCH = const(65534)  # instead of samples since the alternate's birth: the verdict
_DROP = const(65535)
_MOST = const(2)  # alternates on a path
_DECIDE = const(7936)  # what is due: adwin, judge, decide, swap, empty
_TURN = const(8192)  # or: to predict and learn once more, at an alternate
_PENDING = const(65536)
_PERIOD = const(1023)
_CONFIDENCE = const(6364)  # ln(1 / 0.002) in Q10
_S_NODE = const(5)
_S_LOGS = const(7)
_S_BEST = const(8)  # here: how much there is to decide
_S_LANE = const(10)  # here: a monitor whose node gets an alternate
_S_START = const(17)
_S_ROWS = const(18)


@micropython.viper
def watch(at: ptr32, x: ptr16) -> int:
    """After a sample has been learned: tell the monitors, then let the alternates on its path learn it too.

    Called until it returns 0. First it walks from the sample's leaf to the root and tells each monitor
    whether the leaf was right. What a monitor's ADWIN does with a value is nothing but counting, but for
    every 32nd: only those go into the list for `adwin`. Also finds the topmost split without a monitor.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    wrong = scratch[_S_LOGS]
    extra = _S_ROWS + words[_ROWS] + words[_LANES]
    item = extra + 4
    alternate = item + 2 * words[_MONITORS]
    left = scratch[extra]
    node = scratch[_S_START]
    if node:  # an alternate has learned
        scratch[_S_START] = 0
        halves[words[_MONITOR0] + (node - words[_MAX_NODES]) * words[_MONITOR] + 3] += wrong
    elif left & _PENDING:
        left -= _PENDING
    else:
        left = 0
        wish = 0
        node = scratch[_S_NODE]
        while True:
            p = words[_NODE0] + node * _NODE
            m = 0
            if halves[p + 1]:  # the leaf too may have been split just now
                m = octets[words[_MAP0] + (halves[p + 1] >> 1)]
                if m == 0:
                    wish = node + 1
            if m:
                base = words[_MONITOR0] + (m - 1) * words[_MONITOR]
                n = halves[base + 1]
                if n:
                    halves[base + 1] = n + 1
                    if n & _FADE == 0:
                        halves[base + 2] >>= 1
                        halves[base + 3] >>= 1
                    halves[base + 2] += wrong
                    scratch[alternate + left] = m - 1
                    left += 1
                halves[base + 4] += 1
                n = halves[base + _WATCH + 2] + 256 + wrong
                if n < 8192:
                    halves[base + _WATCH + 2] = n
                else:
                    scratch[item] = base + _WATCH
                    scratch[item + 1] = wrong
                    item += 2
            if node == 0:
                break
            node = halves[p]
        n = 0
        if wish:
            if words[_CANDIDATE] == 0 or words[_SPARE]:
                words[_CANDIDATE] = wish
                words[_HITS] = 0
                n = words[_SPARE]
            if words[_CANDIDATE] == wish:
                words[_HITS] += 1
        if words[_SAMPLES] & _PERIOD == _PERIOD:
            n += 1
        if n or item > extra + 4:
            scratch[_S_BEST] = n
            scratch[_S_LOGS] = extra + 1  # adwin's list
            scratch[extra + 1] = (item - extra - 4) >> 1
            scratch[extra + 2] = words[_MONITOR] - _WATCH - 4
            scratch[extra + 3] = _CONFIDENCE
            scratch[extra] = left + _PENDING
            return _DECIDE

    while left:
        left -= 1
        m = scratch[alternate + left]
        n = words[_MONITOR0] + m * words[_MONITOR]
        if halves[n] and halves[n + 1]:  # it may have been dropped since
            words[_SAMPLES] -= 1  # the same sample
            scratch[_S_START] = words[_MAX_NODES] + m
            scratch[extra] = left
            return _TURN
    scratch[extra] = 0
    return 0


@micropython.viper
def judge(at: ptr32, x: ptr16) -> int:
    """Judge the alternates whose monitors have completed a block; see where one should start.

    Main subtree and alternate have seen the same n samples, with E and A errors: with e = E / n the bound
    sqrt(2 e (1 - e) ln(2 / 0.05) (1 / n + 1 / n)) on e - A / n becomes (E - A)^2 > 14.755 E (n - E) / n.
    All three fade, so that an alternate's first steps are forgotten; a young one is not dropped yet, because
    in a gradual drift its time is still to come. One that is neither better nor worse for long takes over: it
    is as good after fewer samples, and knows nothing of old concepts. Of all nodes on the path whose error
    has risen the topmost gets an alternate.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    scratch = ptr32(at[3])
    item = _S_ROWS + words[_ROWS] + words[_LANES] + 4
    last = item + 2 * scratch[item - 3]
    last0 = item + 2 * words[_MONITORS]  # alternates on the path, from the leaf to the root
    scratch[_S_LANE] = -1
    several = scratch[item - 4] - _PENDING
    due = scratch[_S_BEST]
    while item < last:
        base = scratch[item] - _WATCH
        n = halves[base + 1] - 1
        if n < 0:
            if scratch[item + 1] == 1:
                scratch[_S_LANE] = base
                due += 1
        elif n > _PROOF:
            e = halves[base + 2]
            d = e - halves[base + 3]
            k = (n & _FADE) + _FADE + 1 - ((_FADE + 1) >> (n >> 10))
            k = d * d - ((e * (k - e) // k * 15109) >> 10)
            if k > 0 and d > 0 or k <= 0 and n > _PATIENCE:
                halves[base + 1] = _SWITCH
                due += 1
            elif k > 0 and n > _YOUTH:
                halves[base + 1] = _DROP
                due += 1
        item += 2
    # No more than a few alternates on a path: the deepest gives way to one that starts above it.
    base = scratch[_S_LANE]
    if base >= 0 and several >= _MOST:
        n = words[_MONITOR0] + scratch[last0] * words[_MONITOR]
        d = halves[words[_NODE0] + (halves[n] - 1) * _NODE + 5]
        if halves[words[_NODE0] + (halves[base] - 1) * _NODE + 5] >> 2 < d >> 2:
            halves[n + 1] = _DROP
        else:
            scratch[_S_LANE] = -1
    scratch[_S_BEST] = due
    return 0


# What follows grow and empty in tree._variants. When all that is done, `watch` is called until it returns 0.
KERNELS = (adwin, judge, begin, replace, shrink)


def adapt(tree, due, x, y):
    """All that is due after an adaptive tree has learned; kernels that would do nothing are left out."""
    at = tree._at
    arrays = tree._arrays
    scratch = arrays[3]
    try:
        while due:
            if due & _TURN:
                n = len(x)
                predict(at, x, n)
                due = learn(at, x, n, y)
            if due & 255:
                tree._work(due & 255, x, y)
            if due & 256:
                adwin(at, x)
                judge(at, x)
                if scratch[_S_BEST]:
                    begin(arrays, x)
                    while replace(arrays, x):
                        pass
                    shrink(at, x)
            due = watch(at, x)
    finally:
        scratch[_S_START] = 0  # whatever happens, predictions come from the main tree
