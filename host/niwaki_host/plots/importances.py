"""Which features a model relies on, over the stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from niwaki_host.plots.style import (
    LIGHT,
    PALETTE,
    legend_beside,
    mark_drifts,
    new_figure,
    styled,
    thousands_axis,
    wrapped,
)

TOP = 8
_VISIBLE = 0.02  # a feature with a smaller share of the whole is not worth a colour


@styled
def importances_figure(
    at: Any,
    scores: Any,
    names: Sequence[str],
    title: str,
    drifts: Sequence[Any] = (),
    top: int = TOP,
    kind: str = "MPG",
) -> Figure:
    """`scores` is (points, features). Lines are shares of all features' scores, as in the MPG paper.

    The features that are most important on average have a colour; all others are grey.
    """
    figure, axes = new_figure(8.2, 3.8)
    place = axes[0, 0]
    draw_importances(place, at, scores, names, drifts, top, kind)
    place.set_title(wrapped(title, 6.2))
    place.set_xlabel("samples")
    thousands_axis(place)
    return figure


def draw_importances(
    axes: Axes, at: Any, scores: Any, names: Sequence[str], drifts: Sequence[Any], top: int, kind: str
) -> None:
    at, scores = np.asarray(at), np.asarray(scores, float)
    total = scores.sum(axis=1, keepdims=True)
    shares = 100 * np.divide(scores, total, out=np.zeros_like(scores), where=total > 0)
    mean = shares.mean(axis=0)
    order = np.argsort(-mean, kind="stable")
    shown = [f for f in order[:top] if mean[f] >= 100 * _VISIBLE]
    rest = order[len(shown) :]
    for i, f in enumerate(shown):
        colour = PALETTE[i % len(PALETTE)]
        axes.plot(at, shares[:, f], color=colour, linewidth=1.6, label=names[f], zorder=3)
    for i, f in enumerate(rest):
        label = f"{len(rest)} more" if i == 0 else None
        axes.plot(at, shares[:, f], color=LIGHT, linewidth=0.8, zorder=1, label=label)
    mark_drifts(axes, drifts, label=False)
    axes.set_ylabel(f"share of {kind.upper()}, %")
    axes.set_ylim(bottom=0)
    axes.margins(x=0)
    legend_beside(axes)
