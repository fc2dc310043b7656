"""A model's arrays as named fields: they say what the model itself says, and nobody else counts offsets."""

import random
import re
from pathlib import Path

import pytest

import niwaki_host
from niwaki_host.device import models
from niwaki_host.device.memory_map import memory_map
from niwaki_host.device.views import GroveView, ShrubsView, TreeView, view
from niwaki_host.evaluation.features import features_used

LAB = Path(niwaki_host.__file__).parent


def grown(name, samples=3000, **settings):
    """A model of four features, of which two matter; the concept changes on the way."""
    rng = random.Random(5)
    model = models.build(name, 4, 3, 8192, **settings)
    for i in range(samples):
        x = [rng.randrange(-2000, 2000) for _ in range(4)]
        flip = i > samples // 2
        model.learn(x, (x[2 * flip] > 500) + (x[1] > 0))
    return model


@pytest.mark.parametrize("name", ["vfdt", "svfdt2", "hat"])
def test_a_tree_as_nodes_leaves_and_slots(name):
    model = grown(name, grace=50)
    seen = view(model)
    assert isinstance(seen, TreeView) and (seen.n_features, seen.n_classes) == (4, 3)
    assert seen.samples == model.samples == 3000
    nodes = list(seen.walk())
    alternates = [node for m in seen.monitors if m.age for node in seen.walk(seen.alternate(m))]
    assert len(nodes) + len(alternates) == model.n_nodes == seen.n_nodes > 2
    leaves = [node for node in nodes if node.is_leaf]
    assert len(leaves) + sum(node.is_leaf for node in alternates) == model.n_leaves
    assert features_used(model) == len({node.feature for node in nodes if not node.is_leaf})
    for node in nodes:
        for child in node.children:
            assert seen.node(child).parent == node.number and seen.node(child).depth == node.depth + 1
    for node in leaves:
        leaf = seen.leaf(node.leaf)
        assert leaf.counts[leaf.majority] == max(leaf.counts)
        if node.slot >= 0:
            slot = seen.slot(node.slot)
            assert slot.node == node.number and 0 <= slot.tried <= slot.age
            assert sum(slot.counts) == slot.held and slot.features == [0, 1, 2, 3]
            for lane, window in enumerate(slot.windows):
                cells = seen.histogram(node.slot, lane, seen.bins)
                assert len(cells) == seen.bins and (window.seen or not any(map(any, cells)))


def test_a_view_finds_the_leaf_that_answers():
    model = grown("vfdt", grace=50, leaf="mc")
    seen, rng = view(model), random.Random(6)
    for _ in range(300):
        x = [rng.randrange(-2000, 2000) for _ in range(4)]
        node = seen.node(0)
        while not node.is_leaf:
            node = seen.node(node.child + (x[node.feature] > node.threshold))
        assert seen.leaf(node.leaf).majority == model.predict(x)


@pytest.mark.parametrize("name,kind", [("shrubs", ShrubsView), ("grove", GroveView)])
def test_shrubs_by_their_places(name, kind):
    model = grown(name)
    seen = view(model)
    assert isinstance(seen, kind)
    shrubs = seen.voters
    assert sum(2 * len(shrub.nodes) + 1 for shrub in shrubs) == model.n_nodes
    assert sum(shrub.weight for shrub in shrubs) == pytest.approx(1, abs=0.01)
    for shrub in shrubs:
        for reference in (shrub.root, *(side for node in shrub.nodes for side in (node.left, node.right))):
            assert reference < len(shrub.nodes) or 0 <= reference - seen.room < 3
        assert all(0 <= node.feature < 4 for node in shrub.nodes)
    samples = list(seen.remembered())
    assert len(samples) == seen.count > 20
    second = samples if name == "shrubs" else []  # a grove's memory has samples of both concepts
    assert all(label == (codes[2] > 500) + (codes[1] > 0) for codes, label in second)


@pytest.mark.parametrize("name", models.MODELS)
def test_a_ring_is_seen_and_counted(name):
    model = models.build(name, 4, 3, 8192, pending=7)
    assert view(model).waiting_places == 7 and view(models.build(name, 4, 3, 8192)).waiting_places == 0
    parts = memory_map(model)
    assert sum(part.nbytes for part in parts) == model.nbytes
    assert any(part.name == "samples that wait for labels" and part.count == 7 for part in parts)


# A number where the name of a field should stand: words[0], halves[at + 3], _arrays[2], words[0] >> 8 & 255.
BARE = re.compile(r"\b(?:words|halves|octets|_arrays)\[(?:[^]\n]*[+\-] ?)?:?\d|>> 8 & (?:255|0xFF)")


def test_no_other_module_of_the_lab_counts_offsets():
    found = []
    for path in sorted(LAB.rglob("*.py")):
        if "drivers" not in path.parts and path.name != "views.py":
            lines = path.read_text().splitlines()
            found += [
                f"{path.name}:{n}: {line.strip()}" for n, line in enumerate(lines, 1) if BARE.search(line)
            ]
    assert not found, found


@pytest.mark.parametrize("step", [1, 7, 300])
def test_what_a_grove_remembers_is_what_it_was_taught(step):
    """To the width of a code, which is 1 while the window is narrow; places change when shrubs grow."""
    model = models.build("grove", 2, 2, 8192)
    taught = [([step * (i % 21 - 10), 5], i % 2) for i in range(100)]
    for x, y in taught:
        model.learn(x, y)
    seen = view(model)
    assert isinstance(seen, GroveView) and seen.class_counts == [50, 50]
    found = sorted(seen.remembered())
    width = max(1, 2 * 21 * step // 64)
    for (x, y), (codes, label) in zip(sorted(taught), found, strict=True):
        assert label == y and codes[1] == 5 and abs(codes[0] - x[0]) <= (0 if step == 1 else width), (
            x,
            codes,
        )
    again = models.build("grove", 2, 2, 8192)
    for codes, label in found:
        again.learn(codes, label)
    if step == 1:
        assert sorted(view(again).remembered()) == found
