"""Which features a model relies on, over the stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from niwaki_host.plots.stream import thousands
from niwaki_host.plots.style import PALETTE, mark_drifts, new_figure, styled

_VISIBLE = 0.1  # of the highest peak: a feature below it is not worth a colour


@styled
def importances_figure(
    at: Any,
    scores: Any,
    names: Sequence[str],
    title: str,
    drifts: Sequence[Any] = (),
    top: int = 7,
    kind: str = "MPG",
) -> Figure:
    """`scores` is (points, features). The features that are ever most important are lines; the rest, grey."""
    at, scores = np.asarray(at), np.asarray(scores, float)
    figure, axes = new_figure(8.2, 3.8)
    place = axes[0, 0]
    order = np.argsort(-scores.max(axis=0), kind="stable")
    peak = scores.max(axis=0)
    shown = [f for f in order[:top] if peak[f] > 0 and peak[f] >= _VISIBLE * peak.max()]
    for f in order[len(shown) :]:
        place.plot(at, scores[:, f], color="#C9CDD3", linewidth=0.8, zorder=1)
    for i, f in enumerate(shown):
        place.plot(at, scores[:, f], color=PALETTE[i % len(PALETTE)], linewidth=1.7, label=names[f], zorder=3)
    mark_drifts(place, drifts)
    place.set_title(title)
    place.set_xlabel("samples")
    place.set_ylabel(f"importance ({kind})")
    place.set_ylim(bottom=0)
    place.margins(x=0)
    place.xaxis.set_major_formatter(FuncFormatter(thousands))
    if shown:
        figure.legend(loc="outside right upper", fontsize=8.5)
    return figure
