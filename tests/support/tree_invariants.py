"""What must hold in the arrays of a tree at all times, whatever it has been fed."""

from collections import Counter
from typing import Any

from niwaki import MISSING
from niwaki import layout as shared
from niwaki.tree import layout as t
from niwaki_host.device.views import TreeView


def roots(model: Any) -> list[int]:
    """The root, and those of alternate subtrees."""
    seen = TreeView(model)
    return [0] + [seen.alternate(monitor) for monitor in seen.monitors if monitor.age]


def walk(model: Any, root: int = 0) -> tuple[list[int], list[int]]:
    """Split nodes and leaf nodes below a root; links, depths and thresholds are checked on the way."""
    w, seen = model.words, TreeView(model)
    splits, leaves, todo = [], [], [(root, seen.node(root).depth)]
    while todo:
        number, depth = todo.pop()
        node = seen.node(number)
        assert number == root or number < w[t.TOP_NODE] <= w[t.MAX_NODES]
        assert node.depth == depth, f"node {number} at depth {depth} says {node.depth}"
        assert seen.max_depth is None or depth <= seen.max_depth
        if node.is_leaf:
            leaves.append(number)
            continue
        splits.append(number)
        assert node.child % 2 == 1
        assert node.feature < seen.n_features and node.nominal == bool(seen.values[node.feature])
        if node.nominal:
            assert 0 <= node.threshold < seen.values[node.feature]
        else:
            assert MISSING < node.threshold < -MISSING - 1
        for child in node.children:
            assert seen.node(child).parent == number
            todo.append((child, depth + 1))
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
    w, seen = model.words, TreeView(model)
    sizes = (len(w), len(model.halves), len(model.octets))
    assert (w[shared.WORDS], w[shared.HALVES], w[shared.OCTETS]) == sizes
    assert model.nbytes <= model.budget
    assert seen.node(0).depth == 0
    subtrees = [walk(model, root) for root in roots(model)]
    splits = [node for found, _ in subtrees for node in found]
    leaves = [node for _, found in subtrees for node in found]
    assert len(leaves) == len(splits) + len(subtrees)
    used = splits + leaves
    assert len(set(used)) == len(used) == w[t.NODES] == model.n_nodes
    assert len(leaves) == w[t.LEAVES] == model.n_leaves
    used = [node for node in used if node < w[t.MAX_NODES]]

    pairs = chain(w[t.FREE_PAIR], lambda p: seen.node(p).parent, w[t.MAX_NODES])
    free = [p + i for p in pairs for i in (0, 1)]
    assert sorted(used + free) == list(range(w[t.TOP_NODE])), "a node is lost or in two places"
    records = [seen.node(leaf).leaf for leaf in leaves]
    spare = chain(w[t.FREE_LEAF], lambda r: seen.leaf(r - 1).next_free, w[t.MAX_LEAVES])
    assert sorted(records + [r - 1 for r in spare]) == list(range(w[t.TOP_LEAF]))
    assert w[t.TOP_LEAF] <= w[t.MAX_LEAVES]
    for record in records:
        leaf = seen.leaf(record)
        assert max(leaf.counts) < 65535
        assert leaf.majority == leaf.counts.index(max(leaf.counts)), "not the majority class"

    watched = {}
    for slot in range(seen.n_slots):
        node = seen.slot(slot).node
        if node >= 0:
            watched[slot] = node
            _slot(seen, slot)
    assert len(watched) == w[t.ACTIVE]
    asked = {seen.node(leaf).slot: leaf for leaf in leaves}
    asked.pop(-1, None)
    assert asked == watched, "leaves and slots disagree on who watches whom"
    if w[t.WAIT]:
        assert w[t.WAIT] - 1 in watched.values(), "a leaf without a slot waits for its split"
    _monitors(model, subtrees[0][0])


def _slot(seen: TreeView, number: int) -> None:
    slot, limit = seen.slot(number), 65535 if seen.wide else 255
    assert sum(slot.counts) == slot.held < 65535
    assert 0 <= slot.tried <= slot.age <= 65535
    assert max(Counter(slot.features).values()) == 1 and max(slot.features) < seen.n_features
    for lane, feature in enumerate(slot.features):
        values = seen.values[feature]
        bins, window = values or seen.bins, slot.windows[lane]
        histogram = seen.histogram(number, lane, bins)
        assert seen.halves[lane] + bins * seen.n_classes <= seen.word(t.CELLS), "cells of another slot"
        assert all(len(row) == seen.n_classes for row in histogram), "cells beyond the array"
        for c, learned in enumerate(slot.counts):
            row = [counts[c] for counts in histogram]
            assert max(row) < limit
            assert sum(row) <= learned, "more in a histogram than was learned"
        if values:
            assert not window.seen
        elif window.seen:
            assert -65535 <= window.low <= 65535 and bins << window.shift <= 131072
        else:
            assert not any(map(any, histogram))


def _monitors(model: Any, splits: list[int]) -> None:
    """Every monitor has a split of the main tree to itself, and their maps agree."""
    w, seen = model.words, TreeView(model)
    expected = {}
    for monitor in seen.monitors:
        if monitor.node < 0:
            continue
        assert monitor.node in splits
        node = seen.node(monitor.node)
        expected[node.child >> 1] = monitor.number + 1
        if monitor.age:
            alternate = seen.node(seen.alternate(monitor))
            assert (alternate.parent, alternate.depth) == (node.parent, node.depth)
            assert max(monitor.errors, monitor.rival) < monitor.age < t.REPLACE
        assert monitor.ones == sum(ones for _, ones in monitor.buckets)
        assert monitor.width == sum(1 << blocks for blocks, _ in monitor.buckets)
    if seen.monitors:
        assert w[t.SPARE] == sum(monitor.node < 0 for monitor in seen.monitors)
        places = model.octets[w[t.MAP0] : w[t.MAP0] + w[t.MAX_NODES] // 2]
        assert {i: m for i, m in enumerate(places) if m} == expected
