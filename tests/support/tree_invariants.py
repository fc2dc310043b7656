"""What must hold in the arrays of a tree at all times, whatever it has been fed."""

from collections import Counter
from typing import Any

from niwaki.tree import layout as t

_POOR = 0x20000000


def monitors(model: Any) -> list[int]:
    """Offsets in halves of the monitors of an adaptive tree."""
    w = model.words
    return [w[t.MONITOR0] + m * w[t.MONITOR] for m in range(w[t.MONITORS])] if w[t.FLAGS] & 256 else []


def roots(model: Any) -> list[int]:
    """The root, and those of alternate subtrees."""
    first = model.words[t.MAX_NODES]
    return [0] + [first + m for m, base in enumerate(monitors(model)) if model.halves[base + 1]]


def walk(model: Any, root: int = 0) -> tuple[list[int], list[int]]:
    """Split nodes and leaf nodes below a root; links, depths and thresholds are checked on the way."""
    w, h = model.words, model.halves
    splits, leaves, todo = [], [], [(root, h[w[t.NODE0] + root * t.NODE + 5] >> 2)]
    while todo:
        node, depth = todo.pop()
        at = w[t.NODE0] + node * t.NODE
        assert node == root or node < w[t.TOP_NODE] <= w[t.MAX_NODES]
        assert h[at + 5] >> 2 == depth, f"node {node} at depth {depth} says {h[at + 5] >> 2}"
        child = h[at + 1]
        if not child:
            leaves.append(node)
            continue
        splits.append(node)
        assert child % 2 == 1
        feature, threshold, nominal = h[at + 2], h[at + 3], h[at + 5] & 2
        assert feature < w[5] and bool(nominal) == bool(model.octets[feature])
        if nominal:
            assert 0 <= threshold - 32768 < model.octets[feature]
        else:
            assert 1 <= threshold < 65535
        for i in (0, 1):
            assert h[w[t.NODE0] + (child + i) * t.NODE] == node
            todo.append((child + i, depth + 1))
    return splits, leaves


def chain(first: int, following: Any, limit: int) -> list[int]:
    """The members of a free list."""
    found = []
    while first:
        found.append(first)
        assert len(found) <= limit, "a free list with a loop"
        first = following(first)
    return found


def validate(model: Any) -> None:
    """Raise AssertionError where the arrays contradict each other."""
    w, h, o = model.words, model.halves, model.octets
    assert (w[1], w[2], w[3]) == (len(w), len(h), len(o))
    assert model.nbytes <= model.budget
    size = t.LEAF + w[6]
    assert h[w[t.NODE0] + 5] >> 2 == 0
    subtrees = [walk(model, root) for root in roots(model)]
    splits = [node for found, _ in subtrees for node in found]
    leaves = [node for _, found in subtrees for node in found]
    assert len(leaves) == len(splits) + len(subtrees)
    used = splits + leaves
    assert len(set(used)) == len(used) == w[t.NODES] == model.n_nodes
    assert len(leaves) == w[t.LEAVES] == model.n_leaves
    used = [node for node in used if node < w[t.MAX_NODES]]

    pairs = chain(w[t.FREE_PAIR], lambda p: h[w[t.NODE0] + p * t.NODE], w[t.MAX_NODES])
    free = [p + i for p in pairs for i in (0, 1)]
    assert sorted(used + free) == list(range(w[t.TOP_NODE])), "a node is lost or in two places"
    records = [h[w[t.NODE0] + leaf * t.NODE + 2] for leaf in leaves]
    spare = chain(w[t.FREE_LEAF], lambda r: h[w[t.LEAF0] + (r - 1) * size + 2], w[t.MAX_LEAVES])
    assert sorted(records + [r - 1 for r in spare]) == list(range(w[t.TOP_LEAF]))
    assert w[t.TOP_LEAF] <= w[t.MAX_LEAVES]
    for record in records:
        counts = h[w[t.LEAF0] + record * size + t.LEAF : w[t.LEAF0] + (record + 1) * size]
        assert max(counts) < 65535
        assert h[w[t.LEAF0] + record * size + 4] == counts.index(max(counts)), "not the majority class"

    watched = {}
    for slot in range(w[t.SLOTS]):
        node = w[w[t.SLOT_WORDS0] + slot * w[t.SLOT_WORDS]]
        if node >= 0:
            watched[slot] = node
            _slot(model, slot)
    assert len(watched) == w[t.ACTIVE]
    asked = {h[w[t.NODE0] + leaf * t.NODE + 3] - 1: leaf for leaf in leaves}
    asked.pop(-1, None)
    assert asked == watched, "leaves and slots disagree on who watches whom"
    if w[t.WAIT]:
        assert w[t.WAIT] - 1 in watched.values(), "a leaf without a slot waits for its split"
    _monitors(model, subtrees[0][0])


def _slot(model: Any, slot: int) -> None:
    w, h = model.words, model.halves
    classes = w[6]
    record = w[t.SLOT_WORDS0] + slot * w[t.SLOT_WORDS]
    born = w[t.SLOT_HALVES0] + slot * w[t.SLOT_HALVES]
    counts = h[born : born + classes]
    wide, raced = w[t.FLAGS] & 8, w[t.FLAGS] & 64
    cells = h if wide else model.octets
    limit = 65535 if wide else 255
    assert sum(counts) == w[record + 3] < 65535
    assert 0 <= w[record + 2] <= w[record + 1] <= 65535
    features = [h[born + classes + i] if raced else i for i in range(w[t.LANES])]
    assert max(Counter(features).values()) == 1 and max(features) < w[5]
    cell0 = w[t.CELL0] + slot * w[t.CELL_STRIDE]
    assert cell0 + w[t.CELLS] <= len(cells)
    for lane, feature in enumerate(features):
        bins = model.octets[feature] or w[t.BINS]
        base = cell0 + h[lane]
        assert h[lane] + bins * classes <= w[t.CELLS]
        for c in range(classes):
            row = [cells[base + b * classes + c] for b in range(bins)]
            assert max(row) < limit
            assert sum(row) <= counts[c], "more in a histogram than was learned"
        window = w[record + t.SLOT + lane] & ~_POOR
        if model.octets[feature]:
            assert window == 0
        elif window:
            lo, shift = (window >> 12) - 65536, window & 15
            assert -65535 <= lo <= 65535 and bins << shift <= 131072
        else:
            assert not any(cells[base : base + bins * classes])


def _monitors(model: Any, splits: list[int]) -> None:
    """Every monitor has a split of the main tree to itself, and their maps agree."""
    w, h = model.words, model.halves
    bases = monitors(model)
    expected = {}
    for m, base in enumerate(bases):
        if not h[base]:
            continue
        node = h[base] - 1
        assert node in splits
        child = h[w[t.NODE0] + node * t.NODE + 1]
        expected[child >> 1] = m + 1
        if h[base + 1]:  # its alternate
            at = w[t.NODE0] + (w[t.MAX_NODES] + m) * t.NODE
            assert h[at] == h[w[t.NODE0] + node * t.NODE]
            assert h[at + 5] >> 2 == h[w[t.NODE0] + node * t.NODE + 5] >> 2
            assert max(h[base + 2], h[base + 3]) < h[base + 1] < 65534
        n, buckets = h[base + 8], h[base + 9 : base + w[t.MONITOR]]
        assert h[base + 5] == sum(b & 8191 for b in buckets[:n])
        assert h[base + 6] == sum(1 << (b >> 13) for b in buckets[:n])
    if bases:
        assert w[t.SPARE] == sum(not h[base] for base in bases)
        places = model.octets[w[t.MAP0] : w[t.MAP0] + w[t.MAX_NODES] // 2]
        assert {i: m for i, m in enumerate(places) if m} == expected
