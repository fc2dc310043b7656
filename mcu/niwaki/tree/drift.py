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
from .replace import replace

# From the layouts, by `make consts`:
_SAMPLES = const(7)
_ADWIN_RECENT = const(2)
_ADWIN = const(4)
_RECENT_VALUE = const(256)
_RECENT_BLOCK = const(8192)
_S_LIST = const(7)
_LIST_CAPACITY = const(1)
_LIST_CONFIDENCE = const(2)
_LIST = const(3)
_FLAGS = const(8)
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
_EXACT = const(1024)
_NODE_CHILD = const(1)
_NODE_SHAPE = const(5)
_NODE = const(6)
_DEPTH_AT = const(2)
_MONITOR_AGE = const(1)
_MONITOR_ERRORS = const(2)
_MONITOR_RIVAL = const(3)
_MONITOR_TRAFFIC = const(4)
_WATCH = const(5)
_REPLACE = const(65534)
_DROP = const(65535)
_FADE = const(1023)
_LONG = const(32767)
_PERIOD = const(1023)
_PATIENCE = const(20000)
_ALTERNATES = const(2)
_DUE_TURN = const(8192)
_DUE_MONITORS = const(7936)
_S_NODE = const(5)
_S_WRONG = const(7)
_S_PENDING = const(8)
_S_WANTS = const(10)
_S_START = const(17)
_S_ROWS = const(18)
_X_LIST = const(1)
_X_ITEMS = const(4)
_X_PENDING = const(65536)

_PROOF = const(300)  # samples before an alternate is judged
_YOUTH = const(10000)  # samples before it can be dropped
_CONFIDENCE = const(6364)  # ln(1 / 0.002) in Q10


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
    wrong = scratch[_S_WRONG]
    extra = _S_ROWS + words[_ROWS] + words[_LANES]
    item = extra + _X_ITEMS
    alternate = item + 2 * words[_MONITORS]
    left = scratch[extra]
    node = scratch[_S_START]
    if node:  # an alternate has learned
        scratch[_S_START] = 0
        halves[words[_MONITOR0] + (node - words[_MAX_NODES]) * words[_MONITOR] + _MONITOR_RIVAL] += wrong
    elif left & _X_PENDING:
        left -= _X_PENDING
    else:
        left = 0
        wish = 0
        exact = words[_FLAGS] & _EXACT
        fade = _FADE
        if exact:
            fade = _LONG
        node = scratch[_S_NODE]
        while True:
            here = words[_NODE0] + node * _NODE
            mapped = 0
            if halves[here + _NODE_CHILD]:  # the leaf too may have been split just now
                mapped = octets[words[_MAP0] + (halves[here + _NODE_CHILD] >> 1)]
                if not mapped:
                    wish = node + 1
            if mapped:
                base = words[_MONITOR0] + (mapped - 1) * words[_MONITOR]
                age = halves[base + _MONITOR_AGE]
                if age:
                    if not age & fade:
                        halves[base + _MONITOR_ERRORS] >>= 1
                        halves[base + _MONITOR_RIVAL] >>= 1
                        if exact:
                            age >>= 1
                    halves[base + _MONITOR_AGE] = age + 1
                    halves[base + _MONITOR_ERRORS] += wrong
                    scratch[alternate + left] = mapped - 1
                    left += 1
                halves[base + _MONITOR_TRAFFIC] += 1
                recent = halves[base + (_WATCH + _ADWIN_RECENT)] + _RECENT_VALUE + wrong
                if not recent & _RECENT_BLOCK:  # fewer than 32 values
                    halves[base + (_WATCH + _ADWIN_RECENT)] = recent
                else:
                    scratch[item] = base + _WATCH
                    scratch[item + 1] = wrong
                    item += 2
            if not node:
                break
            node = halves[here]
        pending = 0
        if wish:
            if words[_CANDIDATE] == 0 or words[_SPARE]:
                words[_CANDIDATE] = wish
                words[_HITS] = 0
                pending = words[_SPARE]
            if words[_CANDIDATE] == wish:
                words[_HITS] += 1
        if words[_SAMPLES] & _PERIOD == _PERIOD:
            pending += 1
        if pending or item > extra + _X_ITEMS:
            scratch[_S_PENDING] = pending
            scratch[_S_WANTS] = -1
            scratch[_S_LIST] = extra + _X_LIST
            scratch[extra + _X_LIST] = (item - extra - _X_ITEMS) >> 1
            scratch[extra + (_X_LIST + _LIST_CAPACITY)] = words[_MONITOR] - (_WATCH + _ADWIN)
            scratch[extra + (_X_LIST + _LIST_CONFIDENCE)] = _CONFIDENCE
            scratch[extra] = left + _X_PENDING
            return _DUE_MONITORS

    while left:
        left -= 1
        m = scratch[alternate + left]
        base = words[_MONITOR0] + m * words[_MONITOR]
        if halves[base] and halves[base + _MONITOR_AGE]:  # it may have been dropped since
            scratch[_S_START] = words[_MAX_NODES] + m
            scratch[extra] = left
            return _DUE_TURN
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

    With `exact` nothing fades, one that is worse is dropped as soon as a better one would replace, nothing
    takes over that is not better, and a path can have any number of alternates.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    scratch = ptr32(at[3])
    item = _S_ROWS + words[_ROWS] + words[_LANES] + _X_ITEMS
    last = item + 2 * scratch[item - _LIST]
    alternates = item + 2 * words[_MONITORS]  # alternates on the path, from the leaf to the root
    scratch[_S_WANTS] = -1
    several = scratch[item - _X_ITEMS] - _X_PENDING
    exact = words[_FLAGS] & _EXACT
    youth = _YOUTH
    patience = _PATIENCE
    if exact:
        youth = 0
        patience = _LONG
        several = 0
    due = scratch[_S_PENDING]
    while item < last:
        base = scratch[item] - _WATCH
        age = halves[base + _MONITOR_AGE] - 1
        if age < 0:
            if scratch[item + 1] == 1:
                scratch[_S_WANTS] = base
                due += 1
        elif age > _PROOF:
            errors = halves[base + _MONITOR_ERRORS]
            lead = errors - halves[base + _MONITOR_RIVAL]
            seen = age
            if not exact:
                seen = (age & _FADE) + _FADE + 1 - ((_FADE + 1) >> (age >> 10))
            excess = lead * lead - ((errors * (seen - errors) // seen * 15109) >> 10)
            if excess > 0 and lead > 0 or excess <= 0 and age > patience:
                halves[base + _MONITOR_AGE] = _REPLACE
                due += 1
            elif excess > 0 and age > youth:
                halves[base + _MONITOR_AGE] = _DROP
                due += 1
        item += 2
    # No more than a few alternates on a path: the deepest gives way to one that starts above it.
    wanting = scratch[_S_WANTS]
    if wanting >= 0 and several >= _ALTERNATES:
        deepest = words[_MONITOR0] + scratch[alternates] * words[_MONITOR]
        shape = halves[words[_NODE0] + (halves[deepest] - 1) * _NODE + _NODE_SHAPE]
        if (
            halves[words[_NODE0] + (halves[wanting] - 1) * _NODE + _NODE_SHAPE] >> _DEPTH_AT
            < shape >> _DEPTH_AT
        ):
            halves[deepest + _MONITOR_AGE] = _DROP
        else:
            scratch[_S_WANTS] = -1
    scratch[_S_PENDING] = due
    return 0


KERNELS = (adwin, judge, begin, replace)  # what an adaptive tree has in tree._variants behind the rules
