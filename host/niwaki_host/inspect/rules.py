"""A model as indented rules."""

from __future__ import annotations

from collections.abc import Iterator

from niwaki_host.inspect.export import Exported, Member, Node
from niwaki_host.inspect.legend import Legend

_INDENT = "    "


def rules(exported: Exported, legend: Legend | None = None) -> str:
    """Rules in the order of the tree; each leaf has its counts of each class.

    A split is two lines, one for each side. In a tree, "or missing" is on the line of the side that a missing
    value takes; in shrubs a missing value always takes the first.
    """
    legend = legend or Legend.plain(exported)
    lines: list[str] = []
    for member in exported.members:
        title = legend.title(exported, member)
        own = _member(member, legend, exported.kind == "tree")
        lines += [title, *(_INDENT + line for line in own)] if title else own
    return "\n".join(lines or ["nothing learned yet"]) + "\n"


def _member(member: Member, legend: Legend, missing: bool) -> Iterator[str]:
    for node in member.nodes:
        if node.parent is not None:
            parent = member.nodes[node.parent]
            yield _INDENT * parent.depth + _way(parent, node is member.nodes[parent.right], legend, missing)
        if node.is_leaf:
            yield (f"{_INDENT * node.depth}leaf {node.number}: {legend.answer(node)} ({legend.counts(node)})")


def _way(parent: Node, right: bool, legend: Legend, missing: bool) -> str:
    here = missing and parent.missing_right == right
    return legend.test(parent, right) + (" or missing" if here else "")
