"""Prove the monitors of a stored adaptive tree; see tree/check.py."""

from ..proof import bad, between
from .layout import (
    CANDIDATE,
    HITS,
    MAP0,
    MAX_NODES,
    MONITOR,
    MONITOR0,
    MONITORS,
    NODE,
    NODE0,
    SPARE,
)

_PATIENCE = 20000
_WATCH = 5
_ADWIN = 4  # halves before its buckets
_WIDEST = 1300  # blocks; a window of 20 buckets never gets there

RANGES = {CANDIDATE: (0, 65535), HITS: (0, 1025), SPARE: (0, 255)}


def _check_candidate(w, h):
    """Its way up must end: the node may be one that was pruned since, with a parent of another time."""
    node = between("candidate", w[CANDIDATE], 0, w[MAX_NODES]) - 1
    for _ in range(w[MAX_NODES]):
        if node < 0 or node >= w[MAX_NODES] or h[w[NODE0] + node * NODE + 5] < 4:
            return
        node = h[w[NODE0] + node * NODE]
        between("parent", node, 0, w[MAX_NODES] + w[MONITORS] - 1)
    bad("the candidate's ancestors form a ring")


def check_monitors(w, h, b, nodes):
    """`nodes` holds those of the main tree, and only they may be monitored."""
    _check_candidate(w, h)
    spare = 0
    for m in range(w[MONITORS]):
        at = w[MONITOR0] + m * w[MONITOR]
        node = h[at] - 1
        age = between("age of an alternate", h[at + 1] - 1, -1, _PATIENCE + 32)
        if age >= 0:
            between("errors", max(h[at + 2], h[at + 3]), 0, age)
        between("samples of a monitor", h[at + 4], 0, (w[7] + 1) & 1023)  # since the last review
        _check_adwin(h, at + _WATCH, w[MONITOR] - _WATCH - _ADWIN)
        if node < 0:
            spare += 1
            continue
        if node >= nodes.n or not nodes.has(node):
            bad("monitor %d has node %d", m, node)
        here = w[NODE0] + node * NODE
        if not h[here + 1] or b[w[MAP0] + (h[here + 1] >> 1)] != m + 1:
            bad("node %d does not know its monitor", node)
        if age >= 0:
            alternate = w[NODE0] + (w[MAX_NODES] + m) * NODE
            if h[alternate] != h[here] or h[alternate + 5] >> 2 != h[here + 5] >> 2:
                bad("the alternate of node %d has other ancestors", node)
    known = 0
    for i in range(w[MAX_NODES] >> 1):
        if b[w[MAP0] + i]:
            known += 1
    if spare != w[SPARE] or known != w[MONITORS] - spare:
        bad("number of monitors")


def _check_adwin(h, at, capacity):
    n = between("buckets", h[at + 3], 0, capacity)
    ones = width = 0
    last = 7
    for i in range(at + _ADWIN, at + _ADWIN + n):
        size = h[i] >> 13
        between("a bucket", size, 0, last)
        between("ones", h[i] & 8191, 0, 32 << size)
        ones += h[i] & 8191
        width += 1 << size
        last = size
    if h[at] != ones or h[at + 1] != width or width > _WIDEST:
        bad("sums of a monitor")
    between("values", h[at + 2] >> 8, 0, 31)
    between("ones", h[at + 2] & 255, 0, h[at + 2] >> 8)
