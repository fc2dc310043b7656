"""niwaki merge: one image of several boards' groves."""

from __future__ import annotations

from pathlib import Path

import click

from niwaki_host.cli import options
from niwaki_host.cli.inspect import load
from niwaki_host.cli.output import pairs_table, print_json
from niwaki_host.device.views import GroveView, view
from niwaki_host.errors import UsageError


@click.command("merge")
@click.argument("images", nargs=-1, required=True, metavar="IMAGE IMAGE ...")
@click.option("--out", type=options.FILE, required=True, help="Where the merged image goes.")
@options.json_option
def command(images: tuple[str, ...], out: str, as_json: bool) -> None:
    """Make one grove of several, in the same budget.

    Each IMAGE is a file that `save` has written, on boards that were taught apart. Histograms add, memories
    are drawn together, balanced by class, and shrubs grow anew. Shape, budget and options must be the same,
    and the boards must encode what they measure by the same ranges.
    """
    from niwaki_host.device.images import to_bytes
    from niwaki_host.device.merge import merge
    from niwaki_host.runtimes.result import digest

    if len(images) < 2:
        raise UsageError("merge: one image alone is nothing to merge; name two or more")
    groves = [load(image) for image in images]
    model = merge(groves, images)
    model.about(**next((told for told in (grove.about() for grove in groves) if told), {}))
    Path(out).write_bytes(to_bytes(model))
    seen = view(model)
    assert isinstance(seen, GroveView)
    record = {
        "image": out,
        "merged": list(images),
        "samples": model.samples,
        "memory": seen.class_counts,
        "model_bytes": model.nbytes,
        "budget_bytes": model.budget,
        "digest": digest(model),
    }
    if as_json:
        print_json(record)
        return
    pairs_table(
        out,
        [
            ("merged", f"{len(images)} groves"),
            ("samples learned", f"{model.samples:,}"),
            (
                "remembers",
                ", ".join(f"{c}: {n:,}" for c, n in enumerate(seen.class_counts) if n) or "nothing",
            ),
            ("bytes", f"{model.nbytes:,} of {model.budget:,}"),
            ("digest", record["digest"]),
        ],
    )
