"""The critical-difference diagram (Demsar 2006): mean ranks on a line, bars over what can't be told apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from niwaki_host.evaluation.statistics import cliques
from niwaki_host.plots.style import look, new_figure, styled

_STEP = 0.34


@styled
def critical_difference_figure(
    names: Sequence[str],
    mean_ranks: Sequence[float],
    difference: float,
    title: str = "",
    groups: Sequence[tuple[int, int]] | None = None,
) -> Figure:
    """Rank 1, the best, is on the left. Models joined by a bar do not differ by more than `difference`.

    `groups` gives the bars of another test than Nemenyi's instead, as positions in rank order.
    """
    mean = np.asarray(mean_ranks, float)
    order = np.argsort(mean, kind="stable")
    k = len(order)
    bars = cliques(mean, difference) if groups is None else list(groups)
    half = (k + 1) // 2
    depth = 0.3 + 0.2 * len(bars) + _STEP * half
    figure, grid = new_figure(7.4, 1.15 + 0.75 * depth)
    axes = grid[0, 0]
    axes.set_axis_off()
    style = look(list(names))
    span = max(k - 1, 1)
    axes.set_xlim(1 - 0.32 * span, k + 0.32 * span)
    axes.set_ylim(-depth - 0.1, 0.95)

    axes.plot([1, k], [0, 0], color="#303236", linewidth=1.2)
    for rank in range(1, k + 1):
        axes.plot([rank, rank], [0, 0.09], color="#303236", linewidth=1.2)
        axes.text(rank, 0.16, str(rank), ha="center", va="bottom", fontsize=9)
    if groups is None:
        axes.plot([1, 1 + min(difference, span)], [0.66, 0.66], color="#303236", linewidth=2)
        axes.text(
            1 + min(difference, span) / 2,
            0.71,
            f"critical difference {difference:.2f}",
            ha="center",
            va="bottom",
            fontsize=8.5,
        )

    sorted_mean = mean[order]
    for i, (first, last) in enumerate(bars):
        y = -0.17 - 0.2 * i
        axes.plot(
            [sorted_mean[first] - 0.012 * span, sorted_mean[last] + 0.012 * span],
            [y, y],
            color="#303236",
            linewidth=4,
            solid_capstyle="round",
        )
    for place, model in enumerate(map(int, order)):
        left = place < half
        level = place if left else k - 1 - place
        y = -0.3 - 0.2 * len(bars) - _STEP * level
        edge = 1 - 0.04 * span if left else k + 0.04 * span
        colour = style[names[model]][0]
        axes.plot([mean[model], mean[model], edge], [0, y, y], color=colour, linewidth=1.3)
        axes.plot(mean[model], 0, "o", color=colour, markersize=5, zorder=3, clip_on=False)
        axes.text(
            edge - 0.01 * span if left else edge + 0.01 * span,
            y,
            f"{names[model]}  {mean[model]:.2f}",
            ha="right" if left else "left",
            va="center",
            fontsize=9.5,
        )
    axes.set_title(title or "mean rank (1 is best)")
    return figure
