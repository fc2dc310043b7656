"""niwaki inspect: a saved model as rules, picture, importances and memory map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from niwaki_host.cli import options
from niwaki_host.cli.output import console, pairs_table, print_json, rows_table
from niwaki_host.device.memory_map import capacity, memory_map
from niwaki_host.device.views import GroveView, TreeView, view
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.samples import Source


@click.command("inspect")
@click.argument("image")
@click.option("--names", type=options.COLUMNS, default="", metavar="A,B", help="Names of the features.")
@click.option("--class-names", type=options.COLUMNS, default="", metavar="A,B", help="Names of the classes.")
@click.option(
    "--ranges",
    metavar="FILE",
    help="Thresholds in original units, by ranges in JSON: a list of [lo, hi], number of values or null, or "
    "an object of them by name of feature.",
)
@click.option(
    "--stream", metavar="STREAM", help="Names and original units from the stream that the model has learned."
)
@options.source_options()
@click.option("--dot", type=options.FILE, help="Write the model in Graphviz's language to FILE.")
@click.option(
    "--samples",
    type=options.FILE,
    help="Write the samples that a model keeps to this CSV: codes, empty where missing, and the class.",
)
@click.option("--plot", type=options.FILE, help="Draw the model to this PNG, SVG or PDF.")
@options.json_option
def command(
    image: str,
    names: tuple[str, ...],
    class_names: tuple[str, ...],
    ranges: str | None,
    stream: str | None,
    source: Callable[[str], Source],
    dot: str | None,
    samples: str | None,
    plot: str | None,
    as_json: bool,
    **_rest: Any,
) -> None:
    """Show what a saved model has learned.

    IMAGE is a file that `save` has written, on a board or on a desktop. Thresholds are 16-bit codes; --stream
    or --ranges turn them into what was measured.
    """
    from niwaki_host.inspect import export, importances, rules, to_dot

    if plot:
        from niwaki_host.plots.style import check_format

        check_format(plot)
    model = load(image)
    exported = export(model)
    legend = _legend(exported, model.about(), names, class_names, ranges, source(stream) if stream else None)
    if samples:
        _write_samples(samples, image, model, legend)
    if dot:
        Path(dot).write_text(to_dot(exported, legend), "utf-8")
    if plot:
        from niwaki_host.inspect.picture import model_figure
        from niwaki_host.plots import save

        title = f"{Path(image).name} · {model.n_leaves} leaves, {model.nbytes:,} B"
        save(model_figure(exported, legend, title), plot)
    record = _record(image, model, exported, legend)
    record["importances"] = importances(model)
    if as_json:
        print_json(record)
        return
    _print(record, legend)
    click.echo(rules(exported, legend), nl=False)


def load(path: str) -> Any:
    """The model in a file; UsageError for a file that holds none."""
    import niwaki

    try:
        model: Any = niwaki.load(path)
    except niwaki.ImageError as error:
        raise UsageError(f"{path}: {error}") from None
    if model.restored():
        click.echo(f"this is the previous model, from {path}~, because {model.restored()}", err=True)
    return model


def _write_samples(path: str, image: str, model: Any, legend: Any) -> None:
    """Write the remembered samples; the column of classes gets a name that no feature has."""
    import csv

    from niwaki.model import MISSING

    seen = view(model)
    if isinstance(seen, TreeView):
        raise UsageError(f"{image}: a tree keeps no samples; groves and shrubs do")
    last = "class"
    while last in legend.features:
        last += "_"
    with open(path, "w", newline="", encoding="utf-8") as f:
        rows = csv.writer(f, lineterminator="\n")
        rows.writerow([*legend.features, last])
        for codes, label in seen.remembered():
            rows.writerow([*("" if code == MISSING else code for code in codes), legend.classes[label]])


def _legend(
    exported: Any,
    about: dict[str, Any],
    names: Sequence[str],
    class_names: Sequence[str],
    ranges: str | None,
    source: Source | None,
) -> Any:
    """Collect names and ranges: first from the image, then from the options, which win over the image."""
    from niwaki_host.inspect import Legend
    from niwaki_host.streams.ranges import read_ranges

    legend = Legend.told(exported, about)
    if source:
        from niwaki_host.evaluation.samples import open_source
        from niwaki_host.streams.encoding import make_encoding

        stream = open_source(source)
        _fits("features", stream.feature_names, exported.n_features, source.stream)
        _fits("classes", stream.class_names, exported.n_classes, source.stream, exact=False)
        encoding = make_encoding(stream, source.encoding)
        legend = Legend(
            stream.feature_names,
            stream.class_names + legend.classes[len(stream.class_names) :],
            encoding.ranges,
            stream.value_names,
        )
    if ranges:
        keys, legend.ranges = read_ranges(ranges)
        _fits("features", legend.ranges, exported.n_features, ranges)
        legend.units = legend.units if not keys else []
        legend.features = keys or legend.features
    if names:
        _fits("features", names, exported.n_features, "--names")
        legend.features = list(names)
    if class_names:
        _fits("classes", class_names, exported.n_classes, "--class-names", exact=False)
        legend.classes = [*class_names, *legend.classes[len(class_names) :]]
    return legend


def _fits(what: str, found: Sequence[Any], wanted: int, where: str, exact: bool = True) -> None:
    if len(found) > wanted or (exact and len(found) < wanted):
        raise UsageError(f"{where}: {len(found)} {what}, but the model has {wanted}")


def _record(image: str, model: Any, exported: Any, legend: Any) -> dict[str, Any]:
    from niwaki_host.runtimes.result import digest

    return {
        "image": image,
        "kind": exported.kind,
        "samples": model.samples,
        "features": legend.features,
        "classes": legend.classes,
        "units": legend.units or None,
        "ranges": list(legend.ranges) if any(legend.ranges) else None,
        "window": _window(model),
        "budget_bytes": model.budget,
        "model_bytes": model.nbytes,
        "nodes": model.n_nodes,
        "leaves": model.n_leaves,
        "digest": digest(model),
        "capacity": capacity(model),
        "parts": [
            {
                "name": part.name,
                "count": part.count,
                "used": part.used,
                "bytes_each": part.each,
                "bytes": part.nbytes,
            }
            for part in memory_map(model)
        ],
        "trees": [
            {
                "place": member.place,
                "weight": member.weight,
                "decides": member.decides,
                "replaces": member.replaces,
                "nodes": [_node(node, member.nodes, legend) for node in member.nodes],
            }
            for member in exported.members
        ],
        **_remembered(model),
    }


def _window(model: Any) -> dict[str, Any] | None:
    """The settings of the window that is saved in the image."""
    window = model.about().get("window")
    if window is None:
        return None
    axes, length, step, level = window._state[:4]  # in this order: window.py
    return {"axes": axes, "length": length, "step": step, "level": None if level < 0 else level - 32768}


def _remembered(model: Any) -> dict[str, Any]:
    """What a grove keeps beside its shrubs."""
    seen = view(model)
    if not isinstance(seen, GroveView):
        return {}
    return {"memory": seen.class_counts, "credit": seen.credit}


def _node(node: Any, nodes: Sequence[Any], legend: Any) -> dict[str, Any]:
    """A node as a record: it names parent and children by their numbers, as `replaces` does."""
    parent = None if node.parent is None else nodes[node.parent].number
    common = {"number": node.number, "parent": parent, "depth": node.depth, "counts": node.counts}
    if node.is_leaf:
        return {**common, "class": node.label, "bayes": node.bayes}
    return {
        **common,
        "test": legend.test(node),
        "feature": node.feature,
        "threshold": node.threshold,
        "nominal": node.nominal,
        "missing_right": node.missing_right,
        "left": nodes[node.left].number,
        "right": nodes[node.right].number,
    }


def _remembered_rows(record: dict[str, Any], legend: Any) -> list[tuple[str, str]]:
    if "memory" not in record:
        return []
    kept = [f"{name}: {n:,}" for name, n in zip(legend.classes, record["memory"], strict=True) if n]
    credit = ", ".join(f"{name} {value:+.3f}" for name, value in record["credit"].items())
    return [("remembers", ", ".join(kept) or "nothing yet"), ("credit beside the vote", credit)]


def _window_rows(record: dict[str, Any]) -> list[tuple[str, str]]:
    window = record["window"]
    if not window:
        return []
    return [("window", f"{window['axes']} axes, {window['length']} samples, a new one each {window['step']}")]


def _print(record: dict[str, Any], legend: Any) -> None:
    holds = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in record["capacity"].items())
    pairs_table(
        record["image"],
        [
            ("model", f"{record['kind']}, {len(legend.features)} features, {len(legend.classes)} classes"),
            ("samples learned", f"{record['samples']:,}"),
            ("nodes / leaves", f"{record['nodes']:,} / {record['leaves']:,}"),
            ("bytes", f"{record['model_bytes']:,} of {record['budget_bytes']:,}"),
            ("has room for", holds),
            *_remembered_rows(record, legend),
            *_window_rows(record),
            ("digest", record["digest"]),
        ],
    )
    rows_table(
        "memory",
        ("part", "count", "used", "each", "bytes"),
        [
            (
                part["name"],
                f"{part['count']:,}",
                "-" if part["used"] is None else f"{part['used']:,}",
                f"{part['bytes_each']:,}",
                f"{part['bytes']:,}",
            )
            for part in record["parts"]
        ],
    )
    found = record["importances"]
    units = [f" [{unit}]" if unit else "" for unit in legend.units] or [""] * len(legend.features)
    names = [name + unit for name, unit in zip(legend.features, units, strict=True)]
    columns = list(zip(names, *found.values(), strict=True))
    rows = [
        (name, *(f"{value:.4f}" for value in values))
        for name, *values in sorted(columns, key=lambda row: -row[1])
    ]
    rows_table("importances", ("feature", *(kind.upper() for kind in found)), rows)
    console().print("rules", style="italic")
