"""niwaki playground: the page on which one teaches MicroPython in a browser."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path

import click

from niwaki_host.cli import options
from niwaki_host.errors import RuntimeMissing, UsageError

_PORT = 8765


@click.command("playground")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=_PORT, show_default=True, help="0 for any free one."
)
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option(
    "--out", type=options.DIRECTORY, metavar="DIR", help="Only write the site there, for any web server."
)
def command(port: int, no_open: bool, out: str | None) -> int:
    """Open a page on which a model learns in the browser: watch it, teach it gestures, take it to a board.

    MicroPython runs there as WebAssembly, on the sources that go on a board, and ends with the same bytes.
    """
    from niwaki_host.playground.build import build

    try:
        if out:
            written = build(Path(out))
            size = sum(path.stat().st_size for path in written)
            click.echo(f"{out}: {len(written)} files, {size / 1e6:.2f} MB, for any web server")
            return 0
        with tempfile.TemporaryDirectory(prefix="niwaki-playground-") as name:
            build(Path(name))
            return _serve(Path(name), port, not no_open)
    except RuntimeMissing as error:
        raise UsageError(f"the playground can't be built: {error}") from None


def _serve(directory: Path, port: int, opened: bool) -> int:
    from niwaki_host.playground.serve import address, server

    with server(directory, port) as running:
        click.echo(f"the playground is at {address(running)}; Ctrl-C ends it")
        if opened:
            webbrowser.open(address(running))
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            click.echo("ended")
    return 0
