"""Prove the monitors of a stored adaptive tree; see tree/check.py."""

from micropython import const

from ..proof import bad, between

# From the layouts, by `make consts`:
_SAMPLES = const(7)
_ADWIN_WIDTH = const(1)
_ADWIN_RECENT = const(2)
_ADWIN_BUCKETS = const(3)
_ADWIN = const(4)
_BUCKET_AT = const(13)
_BUCKET_ONES = const(8191)
_FLAGS = const(8)
_MAX_NODES = const(12)
_NODE0 = const(10)
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
_DEEPER = const(4)
_DEPTH_AT = const(2)
_MONITOR_AGE = const(1)
_MONITOR_ERRORS = const(2)
_MONITOR_RIVAL = const(3)
_MONITOR_TRAFFIC = const(4)
_WATCH = const(5)
_LONG = const(32767)
_PERIOD = const(1023)
_PATIENCE = const(20000)

_WIDEST = 1300  # blocks; a window of 20 buckets never gets there

RANGES = {_CANDIDATE: (0, 65535), _HITS: (0, 1025), _SPARE: (0, 255)}


def _check_candidate(words, halves):
    """Prove the node that waits for a monitor. It may have been pruned since, but the way up must end."""
    node = between("candidate", words[_CANDIDATE], 0, words[_MAX_NODES]) - 1
    for _ in range(words[_MAX_NODES]):
        if (
            node < 0
            or node >= words[_MAX_NODES]
            or halves[words[_NODE0] + node * _NODE + _NODE_SHAPE] < _DEEPER
        ):
            return
        node = halves[words[_NODE0] + node * _NODE]
        between("parent", node, 0, words[_MAX_NODES] + words[_MONITORS] - 1)
    bad("the candidate's ancestors form a ring")


def check_monitors(words, halves, b, nodes):
    """`nodes` holds those of the main tree, and only they may be monitored."""
    _check_candidate(words, halves)
    spare = 0
    oldest = _LONG if words[_FLAGS] & _EXACT else _PATIENCE + 32
    for m in range(words[_MONITORS]):
        at = words[_MONITOR0] + m * words[_MONITOR]
        node = halves[at] - 1
        age = between("age of an alternate", halves[at + _MONITOR_AGE] - 1, -1, oldest)
        if age >= 0:
            between("errors", max(halves[at + _MONITOR_ERRORS], halves[at + _MONITOR_RIVAL]), 0, age)
        since = (words[_SAMPLES] + 1) & _PERIOD  # the last review
        between("samples of a monitor", halves[at + _MONITOR_TRAFFIC], 0, since)
        _check_adwin(halves, at + _WATCH, words[_MONITOR] - _WATCH - _ADWIN)
        if node < 0:
            spare += 1
            continue
        if node >= nodes.n or not nodes.has(node):
            bad("monitor %d has node %d", m, node)
        here = words[_NODE0] + node * _NODE
        if not halves[here + _NODE_CHILD] or b[words[_MAP0] + (halves[here + _NODE_CHILD] >> 1)] != m + 1:
            bad("node %d does not know its monitor", node)
        if age >= 0:
            alternate = words[_NODE0] + (words[_MAX_NODES] + m) * _NODE
            if (
                halves[alternate] != halves[here]
                or halves[alternate + _NODE_SHAPE] >> _DEPTH_AT != halves[here + _NODE_SHAPE] >> _DEPTH_AT
            ):
                bad("the alternate of node %d has other ancestors", node)
    known = 0
    for i in range(words[_MAX_NODES] >> 1):
        if b[words[_MAP0] + i]:
            known += 1
    if spare != words[_SPARE] or known != words[_MONITORS] - spare:
        bad("number of monitors")


def _check_adwin(halves, at, capacity):
    n = between("buckets", halves[at + _ADWIN_BUCKETS], 0, capacity)
    ones = width = 0
    last = 7
    for i in range(at + _ADWIN, at + _ADWIN + n):
        size = halves[i] >> _BUCKET_AT
        between("a bucket", size, 0, last)
        between("ones", halves[i] & _BUCKET_ONES, 0, 32 << size)
        ones += halves[i] & _BUCKET_ONES
        width += 1 << size
        last = size
    if halves[at] != ones or halves[at + _ADWIN_WIDTH] != width or width > _WIDEST:
        bad("sums of a monitor")
    between("values", halves[at + _ADWIN_RECENT] >> 8, 0, 31)
    between("ones", halves[at + _ADWIN_RECENT] & 255, 0, halves[at + _ADWIN_RECENT] >> 8)
