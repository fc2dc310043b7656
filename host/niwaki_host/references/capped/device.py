"""A device's tree seen from outside: what each kernel decided about a sample, and the state it left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from niwaki import layout as shared
from niwaki.tree import layout
from niwaki_host.device.schedule import schedule_of
from niwaki_host.device.views import ZERO, TreeView
from niwaki_host.references.adwin import BLOCK
from niwaki_host.references.capped.rule import REFUSED, SPLIT, WHOLE
from niwaki_host.references.capped.shape import Shape
from niwaki_host.runtimes.numba_rt import compiled, views

STRUCTURAL = {"rule", "grow"}
"""When none of these kernels has run, and monitors had nothing to decide, counts are all that has changed."""


class Seen(NamedTuple):
    """The decision on a split at the end of a grace period."""

    node: int
    rule: str
    lane: int
    key: int
    features: list[int]
    """What the lanes of the slot watch afterwards."""


@dataclass
class Said:
    """What the device decided about one sample, in its order."""

    answers: list[int] = field(default_factory=list)
    """Naive Bayes', in the tree and in the alternates that learned the sample."""
    rules: list[Seen] = field(default_factory=list)
    victims: list[int | None] = field(default_factory=list)
    """By each look at what could be collapsed."""
    changes: dict[int, tuple[int, list[tuple[int, int]]]] = field(default_factory=dict)
    """By monitor, with the buckets of its ADWIN: (values, ones)."""
    verdicts: dict[int, int] = field(default_factory=dict)
    """By monitor: the field of its alternate's age."""
    starts: int | None = None
    """The monitor whose node gets an alternate."""
    structural: bool = False


class Device:
    """A `niwaki.Tree`, kernel by kernel; `fast`: they are compiled by numba."""

    def __init__(self, tree: Any, fast: bool = True) -> None:
        self.tree = tree
        self.view = TreeView(tree)
        self.schedule = schedule_of(tree)
        self.fast = fast
        self.state = views(tree)
        self.scratch = self.state.scratch
        first = self.view.word(layout.NODE0)
        nodes = self.view.max_nodes + self.view.n_monitors
        records = self.state.halves[first : first + nodes * layout.NODE].reshape(nodes, layout.NODE)
        self.children = records[:, layout.NODE_CHILD]
        self.seen = records[:, layout.NODE_SEEN]
        self.said = Said()

    def shape(self, **options: Any) -> Shape:
        """The sizes into which the tree's budget has been divided; the caller knows the options."""
        v = self.view
        return Shape(
            v.n_features,
            v.n_classes,
            v.max_nodes,
            v.n_slots,
            v.n_lanes,
            v.bins,
            tuple(v.values),
            grace=v.word(layout.GRACE),  # a leaf that never splits has none
            monitors=v.n_monitors,
            **options,
        )

    def learn(self, x: Any, y: int) -> Said:
        self.state.x[:] = x
        self.said = Said()
        self.schedule.teach(self._call, y)
        return self.said

    def _run(self, kernel: Callable, *label: int) -> int:
        if self.fast:
            return compiled(kernel)(*self.state, *label)
        x = self.tree._arrays[shared.A_SAMPLE]
        if kernel is self.schedule.predict or kernel is self.schedule.learn:
            return kernel(self.tree._at, x, len(x), *label)
        return kernel(self.tree._at, x)

    def _call(self, kernel: Callable, *label: int) -> int:
        name = kernel.__name__
        self.said.structural |= name in STRUCTURAL
        see = getattr(self, f"_see_{name}", None)
        return see(kernel, *label) if see else self._run(kernel, *label)

    def _see_learn(self, kernel: Callable, y: int) -> int:
        if self.scratch[layout.S_BAYES] >= 0:
            self.said.answers.append(int(self.scratch[layout.S_BAYES]))
        self.ruled = False
        return self._run(kernel, y)

    def _see_splits(self, kernel: Callable) -> int:
        result = self._run(kernel)
        if self.state.words[layout.WAIT]:
            # The next `learn` would do this first. It is done now, so that it is seen with this sample.
            self.state.words[layout.WAIT] = 0
            for step in self.schedule.steps:
                while step.due & layout.DUE_VERDICT and self._call(step.kernel):
                    pass
        return result

    def _see_rule(self, kernel: Callable) -> int:
        node = int(self.scratch[layout.S_NODE])
        place = self.view.node(node)
        before, lanes = self.view.leaf(place.leaf).promise, self.view.slot(place.slot).features
        windows = self.view.slot(place.slot).windows
        result = self._run(kernel)
        self.ruled = True
        lane, cut = int(self.scratch[layout.S_LANE]), int(self.scratch[layout.S_BIN])
        features = self.view.slot(place.slot).features
        verdict = WHOLE
        if self.scratch[layout.S_SPLIT]:
            verdict = SPLIT
        elif before != self.view.leaf(place.leaf).promise or lanes != features:
            verdict = REFUSED
        key = cut
        if lane >= 0 and self.view.values[lanes[lane]] == 0:
            key = windows[lane].low - ZERO + ((cut + 1) << windows[lane].shift) - 1
        self.said.rules.append(Seen(node, verdict, lane, key, features))
        return result

    def _see_prune(self, kernel: Callable) -> int:
        asked = self._is_asked()
        before = self.children.copy()
        result = self._run(kernel)
        gone = np.flatnonzero(before * (self.children == 0))
        if asked:
            self.said.victims.append(int(gone[0]) if len(gone) else None)
        return result

    def _is_asked(self) -> bool:
        """Whether a split may be collapsed: for a split without room, or for a leaf that looks for a slot."""
        if not self.ruled:
            return True
        words = self.state.words
        room = words[layout.TOP_NODE] + 2 <= words[layout.MAX_NODES] or words[layout.FREE_PAIR]
        return bool(self.scratch[layout.S_SPLIT]) and not room

    def _see_adwin(self, kernel: Callable) -> int:
        result = self._run(kernel)
        item = int(self.scratch[shared.S_LIST])
        monitors = self.view.monitors
        for i in range(int(self.scratch[item])):
            at = item + shared.LIST + 2 * i
            number = (int(self.scratch[at]) - self.view.word(layout.MONITOR0)) // self.view.word(
                layout.MONITOR
            )
            buckets = [(BLOCK << size, ones) for size, ones in monitors[number].buckets]
            self.said.changes[number] = int(self.scratch[at + 1]), buckets
        return result

    def _see_judge(self, kernel: Callable) -> int:
        result = self._run(kernel)
        if self.scratch[layout.S_PENDING]:
            self.said.verdicts = {monitor.number: monitor.age for monitor in self.view.monitors}
        return result

    def _see_begin(self, kernel: Callable) -> int:
        if not self.scratch[layout.S_PENDING]:
            return self._run(kernel)
        self.said.structural = True
        before = {monitor.number for monitor in self.view.monitors if monitor.age}
        result = self._run(kernel)
        started = {monitor.number for monitor in self.view.monitors if monitor.age} - before
        self.said.starts = started.pop() if started else None
        return result
