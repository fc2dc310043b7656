"""Classifiers of several families over one stream: how their accuracy and their memory change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from niwaki_host.plots.bars import short_size
from niwaki_host.plots.style import (
    GREY,
    accuracy_axis,
    legend_beside,
    look,
    new_figure,
    styled,
    thousands_axis,
    wrapped,
)
from niwaki_host.sizes import format_size


@styled
def course_figure(rows: Sequence[Mapping[str, Any]], title: str, budget: int | None = None) -> Figure:
    """`rows` have `name` and `curve`: `at`, `window_accuracy` and `bytes` (None where nobody can say)."""
    figure, axes = new_figure(9.6, 6.4, 2, 1, sharex=True)
    above, below = axes[:, 0]
    style = look([row["name"] for row in rows])
    for row in rows:
        curve, colour = row["curve"], style[row["name"]][0]
        above.plot(curve["at"], 100 * np.asarray(curve["window_accuracy"]), color=colour, label=row["name"])
        if all(curve["bytes"]):
            below.plot(curve["at"], curve["bytes"], color=colour)
    if budget:
        label = f"budget {format_size(budget)}"
        below.axhline(budget, color=GREY, linewidth=1, linestyle=(0, (4, 3)), label=label)
    accuracy_axis(above, "accuracy of the last 1,000, %")
    below.set_yscale("log", base=2)
    below.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short_size(value)))
    below.yaxis.set_minor_locator(NullLocator())
    below.set_ylabel("memory, bytes (logarithmic)")
    below.set_xlabel("samples")
    below.margins(x=0)
    below.set_xlim(left=0)
    thousands_axis(below)
    legend_beside(above)
    legend_beside(below)
    above.set_title(wrapped(title, 6.6))
    return figure
