"""What must hold in every grove, after any stream: written from the layout, not from the checks of `load`."""

from collections import Counter
from typing import Any

from niwaki.grove import layout as lay


class View:
    """The parts of a grove's arrays by name."""

    def __init__(self, model: Any) -> None:
        w, h, b = model.words, model.halves, model.octets
        d, c = model.n_features, model.n_classes
        self.words, self.d, self.classes = w, d, c
        self.memory, self.recent, self.stands = w[lay.MEMORY], w[lay.RECENT], w[lay.SHRUBS] + 1
        self.room, self.bins = w[lay.ROOM], w[lay.BINS]
        places = self.memory + self.recent
        at = places * d
        self.labels = list(b[at : at + places])
        at += places
        cells = b[at : at + d * self.bins * c]
        self.cells = [
            [list(cells[(f * self.bins + i) * c : (f * self.bins + i + 1) * c]) for i in range(self.bins)]
            for f in range(d)
        ]
        at += len(cells)
        self.weights = list(b[at : at + d])
        at += d
        rows = [list(b[at + k * self.stands : at + (k + 1) * self.stands]) for k in range(lay.STAND_ROWS)]
        self.nodes, self.roots, self.known = rows
        at += lay.STAND_ROWS * self.stands
        size = self.stands * self.room
        parts = [b[at + k * size : at + (k + 1) * size] for k in range(lay.NODE_ROWS)]
        self.features, self.thresholds, self.left, self.right = parts
        self.in_memory, self.in_histograms = list(h[:c]), list(h[c : 2 * c])

    def leaves(self, m: int) -> list[int]:
        """The classes at the leaves of a shrub, from its root; raises when it is no tree."""
        found, seen, stack = [], set(), [self.roots[m]]
        while stack:
            k = stack.pop()
            if k >= self.room:
                assert k - self.room < self.classes, "a class that does not exist"
                found.append(k - self.room)
                continue
            assert k < self.nodes[m] and k not in seen, "no tree"
            seen.add(k)
            assert self.features[m * self.room + k] < self.d
            stack += [self.left[m * self.room + k], self.right[m * self.room + k]]
        assert len(seen) == self.nodes[m] == len(found) - 1
        return found


def validate(model: Any) -> None:
    """Raises AssertionError where something does not hold."""
    v = View(model)
    w = v.words
    count = w[lay.COUNT]
    assert model.nbytes <= model.budget
    assert count <= min(v.memory, model.samples)
    assert Counter(v.labels[:count]) == Counter({c: n for c, n in enumerate(v.in_memory) if n})
    assert max(v.labels) < v.classes
    for c in range(v.classes):
        assert v.in_histograms[c] < 65535
        for row in v.cells:
            assert sum(cells[c] for cells in row) <= v.in_histograms[c]
    assert all(cell < 255 for row in v.cells for cells in row for cell in cells)
    assert all(1 <= weight <= 255 for weight in v.weights)
    for m in range(v.stands):
        if v.known[m]:
            v.leaves(m)
    assert abs(w[lay.FOLLOWS]) <= 65536 and abs(w[lay.KNOWS]) <= 65536
    assert 0 <= w[lay.REST] <= w[lay.SHRUBS] * count and 1 <= w[lay.SEED] <= 65535
    assert 0 <= w[lay.IDLE] <= lay.IDLE_MOST
