"""How runs went over a stream: accuracy of the recent samples above, size of the model below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from niwaki_host.plots.style import GREY, look, mark_drifts, new_figure, styled


@dataclass
class Series:
    """One run: its name, and curves by name (`at`, `window_accuracy`, `accuracy`, `nodes`, `bytes`)."""

    name: str
    curve: Mapping[str, Any]
    note: str = ""
    size: Mapping[str, Any] = field(default_factory=dict)


def thousands(value: float, _position: int | None = None) -> str:
    return f"{value:,.0f}"


@styled
def stream_figure(
    runs: Sequence[Series], title: str, drifts: Sequence[Any] = (), window: int = 1000, size: str = "nodes"
) -> Figure:
    """`size` names the curve of the lower panel: `nodes` or `bytes`. It is left out if no run has it."""
    sized = [run for run in runs if len(run.size.get(size, ()))]
    heights = [2.4, 1.0] if sized else [1.0]
    figure, axes = new_figure(
        8.2, 4.9 if sized else 3.6, len(heights), 1, sharex=True, gridspec_kw={"height_ratios": heights}
    )
    upper = axes[0, 0]
    style = look([run.name for run in runs])
    for run in runs:
        colour = style[run.name][0]
        at, label = np.asarray(run.curve["at"]), f"{run.name}  {run.note}".rstrip()
        upper.plot(
            at, np.asarray(run.curve["window_accuracy"]) * 100, color=colour, linewidth=1.5, label=label
        )
        if len(runs) == 1:
            upper.plot(
                at,
                np.asarray(run.curve["accuracy"]) * 100,
                color=GREY,
                linewidth=1.1,
                label="since the start",
            )
    mark_drifts(upper, drifts)
    upper.set_title(title)
    upper.set_ylabel(f"accuracy of the last {window:,}, %")
    upper.legend(loc="lower right", fontsize=8.5)
    upper.margins(x=0)
    bottom = upper
    if sized:
        bottom = axes[1, 0]
        for run in sized:
            at, values = np.asarray(run.size["at"]), np.asarray(run.size[size], float)
            values = values / 1024 if size == "bytes" else values
            bottom.plot(at, values, color=style[run.name][0], linewidth=1.5, drawstyle="steps-post")
        mark_drifts(bottom, drifts, label=False)
        bottom.set_ylabel("size, KiB" if size == "bytes" else size)
        bottom.margins(x=0)
        bottom.set_ylim(bottom=0)
        bottom.yaxis.set_major_locator(MaxNLocator(4, integer=size != "bytes"))
        figure.align_ylabels()
    bottom.set_xlabel("samples")
    bottom.xaxis.set_major_formatter(FuncFormatter(thousands))
    return figure
