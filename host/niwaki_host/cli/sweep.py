"""niwaki sweep: many runs, their fronts and ranks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from niwaki_host import runtimes
from niwaki_host.cli import options
from niwaki_host.cli.output import console, print_json, progress_bar, rows_table, waiting_for
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.check import check_models, check_source
from niwaki_host.evaluation.experiment import Task
from niwaki_host.evaluation.samples import Source, open_source
from niwaki_host.sizes import format_size
from niwaki_host.sweep import ALPHA, TESTS


class _Seeds(click.ParamType):
    name = "seeds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        if isinstance(value, list):
            return value
        try:
            return list(dict.fromkeys(int(part) for part in value.split(",")))
        except ValueError:
            raise UsageError(f"--seeds {value!r}: write whole numbers, for example 1,2,3") from None


@click.command("sweep")
@click.argument("streams", nargs=-1, required=True, metavar="STREAM...")
@options.models_option("vfdt,shrubs")
@click.option(
    "--budgets",
    type=options.SIZES,
    default="2k,4k,8k,16k",
    show_default=True,
    metavar="SIZE,SIZE",
    help="Bytes the models may take.",
)
@click.option(
    "--seeds",
    type=_Seeds(),
    default="1",
    show_default=True,
    metavar="N,N",
    help="Seeds of the generators; results are means over them.",
)
@options.runtime_option()
@click.option("--out", type=options.DIRECTORY, default="results", show_default=True, help="Where results go.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Runs at the same time; as many as there are cores by default.",
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Run on the dask scheduler at this address instead; files must be there under the same path.",
)
@click.option(
    "--score",
    type=click.Choice(["accuracy", "mean_running_accuracy"]),
    default="accuracy",
    show_default=True,
    help="What counts; the mean running accuracy is that of the Shrub Ensembles paper.",
)
@click.option(
    "--random",
    "settings_drawn",
    type=options.count(1),
    metavar="N",
    help="Random search: N settings of each model, each with one of the budgets; tables have the best.",
)
@click.option(
    "--random-seed", type=options.count(0), default=1, show_default=True, metavar="N", help="Of that search."
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=ALPHA,
    show_default=True,
    metavar="P",
    help="The level at which models are told apart.",
)
@click.option(
    "--test",
    type=click.Choice(TESTS),
    default=TESTS[0],
    show_default=True,
    help="Whose groups the diagram of ranks has: Nemenyi's, or Wilcoxon's signed ranks with Holm's method.",
)
@options.source_options(seed=None)
@options.set_option
@options.telling_options
@options.json_option
def command(
    streams: tuple[str, ...],
    source: Callable[[str], Source],
    models: list[str],
    budgets: list[int],
    seeds: list[int],
    out: str,
    jobs: int | None,
    cluster: str | None,
    score: str,
    settings_drawn: int | None,
    random_seed: int,
    alpha: float,
    test: str,
    as_json: bool,
    **common: Any,
) -> int:
    """Run every model at every budget on every STREAM; report fronts, areas and ranks.

    Results are kept in a directory as they come (results.parquet, for pandas or DuckDB), with report.html,
    its tables and its pictures beside them. An interrupted sweep goes on where it stopped when the same
    command is given again; runs that are there already are not repeated.
    """
    from niwaki_host.sweep.analysis import analyse
    from niwaki_host.sweep.grid import code_version, grid, key
    from niwaki_host.sweep.report import write_report
    from niwaki_host.sweep.runner import run_sweep
    from niwaki_host.sweep.store import Store

    sources = [source(stream) for stream in dict.fromkeys(streams)]
    search = (settings_drawn, random_seed) if settings_drawn else None
    tasks = grid(sources, models, budgets, seeds, search, **common)
    with waiting_for("looking at the streams"):
        if cluster is None:
            _check(tasks, common["runtime"])
        else:
            for one in sources:
                _check_elsewhere(one)
    with Store(out) as store, progress_bar(f"sweep to {out}", len(tasks)) as progress:
        try:
            keys = run_sweep(tasks, store, jobs, cluster, progress)
        except KeyboardInterrupt:
            done = sum(store.done(key(task)) for task in tasks)
            raise KeyboardInterrupt(
                f"{done} of {len(tasks)} runs are kept in {out}, and the same command goes on from there"
            ) from None
        rows = store.frame(keys)
    if (rows["status"] == "refused").all():
        raise UsageError(f"no run was possible: {rows['error'].iloc[0]}")
    analysis = analyse(rows, score, alpha, test)
    about = {
        "streams": ", ".join(streams),
        "models": ", ".join(models),
        "budgets": ", ".join(map(format_size, budgets)),
        "seeds": ", ".join(map(str, seeds)),
        "runtime": common["runtime"],
        "settings": ", ".join(f"{key}={value}" for key, value in common["settings"]) or "defaults",
        "random search": f"{settings_drawn} settings of each model, seed {random_seed}" if search else "no",
        "encoding": "; ".join(dict.fromkeys(rows["encoding"].dropna())),
        "labels": Task(sources[0], **common).telling.describe().lstrip(", ") or "all, at once",
        "score": score,
        "runs": f"{len(analysis.runs)} with a result, {len(analysis.others)} without",
        "device code": code_version(),
    }
    report = write_report(analysis, out, about)
    if as_json:
        _json(analysis, out, report)
    else:
        _print(analysis, report)
    return 1 if (rows["status"] == "failed").any() else 0


def _check(tasks: Sequence[Task], runtime: str) -> None:
    """Refuse what can't run before anything runs. A file is read once, because a seed does not change it."""
    runtimes.check(runtime)
    streams: dict[Source, Any] = {}
    orders = []
    for task in tasks:
        one = task.source
        one = replace(one, seed=None) if Path(one.stream).exists() else one
        if one not in streams:
            streams[one] = check_source(one)
        orders.append((task, streams[one]))
    check_models(orders)


def _check_elsewhere(source: Source) -> None:
    """Check a stream for a cluster: a file may be there and not here, so a missing one is no mistake."""
    if not Path(source.stream).suffix or Path(source.stream).exists():
        open_source(source)


def _json(analysis: Any, out: str, report: Path) -> None:
    ranks = analysis.ranks
    print_json(
        {
            "out": out,
            "report": str(report),
            "runs": len(analysis.runs),
            "without_result": analysis.others[["stream", "model", "budget_bytes", "status", "error"]].to_dict(
                "records"
            ),
            "apf": {stream: dict(values) for stream, values in analysis.apf.iterrows()},
            "mean_ranks": dict(ranks.mean) if ranks else None,
            "friedman_p": ranks.friedman.p if ranks and ranks.friedman else None,
            "alpha": ranks.alpha if ranks else None,
            "test": ranks.test if ranks else None,
            "groups": [list(ranks.mean.sort_values().index[a : b + 1]) for a, b in ranks.groups]
            if ranks
            else None,
            "best_settings": _best(analysis),
            "critical_difference": ranks.critical_difference if ranks else None,
        }
    )


def _best(analysis: Any) -> dict[str, dict[str, Any]]:
    """For each stream and model the budget and settings of its best run."""
    found: dict[str, dict[str, Any]] = {}
    points = analysis.points
    for row in points.loc[points.groupby(["stream", "model"])["score"].idxmax()].itertuples():
        settings = json.loads(row.settings or "{}")
        found.setdefault(row.stream, {})[row.model] = {"budget_bytes": int(row.budget_bytes), **settings}
    return found


def _print(analysis: Any, report: Path) -> None:
    from niwaki_host.sweep.report import verdict

    rows, last = [], None
    for (stream, budget), values in zip(analysis.accuracy.index, analysis.accuracy.to_numpy(), strict=True):
        scores = (f"{100 * value:.2f}" if value == value else "-" for value in values)
        rows.append((stream if stream != last else "", format_size(int(budget)), *scores))
        last = stream
    rows_table("accuracy, %", ("stream", "budget", *analysis.models), rows)
    areas = [(stream, *(f"{value:.4f}" for value in values)) for stream, values in analysis.apf.iterrows()]
    if analysis.ranks:
        areas.append(("mean rank", *(f"{value:.2f}" for value in analysis.ranks.mean)))
    rows_table("area under the Pareto front (APF)", ("stream", *analysis.models), areas)
    for row in analysis.others.itertuples():
        click.echo(f"{row.status}: {row.stream}, {row.model}, {format_size(row.budget_bytes)}: {row.error}")
    console().print(verdict(analysis), highlight=False)
    click.echo(f"report: {report}")
