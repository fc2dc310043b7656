"""How sure a model is, how strange a sample is: beside what the kernels' docstrings say, in plain Python."""

import functools
import math
import random
from typing import Any

import pytest

import niwaki
from niwaki import MISSING
from niwaki import layout as shared
from niwaki.grove import layout as grove
from niwaki.tree import layout as t
from niwaki.unlabelled import margin_of
from niwaki_host.device.views import ZERO, TreeView

MODELS = {"tree": niwaki.Tree, "shrubs": niwaki.Shrubs, "grove": niwaki.Grove}
CERTAIN = 65536


@functools.cache
def fresh(kind: str, n_classes: int) -> Any:
    return MODELS[kind](2, n_classes, 4096)


def asked(kind: str, scores: list[int], samples: int = 1, logs: bool = False) -> int:
    """What the margin is when predict() has just left these scores."""
    model = fresh(kind, len(scores))
    model.words[shared.SAMPLES] = samples
    scratch = model._arrays[shared.A_SCRATCH]
    places, at = {
        "tree": (scratch, t.S_ROWS) if logs else (model.halves, model.words[t.LEAF0] + t.LEAF),
        "shrubs": (scratch, 0),
        "grove": (scratch, grove.S_ROWS),
    }[kind]
    if kind == "tree":
        scratch[t.S_NODE], scratch[t.S_LOGS] = 0, int(logs)
    for c, score in enumerate(scores):
        places[at + c] = score
    return margin_of(model)(model._at, model._arrays[shared.A_SAMPLE])


@pytest.mark.parametrize("kind", MODELS)
def test_margins_compare_the_two_best(kind) -> None:
    rng = random.Random(1)
    for n in (2, 3, 7):
        for top in (1, 2, 5, 100, 8191, 8192, 40000):
            for _ in range(20):
                scores = [rng.randint(0, top) for _ in range(n)]
                second, first = sorted(scores)[-2:]
                margin = asked(kind, scores)
                if first == 0 or (kind == "tree" and second == 0):  # nothing is known, or one class only
                    assert margin == (0 if kind == "tree" or first == 0 else CERTAIN)
                else:
                    error = margin - CERTAIN * (1 - second / first)
                    assert abs(error) <= 32 if kind == "tree" else 0 <= error <= 8  # bits are let go


@pytest.mark.parametrize("kind", MODELS)
def test_margins_without_scores_are_0(kind) -> None:
    for scores in ([0, 0], [0, 0, 0]):
        assert asked(kind, scores) == 0
    for samples in (0, 2, 100):  # an unlabelled sample has its turn after a labelled one only
        assert asked(kind, [1, 3], samples) == 0
    assert asked(kind, [1, 1]) == 0


def test_margins_of_logarithms() -> None:
    """p2 / p1 = 2 ** -(distance / 8192)."""
    before = -1
    for distance in range(12000):
        margin = asked("tree", [-70000, -300 - distance, -300], logs=True)
        assert abs(margin - CERTAIN * (1 - 2 ** (-distance / 8192))) < 0.005 * CERTAIN
        assert before < margin if distance < 8192 else before <= margin
        before = margin
    for distance, expected in ((131071, CERTAIN - 1), (131072, CERTAIN), (1 << 20, CERTAIN)):
        assert asked("tree", [5, 5 - distance], logs=True) == expected
    assert asked("tree", [t.NEVER, 5], logs=True) == 0  # it knows one class
    assert asked("tree", [5, t.NEVER, t.NEVER], logs=True) == 0


BIT, MOST = 1024, 65535


def surprises(seen: TreeView, slot: int, x: list[int]) -> float:
    """Of the sample at a slot, in bits, a mean over the features that the slot knows."""
    at = seen.slot(slot)
    sums, outside, known = [0.0] * seen.n_classes, 0.0, 0
    for lane, feature in enumerate(at.features):
        values, window, code = seen.values[feature], at.windows[lane], x[feature]
        if code == MISSING or not (values or window.seen):
            continue
        known += 1
        bins = values or seen.bins
        place = code if values else (code + ZERO - window.low) >> window.shift
        beyond = max(-place, place - bins + 1, 0)
        outside += 8 * math.log2(beyond + 1)
        histogram = seen.histogram(slot, lane, bins)
        for c in range(seen.n_classes):
            most = max(row[c] for row in histogram)
            here = 0 if beyond else histogram[place][c]
            sums[c] += math.log2((2 * most + 1) / (2 * here + 1))
    common = [c for c, count in enumerate(at.counts) if count and 32 * count >= max(at.counts)]
    if not known or not common:
        return 0.0
    return (min(sums[c] for c in common) + outside) / known


def novelty_of_tree(tree: Any, x: list[int]) -> float:
    seen = TreeView(tree)
    node = seen.node(0)
    while not node.is_leaf:
        code = x[node.feature]
        if code == MISSING:
            right = node.missing_right
        elif node.nominal:
            right = code != node.threshold
        else:
            right = code > node.threshold
        node = seen.node(node.child + right)
    if node.slot >= 0:
        return surprises(seen, node.slot, x)
    used = [slot for slot in range(seen.n_slots) if seen.slot(slot).node >= 0]
    return min(surprises(seen, slot, x) for slot in used)


TREES = {
    "nba": {},
    "wide": {"count_bits": 16, "leaf": "mc"},
    "raced": {"lanes": 3, "budget": 3000},
    "crowded": {"budget": 1500, "grace": 30, "tau": 0.5, "bins": 8},
    "nominal": {"nominal": [5, 0, 0, 3]},
}


def a_sample(rng: random.Random, options: dict) -> tuple[list[int], int]:
    y = rng.choice((0, 0, 0, 0, 1, 1, 1, 2))
    x = [rng.randint(0, 60) + 200 * y * (f < 2) for f in range(4)]
    for f, values in enumerate(options.get("nominal", ())):
        if values:
            x[f] = rng.randrange(values - 1)
    if rng.random() < 0.1:
        x[rng.randrange(4)] = MISSING
    return x, y


@pytest.mark.parametrize("kind", TREES)
def test_novelty_of_a_tree_is_what_its_histograms_say(kind) -> None:
    options = {"budget": 4096, **TREES[kind]}
    tree, rng = niwaki.Tree(4, 3, **options), random.Random(3)
    assert tree.novelty([1, 2, 1, 1]) == 0
    found = []
    for k in range(1200):
        x, y = a_sample(rng, options)
        tree.learn(x, y)
        if k % 25 == 0:
            x, _ = a_sample(rng, options)
            if k % 2:
                x[rng.randrange(4)] = rng.choice((-32767, 32767, -3, 64, 500))
            expected = min(MOST, BIT * novelty_of_tree(tree, x))
            # Above 127 the device's logarithms drop bits; and each is cut down to Q10.
            assert abs(tree.novelty(x) - expected) < 50 + expected / 400, (k, x)
            found.append(expected)
    assert max(found) > 10 * BIT > BIT > min(found)
    assert tree.novelty([MISSING] * 4) == 0


def test_a_leaf_without_a_slot_asks_those_in_use() -> None:
    tree, rng = niwaki.Tree(4, 3, 2200, grace=30, tau=0.5, bins=8), random.Random(3)
    for _ in range(1200):
        x = [rng.randint(0, 200) for _ in range(4)]
        tree.learn(x, min(2, (x[0] > 100) + (x[1] > 60) * (x[2] > 120)))
    seen = TreeView(tree)
    slots = [node.slot for node in seen.walk() if node.is_leaf and node.slot > 0]
    assert len(slots) > 2
    for slot in slots:  # free one after the other: what it has counted is still there, and tells nothing
        at = seen.word(t.SLOT_WORDS0) + slot * seen.word(t.SLOT_WORDS)
        tree.halves[seen.word(t.NODE0) + tree.words[at] * t.NODE + t.NODE_SLOT] = 0
        tree.words[at] = -1
        for _ in range(50):
            x = [rng.randint(0, 200) for _ in range(4)]
            assert abs(tree.novelty(x) - BIT * novelty_of_tree(tree, x)) < 60, slot


def test_novelty_of_a_tree_counts_small_counts_exactly() -> None:
    tree, rng = niwaki.Tree(4, 3, 4096, grace=1000), random.Random(4)
    for k in range(120):
        tree.learn(*a_sample(rng, {}))
        x, _ = a_sample(rng, {})
        if x[k % 4] != MISSING:
            x[k % 4] += k % 40
        assert -3 <= tree.novelty(x) - BIT * novelty_of_tree(tree, x) <= 6, k


def novelty_of_shrubs(window: list[list[int]], x: list[int]) -> int:
    """Distance from the nearest sample, 8,192 a spread; one that is missing there is half of it away."""
    known = [f for f, code in enumerate(x) if code != MISSING]
    if not known or not window:
        return 0
    low = len(window) // 8
    spreads = {}
    for f in known:
        values = sorted(sample[f] for sample in window)
        spreads[f] = values[len(window) - 1 - low] - values[low] + 1

    def distance(sample: list[int], f: int) -> int:
        if sample[f] == MISSING:
            return 4096
        return min(8 * MOST, (abs(sample[f] - x[f]) << 13) // spreads[f])

    nearest = min(sum(distance(sample, f) for f in known) for sample in window)
    return min(MOST, nearest // len(known))


@pytest.mark.parametrize("size", [7, 32])
def test_novelty_of_shrubs_is_the_distance_from_the_nearest(size) -> None:
    shrubs, rng, window = niwaki.Shrubs(4, 3, 4096, window=size), random.Random(5), []
    found = set()
    for k in range(200):
        x, y = a_sample(rng, {})
        strange, _ = a_sample(rng, {})
        for f, code in ((k % 4, -32767), (k % 3, 32767), (k % 2, 300)):
            if k % 5 == f:
                strange[f] = code
        for asked_for in (x, strange, [MISSING] * 4, [MISSING, MISSING, x[2], MISSING]):
            found.add(shrubs.novelty(asked_for))
            assert shrubs.novelty(asked_for) == novelty_of_shrubs(window, asked_for), k
        shrubs.learn(x, y)
        window = [*window, x][-size:]
    assert len(found) > 100 and MOST in found
