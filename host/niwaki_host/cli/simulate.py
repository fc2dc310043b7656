"""niwaki simulate: accuracy, bytes and speed of a model on a stream."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from niwaki_host.cli import options
from niwaki_host.cli.output import number, pairs_table, print_json, progress_bar, waiting_for
from niwaki_host.device.memory_map import bytes_in_use
from niwaki_host.ensembles.spec import is_ensemble
from niwaki_host.errors import HeapError, UsageError
from niwaki_host.evaluation import curves, heap
from niwaki_host.evaluation.check import check_model
from niwaki_host.evaluation.experiment import INSTRUCTIONS, Outcome, Task, final_model, simulate
from niwaki_host.evaluation.over_time import KINDS, Ranking
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.runtimes import COUNTED
from niwaki_host.sizes import format_size

_POINTS = 200  # points of a picture's curves where the user gave no interval


@click.command("simulate")
@click.argument("stream")
@options.model_or_ensemble_option
@options.budget_option
@options.runtime_option()
@options.source_options(seed=options.SEED_OF_BOTH)
@options.set_option
@options.telling_options
@click.option(
    "--self-train",
    type=click.IntRange(0, 65536),
    default=0,
    metavar="MARGIN",
    help="Learn samples without a label as predicted, if the two best classes are so far apart (of 65536).",
)
@click.option(
    "--every",
    type=options.count(0),
    default=0,
    metavar="N",
    help="Curves over the stream, a point each N samples; 200 points where there is need of them.",
)
@click.option(
    "--window",
    type=options.count(1),
    default=curves.WINDOW,
    show_default=True,
    metavar="N",
    help="Samples that count as recent, for the curves.",
)
@click.option("--heap", "heap_size", type=options.SIZE, help="Run in a real heap of this size (MicroPython).")
@click.option("--find-heap", is_flag=True, help="Find the smallest real heap that holds (MicroPython).")
@click.option(
    "--plot",
    type=options.FILE,
    help="Draw accuracy, bytes and size over the stream to this PNG, SVG or PDF.",
)
@click.option(
    "--beside",
    type=options.MODEL_LIST,
    metavar="M,M",
    help="Draw these models too, with the same budget and their own defaults.",
)
@click.option("--curves", "table", type=options.FILE, help="Write the curves to this CSV.")
@click.option(
    "--importances",
    type=options.Name("kind of importance", KINDS),
    metavar="KIND",
    help="Rank the features over the stream too, by mpg or mdi (plot, curves, JSON).",
)
@click.option("--save", type=options.FILE, help="Save the model, to inspect or to deploy.")
@options.json_option
def command(
    stream: str,
    source: Callable[[str], Source],
    budget: int,
    every: int,
    heap_size: int | None,
    find_heap: bool,
    plot: str | None,
    beside: list[str] | None,
    table: str | None,
    importances: str | None,
    save: str | None,
    as_json: bool,
    **rest: Any,
) -> int:
    """Run a model over STREAM, test-then-train, and say how it did.

    STREAM is a file (CSV or ARFF, also .gz and .xz; Parquet, npz) with the label in the last column, or a
    generator such as sea or led:noise=10 (niwaki streams lists them).
    """
    if plot:
        from niwaki_host.plots.style import check_format

        check_format(plot)
    if beside and not plot:
        raise UsageError("--beside is for the picture: add --plot FILE")
    if table and not table.lower().endswith(".csv"):
        raise UsageError(f"--curves {table}: the file's name must end in .csv")
    if save and is_ensemble(rest["model"]):
        raise UsageError(f"{rest['model']}: ensembles of trees have no image: leave out --save")
    if heap_size or find_heap:
        heap.check_runtime(rest["runtime"])
    rest.pop("seed")
    if rest["teach"]:
        _check_teaching({"--every": every, "--plot": plot, "--curves": table, "--importances": importances})
        if find_heap:
            raise UsageError("--find-heap does not depend on how labels come: leave out --teach")
    with waiting_for(f"reading {stream}"):
        samples = prepare(source(stream))
    if (plot or table or importances) and not every:
        every = max(1, len(samples.y) // _POINTS)
    task = Task(source(stream), budget=budget, every=every, heap=heap_size, **rest)
    others = [
        replace(task, model=model, settings=(), runtime="numba", heap=None)
        for model in beside or []
        if model != task.model
    ]
    for other in others:
        check_model(other, samples)
    try:
        with progress_bar(f"{task.model} on {task.runtime}", len(samples.y)) as progress:
            outcome = simulate(task, samples, progress, heap_size is None, importances)
    except HeapError as error:
        if heap_size is None:
            raise
        return _did_not_hold(task, error, as_json)
    record = outcome.record
    record["bytes_in_use"] = bytes_in_use(final_model(task, outcome))
    if heap_size:
        record["held"] = True
        record.update(_instructions(task, samples))
    if find_heap:
        record.update(_find(task, outcome))
    if every:
        record["curve"] = outcome.curve
    if outcome.ranking:
        record["importances"] = _ranking(outcome.ranking)
    if table:
        _write(outcome, table)
    if plot:
        _draw(task, outcome, plot, others)
    if save:
        final_model(task, outcome).save(save)
    if as_json:
        print_json(record)
    else:
        _print(record, plot, table)
    return 0


def _check_teaching(given: dict[str, Any]) -> None:
    """Refuse curves with --teach: a frozen model does not change over the stream."""
    for option, value in given.items():
        if value:
            raise UsageError(f"--teach judges a frozen model: there are no curves of it; leave out {option}")


def _instructions(task: Task, samples: Samples) -> dict[str, Any]:
    """Count instructions in a heap of the usual size, because counting needs some heap itself."""
    if task.runtime not in COUNTED:
        return {}
    with progress_bar("counting instructions", len(samples.y)) as progress:
        record = simulate(replace(task, heap=None, every=0), samples, progress).record
    return {name: record[name] for name in INSTRUCTIONS}


def _find(task: Task, outcome: Outcome) -> dict[str, int]:
    enough = outcome.run.heap_bytes or 0
    with progress_bar("smallest heap, runs", None) as progress:
        found = heap.find_heap(
            replace(task, every=0), outcome.samples, outcome.record["model_bytes"], enough, progress
        )
    return {"smallest_heap_bytes": found.heap_bytes, "beside_model_bytes": found.beside_bytes}


def _did_not_hold(task: Task, error: HeapError, as_json: bool) -> int:
    record = {
        "stream": task.source.stream,
        "model": task.model,
        "runtime": task.runtime,
        "budget_bytes": task.budget,
        "heap_bytes": task.heap,
        "held": False,
        "error": str(error),
    }
    if as_json:
        print_json(record)
    else:
        pairs_table(
            f"{task.model} on {task.source.stream}",
            [
                ("heap", f"{task.heap:,} B: did not hold"),
                ("budget", f"{task.budget:,} B"),
                ("why", str(error)),
                ("what to do", "--find-heap instead of --heap finds the smallest that holds"),
            ],
        )
    return 1


def _ranking(ranking: Ranking) -> dict[str, Any]:
    scores = dict(zip(ranking.names, ranking.scores.T, strict=True))
    return {"kind": ranking.kind, "at": ranking.at, "scores": scores}


def _write(outcome: Outcome, path: str) -> None:
    """Write a row for each point of the curves: first the curves, then each feature's importance."""
    columns = dict(outcome.curve)
    if ranking := outcome.ranking:
        for name, scores in zip(ranking.names, ranking.scores.T, strict=True):
            columns[f"{ranking.kind} {name}"] = scores
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))


def _draw(task: Task, outcome: Outcome, plot: str, others: list[Task]) -> None:
    from niwaki_host.plots import save, stream_figure

    record = outcome.record
    title = (
        f"{_short(task.source.stream)} · {task.model} in {format_size(task.budget)} · "
        f"accuracy {record['accuracy']:.1%}"
    )
    runs = {task.model: outcome.curve}
    for other in others:
        runs[other.model] = simulate(other, outcome.samples).curve
    if len(runs) > 1:
        title = f"{_short(task.source.stream)} · {format_size(task.budget)}"
    drawn = stream_figure(
        runs,
        title,
        outcome.samples.drifts,
        task.window,
        task.budget,
        outcome.ranking,
    )
    save(drawn, plot)


def _short(stream: str) -> str:
    """The name of a file without its directory."""
    return Path(stream).name if Path(stream).exists() else stream


def _print(record: dict[str, Any], plot: str | None, table: str | None) -> None:
    pairs = [
        ("accuracy", f"{record['accuracy']:.2%}"),
        ("majority: the most frequent class so far", f"{record['majority_accuracy']:.2%}"),
        ("no change: the label before", f"{record['no_change_accuracy']:.2%}"),
        ("kappa, accuracy beyond chance", number(record["kappa"])),
        ("kappa M, beyond majority", number(record["kappa_m"])),
        ("kappa temporal, beyond no change", number(record["kappa_t"])),
        ("model, taken when it is made", f"{record['model_bytes']:,} of {record['budget_bytes']:,} B"),
        ("of these, filled by now", f"{record['bytes_in_use']:,} B"),
        ("nodes / leaves", f"{record['nodes']:,} / {record['leaves']:,}{_no_split(record)}"),
        ("features in splits", f"{record['features_used']} of {record['features']}"),
        ("samples", f"{record['samples']:,} x {record['features']}, {record['classes']} classes"),
        *([("without a label", _unlabelled(record))] if record["unlabelled"] else []),
        *([("taught, then judged", _lesson(record))] if record["teach"] else []),
        ("encoding", record["encoding"]),
        ("time", f"{record['seconds']:.3g} s, {record['samples_per_second'] or 0:,.0f} samples/s"),
        ("digest", record["digest"]),
    ]
    if record.get("peak_heap_bytes"):
        held = ", held" if record.get("held") else ""
        pairs.append(("heap, peak", f"{record['peak_heap_bytes']:,} of {record['heap_bytes']:,} B{held}"))
    if "smallest_heap_bytes" in record:
        beside = f"the model's {record['model_bytes']:,} and {record['beside_model_bytes']:,} beside it"
        pairs.append(("smallest heap", f"{record['smallest_heap_bytes']:,} B: {beside}"))
    if "instructions_per_learn" in record:
        counts = [record[name] for name in INSTRUCTIONS]
        pairs.append(("instructions", "learn {:,.0f}, predict {:,.0f}, worst learn {:,}".format(*counts)))
    if "importances" in record:
        pairs.append((f"most important, {record['importances']['kind']}", _top(record["importances"])))
    if table:
        pairs.append(("curves", table))
    if plot:
        pairs.append(("picture", plot))
    pairs_table(f"{record['model']} on {record['stream']} ({record['runtime']})", pairs)


def _no_split(record: dict[str, Any]) -> str:
    """Explain a tree that has not split, so that nobody takes it for a mistake."""
    return ": no split yet, one leaf answers from all features" if record["nodes"] == 1 else ""


def _unlabelled(record: dict[str, Any]) -> str:
    how = "learned as predicted, where it is sure" if record["self_train"] else "not learned"
    return f"{record['unlabelled']:,} of {record['samples']:,}: predicted, not judged, {how}"


def _lesson(record: dict[str, Any]) -> str:
    text = f"{record['taught']:,} in {record['teach_order']}, {record['judged']:,} of the second half"
    return text + (f"; never taught: {', '.join(record['untaught'])}" if record["untaught"] else "")


def _top(importances: dict[str, Any], count: int = 4) -> str:
    """The features that matter most at the end of the stream."""
    last = {name: float(scores[-1]) for name, scores in importances["scores"].items()}
    order = sorted((name for name in last if last[name] > 0), key=lambda name: -last[name])[:count]
    return ", ".join(f"{name} {last[name]:.3f}" for name in order) or "none yet"
