"""niwaki plan: what fits in a budget."""

from __future__ import annotations

from typing import Any

import click

from niwaki_host.cli import options
from niwaki_host.cli.output import console, print_json, rows_table
from niwaki_host.device import models
from niwaki_host.device.memory_map import capacity, memory_map, smallest_budget


@click.command("plan")
@click.option(
    "--features", type=click.IntRange(min=1), required=True, metavar="D", help="Features per sample."
)
@click.option("--classes", type=click.IntRange(min=1), required=True, metavar="C", help="Number of classes.")
@options.model_option
@options.budget_option
@options.set_option
@options.json_option
def command(
    features: int,
    classes: int,
    model: str,
    budget: int,
    settings: tuple[tuple[str, Any], ...],
    as_json: bool,
) -> None:
    """Show how a model would divide its budget, as a memory map."""
    built = models.build(model, features, classes, budget, **dict(settings))
    record = {
        "model": model,
        "features": features,
        "classes": classes,
        "budget_bytes": budget,
        "model_bytes": built.nbytes,
        "spare_bytes": budget - built.nbytes,
        "smallest_budget_bytes": smallest_budget(model, features, classes, budget, dict(settings)),
        "capacity": capacity(built),
        "parts": [
            {"name": part.name, "count": part.count, "bytes_each": part.each, "bytes": part.nbytes}
            for part in memory_map(built)
        ],
    }
    if as_json:
        print_json(record)
        return
    rows = [
        (
            part["name"],
            f"{part['count']:,}",
            f"{part['bytes_each']:,}",
            f"{part['bytes']:,}",
            _bar(part["bytes"], budget),
        )
        for part in record["parts"]
    ]
    if record["spare_bytes"]:
        spare = record["spare_bytes"]
        rows.append(("spare", "", "", f"{spare:,}", _bar(spare, budget)))
    title = f"{model}, {features} features, {classes} classes: {built.nbytes:,} of {budget:,} B"
    rows_table(title, ("part", "count", "each", "bytes", "share"), rows)
    holds = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in record["capacity"].items())
    console().print(f"{holds}; the smallest budget that works is {record['smallest_budget_bytes']:,} B")


def _bar(part: int, budget: int) -> str:
    share = part / budget
    return f"{'█' * round(20 * share):<20} {share:6.1%}"
