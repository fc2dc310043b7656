"""Names, and the ranges behind the codes: a model does not know these of its own data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from niwaki.encoder import RAW
from niwaki.window import FEATURES
from niwaki_host.inspect.export import Exported, Member, Node
from niwaki_host.streams.ranges import Range


@dataclass
class Legend:
    """Names of features, classes and nominal values, and ranges. Without a range, a threshold is a code."""

    features: list[str]
    classes: list[str]
    ranges: Sequence[Range] = ()
    values: list[list[str]] = field(default_factory=list)
    units: list[str] = field(default_factory=list)

    @classmethod
    def plain(cls, exported: Exported) -> Legend:
        """The names to use where nothing is known: x0, x1 and so on, and class numbers."""
        return cls(
            [f"x{f}" for f in range(exported.n_features)],
            [str(c) for c in range(exported.n_classes)],
            [None] * exported.n_features,
        )

    @classmethod
    def told(cls, exported: Exported, about: dict[str, Any]) -> Legend:
        """Names and ranges that an image tells about its model; where it tells nothing, those of `plain`."""
        legend = cls.plain(exported)
        classes = [_shown(name) for name in about.get("labels", [])]
        legend.classes = classes + legend.classes[len(classes) :]
        encoder, window = about.get("encoder"), about.get("window")
        axes = window.n_features // len(FEATURES) if window else 0
        names = [_shown(name) for name in about.get("features", [])]
        units = [_shown(unit) for unit in about.get("units", [])]
        if window and not names and window.n_features == exported.n_features:
            names = [f"axis{axis}" for axis in range(axes)]
        if axes and len(names) == axes:
            names = [f"{name} {feature}" for name in names for feature in FEATURES]
        if axes and len(units) == axes:
            units = [unit if feature != "crossings" else "" for unit in units for feature in FEATURES]
        legend.features = names or legend.features
        legend.units = units
        if encoder and encoder.n_features == exported.n_features:
            legend.ranges = encoder.ranges
        elif encoder and window and window.n_features == exported.n_features:
            legend.ranges = [found for span in encoder.ranges for found in _of_window(span)]
        return legend

    def test(self, node: Node, right: bool = False) -> str:
        """What holds for the samples that go left (or right) at a split.

        A value v has code floor((v - lo) 65536 / (hi - lo)) - 32768, so its code is at most t when v is below
        lo + (t + 32769) (hi - lo) / 65536.
        """
        assert node.feature is not None
        name = self.features[node.feature]
        if node.nominal:
            return f"{name} {'!=' if right else '=='} {self.value(node.feature, node.threshold)}"
        known = self.ranges[node.feature] if self.ranges else None
        if not isinstance(known, tuple) or tuple(known) == RAW:
            return f"{name} {'>' if right else '<='} {node.threshold}"
        step = (known[1] - known[0]) / 65536
        bound = known[0] + (node.threshold + 32769) * step
        unit = self.units[node.feature] if self.units else ""
        return f"{name} {'>=' if right else '<'} {short(bound, step)}{' ' if unit else ''}{unit}"

    def title(self, exported: Exported, member: Member) -> str:
        """The title of a shrub or of an alternate subtree; empty for a tree."""
        if exported.kind != "tree":
            decides = ", decides alone at present" if member.decides else ""
            return f"shrub {member.place}, weight {member.weight:.4f}{decides}"
        if member.replaces is None:
            return ""
        where = " and ".join(self.path(exported.members[0], member.replaces))
        return f"alternate, without a say as yet, where {where}" if where else "alternate to the whole tree"

    def path(self, member: Member, number: int) -> list[str]:
        """What holds for the samples that reach a node."""
        nodes = member.nodes
        node = next(node for node in nodes if node.number == number)
        tests: list[str] = []
        while node.parent is not None:
            parent = nodes[node.parent]
            tests.insert(0, self.test(parent, node is nodes[parent.right]))
            node = parent
        return tests

    def value(self, feature: int, code: int) -> str:
        names = self.values[feature] if self.values else []
        return names[code] if code < len(names) else str(code)

    def counts(self, node: Node, most: int = 6) -> str:
        """The classes that a node has seen, the commonest first."""
        order = sorted((c for c, n in enumerate(node.counts) if n), key=lambda c: -node.counts[c])
        shown = [f"{self.classes[c]}: {node.counts[c]}" for c in order[:most]]
        return ", ".join(shown + ["..."] * (len(order) > most)) or "nothing yet"

    def answer(self, node: Node) -> str:
        return "naive Bayes" if node.bayes else self.classes[node.label]


def _shown(name: str) -> str:
    """A name without control characters, which a terminal would obey."""
    return "".join(c if c.isprintable() else "?" for c in name)


def _of_window(span: Range) -> list[Range]:
    """Ranges of the features of an axis in a window: differences have no offset, crossings are counts."""
    if not isinstance(span, tuple):
        return [None] * len(FEATURES)
    half = (span[1] - span[0]) / 2
    found: dict[str, Range] = {"deviation": (-half, half), "difference": (-half, half), "crossings": None}
    return [found.get(feature, span) for feature in FEATURES]


def short(value: float, step: float) -> str:
    """The value with just enough digits to tell two neighbouring codes apart."""
    digits = max(0, math.ceil(-math.log10(step)))
    return f"{value:.{digits}f}" if digits <= 9 and abs(value) < 1e12 else f"{value:.8g}"
