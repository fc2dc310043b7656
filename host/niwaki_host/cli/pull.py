"""niwaki pull: bring a model home from a board."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import click

from niwaki_host.cli import options
from niwaki_host.cli.output import pairs_table, print_json, waiting_for
from niwaki_host.deploy.link import find_port
from niwaki_host.errors import UsageError


@click.command("pull")
@click.argument("path", required=False)
@options.port_option
@click.option("--out", type=options.FILE, help="Where it goes; by default its name on the board, here.")
@click.option("--force", is_flag=True, help="Write over another file that is here.")
@options.json_option
def command(path: str | None, port: str | None, out: str | None, force: bool, as_json: bool) -> None:
    """Bring a model home from a board, to inspect it, to keep it, or to merge it with others.

    PATH is its file on the board, by default the only model there. What comes is what the board saved last;
    its program is stopped for it, and main.py runs again afterwards.
    """
    from niwaki_host.deploy.transfer import Moved, model_or_none, pull
    from niwaki_host.runtimes.result import digest

    port = port or find_port()
    with waiting_for("reading the board"):
        path, data, model, note, restarted = pull(port, path)
    target = Path(out or PurePosixPath(path).name)
    old = target.read_bytes() if target.exists() else None
    replaced = model_or_none(old) if old != data else None
    if old is not None and old != data and not force:
        held = repr(replaced) if replaced is not None else "something else"
        raise UsageError(f"{target} is here and holds {held}: --out FILE, or --force to write over it")
    if old != data:
        partial = target.with_name(f".{target.name}.{os.getpid()}")
        partial.write_bytes(data)
        partial.replace(target)
    if note:
        click.echo(note, err=True)
    moved = Moved(f"{port}:{path}", str(target), model, digest(model), "its checksum, and loaded here")
    moved.replaced, moved.changed, moved.restarted = replaced, old != data, restarted
    if as_json:
        print_json(moved.record())
        return
    pairs_table(
        f"{moved.source} -> {moved.target}",
        [
            ("model", repr(model)),
            ("digest", moved.digest),
            *([("instead of", repr(replaced))] if replaced is not None else []),
            *([] if moved.changed else [("written", "nothing: it was here already")]),
            *([("main.py", "runs again")] if restarted else []),
        ],
    )
