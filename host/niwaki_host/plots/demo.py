"""The demo's picture: a model that goes on learning recovers from the drift, a frozen model does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from niwaki_host.plots.style import DRIFT, look, new_figure, styled, thousands_axis

_STEP = 10  # samples between two points of a curve


@dataclass
class Line:
    """Accuracy of the recent samples, at each sample; a `frozen` model learned nothing after the drift."""

    model: str
    label: str
    recent: NDArray[np.float64]
    frozen: bool = False


@styled
def demo_figure(lines: Sequence[Line], drift: int, window: int, title: str) -> Figure:
    figure, axes = new_figure(7.6, 3.4)
    upper = axes[0, 0]
    colours = {name: colour for name, (colour, _) in look([line.model for line in lines]).items()}
    n = len(lines[0].recent)
    at = np.arange(1, n + 1)
    labels = []
    for line in lines:
        first = drift if line.frozen else min(window, n) // 3  # the accuracy of few samples jumps about
        upper.plot(
            at[first::_STEP],
            100 * line.recent[first::_STEP],
            color=colours[line.model],
            linewidth=1.2 if line.frozen else 1.8,
            linestyle=(0, (3, 2)) if line.frozen else "-",
        )
        labels.append((100 * float(line.recent[-1]), line.label, colours[line.model]))
    for height, text, colour in _apart(labels, 7.0):
        upper.annotate(
            text,
            (n, height),
            xytext=(6, 0),
            textcoords="offset points",
            color=colour,
            fontsize=8.5,
            va="center",
        )
    upper.axvline(drift, color=DRIFT, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    upper.annotate(
        "the sensor is re-mounted",
        (drift, 3),
        xytext=(-5, 0),
        textcoords="offset points",
        color=DRIFT,
        fontsize=8.5,
        ha="right",
    )
    upper.set_title(title)
    upper.set_xlabel("samples")
    upper.set_ylabel(f"accuracy of the last {window:,}, %")
    upper.set_xlim(0, n)
    upper.set_ylim(0, 100)
    thousands_axis(upper)
    return figure


def _apart(labels: Sequence[tuple[float, str, str]], least: float) -> list[tuple[float, str, str]]:
    """The labels from the top down, moved down where two would overlap."""
    placed: list[tuple[float, str, str]] = []
    for height, text, colour in sorted(labels, reverse=True):
        if placed:
            height = min(height, placed[-1][0] - least)
        placed.append((height, text, colour))
    return placed
