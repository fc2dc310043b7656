"""Fixed point against float64: gains, bounds and leaf scores, over counts up to the 16-bit limit."""

import functools
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki import Tree, construct
from niwaki.construct import half_ln_inverse_q10, log2_q
from niwaki.model import LOG2
from niwaki.tree import layout
from niwaki.tree import options as tree_options
from niwaki_host.device import checked
from niwaki_host.device.kernels import kernels_of
from niwaki_host.references.histogram import Splits
from niwaki_host.references.merit import hoeffding_bound, merit_range, split_merits
from niwaki_host.references.vfdt import DEPARTURES, HoeffdingTree
from niwaki_host.runtimes.numba_rt import compiled, views

WORST = 0.001
"""Bits. What gain and bound may be wrong by."""
LOG_ERROR = 0.0225
"""Bits. What naive Bayes' logarithm of a large count may be wrong by: its seven leading bits are kept."""
CELL_ERROR = 0.0445
"""Bits. The same for the count of a cell, which may keep six bits only."""


class Bench:
    """The kernels that look for a split, on histograms of our own in the root's slot of a fresh tree."""

    def __init__(self, n_features, n_classes, check=False, **options):
        self.tree = tree = Tree(n_features, n_classes, 60_000, nodes=3, **options)
        if not tree.words[layout.FLAGS] & (layout.GINI | layout.HELLINGER):
            tree.words[layout.RANGE] = round(1024 * math.log2(n_classes))  # all classes have come before
        make = checked.checked if check else compiled
        self.kernels = [make(kernel) for kernel in kernels_of(tree) if kernel.__name__ in ("splits", "rule")]
        # Checks need Python's own arrays: numpy's integers would wrap before anyone sees it.
        plain = (tree.words, tree.halves, tree.octets, tree._arrays[5], tree._arrays[3], LOG2)
        self.arrays = plain if check else views(tree)
        self.options = tree_options.check_options(options)
        self.state = views(self.tree)
        self.bins = [k or self.options["bins"] for k in self.options["nominal"] or [0] * n_features]

    def fill(self, tables, n):
        """`tables` holds (bins, classes) counts per feature; `n` samples are at the leaf."""
        words, halves, octets = self.state[:3]
        c = self.tree.n_classes
        words[layout.HEADER + 1] = words[layout.HEADER + 3] = n
        born = np.max([t.sum(axis=0) for t in tables], axis=0)
        halves[words[layout.SLOT_HALVES0] :][:c] = born
        cells = halves if self.options["count_bits"] == 16 else octets
        cells[words[layout.CELL0] :][: words[layout.CELLS]] = np.concatenate([t.ravel() for t in tables])

    def run(self):
        """(best J, second J, its feature, its bin, the bound), in bits."""
        s = self.state.scratch
        s[layout.S_NODE] = 0
        for kernel in self.kernels:
            kernel(*self.arrays)
        q = 65536
        return (
            s[layout.S_BEST] / q,
            s[layout.S_SECOND] / q,
            int(s[layout.S_LANE]),
            int(s[layout.S_BIN]),
            s[layout.S_BOUND] / q,
        )

    def expect(self, tables, n):
        """Per feature the merits of all its splits, by bin; and the bound."""
        criterion = self.options["criterion"]
        merits = []
        for f, table in enumerate(tables):
            nominal = bool(self.options["nominal"] and self.options["nominal"][f])
            left = table if nominal else table.cumsum(axis=0)
            splits = Splits(np.arange(len(table)), left, table.sum(axis=0))
            merits.append(np.maximum(split_merits(splits, criterion, n), 0))
        bound = hoeffding_bound(merit_range(criterion, self.tree.n_classes), self.options["delta"], n)
        return merits, bound

    def errors(self, tables, n):
        """Absolute errors of the best J, the second J and the bound."""
        self.fill(tables, n)
        best, second, feature, cut, bound = self.run()
        merits, expected_bound = self.expect(tables, n)
        tops = sorted((m.max() for m in merits), reverse=True) + [0.0]
        if feature >= 0:
            # The split that was chosen is as good as the best one.
            assert tops[0] - merits[feature][cut] < WORST
        return abs(best - tops[0]), abs(second - tops[1]), abs(bound - expected_bound)


def random_tables(rng, bench, limit):
    """Histograms of all kinds: flat, peaked, sparse, lopsided; up to `limit` in a cell, 65,534 in all."""
    c = bench.tree.n_classes
    total = int(np.exp(rng.uniform(math.log(10), math.log(65534))))
    tables = []
    for bins in bench.bins:
        shape = rng.dirichlet(np.full(bins * c, 10.0 ** rng.uniform(-2, 1)))
        if rng.random() < 0.3:  # a class that depends on nothing
            shape = np.outer(rng.dirichlet(np.ones(bins)), rng.dirichlet(np.ones(c))).ravel()
        table = np.minimum(rng.multinomial(total, shape), limit)
        tables.append(table.reshape(bins, c).astype(np.int64))
    # What is not in a feature's table is missing: no more than all samples of a class are in it.
    born = np.max([t.sum(axis=0) for t in tables], axis=0)
    if born.sum() > 65534:
        tables = [t // 4 for t in tables]
        born = np.max([t.sum(axis=0) for t in tables], axis=0)
    return tables, max(int(born.sum()), 1)


KINDS = {
    "two classes": (3, 2, {}),
    "five classes": (4, 5, {"delta": 1e-5}),
    "many classes": (2, 26, {"delta": 1e-12}),
    "nominal": (4, 3, {"nominal": [2, 0, 9, 20]}),
    "gini": (3, 4, {"criterion": "gini"}),
    "gini, nominal": (3, 2, {"criterion": "gini", "nominal": [3, 0, 40]}),
    "few bins": (5, 3, {"bins": 4, "delta": 0.01}),
    "64 bins": (2, 3, {"bins": 64}),
    "8 bits": (4, 4, {"count_bits": 8}),
    "hellinger": (3, 2, {"criterion": "hellinger"}),
    "hellinger, nominal": (3, 2, {"criterion": "hellinger", "nominal": [3, 0, 40]}),
    "8 bits, hellinger": (4, 2, {"count_bits": 8, "criterion": "hellinger"}),
    "8 bits, gini": (4, 4, {"count_bits": 8, "criterion": "gini"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_gain_and_bound(kind):
    n_features, n_classes, options = KINDS[kind]
    options = {"bins": 16, "count_bits": 16, **options}
    bench = Bench(n_features, n_classes, **options)
    rng = np.random.default_rng(len(kind))
    limit = 254 if options["count_bits"] == 8 else 65534
    worst = np.zeros(3)
    for _ in range(400):
        worst = np.maximum(worst, bench.errors(*random_tables(rng, bench, limit)))
    print(f"{kind}: worst error {worst[0]:.6f} (best), {worst[1]:.6f} (second), {worst[2]:.6f} (bound)")
    assert worst.max() < WORST


tables_strategy = st.lists(
    st.lists(st.one_of(st.integers(0, 5), st.integers(0, 3000), st.just(0)), min_size=12, max_size=12),
    min_size=2,
    max_size=2,
)


CLASSES = {"gain": 3, "gini": 3, "hellinger": 2}


@functools.cache
def corner(criterion, nominal):
    options = {"criterion": criterion, "bins": 4, "count_bits": 16}
    return Bench(2, CLASSES[criterion], check=True, nominal=[4, 0] if nominal else None, **options)


@settings(max_examples=100, deadline=None)
@given(tables_strategy, st.sampled_from(list(CLASSES)), st.booleans())
def test_gain_in_the_corners(lists, criterion, nominal):
    """What hypothesis thinks of, through the checked kernel: no intermediate leaves 31 bits."""
    bench = corner(criterion, nominal)
    tables = [np.array(cells).reshape(4, 3)[:, : CLASSES[criterion]] for cells in lists]
    n = int(np.max([t.sum(axis=0) for t in tables], axis=0).sum())
    best, second, bound = bench.errors(tables, max(n, 20))
    assert max(best, second, bound) < WORST


@pytest.mark.parametrize(
    ("criterion", "classes"), [*itertools.product(("gain", "gini"), (2, 3, 16)), ("hellinger", 2)]
)
def test_gain_at_the_limit(criterion, classes):
    """The largest counts there can be, spread, alone and perfectly parted."""
    bench = Bench(2, classes, check=True, criterion=criterion, bins=16, count_bits=16)
    spread = np.full((16, classes), 65534 // (16 * classes))
    alone = np.zeros((16, classes), int)
    alone[3, 0], alone[9, 1] = 65000, 534
    parted = np.zeros((16, classes), int)
    parted[0, 0], parted[15, classes - 1] = 32767, 32767
    for table in (spread, alone, parted):
        n = int(table.sum())
        assert max(bench.errors([table, spread * 0], n)) < WORST
        assert max(bench.errors([table, table], n)) < WORST


@pytest.mark.parametrize("criterion", ["gain", "gini", "hellinger"])
def test_nominal_values_of_equal_counts(criterion):
    """Values that are equally frequent are still different values."""
    bench = Bench(1, 2, check=True, criterion=criterion, nominal=[4], bins=16, count_bits=16)
    table = np.array([[50, 50], [50, 50], [100, 0], [40, 60]])
    assert max(bench.errors([table], int(table.sum()))) < WORST
    assert bench.run()[2:4] == (0, 2)


@pytest.mark.parametrize("n_classes", [2, 3, 5, 7, 10, 26, 100, 255])
@pytest.mark.parametrize("delta", [1e-12, 1e-7, 1e-5, 0.05, 0.5])
def test_bound(n_classes, delta):
    """All n: below 0.001 bit from n = 20 on, and before that, where it is large, below 0.1 % of it."""
    bench = Bench(1, n_classes, delta=delta, bins=4, count_bits=16, grace=1)
    for n in [*range(1, 50), *range(50, 65536, 97), 65535]:
        bench.state.words[layout.HEADER + 1] = n
        expected = hoeffding_bound(math.log2(n_classes), delta, n)
        error = abs(bench.run()[4] - expected)
        assert error < (WORST if n >= 20 else 0.001 * expected)


@pytest.mark.parametrize("count_bits", [8, 16])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_naive_bayes(count_bits, n_classes):
    """Log scores of random leaves with counts up to the limit."""
    nominal = [0, 0, 3, 25]
    bench = Bench(4, n_classes, leaf="nb", nominal=nominal, bins=16, count_bits=count_bits)
    reference = HoeffdingTree(4, n_classes, nominal=nominal, bins=16)
    words, halves = bench.state[:2]
    for lane in range(2):
        words[layout.HEADER + layout.SLOT + lane] = 65536 << 12 | 12  # all codes
        reference.root.observers[lane].lo, reference.root.observers[lane].shift = -32768, 12
    rng = np.random.default_rng(count_bits + n_classes)
    worst = 0.0
    for _ in range(300):
        tables, n = random_tables(rng, bench, 254 if count_bits == 8 else 65534)
        bench.fill(tables, n)
        counts = rng.integers(1, 2 ** rng.integers(1, 16), n_classes)
        halves[words[layout.LEAF0] + layout.LEAF :][:n_classes] = counts
        leaf = reference.root
        leaf.counts = counts.tolist()
        leaf.born = np.max([t.sum(axis=0) for t in tables], axis=0).tolist()
        for observer, table in zip(leaf.observers, tables, strict=True):
            observer.rows = table.tolist()
        x = [*rng.integers(-32767, 32767, 2).tolist(), int(rng.integers(3)), int(rng.integers(25))]
        best = bench.tree.predict(x)
        scores = bench.state.scratch[layout.S_ROWS :][:n_classes] / 8192
        expected = np.array(reference.log_scores(leaf, x))
        worst = max(worst, float(np.abs(scores - expected).max()))
        assert best == np.argmax(scores)
    print(f"worst error of a log score with 4 features: {worst:.4f} bits")
    assert worst < 4 * (CELL_ERROR + LOG_ERROR) + LOG_ERROR


@pytest.mark.parametrize("leaf", ["mc", "nb", "nba"])
def test_scores(leaf):
    """Probabilities: they sum to about 65,536, the largest is the predicted class, and they are right."""
    rng = np.random.default_rng(5)
    tree = Tree(4, 3, 30_000, leaf=leaf, tau=0.2, count_bits=16)  # children of exact counts inherit none
    reference = HoeffdingTree(4, 3, leaf=leaf, tau=0.2, departures=DEPARTURES)
    out = [0] * 3
    tree.scores([0, 0, 0, 0], out)
    assert out == [65536 // 3] * 3 or sorted(out) == [0, 0, 65536]
    worst = 0.0
    for t in range(3000):
        x = rng.integers(-1000, 1000, 4).tolist()
        y = int(x[0] > 300) + int(x[1] + rng.normal(0, 300) > 0)
        if t % 10 == 0 and t and not tree.words[layout.WAIT]:  # the reference has decided already
            tree.scores(x, out)
            best = tree.predict(x)
            assert max(out) == out[best] and out.index(max(out)) == best
            assert abs(sum(out) - 65536) <= 65536 * 3 / 256 + 3 * 8
            node = reference.sort(x)
            if tree._arrays[3][layout.S_LOGS]:
                p = np.exp2(reference.log_scores(node, x))
            else:
                p = np.array(node.counts, float)
            worst = max(worst, float(np.abs(np.array(out) / 65536 - p / p.sum()).max()))
        tree.learn(x, y)
        reference.learn(x, y)
    print(f"{leaf}: worst error of a probability {worst:.4f}")
    assert worst < (0.001 if leaf == "mc" else 0.1)


def test_log_table():
    worst = max(abs(LOG2[n] / 8192 - math.log2(n)) for n in range(1, 256))
    assert worst <= 0.5 / 8192 + 1e-9
    assert list(LOG2) == [0] + [round(math.log2(n) * 8192) for n in range(1, 256)]
    for n in (1, 2, 3, 100, 12345, 65535):
        assert abs(log2_q(n, 13) / 8192 - math.log2(n)) <= 1.5 / 8192
    for delta in (1e-12, 1e-9, 1e-7, 1e-5, 0.001, 0.05, 0.5):
        assert abs(half_ln_inverse_q10(delta) / 1024 - math.log(1 / delta) / 2) < 0.0015


def test_log_table_as_bytes(monkeypatch):
    """As it stays on a board with native code."""
    known = [log2_q(n, 13) for n in range(1, 65536, 97)]
    monkeypatch.setattr(construct, "LOG2", LOG2.tobytes())
    assert [construct.read(n) for n in range(256)] == list(LOG2)
    assert [log2_q(n, 13) for n in range(1, 65536, 97)] == known
