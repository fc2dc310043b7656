"""How a run went over a stream: accuracy, bytes, size, and what the model relies on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogFormatter, MaxNLocator

from niwaki_host.plots.importances import TOP, draw_importances
from niwaki_host.plots.style import (
    GREY,
    accuracy_axis,
    legend_beside,
    look,
    mark_drifts,
    new_figure,
    styled,
    thousands,
    thousands_axis,
    wrapped,
)

_INCHES = {"accuracy": 2.6, "bytes": 1.15, "size": 1.15, "importances": 2.2}


@styled
def stream_figure(
    runs: Mapping[str, Mapping[str, Any]],
    title: str,
    drifts: Sequence[Any] = (),
    window: int = 1000,
    budget: int | None = None,
    ranking: Any = None,
) -> Figure:
    """Models and their curves: `at`, `accuracy`, `window_accuracy`, `bytes_in_use`, `nodes`, `features_used`.

    A single run shows more of its curves than several runs do. `ranking`, an over_time.Ranking, gets a panel
    of its own. Drifts are marked in all panels.
    """
    runs = {name: {key: np.asarray(c) for key, c in curve.items()} for name, curve in runs.items()}
    colours = {name: colour for name, (colour, _) in look(list(runs)).items()}
    draw: dict[str, Callable[[Axes], None]] = {
        "accuracy": lambda axes: _accuracy(axes, runs, colours, window),
        "bytes": lambda axes: _bytes(axes, runs, colours, budget),
        "size": lambda axes: _size(axes, runs, colours),
    }
    heights = [_INCHES[name] for name in draw] + [_INCHES["importances"]] * (ranking is not None)
    figure, axes = new_figure(
        8.6, sum(heights) + 0.9, len(heights), 1, sharex=True, gridspec_kw={"height_ratios": heights}
    )
    for place, panel in zip(axes[:, 0], draw.values(), strict=False):
        panel(place)
        legend_beside(place)
        place.margins(x=0)
        mark_drifts(place, drifts, label=place is axes[0, 0])
    if ranking is not None:
        draw_importances(axes[-1, 0], ranking.at, ranking.scores, ranking.names, drifts, TOP, ranking.kind)
        if len(runs) > 1:
            axes[-1, 0].set_ylabel(f"{next(iter(runs))}: {axes[-1, 0].get_ylabel()}")
    axes[0, 0].set_title(wrapped(title, 6.6))
    axes[0, 0].set_xlim(0, max(int(curve["at"][-1]) for curve in runs.values()))
    axes[-1, 0].set_xlabel("samples")
    thousands_axis(axes[-1, 0])
    figure.align_ylabels()
    return figure


Runs = Mapping[str, Mapping[str, Any]]


def _accuracy(axes: Axes, runs: Runs, colours: Mapping[str, str], window: int) -> None:
    alone = len(runs) == 1
    for name, curve in runs.items():
        label = f"last {window:,}" if alone else f"{name}  {curve['accuracy'][-1]:.1%}"
        axes.plot(
            curve["at"],
            100 * curve["window_accuracy"],
            color=colours[name],
            linewidth=1.6,
            label=label,
            zorder=3,
        )
        if alone:
            axes.plot(
                curve["at"], 100 * curve["accuracy"], color=GREY, linewidth=1.1, label="since the start"
            )
    accuracy_axis(axes, "accuracy, %" if alone else f"accuracy of\nthe last {window:,}, %")


def _bytes(axes: Axes, runs: Runs, colours: Mapping[str, str], budget: int | None) -> None:
    """Bytes in use. A model takes all its bytes when it is made, so no curve crosses the budget's line."""
    most = (budget or 0) / 1024
    for name, curve in runs.items():
        used = curve["bytes_in_use"] / 1024
        most = max(most, used.max())
        label = "filled" if len(runs) == 1 else None
        axes.plot(curve["at"], used, color=colours[name], linewidth=1.4, drawstyle="steps-post", label=label)
        if len(runs) == 1:
            axes.fill_between(curve["at"], used, color=colours[name], alpha=0.18, linewidth=0, step="post")
    if budget:
        axes.axhline(
            budget / 1024,
            color=GREY,
            linewidth=1,
            linestyle=(0, (4, 3)),
            label="budget, taken\nfrom the start",
        )
    axes.set_ylim(0, 1.12 * most)
    axes.set_ylabel("KiB" if len(runs) == 1 else "KiB filled")
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 4, 5, 10]))


def _size(axes: Axes, runs: Runs, colours: Mapping[str, str]) -> None:
    alone = len(runs) == 1
    for name, curve in runs.items():
        steps = {"linewidth": 1.5, "drawstyle": "steps-post"}
        axes.plot(curve["at"], curve["nodes"], color=colours[name], label="nodes" if alone else None, **steps)
        if alone:
            steps = {"linewidth": 1.2, "drawstyle": "steps-post", "linestyle": (0, (2, 1.2))}
            axes.plot(curve["at"], curve["features_used"], color=GREY, label="features in splits", **steps)
    if not alone:  # an ensemble has many times the nodes of a tree
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(thousands))
        axes.yaxis.set_minor_formatter(LogFormatter(labelOnlyBase=False))  # in figures, not as powers
        axes.set_ylabel("nodes")
        return
    axes.set_ylabel("count")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
