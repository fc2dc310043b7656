"""What a model is, in one line for people: `repr(clf)`. Loaded on first use: late.py."""

from micropython import const

from .model import forget

# From the layouts, by `make consts`:
_IDENTITY = const(0)
_KIND_AT = const(8)
_KIND_MASK = const(255)
_KIND_TREE = const(1)
_KIND_GROVE = const(3)


def _describe(self):
    """Kind, shape, bytes, what it consists of, and the samples it has learned."""
    kind = self.words[_IDENTITY] >> _KIND_AT & _KIND_MASK
    parts = "%d nodes" % self.n_nodes
    if kind != _KIND_TREE:
        parts = "%d shrubs, %s" % (self.n_shrubs, parts)
    if kind == _KIND_GROVE:
        kept = 0
        for y in range(self.n_classes):  # per class the samples in its memory: grove/layout.py
            kept += self.halves[y]
        parts = "%d samples kept, %s" % (kept, parts)
    n = self.nbytes
    forget("describe")
    return "<%s: %d features, %d classes, %d of %d bytes, %s, %d samples learned>" % (
        type(self).__name__,
        self.n_features,
        self.n_classes,
        n,
        self.budget,
        parts,
        self.samples,
    )
