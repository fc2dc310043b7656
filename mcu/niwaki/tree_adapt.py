"""Drift: monitors at split nodes, and alternate subtrees that take over when they are better (HAT).

Bifet and Gavalda, "Adaptive learning from evolving data streams", 2009. A monitor follows the error of the
subtree below its node with an ADWIN. When the error rises, an alternate subtree starts from an empty leaf,
beside the node and out of reach from the root. It learns the same samples; it replaces the node only when it
is significantly better, and is dropped when it is worse or has not got better for long. Alternates learn with
the kernels of the main tree, which then start at the alternate's root (S_START): `turn` says at which.

words   MONITOR0 ...: see tree_layout.py
halves  monitors: node + 1 (0: free), samples since the alternate's birth + 1 (0: none), errors of main
        subtree and alternate since then, samples in this period, ADWIN
octets  map: per sibling pair, the monitor of its parent + 1
scratch behind all else: alternates on the path, the list of monitors for `adwin` (number, capacity, confidence,
        pairs), the monitors of those alternates

The root of monitor m's alternate is node MAX_NODES + m. Its parent and depth are those of the node that it
would replace, so that the regularised rule sees the same ancestors.
"""

import micropython
from micropython import const

from .adwin import adwin
from .tree_decide import decide
from .tree_empty import empty
from .tree_learn import learn
from .tree_predict import predict
from .tree_swap import swap

_SAMPLES = const(7)
_LANES = const(10)
_MAX_NODES = const(12)
_NODE0 = const(27)
_ROWS = const(42)
_MONITOR0 = const(43)
_MONITORS = const(44)
_MONITOR = const(45)
_MAP0 = const(46)
_CANDIDATE = const(47)
_HITS = const(48)
_SPARE = const(49)
_NODE = const(6)
_WATCH = const(5)  # halves of a monitor before its ADWIN
_PERIOD = const(1023)
_CONFIDENCE = const(6364)  # ln(1 / 0.002) in Q10
_S_NODE = const(0)
_S_LOGS = const(2)
_S_BEST = const(3)  # here: how much there is to decide
_S_SECOND = const(4)  # here: alternates on the path
_S_START = const(12)
_S_ROWS = const(13)


@micropython.viper
def watch(at: ptr32, x: ptr16) -> int:
    """Tell the monitors on the way from the sample's leaf to the root whether the leaf was right.

    What a monitor's ADWIN does with a value is nothing but counting, but for every 32nd: only those go into
    the list for `adwin`. Also finds the topmost split on the path that has no monitor.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    octets = ptr8(at[2])
    scratch = ptr32(at[3])
    wrong = scratch[_S_LOGS]
    extra = _S_ROWS + words[_ROWS] + words[_LANES]
    item = extra + 4
    alternate = item + 2 * words[_MONITORS]
    waiting = alternate
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
            if halves[base + 1]:
                halves[base + 1] += 1
                halves[base + 2] += wrong
                scratch[waiting] = m - 1
                waiting += 1
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
    scratch[extra] = waiting - alternate
    scratch[_S_SECOND] = waiting - alternate
    n = (item - extra - 4) >> 1
    scratch[_S_LOGS] = extra + 1  # adwin's list
    scratch[extra + 1] = n
    scratch[extra + 2] = words[_MONITOR] - _WATCH - 4
    scratch[extra + 3] = _CONFIDENCE
    if wish:
        if words[_CANDIDATE] == 0 or words[_SPARE]:
            words[_CANDIDATE] = wish
            words[_HITS] = 0
            n += words[_SPARE]
        if words[_CANDIDATE] == wish:
            words[_HITS] += 1
    if words[_SAMPLES] & _PERIOD == _PERIOD:
        n += 1
    scratch[_S_BEST] = n
    return 0


@micropython.viper
def turn(at: ptr32, x: ptr16) -> int:
    """Whose turn is it? Non-zero: predict and learn once more, from the root of the next alternate."""
    words = ptr32(at[0])
    halves = ptr16(at[1])
    scratch = ptr32(at[3])
    extra = _S_ROWS + words[_ROWS] + words[_LANES]
    start = scratch[_S_START]
    if start:
        halves[words[_MONITOR0] + (start - words[_MAX_NODES]) * words[_MONITOR] + 3] += scratch[_S_LOGS]
    scratch[_S_START] = 0
    while scratch[extra]:
        n = scratch[extra] - 1
        scratch[extra] = n
        m = scratch[extra + 4 + 2 * words[_MONITORS] + n]
        n = words[_MONITOR0] + m * words[_MONITOR]
        if halves[n] and halves[n + 1]:  # it may have been dropped since
            words[_SAMPLES] -= 1  # the same sample
            scratch[_S_START] = words[_MAX_NODES] + m
            return 1
    return 0


# What follows grow and empty in Tree.KERNELS.
KERNELS = (watch, adwin, decide, swap, empty)
BYTECODE = (decide, swap)


def adapt(tree, due, x, y):
    """All that is due after an adaptive tree has learned; kernels that would do nothing are left out."""
    if due:
        tree._work(due, x, y)
    at = tree._at
    scratch = tree._scratch
    watch(at, x)
    if scratch[_S_BEST]:
        adwin(at, x)
        arrays = tree._arrays
        decide(arrays, x)
        while swap(arrays, x):
            pass
        empty(at, x)
    if scratch[_S_SECOND]:
        n = len(x)
        try:
            while turn(at, x):
                predict(at, x, n)
                due = learn(at, x, n, y)
                if due:
                    tree._work(due, x, y)
        finally:
            scratch[_S_START] = 0  # whatever happens, predictions come from the main tree
