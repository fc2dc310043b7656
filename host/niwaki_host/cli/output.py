"""Print to the terminal: one JSON object, a table, a progress bar."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text


def plain(value: Any) -> Any:
    """The value in types that JSON has; a number that is not finite becomes null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_json(record: Mapping[str, Any]) -> None:
    click.echo(json.dumps(plain(record), allow_nan=False))


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave a broken pipe to `main`, which knows the exit code."""
        raise BrokenPipeError


def console() -> Console:
    """Standard output. Where it is no terminal it is 140 wide, so that tables fit.

    It shows names as they are, because `[C]` in `temp [C]` is no markup.
    """
    width = None if sys.stdout.isatty() else 140
    return _Console(width=width, markup=False, emoji=False)


def _title(text: str) -> None:
    """Print the title as a line of its own: rich would break it at the width of a narrow table."""
    console().print(text, style="italic", highlight=False, soft_wrap=True)


def pairs_table(title: str, pairs: Iterable[tuple[str, str]]) -> None:
    """Names on the left, values on the right."""
    _title(title)
    table = Table(show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(justify="right")
    for name, value in pairs:
        table.add_row(name, value)
    console().print(table)


def rows_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> None:
    """A table whose first `left` columns are words and the rest numbers.

    On a narrow terminal words are folded; a number is never cut.
    """
    _title(title)
    rows = list(rows)
    table = Table()
    for i, name in enumerate(columns):
        if i < left:
            table.add_column(name, overflow="fold")
        else:
            least = max(map(len, (*name.split(), *(row[i] for row in rows))))
            table.add_column(name, justify="right", min_width=least)
    for row in rows:
        table.add_row(*row)
    console().print(table)


@contextmanager
def waiting_for(what: str) -> Iterator[None]:
    """Show a sign of life on a terminal during work whose end nobody can foresee."""
    if not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(Text(what)):
        yield


@contextmanager
def progress_bar(what: str, total: int | None) -> Iterator[Any]:
    """Give a callable `advance(done[, what])` that draws a bar on a terminal; None in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(what, total=total)
        yield lambda done, what=what: bar.update(task, completed=done, description=what)


def number(value: float | None, digits: int = 4) -> str:
    """A number for a table, or a dash where there is none."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.{digits}f}"
