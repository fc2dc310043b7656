"""niwaki record: samples from a board into a CSV."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from niwaki_host.cli import options
from niwaki_host.cli.keyboard import Keyboard
from niwaki_host.cli.output import pairs_table, print_json
from niwaki_host.deploy.link import Link, find_port
from niwaki_host.deploy.record import LABEL, MAIN, Recording
from niwaki_host.errors import DeviceError, UsageError

_QUIT = "q"
_SHOWN = 3  # lines to show of those that came and were no samples


@click.command("record")
@click.argument("out", type=options.FILE, metavar="FILE.csv")
@options.port_option
@click.option(
    "--run",
    "program",
    type=click.Path(exists=True, dir_okay=False),
    metavar="PROGRAM",
    help="Run this MicroPython file on the board; by default the main.py that is there.",
)
@click.option("--labels", type=options.COLUMNS, default="", metavar="A,B", help="Names of labels 0, 1, ...")
@click.option("--as", "always", metavar="LABEL", help="Every sample has this label.")
@click.option(
    "--label",
    "column",
    default=LABEL,
    show_default=True,
    metavar="COLUMN",
    help="The column in which the board prints what its button says; -1 or nothing is no label.",
)
@click.option("--unlabelled", is_flag=True, help="Keep samples without a label too, with an empty one.")
@click.option("--samples", type=options.count(1), metavar="N", help="Stop after N samples.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Stop after so long.")
@click.option("--append", is_flag=True, help="Add to a file that is there.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@options.json_option
def command(
    out: str,
    port: str | None,
    program: str | None,
    labels: tuple[str, ...],
    always: str | None,
    column: str,
    unlabelled: bool,
    samples: int | None,
    seconds: float | None,
    append: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Record what a board measures, with labels, for simulate and sweep.

    A program on the board prints a header and then a line of numbers for each sample. Keys 0 to 9 say what
    the samples are from now on, space says nothing, q or Ctrl-C ends; where input is no terminal, each line
    of it is a label. Or the board's own button says it, in a column of its own.
    """
    path = Path(out)
    if append and force:
        raise UsageError("--append adds to the file, --force writes it anew: choose one")
    if path.exists() and path.stat().st_size and not (append or force):
        raise UsageError(f"{out} is there already: --append adds to it, --force writes it anew")
    source = Path(program).read_text("utf-8") if program else MAIN
    recording = Recording(path, labels, column, unlabelled, append)
    always = recording.name(always) if always else ""
    began = time.monotonic()
    try:
        with Link(port or find_port()) as link:
            if not program and "main.py" not in link.listing("/"):
                raise UsageError("the board has no main.py: name a program with --run")
            try:
                _record(link, source, recording, always, samples, seconds)
            finally:
                link.restart()
    except DeviceError as error:
        if recording.samples:
            raise DeviceError(f"{recording.samples} samples are in {out}; then {error}") from None
        raise
    finally:
        recording.close()
    if not recording.samples:
        raise UsageError(_why_nothing(recording))
    _tell(recording, time.monotonic() - began, as_json)


def _record(
    link: Link,
    source: str,
    recording: Recording,
    said: str,
    samples: int | None,
    seconds: float | None,
) -> None:
    with Keyboard() as keyboard, _shown(recording) as show:
        lines = link.lines(source)
        began = time.monotonic()
        try:
            for line in lines:
                key = keyboard.poll()
                if key == _QUIT:
                    break
                if key is not None:
                    said = _said(key, recording, said, keyboard.is_terminal)
                if line is not None and recording.take(line, said):
                    show(said)
                if samples and recording.samples >= samples:
                    break
                if seconds and time.monotonic() - began >= seconds:
                    break
        except KeyboardInterrupt:  # the ordinary way to end a recording
            pass
        finally:
            lines.close()  # type: ignore[attr-defined]


def _said(key: str, recording: Recording, said: str, is_terminal: bool) -> str:
    """The label that holds after a key or a line of input; an unknown key changes nothing."""
    if not key.strip():
        return ""
    try:
        return recording.name(key) if not is_terminal or key.isdigit() else said
    except UsageError:
        if is_terminal:
            return said
        raise


@contextmanager
def _shown(recording: Recording) -> Iterator[Callable[[str], None]]:
    """Show on a terminal how many samples came so far."""
    if not sys.stderr.isatty():
        yield lambda said: None
        return
    from rich.console import Console
    from rich.text import Text

    names = ", ".join(f"{i} {name}" for i, name in enumerate(recording.labels)) or "0 to 9 a label"
    click.echo(f"keys: {names}, space nothing, q ends", err=True)
    with Console(stderr=True).status("waiting for the board") as status:
        yield lambda said: status.update(Text(f"{_counted(recording)}{f'; now {said}' if said else ''}"))


def _counted(recording: Recording) -> str:
    each = ", ".join(f"{name or 'no label'} {n:,}" for name, n in recording.counts.items())
    return f"{recording.samples:,} samples: {each}"


def _why_nothing(recording: Recording) -> str:
    if recording.left_out:
        return (
            f"nothing recorded: {recording.left_out} samples came, none with a label: press 0 to 9, hold the "
            "board's button, or use --as LABEL or --unlabelled"
        )
    if recording.other:
        return f"nothing recorded: the board printed no numbers, but {recording.other[0]!r}"
    return "nothing recorded: the board printed nothing"


def _tell(recording: Recording, seconds: float, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "file": str(recording.path),
                "samples": recording.samples,
                "columns": recording.columns,
                "labels": recording.counts,
                "left_out": recording.left_out,
                "other_lines": len(recording.other),
                "seconds": round(seconds, 3),
            }
        )
        return
    rows = [("samples", f"{recording.samples:,} in {seconds:.1f} s")]
    rows += [(name or "no label", f"{n:,}") for name, n in recording.counts.items()]
    if recording.left_out:
        rows.append(("left out, no label", f"{recording.left_out:,}"))
    if recording.other:
        shown = "; ".join(recording.other[:_SHOWN])
        rows.append(("other lines", f"{len(recording.other)}: {shown[:80]}"))
    pairs_table(str(recording.path), rows)
