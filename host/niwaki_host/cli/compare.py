"""niwaki compare: run our models and other people's over the same stream."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from niwaki_host.cli import options
from niwaki_host.cli.output import print_json, progress_bar, rows_table, waiting_for
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.check import check_models, check_source
from niwaki_host.evaluation.experiment import Task
from niwaki_host.evaluation.samples import Source, prepare
from niwaki_host.evaluation.telling import Telling

_FAMILIES = options.Names("family", ("river", "moa"))


@click.command("compare")
@click.argument("streams", nargs=-1, required=True, metavar="STREAM...")
@options.models_option("all")
@click.option(
    "--budget",
    type=options.SIZE,
    default="16k",
    show_default=True,
    help="Bytes of our models, and of capped peers.",
)
@click.option(
    "--against", type=_FAMILIES, default="river,moa", show_default=True, metavar="F,F", help="river, moa."
)
@click.option(
    "--without",
    type=options.COLUMNS,
    default="",
    metavar="WORD,WORD",
    help="Leave out classifiers by name: ARF,SRP.",
)
@options.runtime_option()
@options.source_options(seed=options.SEED_OF_BOTH)
@options.telling_options
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "markdown", "csv", "json"]),
    default="table",
    show_default=True,
    metavar="HOW",
    help="table, markdown, csv or json.",
)
@click.option(
    "--every",
    type=options.count(0),
    default=0,
    metavar="N",
    help="Accuracy and bytes of everybody each N samples too (JSON, plot). Asking peers takes its time.",
)
@click.option("--plot", type=options.FILE, help="Draw it to this PNG, SVG or PDF (one per stream).")
@options.json_option
def command(
    streams: tuple[str, ...],
    source: Callable[[str], Source],
    models: list[str],
    budget: int,
    against: list[str],
    without: tuple[str, ...],
    runtime: str,
    style: str,
    every: int,
    plot: str | None,
    as_json: bool,
    **told: Any,
) -> int:
    """Run our models, river's, MOA's and two baselines over each STREAM, with the same samples and encoding.

    With --teach also scikit-learn's random forest, 3-NN and naive Bayes, in batch.

    A family whose package is missing is named. Exits with 1 for it when the environment says CI=true.
    """
    from niwaki_host.compare.peer import HOW_BYTES
    from niwaki_host.compare.run import BATCH, compare, line_up

    if plot:
        from niwaki_host.plots.style import check_format

        check_format(plot)
    found, missing, telling = [], {}, Telling(**told)
    if every and telling.teach:
        raise UsageError("--teach judges frozen models: there are no curves of them; leave out --every")
    streams = tuple(dict.fromkeys(streams))
    with waiting_for("looking at the streams"):
        for stream in streams[1:]:  # the first one is read just below
            check_source(source(stream))
    for stream in streams:
        with waiting_for(f"reading {stream}"):
            samples = prepare(source(stream))
        check_models((Task(source(stream), model, budget), samples) for model in models)
        entries = line_up(source(stream), models, budget, runtime, against, without, telling)
        with _progress(stream, len(entries.peers)) as progress:
            rows = compare(entries, samples, budget, progress, telling, every)
        missing.update(entries.missing)
        title = f"{stream}, {len(samples.y):,} samples{telling.describe()}"
        found.append(
            {"stream": stream, "samples": len(samples.y), "encoding": samples.encoding, "rows": rows}
        )
        if plot:
            _draw(rows, title, budget, _picture(plot, streams, len(found)))
    families = {row["family"] for stream in found for row in stream["rows"]}
    record = {
        "budget_bytes": budget,
        **asdict(telling),
        "streams": found,
        "missing": missing,
        "bytes": {family: how for family, how in HOW_BYTES.items() if family in families},
    }
    _show(record, telling.describe(), "json" if as_json else style)
    absent = set(missing) & {*against, BATCH}
    return 1 if absent and os.environ.get("CI", "").lower() == "true" else 0


@contextmanager
def _progress(stream: str, count: int) -> Iterator[Callable[[int, str], None] | None]:
    with progress_bar(stream, count) as advance:
        yield None if advance is None else lambda done, name: advance(done, f"{stream}: {name}")


def _picture(plot: str, streams: Sequence[str], number: int) -> str:
    """The picture's file for one stream: it has the stream's name, and a number if two have the same name."""
    if len(streams) == 1:
        return plot
    names = [re.sub(r"[^A-Za-z0-9]+", "-", Path(s).name.split(".")[0]).strip("-") for s in streams]
    name = names[number - 1]
    path = Path(plot)
    mark = f"-{number}" if names.count(name) > 1 else ""
    return str(path.with_name(f"{path.stem}-{name}{mark}{path.suffix}"))


def _draw(rows: list[dict[str, Any]], title: str, budget: int, path: str) -> None:
    from niwaki_host.plots import compare_figure, course_figure, save

    course = course_figure(rows, title, budget) if "curve" in rows[0] else compare_figure(rows, title, budget)
    save(course, path)


def _show(record: dict[str, Any], told: str, style: str) -> None:
    from niwaki_host.compare.tables import SHORT, as_csv, cells, markdown

    if style == "json":
        print_json(record)
        return
    notes = [f"bytes of {family}: {how}" for family, how in record["bytes"].items()]
    notes += [f"missing: {name}: {why}" for name, why in record["missing"].items()]
    if style == "csv":
        click.echo(as_csv(record["streams"]), nl=False)
    for stream in record["streams"] if style != "csv" else ():
        title = f"{stream['stream']}, {stream['samples']:,} samples{told}, {stream['encoding']}"
        if style == "markdown":
            click.echo(markdown(title, stream["rows"], notes))
        else:
            rows_table(title, SHORT, [cells(row) for row in stream["rows"]])
    if style != "markdown":
        for note in notes:
            click.echo(note, file=sys.stderr if style == "csv" else sys.stdout)
