"""Comparisons as text: markdown and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from niwaki_host.sizes import kib

HEADINGS = ("classifier", "accuracy %", "kappa M", "kappa T", "KiB", "x budget", "seconds", "samples/s")
SHORT = ("classifier", "acc. %", "kappa M", "kappa T", "KiB", "x budget", "sec.", "per s")
FIELDS = (
    "accuracy",
    "kappa",
    "kappa_m",
    "kappa_t",
    "bytes",
    "times_budget",
    "ram_hours",
    "seconds",
    "samples_per_second",
)


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The cells of a row, as text for people."""
    return (
        row["name"],
        f"{100 * row['accuracy']:.2f}",
        f"{row['kappa_m']:.3f}",
        f"{row['kappa_t']:.3f}",
        kib(row["bytes"]) if row["bytes"] else "-",
        f"{row['times_budget']:,.1f}" if row["times_budget"] else "-",
        f"{row['seconds']:,.2f}" if row["seconds"] >= 0.01 else "<0.01",
        rate(row["samples_per_second"]) if row["samples_per_second"] else "-",
    )


def rate(per_second: float) -> str:
    """As few digits as a comparison needs: 850, 14k, 10.6M."""
    for unit, factor in (("M", 1e6), ("k", 1e3)):
        if per_second >= 10 * factor or (unit == "M" and per_second >= factor):
            value = per_second / factor
            return f"{value:,.1f}{unit}" if value < 10 else f"{value:,.0f}{unit}"
    return f"{per_second:,.0f}"


def markdown(title: str, rows: Sequence[Mapping[str, Any]], notes: Sequence[str]) -> str:
    lines = [f"### {title}", "", _line(HEADINGS), _line(["---", *["---:"] * (len(HEADINGS) - 1)])]
    lines += [_line(cells(row)) for row in rows]
    return "\n".join([*lines, "", *(f"- {note}" for note in notes), ""])


def _line(words: Sequence[str]) -> str:
    return "| " + " | ".join(words) + " |"


def as_csv(streams: Sequence[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("stream", "samples", "name", "family", *FIELDS))
    for stream in streams:
        for row in stream["rows"]:
            values = ("" if row[name] is None else row[name] for name in FIELDS)
            writer.writerow((stream["stream"], stream["samples"], row["name"], row["family"], *values))
    return out.getvalue()
