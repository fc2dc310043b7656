"""Accuracy against bytes: how accurate each model is for its memory, stream by stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullLocator

from niwaki_host.evaluation.statistics import pareto_front
from niwaki_host.plots.style import GREY, look, new_figure, styled
from niwaki_host.sizes import format_size

_LEAST_SPAN = 2.0
_BAND: dict[str, Any] = {
    "color": "#D5D9E0",
    "linewidth": 6,
    "drawstyle": "steps-post",
    "solid_capstyle": "butt",
    "solid_joinstyle": "miter",
    "zorder": 1,
}

Points = Mapping[str, tuple[Sequence[float], Sequence[float]]]


@styled
def pareto_figure(streams: Mapping[str, Points], columns: int = 2) -> Figure:
    """`streams[stream][model]` is (accuracy, bytes), a pair of equally long sequences.

    Every run is a point, which is hollow where a smaller run of the same model is as good. A grey staircase
    behind the points is the front over all models: the best accuracy for so many bytes.
    """
    columns = min(columns, len(streams))
    rows = -(-len(streams) // columns)
    figure, axes = new_figure(4.3 * columns + 0.3, 2.9 * rows + 0.6, rows, columns)
    style = look(list(dict.fromkeys(model for points in streams.values() for model in points)))
    for place, (stream, points) in zip(axes.flat, streams.items(), strict=False):
        _draw(place, points, style)
        place.set_title(stream)
    figure.supxlabel("bytes of the model", fontsize=9.5)
    figure.supylabel("accuracy, % (the axes do not start at 0)", fontsize=9.5)
    _legend(figure, list(axes.flat)[len(streams) :], style)
    return figure


def _draw(place: Axes, points: Points, style: Mapping[str, tuple[str, str]]) -> None:
    every = [np.concatenate([np.asarray(xy[i], float) for xy in points.values()]) for i in (0, 1)]
    _size_axis(place, every[1])
    _accuracy_axis(place, every[0] * 100)
    front = pareto_front(*every)
    right = place.get_xlim()[1]
    steps = np.append(every[1][front], right), np.append(every[0][front], every[0][front][-1]) * 100
    place.plot(*steps, **_BAND)
    for model, (accuracy, size) in points.items():
        accuracy, size = np.asarray(accuracy, float) * 100, np.asarray(size, float)
        colour, marker = style[model]
        by_size = np.argsort(size, kind="stable")
        place.plot(size[by_size], accuracy[by_size], color=colour, linewidth=1.2)
        better = np.isin(np.arange(len(size)), pareto_front(accuracy, size))
        for chosen, fill in ((better, colour), (~better, "white")):
            place.scatter(size[chosen], accuracy[chosen], **_point(colour, marker, fill))


def _point(colour: str, marker: str, fill: str) -> dict[str, Any]:
    return {"s": 26, "color": fill, "marker": marker, "edgecolor": colour, "linewidth": 1.1, "zorder": 3}


def _legend(figure: Figure, free: list[Axes], style: Mapping[str, tuple[str, str]]) -> None:
    """Draw the legend: in the place of a panel that is free, or above all panels."""
    shown = {model: {"color": colour, "marker": marker} for model, (colour, marker) in style.items()}
    hollow = {"color": GREY, "marker": "o", "markerfacecolor": "white", "linestyle": "none"}
    shown["a smaller one is as good"] = hollow
    handles: dict[str, Line2D] = {
        name: Line2D([], [], **{"markersize": 5.5, "linewidth": 1.2, **how}) for name, how in shown.items()
    }
    handles["the best for so many bytes"] = Line2D([], [], **_BAND)
    for place in free:
        place.set_axis_off()
    if free:
        free[0].legend(handles.values(), handles, loc="center left", fontsize=9)
        return
    figure.legend(
        handles.values(), handles, loc="outside upper center", ncols=min(5, len(handles)), fontsize=9
    )


def _accuracy_axis(axes: Axes, percent: np.ndarray) -> None:
    """Let the axis show two percent or more, so that noise does not look like a difference."""
    short = _LEAST_SPAN - (percent.max() - percent.min())
    if short > 0:
        axes.set_ylim(percent.min() - short / 2, percent.max() + short / 2)


def _size_axis(axes: Axes, sizes: np.ndarray) -> None:
    axes.set_xscale("log", base=2)
    powers = np.arange(np.ceil(np.log2(sizes.min()) - 0.2), np.floor(np.log2(sizes.max()) + 0.2) + 1)
    axes.set_xticks(2.0 ** powers[:: max(1, len(powers) // 7)])
    axes.set_xlim(sizes.min() / 1.25, sizes.max() * 1.25)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_size(value)))
    axes.xaxis.set_minor_locator(NullLocator())
