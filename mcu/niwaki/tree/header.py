"""What a tree's plan writes into its fresh arrays. The layout: tree/layout.py."""

from micropython import const

from ..construct import half_ln_inverse_q10, log2_q

# From the layouts, by `make consts`:
_FLAGS = const(8)
_BINS = const(9)
_LANES = const(10)
_CELLS = const(11)
_MAX_NODES = const(12)
_NODES = const(13)
_MAX_LEAVES = const(14)
_LEAVES = const(15)
_SLOTS = const(16)
_ACTIVE = const(17)
_TOP_NODE = const(19)
_TOP_LEAF = const(21)
_GRACE = const(22)
_HALF_LN = const(23)
_TAU = const(24)
_RANGE = const(25)
_OMEGA = const(26)
_NODE0 = const(10)
_LEAF0 = const(27)
_SLOT_HALVES0 = const(28)
_SLOT_HALVES = const(29)
_SLOT_WORDS0 = const(30)
_SLOT_WORDS = const(31)
_CELL0 = const(32)
_CELL_STRIDE = const(33)
_WIDTH = const(34)
_ROWS = const(35)
_MONITOR0 = const(37)
_MONITORS = const(38)
_MONITOR = const(39)
_MAP0 = const(40)
_SPARE = const(43)
_GINI = const(4)
_WIDE = const(8)
_RACED = const(64)
_DROP_POOR = const(128)
_ADAPTIVE = const(256)
_MEMO = const(512)
_EXACT = const(1024)
_HELLINGER = const(2048)
_MAX_DEPTH_AT = const(13)
_NB_THRESHOLD_AT = const(19)
_STRICT_AT = const(4)
_NODE = const(6)
_LEAF = const(5)

_ROOT2 = const(1448)  # sqrt(2) in Q10, the largest Hellinger distance


def write_header(words, plan):
    """Put a plan into the header of a tree, after the words that every model has."""
    w = words
    p = plan
    o = p.options
    raced = p.lanes < p.n_features
    c = p.n_classes
    w[_FLAGS] = (
        ("mc", "nb", "nba").index(o["leaf"])
        | (o["criterion"] == "gini") * _GINI
        | p.wide * _WIDE
        | o["strict"] << _STRICT_AT
        | raced * _RACED
        | bool(o["drop_poor"]) * _DROP_POOR
        | bool(p.memo) * _MEMO
        | bool(o["exact"]) * _EXACT
        | bool(p.monitors) * _ADAPTIVE
        | (o["criterion"] == "hellinger") * _HELLINGER
        | (o["max_depth"] or 0) << _MAX_DEPTH_AT
        | o["nb_threshold"] << _NB_THRESHOLD_AT
    )
    w[_BINS] = p.bins
    w[_LANES] = p.lanes
    w[_CELLS] = p.cells
    w[_MAX_NODES] = p.nodes
    w[_NODES] = 1
    w[_MAX_LEAVES] = (p.nodes + 1) // 2 + p.monitors
    w[_LEAVES] = 1
    w[_SLOTS] = p.slots
    w[_ACTIVE] = 1
    w[_TOP_NODE] = 1
    w[_TOP_LEAF] = 1
    w[_GRACE] = 65536 if p.lone(p.nodes) else o["grace"]  # in 65,536 samples no leaf gets that old
    w[_HALF_LN] = half_ln_inverse_q10(o["delta"])
    w[_TAU] = int(o["tau"] * 65536 + 0.5)
    w[_RANGE] = log2_q(c, 10) if o["exact"] and o["criterion"] == "gain" else 1024
    if o["criterion"] == "hellinger":
        w[_RANGE] = _ROOT2
    w[_OMEGA] = 0 if o["omega"] is None else int(o["omega"] * 1024 + 0.5)
    w[_NODE0] = p.lanes
    w[_LEAF0] = w[_NODE0] + (p.nodes + p.monitors) * _NODE
    w[_SLOT_HALVES0] = w[_LEAF0] + w[_MAX_LEAVES] * (_LEAF + c)
    w[_SLOT_HALVES] = p.slot_halves
    w[_SLOT_WORDS0] = p.header
    w[_SLOT_WORDS] = p.slot_words
    w[_WIDTH] = p.width
    w[_ROWS] = p.rows(p.nodes)
    if p.monitors:
        w[_MONITOR0] = w[_SLOT_HALVES0] + p.slots * p.slot_halves
        w[_MONITORS] = w[_SPARE] = p.monitors
        w[_MONITOR] = p.monitor
        w[_MAP0] = p.n_features + (0 if p.wide else p.slots * p.cells)
    if p.wide:
        w[_CELL0] = w[_SLOT_HALVES0] + c + (p.lanes if raced else 0)
        w[_CELL_STRIDE] = p.slot_halves
    else:
        w[_CELL0] = p.n_features
        w[_CELL_STRIDE] = p.cells
