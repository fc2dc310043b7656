"""A model in Graphviz's language."""

from __future__ import annotations

from niwaki_host.inspect.export import Exported, Node
from niwaki_host.inspect.legend import Legend
from niwaki_host.plots.style import PALETTE


def colour(label: int) -> str:
    """The colour of a class: one of the palette, or a darker one where classes outnumber colours."""
    dark = 0.45 ** (label // len(PALETTE))
    return _hex([dark * part for part in _parts(PALETTE[label % len(PALETTE)])])


def tint(label: int, purity: float) -> str:
    """The colour of a class, paler where other classes are mixed in."""
    share = 0.15 + 0.45 * purity
    return _hex([255 - (255 - part) * share for part in _parts(colour(label))])


def _parts(text: str) -> list[int]:
    return [int(text[i : i + 2], 16) for i in (1, 3, 5)]


def _hex(parts: list[float]) -> str:
    return "#" + "".join(f"{round(part):02X}" for part in parts)


def purity(node: Node) -> float:
    """Share of the majority class among the node's samples; 0 where the node has no samples."""
    return node.counts[node.label] / max(1, sum(node.counts))


def to_dot(exported: Exported, legend: Legend | None = None) -> str:
    """The model as one digraph; each shrub and each alternate is a cluster. The way left says `yes`."""
    legend = legend or Legend.plain(exported)
    lines = [
        "digraph niwaki {",
        '    node [shape=box, style="rounded,filled", fillcolor=white, fontname=Helvetica, fontsize=10];',
        "    edge [fontname=Helvetica, fontsize=9];",
    ]
    for index, member in enumerate(exported.members):
        title = legend.title(exported, member)
        if title:
            lines.append(f"    subgraph cluster_{index} {{")
            lines.append(f"    label={_quoted(title)};")
        for place, node in enumerate(member.nodes):
            name = f"n{index}_{place}"
            if node.is_leaf:
                text = f"{legend.answer(node)}\n{legend.counts(node)}"
                lines.append(f"    {name} [label={_quoted(text)}, fillcolor={_quoted(_fill(node))}];")
                continue
            lines.append(f"    {name} [label={_quoted(legend.test(node))}];")
            for child, text in ((node.left, "yes"), (node.right, "no")):
                if exported.kind == "tree" and (child == node.right) == node.missing_right:
                    text += ", missing"
                lines.append(f"    {name} -> n{index}_{child} [label={_quoted(text)}];")
        if title:
            lines.append("    }")
    return "\n".join([*lines, "}", ""])


def _fill(node: Node) -> str:
    return tint(node.label, purity(node))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
