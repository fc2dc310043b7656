"""Feature importances of a tree: mean positional gain and mean decrease of impurity.

Karax, Malucelli and Barddal, "Decision tree-based feature ranking in concept drifting data streams", 2019.
J(b) is the merit of split b when it was made, without the penalty of a regularised tree; R is the largest
possible one, and both measures are in parts of R. A lone leaf gives zeros. Alternate subtrees have no say.
Nothing is allocated: walks go along the parents.
"""

from micropython import const

from ..construct import choice

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_HALVES = const(1)
_CLASSES = const(6)
_SAMPLES = const(7)
_FLAGS = const(8)
_RANGE = const(25)
_OMEGA = const(26)
_NODE0 = const(10)
_LEAF0 = const(27)
_EXACT = const(1024)
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


def _next(words, halves, node):
    """The node after this one, parents first; 0 after the last."""
    child = halves[words[_NODE0] + node * _NODE + _NODE_CHILD]
    if child:
        return child
    while node and not node & 1:  # a right child
        node = halves[words[_NODE0] + node * _NODE]
    return node + 1 if node else 0


def _merit(words, halves, node):
    """J of a split, Q12. A regularised tree has kept J*, omega x J where no split above uses the feature."""
    here = words[_NODE0] + node * _NODE
    merit = halves[here + _NODE_MERIT]
    if words[_OMEGA]:
        while node:
            node = halves[words[_NODE0] + node * _NODE]
            if halves[words[_NODE0] + node * _NODE + _NODE_FEATURE] == halves[here + _NODE_FEATURE]:
                return merit
        merit = min((merit << 10) // words[_OMEGA], words[_RANGE] << 2)
    return merit


def mpg(words, halves, out):
    """Equation 2: sum over splits of (height - depth) / height x J / R, divided by the number of splits.

    The root counts in full, the deepest split by 1 / height.
    """
    height = splits = node = 0
    while True:
        here = words[_NODE0] + node * _NODE
        if halves[here + _NODE_CHILD]:
            splits += 1
            height = max(height, (halves[here + _NODE_SHAPE] >> _DEPTH_AT) + 1)
        node = _next(words, halves, node)
        if not node:
            break
    small = 2 if splits > 8000 else 0  # the sum must stay within 30 bits
    while splits:
        here = words[_NODE0] + node * _NODE
        if halves[here + _NODE_CHILD]:
            rest = height - (halves[here + _NODE_SHAPE] >> _DEPTH_AT)
            merit = (_merit(words, halves, node) << 14) // words[_RANGE] >> small  # Q16
            out[halves[here + _NODE_FEATURE]] += merit // height * rest + merit % height * rest // height
        node = _next(words, halves, node)
        if not node:
            break
    for f in range(len(out)):
        if out[f]:
            out[f] = (out[f] // splits) << small


def mdi(words, halves, out):
    """Equation 1: sum over splits of N_b / N x J / R.

    N_b / N is the share of recent samples that pass split b, by its leaves' class counts, which fade; with
    `exact` of all samples. As printed N_b is what the split had seen when it was made: about a grace period
    for all, which is the paper's own objection to MDI, and which a node does not keep.
    """
    total = node = 0
    while True:
        total += _recent(words, halves, node)
        node = _next(words, halves, node)
        if not node:
            break
    while total:
        n = _recent(words, halves, node)
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
                up = halves[words[_NODE0] + up * _NODE]
                here = words[_NODE0] + up * _NODE
                out[halves[here + _NODE_FEATURE]] += (
                    share * ((_merit(words, halves, up) << 10) // words[_RANGE]) >> 8
                )  # Q20
        node = _next(words, halves, node)
        if not node:
            break
    for f in range(len(out)):
        out[f] >>= 4


def _recent(words, halves, node):
    """Samples that a leaf has had lately; 0 for a split."""
    here = words[_NODE0] + node * _NODE
    if halves[here + _NODE_CHILD]:
        return 0
    leaf = words[_LEAF0] + halves[here + _NODE_LEAF] * (_LEAF + words[_CLASSES])
    fade = min(((words[_SAMPLES] >> _EPOCH) - halves[leaf + _LEAF_EPOCH]) & 65535, 16)
    if words[_FLAGS] & _EXACT:
        fade = 0
    n = 0
    for c in range(leaf + _LEAF, leaf + _LEAF + words[_CLASSES]):
        n += halves[c] >> fade
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
