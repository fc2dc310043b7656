"""Feature importances of a tree: mean positional gain and mean decrease of impurity.

Karax, Malucelli and Barddal, "Decision tree-based feature ranking in concept drifting data streams", 2019.
J(b) is the merit that decided split b, R the largest possible one; both measures are in parts of R. A lone
leaf gives zeros. Alternate subtrees have no say. Nothing is allocated: walks go along the parents.
"""

from micropython import const

from ..construct import choice

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_HALVES = const(1)
_CLASSES = const(6)
_SAMPLES = const(7)
_RANGE = const(25)
_NODE0 = const(10)
_LEAF0 = const(27)
_NODE_CHILD = const(1)
_NODE_FEATURE = const(2)
_NODE_LEAF = const(2)
_NODE_MERIT = const(4)
_NODE_SHAPE = const(5)
_NODE = const(6)
_DEPTH_AT = const(2)
_LEAF_EPOCH = const(3)
_LEAF = const(5)
_EPOCH = const(12)


def _next(w, h, node):
    """The node after this one, parents first; 0 after the last."""
    child = h[w[_NODE0] + node * _NODE + _NODE_CHILD]
    if child:
        return child
    while node and not node & 1:  # a right child
        node = h[w[_NODE0] + node * _NODE]
    return node + 1 if node else 0


def mpg(w, h, out):
    """Equation 2: sum over splits of (height - depth) / height x J / R, divided by the number of splits.

    The root counts in full, the deepest split by 1 / height.
    """
    height = splits = node = 0
    while True:
        p = w[_NODE0] + node * _NODE
        if h[p + _NODE_CHILD]:
            splits += 1
            height = max(height, (h[p + _NODE_SHAPE] >> _DEPTH_AT) + 1)
        node = _next(w, h, node)
        if not node:
            break
    small = 2 if splits > 8000 else 0  # the sum must stay within 30 bits
    while splits:
        p = w[_NODE0] + node * _NODE
        if h[p + _NODE_CHILD]:
            rest = height - (h[p + _NODE_SHAPE] >> _DEPTH_AT)
            v = (h[p + _NODE_MERIT] << 14) // w[_RANGE] >> small  # Q16
            out[h[p + _NODE_FEATURE]] += v // height * rest + v % height * rest // height
        node = _next(w, h, node)
        if not node:
            break
    for f in range(len(out)):
        if out[f]:
            out[f] = (out[f] // splits) << small


def mdi(w, h, out):
    """Equation 1: sum over splits of N_b / N x J / R.

    N_b / N is the share of recent samples that pass split b, by its leaves' class counts, which fade. The
    paper's own objection to MDI is that N_b at the time of the split is the grace period for all.
    """
    total = node = 0
    while True:
        total += _recent(w, h, node)
        node = _next(w, h, node)
        if not node:
            break
    while total:
        n = _recent(w, h, node)
        if n:
            share = 0  # Q16
            for _ in range(16):
                n <<= 1
                share <<= 1
                if n >= total:
                    n -= total
                    share |= 1
            up = node
            while up:
                up = h[w[_NODE0] + up * _NODE]
                p = w[_NODE0] + up * _NODE
                out[h[p + _NODE_FEATURE]] += share * ((h[p + _NODE_MERIT] << 10) // w[_RANGE]) >> 8  # Q20
        node = _next(w, h, node)
        if not node:
            break
    for f in range(len(out)):
        out[f] >>= 4


def _recent(w, h, node):
    """Samples that a leaf has had lately; 0 for a split."""
    p = w[_NODE0] + node * _NODE
    if h[p + _NODE_CHILD]:
        return 0
    leaf = w[_LEAF0] + h[p + _NODE_LEAF] * (_LEAF + w[_CLASSES])
    fade = min(((w[_SAMPLES] >> _EPOCH) - h[leaf + _LEAF_EPOCH]) & 65535, 16)
    n = 0
    for c in range(leaf + _LEAF, leaf + _LEAF + w[_CLASSES]):
        n += h[c] >> fade
    return n


_KINDS = ("mpg", "mdi")
_MEASURES = (mpg, mdi)


def importances(tree, out, kind="mpg"):
    """Fill `out`, one place per feature, with integers scaled to 65,536."""
    measure = _MEASURES[choice("kind", kind, _KINDS)]
    tree._check_out(out, tree.n_features)
    for f in range(len(out)):
        out[f] = 0
    measure(tree._arrays[_A_WORDS], tree._arrays[_A_HALVES], out)
