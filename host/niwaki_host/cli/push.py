"""niwaki push: a saved model onto a board."""

from __future__ import annotations

from pathlib import Path

import click

from niwaki_host.cli import options
from niwaki_host.cli.output import pairs_table, print_json, progress_bar
from niwaki_host.deploy.link import find_port


@click.command("push")
@click.argument("image", type=click.Path(exists=True, dir_okay=False))
@options.port_option
@click.option("--to", "target", metavar="PATH", help="Its name on the board; by default that of the file.")
@click.option("--force", is_flag=True, help="Write over another model that is there.")
@options.json_option
def command(image: str, port: str | None, target: str | None, force: bool, as_json: bool) -> None:
    """Put a saved model onto a board, where its program loads it.

    IMAGE is what simulate --save, merge or a board's own save has written. The board loads it once, and the
    digest must be the one here; then its main.py runs again. A power cut on the way leaves the model that
    was there, or the new one.
    """
    from niwaki_host.deploy.transfer import push

    data = Path(image).read_bytes()
    with progress_bar("copying", len(data)) as progress:
        moved = push(
            port or find_port(),
            data,
            image,
            target or Path(image).name,
            force=force,
            advance=progress or (lambda done: None),
        )
    if as_json:
        print_json(moved.record())
        return
    pairs_table(
        moved.target,
        [
            ("model", repr(moved.model)),
            ("digest", f"{moved.digest}, {moved.checked}"),
            *([("instead of", repr(moved.replaced))] if moved.replaced is not None else []),
            *([] if moved.changed else [("written", "nothing: it was there already")]),
            *([("main.py", "runs again")] if moved.restarted else []),
        ],
    )
