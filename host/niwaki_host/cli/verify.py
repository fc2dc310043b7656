"""niwaki verify: does every runtime end with the same bytes?"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import click
import numpy as np

from niwaki_host.cli import options
from niwaki_host.cli.output import print_json, progress_bar, rows_table, waiting_for
from niwaki_host.errors import RuntimeMissing
from niwaki_host.evaluation.experiment import Outcome, Task, simulate
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.runtimes import RUNTIMES


@click.command("verify")
@click.argument("stream")
@options.model_option
@options.budget_option
@click.option(
    "--runtimes",
    type=options.RUNTIME_LIST,
    default="all",
    show_default=True,
    metavar="R,R",
    help="Which ones.",
)
@options.source_options()
@options.set_option
@options.json_option
def command(
    stream: str,
    source: Callable[[str], Source],
    runtimes: list[str],
    as_json: bool,
    **rest: Any,
) -> int:
    """Run a model over STREAM on several runtimes and compare its arrays and its predictions.

    Exits with 1 when they differ. With all runtimes, one that this machine lacks is named and skipped,
    unless the environment says CI=true.
    """
    rest.pop("seed")
    wanted = list(runtimes)
    every_one = wanted == list(RUNTIMES)
    with waiting_for(f"reading {stream}"):
        samples = prepare(source(stream))
    outcomes, skipped = _run_all(Task(source(stream), **rest), wanted, samples, may_skip=every_one)
    equal = _same(list(outcomes.values()))
    failed = not equal or (bool(skipped) and os.environ.get("CI", "").lower() == "true")
    record = {
        "stream": stream,
        "model": rest["model"],
        "samples": len(samples.y),
        "budget_bytes": rest["budget"],
        "equal": equal,
        "digests": {name: outcome.run.digest for name, outcome in outcomes.items()},
        "accuracies": {name: outcome.record["accuracy"] for name, outcome in outcomes.items()},
        "seconds": {name: outcome.record["seconds"] for name, outcome in outcomes.items()},
        "skipped": skipped,
    }
    if as_json:
        print_json(record)
    else:
        _print(record)
    return 1 if failed else 0


def _run_all(
    task: Task, runtimes: Sequence[str], samples: Samples, may_skip: bool
) -> tuple[dict[str, Outcome], dict[str, str]]:
    outcomes, skipped = {}, {}
    for name in runtimes:
        try:
            with progress_bar(f"{task.model} on {name}", len(samples.y)) as progress:
                outcomes[name] = simulate(replace(task, runtime=name), samples, progress)
        except RuntimeMissing as error:
            if not may_skip:
                raise
            skipped[name] = str(error)
    return outcomes, skipped


def _same(outcomes: Sequence[Outcome]) -> bool:
    first = outcomes[0].run
    return all(
        outcome.run.digest == first.digest and np.array_equal(outcome.run.predictions, first.predictions)
        for outcome in outcomes
    )


def _print(record: dict[str, Any]) -> None:
    rows = [
        (name, digest, f"{record['accuracies'][name]:.2%}", f"{record['seconds'][name]:.3g}")
        for name, digest in record["digests"].items()
    ]
    rows += [(name, "skipped", "-", "-") for name in record["skipped"]]
    size = f"{record['samples']:,} samples, {record['budget_bytes']:,} B"
    rows_table(
        f"{record['model']} on {record['stream']}, {size}", ("runtime", "digest", "accuracy", "seconds"), rows
    )
    for reason in record["skipped"].values():
        click.echo(f"skipped: {reason}")
    click.echo("equal: " + ("yes, the same bytes and predictions" if record["equal"] else "NO"))
