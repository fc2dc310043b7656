"""Accuracy against bytes: what each model gives for its memory, stream by stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from niwaki_host.evaluation.statistics import pareto_front
from niwaki_host.plots.style import look, new_figure, styled
from niwaki_host.sizes import format_size

_LEAST_SPAN = 2.0

Points = Mapping[str, tuple[Sequence[float], Sequence[float]]]


@styled
def pareto_figure(streams: Mapping[str, Points], columns: int = 2) -> Figure:
    """`streams[stream][model]` is (accuracy, bytes), a pair of equally long sequences.

    Every run is a point; the runs that no run of the same model beats are joined by a solid line, and the
    front over all models is a broad grey band behind them.
    """
    columns = min(columns, len(streams))
    rows = -(-len(streams) // columns)
    figure, axes = new_figure(4.3 * columns + 0.3, 2.9 * rows + 0.6, rows, columns)
    style = look(list(dict.fromkeys(model for points in streams.values() for model in points)))
    handles = {}
    for place, (stream, points) in zip(axes.flat, streams.items(), strict=False):
        every = [np.concatenate([np.asarray(xy[i], float) for xy in points.values()]) for i in (0, 1)]
        front = pareto_front(*every)
        place.plot(
            every[1][front], every[0][front] * 100, color="#D5D9E0", linewidth=7, solid_capstyle="round"
        )
        for model, (accuracy, size) in points.items():
            accuracy, size = np.asarray(accuracy, float) * 100, np.asarray(size, float)
            colour, marker = style[model]
            own = pareto_front(accuracy, size)
            by_size = np.argsort(size, kind="stable")
            place.plot(size[by_size], accuracy[by_size], color=colour, linewidth=0.9, linestyle=":")
            place.plot(size[own], accuracy[own], color=colour, linewidth=1.4)
            handles[model] = place.scatter(
                size, accuracy, s=26, color=colour, marker=marker, edgecolor="white", linewidth=0.6, zorder=3
            )
        _size_axis(place, every[1])
        _accuracy_axis(place, every[0] * 100)
        place.set_title(stream)
    for place in list(axes.flat)[len(streams) :]:
        place.set_axis_off()
    figure.supxlabel("bytes of the model", fontsize=9.5)
    figure.supylabel("accuracy, %", fontsize=9.5)
    figure.legend(
        handles.values(), handles, loc="outside upper center", ncols=min(7, len(handles)), fontsize=9
    )
    return figure


def _accuracy_axis(axes, percent: np.ndarray) -> None:
    """At least two points high, so that noise does not look like a difference."""
    short = _LEAST_SPAN - (percent.max() - percent.min())
    if short > 0:
        axes.set_ylim(percent.min() - short / 2, percent.max() + short / 2)


def _size_axis(axes, sizes: np.ndarray) -> None:
    axes.set_xscale("log", base=2)
    powers = np.arange(np.ceil(np.log2(sizes.min()) - 0.2), np.floor(np.log2(sizes.max()) + 0.2) + 1)
    axes.set_xticks(2.0 ** powers[:: max(1, len(powers) // 7)])
    axes.set_xlim(sizes.min() / 1.25, sizes.max() * 1.25)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_size(value)))
    axes.xaxis.set_minor_locator(NullLocator())
