"""How a run went over a stream: accuracy, bytes, size, and what the model relies on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from niwaki_host.plots.importances import TOP, draw_importances
from niwaki_host.plots.style import (
    GREY,
    legend_beside,
    look,
    mark_drifts,
    new_figure,
    styled,
    thousands_axis,
    wrapped,
)

_INCHES = {"accuracy": 2.6, "bytes": 1.15, "size": 1.15, "importances": 2.2}


@styled
def stream_figure(
    model: str,
    curve: Mapping[str, Any],
    title: str,
    drifts: Sequence[Any] = (),
    window: int = 1000,
    budget: int | None = None,
    ranking: Any = None,
) -> Figure:
    """`curve` has `at`, `accuracy`, `window_accuracy`, `bytes_in_use`, `nodes` and `features_used`.

    `ranking`, an over_time.Ranking, is a panel of its own. Drifts are marked in all of them.
    """
    curve = {name: np.asarray(values) for name, values in curve.items()}
    colour = look([model])[model][0]
    draw: dict[str, Callable[[Axes], None]] = {
        "accuracy": lambda axes: _accuracy(axes, curve, colour, window),
        "bytes": lambda axes: _bytes(axes, curve, colour, budget),
        "size": lambda axes: _size(axes, curve, colour),
    }
    heights = [_INCHES[name] for name in draw] + [_INCHES["importances"]] * (ranking is not None)
    figure, axes = new_figure(
        8.6, sum(heights) + 0.9, len(heights), 1, sharex=True, gridspec_kw={"height_ratios": heights}
    )
    for place, panel in zip(axes[:, 0], draw.values(), strict=False):
        panel(place)
        place.margins(x=0)
        mark_drifts(place, drifts, label=place is axes[0, 0])
    if ranking is not None:
        draw_importances(axes[-1, 0], ranking.at, ranking.scores, ranking.names, drifts, TOP, ranking.kind)
    axes[0, 0].set_title(wrapped(title, 6.6))
    axes[0, 0].set_xlim(0, int(curve["at"][-1]))
    axes[-1, 0].set_xlabel("samples")
    thousands_axis(axes[-1, 0])
    figure.align_ylabels()
    return figure


def _accuracy(axes: Axes, curve: Mapping[str, Any], colour: str, window: int) -> None:
    recent = 100 * curve["window_accuracy"]
    axes.plot(curve["at"], recent, color=colour, linewidth=1.6, label=f"last {window:,}", zorder=3)
    axes.plot(curve["at"], 100 * curve["accuracy"], color=GREY, linewidth=1.1, label="since the start")
    axes.set_ylabel("accuracy, %")
    legend_beside(axes)


def _bytes(axes: Axes, curve: Mapping[str, Any], colour: str, budget: int | None) -> None:
    """What is filled of what the model took when it was made; the budget as a line that is never crossed."""
    used = curve["bytes_in_use"] / 1024
    axes.fill_between(curve["at"], used, color=colour, alpha=0.18, linewidth=0, step="post")
    axes.plot(curve["at"], used, color=colour, linewidth=1.4, drawstyle="steps-post", label="in use")
    if budget:
        axes.axhline(budget / 1024, color=GREY, linewidth=1, linestyle=(0, (4, 3)), label="budget")
    axes.set_ylim(0, 1.12 * max(used.max(), (budget or 0) / 1024))
    axes.set_ylabel("KiB")
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 4, 5, 10]))
    legend_beside(axes)


def _size(axes: Axes, curve: Mapping[str, Any], colour: str) -> None:
    nodes, features = curve["nodes"], curve["features_used"]
    axes.plot(curve["at"], nodes, color=colour, linewidth=1.5, drawstyle="steps-post", label="nodes")
    axes.plot(
        curve["at"],
        features,
        color=GREY,
        linewidth=1.2,
        linestyle=(0, (2, 1.2)),
        drawstyle="steps-post",
        label="features used",
    )
    axes.set_ylabel("count")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    legend_beside(axes)
