"""The `niwaki` command. Each command has a file, which is imported when the command is called.

Exit codes: 0 good, 1 a check failed, 2 bad usage or input (one line on stderr), 130 interrupted.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from niwaki_host.errors import DeviceError, Notice, UsageError
from niwaki_host.suggest import did_you_mean
from niwaki_host.toolchain.cache import lend_to_matplotlib

# Name -> (module that holds it as `command`, line in the overview).
COMMANDS = {
    "demo": ("niwaki_host.cli.demo", "The main job, in under a minute, from nothing."),
    "playground": ("niwaki_host.cli.playground", "Teach it in a browser, with a mouse or a phone."),
    "simulate": ("niwaki_host.cli.simulate", "Accuracy, bytes and speed of a model on a stream."),
    "verify": ("niwaki_host.cli.verify", "Same bytes on every runtime?"),
    "sweep": ("niwaki_host.cli.sweep", "Models x budgets x streams, with fronts and ranks."),
    "compare": ("niwaki_host.cli.compare", "The same stream for river, MOA and the baselines."),
    "bench": ("niwaki_host.cli.bench", "Instructions, garbage, flash and heap per operation."),
    "plan": ("niwaki_host.cli.plan", "What fits in a budget, as a memory map."),
    "streams": ("niwaki_host.cli.streams", "What a stream can be: generators and their parameters."),
    "inspect": ("niwaki_host.cli.inspect", "A saved model as rules, picture, importances."),
    "merge": ("niwaki_host.cli.merge", "One grove of several boards' groves."),
    "deploy": ("niwaki_host.cli.deploy", "Compile for the board, copy, and try it out there."),
    "record": ("niwaki_host.cli.record", "Samples from a board into a CSV, with labels."),
    "push": ("niwaki_host.cli.push", "A saved model onto a board."),
    "pull": ("niwaki_host.cli.pull", "A board's model home again."),
    "export-c": ("niwaki_host.cli.export_c", "A model as a C library: Arduino, PlatformIO, Zephyr, CMake."),
}


_NUMBERS = (click.types.IntParamType, click.types.FloatParamType)


class Interrupted(Exception):
    """Carries Ctrl-C past click, which would print a line of its own."""


class ReaderGone(Exception):
    """Carries a closed pipe past click, which would exit with 1, the code of a failed check."""


@contextmanager
def _past_click() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as error:
        raise Interrupted(*error.args) from None
    except BrokenPipeError:
        raise ReaderGone from None


class Commands(click.Group):
    """Commands by name, imported on use, with a suggestion for a mistyped one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name][0]).command
        for option in command.params:
            if option.metavar is None and isinstance(option.type, _NUMBERS):
                option.metavar = "N"  # click would write INTEGER RANGE
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]):
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise UsageError(f"there is no command {args[0]!r}{did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The overview, without importing what each command needs."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _past_click():  # click prints help here, and the reader may go away
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _past_click():
            return super().invoke(ctx)


def _version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        from niwaki import __version__

        click.echo(f"niwaki {__version__}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version."
)
def cli() -> None:
    """Decision trees that learn on a microcontroller, tried out on the desktop, bit for bit."""


def _complain(message: str) -> None:
    line = " ".join(message.split())
    print(f"niwaki: {line}", file=sys.stderr)


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    if sys.stderr is None:  # the shell has closed it: 2>&-
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    if sys.stdout is None:  # the shell has closed it: >&-
        _complain("standard output is closed: nothing can be shown; send it to a file, or to the null device")
        return 2
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # the terminal may lack a character of a bar or a name
    with _shown_notices():
        lend_to_matplotlib()
        return _main(args)


@contextmanager
def _shown_notices() -> Iterator[None]:
    """Show each notice as one line on stderr, once."""
    said = set()

    def show(message: Warning | str, category: type[Warning], *rest: Any) -> None:
        if not issubclass(category, Notice):
            others(message, category, *rest)
        elif str(message) not in said:
            said.add(str(message))
            _complain(f"note: {message}")

    with warnings.catch_warnings():
        others, warnings.showwarning = warnings.showwarning, show
        warnings.simplefilter("always", Notice)
        yield


def _main(args: Sequence[str] | None) -> int:
    try:
        code = cli.main(args=args, prog_name="niwaki", standalone_mode=False)
    except (Interrupted, KeyboardInterrupt, click.Abort) as error:
        _complain(f"interrupted; {error}" if str(error) else "interrupted")
        return 130
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=True)
        return 2
    except click.ClickException as error:
        _complain(error.format_message())
        return 2
    except ReaderGone:
        # The reader went away (`| head`): end quietly, and let Python flush to nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (UsageError, OSError) as error:
        _complain(_words(error))
        return 2
    except DeviceError as error:
        # This is not the user's mistake: show the device's own traceback, because it tells what failed.
        print(f"niwaki: {error}", file=sys.stderr)
        return 1
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        _complain("numba has no place for compiled code: set NUMBA_CACHE_DIR to a directory it can write to")
        return 2
    return code if isinstance(code, int) else 0


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__
