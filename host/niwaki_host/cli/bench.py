"""niwaki bench: what an operation costs on the device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from niwaki_host.cli import options
from niwaki_host.cli.output import console, print_json, progress_bar, rows_table
from niwaki_host.deploy.measured import read as read_board
from niwaki_host.evaluation.bench import VARIANTS, bench, staircase
from niwaki_host.evaluation.check import check_model
from niwaki_host.evaluation.experiment import Task
from niwaki_host.evaluation.samples import Source
from niwaki_host.runtimes import COUNTED

# Columns of the table: title, field, digits (None: a whole number).
_COLUMNS = (
    ("learn", "instructions_per_learn", 0),
    ("worst learn", "max_instructions_per_learn", 0),
    ("predict", "instructions_per_predict", 0),
    ("us/sample", "microseconds_per_sample", 2),
    ("learn us", "microseconds_per_learn", 0),
    ("worst learn us", "max_microseconds_per_learn", 0),
    ("predict us", "microseconds_per_predict", 0),
    ("save us", "flash_write_microseconds", 0),
    ("garbage learn", "garbage_per_learn_bytes", 0),
    ("garbage predict", "garbage_per_predict_bytes", 0),
    ("flash", "flash_bytes", 0),
    ("code heap", "code_heap_bytes", 0),
    ("model heap", "model_heap_bytes", 0),
    ("model", "model_bytes", 0),
)


@click.command("bench")
@options.runtime_option("cortex-m3")
@options.models_option("vfdt,shrubs", ensembles=False)
@click.option(
    "--features",
    type=click.IntRange(1, 4096),
    default=6,
    show_default=True,
    metavar="D",
    help="Features per sample.",
)
@click.option(
    "--classes",
    type=click.IntRange(2, 254),
    default=4,
    show_default=True,
    metavar="C",
    help="Number of classes.",
)
@options.budget_option
@click.option(
    "--samples",
    type=click.IntRange(min=64),
    default=4000,
    show_default=True,
    metavar="N",
    help="To measure over.",
)
@click.option(
    "--board",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Add what firmware_scripts/on_board_measure.py printed on a board.",
)
@options.set_option
@options.json_option
def command(
    runtime: str,
    models: list[str],
    features: int,
    classes: int,
    budget: int,
    samples: int,
    board: Path | None,
    settings: tuple[tuple[str, Any], ...],
    as_json: bool,
) -> None:
    """Measure instructions (exact, on the emulated Cortex-M3), garbage, flash and heap of each operation.

    Instructions count from the Python call to its return. Flash is the size of the .mpy files that the model
    needs; code heap, what importing them from ROMFS takes; model heap, what building the model takes.
    """
    measured = read_board(board) if board else []
    data = staircase(features, classes, samples)
    runs = [(model, {**own, **dict(settings)}) for model in models for own in VARIANTS.get(model, ({},))]
    unique = list({(model, repr(own)): (model, own) for model, own in runs}.values())
    tasks = [Task(Source("staircase"), model, budget, runtime, tuple(own.items())) for model, own in unique]
    for task in tasks:
        check_model(task, data)
    rows = []
    with progress_bar(f"bench on {runtime}", len(tasks)) as progress:
        for done, task in enumerate(tasks, 1):
            rows.append(bench(runtime, task, data))
            if progress:
                progress(done)
    rows += measured
    if as_json:
        print_json({"runtime": runtime, "rows": rows})
        return
    shown = [column for column in _COLUMNS if any(column[1] in row for row in rows)]
    rows_table(
        f"{runtime}: {features} features, {classes} classes, {budget:,} B, {samples:,} samples",
        ("model", *(title for title, _, _ in shown)),
        [(_name(row), *(_number(row.get(field), digits) for _, field, digits in shown)) for row in rows],
    )
    if runtime in COUNTED:
        console().print("learn, worst learn and predict in instructions; the rest in bytes")


def _name(row: dict[str, Any]) -> str:
    name = " ".join([row["model"], *(f"{key}={value}" for key, value in row["settings"].items())])
    return f"{name} on {row['board']}" if "board" in row else name


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"
