"""One look for all pictures: colours that colour-blind people tell apart, light axes, no display needed."""

from __future__ import annotations

import functools
import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from niwaki_host.errors import UsageError

# Okabe and Ito's palette; black is left for text.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#8C6D1F", "#6B6B6B")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
GREY = "#8A8F98"
LIGHT = "#C9CDD3"
DRIFT = "#B3261E"
FORMATS = (".png", ".svg", ".pdf")

# A model keeps its colour in every picture.
_MODELS = ("vfdt", "shrubs", "hat", "grove", "svfdt1", "svfdt2", "ht-reg", "hat-reg")

_RC: dict[Any, Any] = {
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#5F6368",
    "axes.labelcolor": "#303236",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E4E6EA",
    "grid.linewidth": 0.7,
    "xtick.color": "#5F6368",
    "ytick.color": "#5F6368",
    "legend.frameon": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "niwaki",
    "text.parse_math": False,  # a name may hold dollars
}


def styled(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Wrap a function that draws a figure, so that all of the figure is drawn in this look."""

    @functools.wraps(draw)
    def with_style(*args: Any, **options: Any) -> Figure:
        with matplotlib.rc_context(_RC):
            return draw(*args, **options)

    return with_style


def look(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """A colour and a marker for each name; models always get their own."""
    free = [i for i in range(len(PALETTE)) if i >= len(_MODELS) or _MODELS[i] not in names]
    chosen = {}
    for name in names:
        if name in _MODELS:
            i = _MODELS.index(name)
        else:
            i = free.pop(0) if free else len(chosen)
        chosen[name] = (PALETTE[i % len(PALETTE)], MARKERS[i % len(MARKERS)])
    return chosen


def new_figure(
    width: float, height: float, rows: int = 1, columns: int = 1, **options: Any
) -> tuple[Figure, Any]:
    """A figure and its axes (an array of rows x columns), laid out so that nothing is cut off."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def mark_drifts(axes: Axes, drifts: Sequence[Any], label: bool = True) -> None:
    """Draw a line at the centre of each drift, and a band as wide as it. Drifts are (position, width)."""
    for i, (position, width) in enumerate(drifts):
        axes.axvline(position, color=DRIFT, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        if width > 1:
            axes.axvspan(position - width / 2, position + width / 2, color=DRIFT, alpha=0.07, linewidth=0)
        if label and i == 0:
            axes.annotate(
                "drift",
                (position, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(3, -2),
                textcoords="offset points",
                color=DRIFT,
                fontsize=8,
                va="top",
            )


def legend_beside(axes: Axes) -> None:
    """Put a legend on the right, where it covers nothing; put none if no line has a name."""
    if not axes.get_legend_handles_labels()[0]:
        return
    axes.legend(
        loc="upper left", bbox_to_anchor=(1.0, 1.04), fontsize=8.5, handlelength=1.6, borderaxespad=0.3
    )


def wrapped(title: str, inches: float) -> str:
    """Break a title into as many lines as the width needs: a title wider than its axes would squeeze them.

    It breaks after a space or a comma.
    """
    most, lines = int(11 * inches), [""]
    for word in re.split(r"(?<=[ ,])", title):
        if lines[-1] and len(lines[-1]) + len(word.rstrip()) > most:
            lines.append("")
        lines[-1] += word
    return "\n".join(line.rstrip() for line in lines)


def accuracy_axis(axes: Axes, label: str) -> None:
    """Percent up to 100, from a round number on; the label says where the axis does not start at 0."""
    axes.set_ylim(top=100)
    low = axes.get_ylim()[0]
    if low > 0:
        axes.set_ylim(bottom=10 * (low // 10))  # start at a round number
    axes.set_ylabel(label + (f"\n(from {10 * (low // 10):.0f})" if low >= 10 else ""))


def thousands(value: float, _position: int | None = None) -> str:
    return f"{value:,.0f}"


def thousands_axis(axes: Axes) -> None:
    """Numbers of samples along the x axis."""
    axes.xaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(thousands))


def check_format(path: str | Path) -> Path:
    """The path, if a picture can be written to it; a mistake is found before a long run, not after it."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"{path}: a picture's name ends in {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no directory {path.parent}")
    return path


@contextmanager
def _letters() -> Iterator[None]:
    """Draw letters that the font lacks as boxes, without a warning for each of them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from")
        yield


def save(figure: Figure, path: str | Path) -> Path:
    path = check_format(path)
    with matplotlib.rc_context(_RC), _letters():
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
    return path


def to_svg(figure: Figure, prefix: str) -> str:
    """The picture as an `<svg>` element for a page; `prefix` keeps its ids apart from other pictures'."""
    out = io.StringIO()
    with matplotlib.rc_context(_RC), _letters():
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    text = re.sub(r'(href="#|url\(#)', rf"\1{prefix}-", text)
    return re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
