"""Classifiers side by side on one stream: accuracy as bars, memory as points on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, NullLocator

from niwaki_host.plots.style import GREY, PALETTE, new_figure, styled
from niwaki_host.sizes import format_size

_FAMILIES = {
    "niwaki": PALETTE[0],
    "river": PALETTE[1],
    "MOA": PALETTE[2],
    "scikit-learn": PALETTE[3],
    "baseline": "#A9AEB6",
}


@styled
def compare_figure(rows: Sequence[Mapping[str, Any]], title: str, budget: int | None = None) -> Figure:
    """`rows` have `name`, `family` (see _FAMILIES), `accuracy` and `bytes` (None where unknown)."""
    rows = sorted(rows, key=lambda row: row["accuracy"])
    families = [family for family in _FAMILIES if any(row["family"] == family for row in rows)]
    figure, axes = new_figure(
        8.6, 1.3 + 0.27 * len(rows), 1, 2, sharey=True, gridspec_kw={"width_ratios": [1.35, 1]}
    )
    left, right = axes[0]
    places = range(len(rows))
    colours = [_FAMILIES[row["family"]] for row in rows]
    scores = [row["accuracy"] * 100 for row in rows]
    left.barh(places, scores, color=colours, height=0.68)
    left.set_xlim(0, 1.15 * max(scores))  # a bar's length is its value
    for place, score in zip(places, scores, strict=True):
        left.annotate(
            f"{score:.1f}", (score, place), xytext=(3, 0), textcoords="offset points", va="center", fontsize=8
        )
    left.set_yticks(places, [row["name"] for row in rows])
    left.set_ylim(-0.7, len(rows) - 0.3)
    left.tick_params(axis="y", length=0)
    left.set_xlabel("accuracy, %")
    left.grid(axis="y", visible=False)

    known = [(place, row) for place, row in zip(places, rows, strict=True) if row.get("bytes")]
    right.set_xscale("log", base=2)
    for place, row in known:
        right.plot(row["bytes"], place, "o", color=_FAMILIES[row["family"]], markersize=6.5)
        right.annotate(
            short_size(row["bytes"]),
            (row["bytes"], place),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    if budget:
        right.axvline(budget, color=GREY, linewidth=1, linestyle=(0, (4, 3)))
        right.annotate(
            f"budget {format_size(budget)}",
            (budget, 1),
            xycoords=("data", "axes fraction"),
            xytext=(3, 2),
            textcoords="offset points",
            color=GREY,
            fontsize=8,
        )
    if known:
        sizes = [row["bytes"] for _, row in known]
        right.set_xlim(min(sizes) / 2, max(sizes) * 12)
    right.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short_size(value)))
    right.xaxis.set_minor_locator(NullLocator())
    right.set_xlabel("memory, bytes (logarithmic)")
    right.grid(axis="y", linestyle=":", color="#C9CDD3")
    figure.suptitle(title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
    handles = [Patch(color=_FAMILIES[family], label=family) for family in families]
    figure.legend(
        handles=handles, loc="outside lower center", ncols=len(handles), fontsize=8.5, frameon=False
    )
    return figure


def short_size(size: float) -> str:
    for unit, factor in (("M", 1024**2), ("k", 1024)):
        if size >= factor:
            value = size / factor
            return f"{value:.0f}{unit}" if value >= 9.95 else f"{value:.1f}{unit}".replace(".0", "")
    return f"{size:.0f}"
