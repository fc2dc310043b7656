"""niwaki streams: what a STREAM can be."""

from __future__ import annotations

import click

from niwaki_host.cli import options
from niwaki_host.cli.output import print_json
from niwaki_host.errors import UsageError
from niwaki_host.suggest import did_you_mean


@click.command("streams")
@click.argument("name", required=False)
@options.json_option
def command(name: str | None, as_json: bool) -> None:
    """List the streams that can be named instead of a file, or the parameters of generator NAME."""
    from niwaki_host.streams.help import about, record, spec_help
    from niwaki_host.streams.registry import GENERATORS, PRESETS

    if name is not None and name not in (*GENERATORS, *PRESETS):
        raise UsageError(f"there is no generator {name!r}{did_you_mean(name, [*GENERATORS, *PRESETS])}")
    if as_json:
        print_json(record(name))
    elif name is None:
        click.echo(spec_help(), nl=False)
    else:
        click.echo(about(name), nl=False)
