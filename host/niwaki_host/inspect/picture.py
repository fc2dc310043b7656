"""A model as a picture, drawn by matplotlib: nobody has to install Graphviz."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from niwaki_host.inspect.dot import colour, purity, tint
from niwaki_host.inspect.export import Exported, Member, Node
from niwaki_host.inspect.legend import Legend
from niwaki_host.plots.style import GREY, new_figure, styled

MOST_LEAVES = 40  # boxes side by side in a drawing: a deeper subtree is one box that counts what it hides
MOST_SHRUBS = 6
_LEVEL_INCHES = 0.95
_MOST_LETTERS = 16
_BAR = 0.72, 0.09  # size of a bar, in parts of a leaf's width and of a level's height


@styled
def model_figure(exported: Exported, legend: Legend | None = None, title: str = "") -> Figure:
    """Draw a tree, or the shrubs with most weight, top down; samples that pass a split's test go left."""
    legend = legend or Legend.plain(exported)
    members = [member for member in exported.members if member.replaces is None][:MOST_SHRUBS]
    columns = 1 if len(members) < 2 else 2
    drawings = [_Drawing(member) for member in members]
    width = max([drawing.width for drawing in drawings], default=3)
    # All drawings of a row get the height of the highest, so that levels are equally high in all.
    parts = [drawings[at : at + columns] for at in range(0, len(drawings), columns)]
    heights = [max(drawing.height for drawing in part) for part in parts] or [1]
    figure, axes = new_figure(
        max(5.0, columns * width * _leaf_inches(members, legend)),
        max(2.5, sum(height + 1 for height in heights) * _LEVEL_INCHES),
        len(heights),
        columns,
        gridspec_kw={"height_ratios": heights},
    )
    for place in axes.flat:
        place.axis("off")
    for index, (drawing, place) in enumerate(zip(drawings, axes.flat, strict=False)):
        drawing.draw(place, legend, heights[index // columns])
        place.set_title(legend.title(exported, drawing.member), fontsize=9)
    left_out = len(exported.members) - len(members)
    if left_out:
        what = "shrub" if exported.kind != "tree" else "alternate"
        title += f" · {left_out} more {what}{'s' * (left_out > 1)}"
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    _name_classes(figure, drawings, legend)
    return figure


def _name_classes(figure: Figure, drawings: list[_Drawing], legend: Legend) -> None:
    """Say which colour is which class, for the classes that the picture shows."""
    members = [drawing.member for drawing in drawings]
    answers = {leaf.label for member in members for leaf in member.leaves}
    seen = [
        c
        for c in range(len(legend.classes))
        if c in answers or any(member.nodes[0].counts[c] for member in members)
    ]
    if seen:
        marks = [Line2D([], [], marker="s", linestyle="", color=colour(c)) for c in seen]
        names = [legend.classes[c] for c in seen]
        figure.legend(marks, names, loc="outside lower left", ncols=min(8, len(seen)), fontsize=8.5)


def _leaf_inches(members: list[Member], legend: Legend) -> float:
    """The width of a leaf, in inches: the longest name must fit."""
    names = [legend.answer(node) for member in members for node in member.leaves]
    return 0.45 + 0.055 * min(_MOST_LETTERS, max(map(len, names), default=0))


class _Drawing:
    """Where every box goes: ends side by side, each split above the middle of its two children."""

    def __init__(self, member: Member) -> None:
        self.member = member
        self.bottom = self._deepest()
        self.x = [0.0] * len(member.nodes)
        ends = [i for i, node in enumerate(member.nodes) if self._ends(node)]
        for column, place in enumerate(ends):
            self.x[place] = column
        for place, node in reversed(list(enumerate(member.nodes))):
            if node.depth < self.bottom and not node.is_leaf:
                self.x[place] = (self.x[node.left] + self.x[node.right]) / 2
        self.width = max(3, len(ends))
        self.height = 1 + max(member.nodes[place].depth for place in ends)

    def _ends(self, node: Node) -> bool:
        return node.depth == self.bottom or (node.is_leaf and node.depth < self.bottom)

    def _deepest(self) -> int:
        """The depth down to which at most MOST_LEAVES boxes stand side by side."""
        per_depth: dict[int, list[int]] = {}  # leaves, nodes
        for node in self.member.nodes:
            both = per_depth.setdefault(node.depth, [0, 0])
            both[0] += node.is_leaf
            both[1] += 1
        above = 0
        for depth in sorted(per_depth):
            if above + per_depth[depth][1] > MOST_LEAVES:
                return depth - 1
            above += per_depth[depth][0]
        return max(per_depth)

    def draw(self, axes: Axes, legend: Legend, height: int) -> None:
        axes.set_xlim(-0.6, self.width - 0.4)
        axes.set_ylim(-height + 0.4, 0.45)
        nodes = self.member.nodes
        for place, node in enumerate(nodes):
            if node.depth > self.bottom:
                continue
            at = self.x[place], -float(node.depth)
            if self._ends(node):
                self._leaf(axes, node, at, self._hidden(place), legend)
                continue
            for child, text in ((node.left, "yes"), (node.right, "no")):
                end = self.x[child], -float(nodes[child].depth)
                axes.add_line(Line2D(*zip(at, end, strict=True), color="#B8BDC6", linewidth=1.0, zorder=1))
                middle = (at[0] + end[0]) / 2, (at[1] + end[1]) / 2
                axes.text(
                    *middle, text, fontsize=7, color=GREY, ha="center", va="center", backgroundcolor="white"
                )
            self._box(axes, at, legend.test(node), "white")

    def _hidden(self, place: int) -> int:
        """Leaves below a node that is drawn as an end."""
        node = self.member.nodes[place]
        if node.is_leaf:
            return 0
        leaves = 0
        for below in self.member.nodes[place + 1 :]:
            if below.depth <= node.depth:
                break
            leaves += below.is_leaf
        return leaves

    def _leaf(self, axes: Axes, node: Node, at: tuple[float, float], hidden: int, legend: Legend) -> None:
        total = sum(node.counts)
        head = f"... {hidden} leaves" if hidden else _wrapped(legend.answer(node))
        self._box(axes, at, f"{head}\nn = {total:,}", tint(node.label, purity(node)))
        left, y = at[0] - _BAR[0] / 2, at[1] - 0.36
        for c, n in enumerate(node.counts):
            if n:
                width = _BAR[0] * n / total
                axes.add_patch(Rectangle((left, y), width, _BAR[1], color=colour(c), linewidth=0))
                left += width

    def _box(self, axes: Axes, at: tuple[float, float], text: str, fill: str) -> None:
        look = {"boxstyle": "round,pad=0.35", "facecolor": fill, "edgecolor": GREY, "linewidth": 0.8}
        axes.text(*at, _wrapped(text), fontsize=7.5, ha="center", va="center", zorder=3, bbox=look)


def _wrapped(text: str, most: int = _MOST_LETTERS) -> str:
    """Break a long test into two lines, and cut a long name."""
    name, space, rest = text.partition(" ")
    if len(text) <= most or "\n" in text:
        return text
    return f"{name[: most - 1]}…{rest}" if not space else f"{name[:most]}\n{rest}"
