"""niwaki deploy: the device package onto a board."""

from __future__ import annotations

from typing import Any

import click

from niwaki_host.cli import options
from niwaki_host.cli.output import pairs_table, print_json
from niwaki_host.deploy import bundle, deploy


@click.command("deploy")
@options.port_option
@click.option(
    "--parts",
    type=options.Names("part", bundle.ALL),
    default="all",
    show_default=True,
    metavar="P,P",
    help=f"What to copy: {', '.join(bundle.ALL)}. A tree does without shrubs, and the other way round.",
)
@click.option("--bytecode", is_flag=True, help="No machine code: slower, but half of the heap.")
@click.option("--native", is_flag=True, help="Kernels and methods from C: faster by far; needs a compiler.")
@click.option("--romfs", is_flag=True, help="Into the board's ROMFS partition, where code takes little heap.")
@options.model_option
@click.option("--features", type=click.IntRange(1, 256), default=6, show_default=True)
@click.option("--classes", type=click.IntRange(2, 126), default=4, show_default=True)
@click.option(
    "--budget", type=options.SIZE, default="4k", show_default=True, help="Of the model that is tried out."
)
@options.set_option
@options.json_option
def command(
    port: str | None,
    parts: list[str],
    bytecode: bool,
    native: bool,
    romfs: bool,
    model: str,
    features: int,
    classes: int,
    budget: int,
    settings: tuple[tuple[str, Any], ...],
    as_json: bool,
) -> int:
    """Compile the device package for a board, copy it there, and see that it learns what the desktop learns.

    The board is asked for its architecture. Then a model is trained there with 200 samples, and its digest
    compared with the desktop's.
    """
    report = deploy(
        port,
        model=model,
        shape=(features, classes, budget),
        settings=dict(settings),
        parts=parts,
        bytecode=bytecode,
        native=native,
        romfs=romfs,
        say=(lambda line: None) if as_json else lambda line: click.echo(line, err=True),
    )
    if as_json:
        print_json(report.record())
    else:
        verdict = "the same as here" if report.equal else f"DIFFERENT: {report.desktop_digest} here"
        pairs_table(
            f"{report.board}, MicroPython {report.micropython}",
            [
                ("code", f"{report.architecture}, {report.files} files, {report.flash_bytes:,} B of flash"),
                (f"{model} after 200 samples", f"{report.digest}, {verdict}"),
                (f"{report.unit} per learn", f"{report.per_learn:,}"),
                ("heap used by code and model", f"{report.heap_used:,} B"),
                ("heap free", f"{report.heap_free:,} B"),
            ],
        )
    return 0 if report.equal else 1
