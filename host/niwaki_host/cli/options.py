"""Option types and groups that several commands share."""

from __future__ import annotations

import ast
import functools
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from niwaki_host.device.models import MODELS
from niwaki_host.ensembles.spec import is_ensemble, parse
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.samples import Source
from niwaki_host.evaluation.telling import JUDGED, ORDERS, Telling
from niwaki_host.runtimes import RUNTIMES
from niwaki_host.sizes import parse_size, parse_sizes
from niwaki_host.suggest import did_you_mean


class _Size(click.ParamType):
    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return parse_size(value)


class _Sizes(click.ParamType):
    name = "sizes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        return value if isinstance(value, list) else parse_sizes(value)


class _Columns(click.ParamType):
    name = "columns"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        return (
            value if isinstance(value, tuple) else tuple(filter(None, (c.strip() for c in value.split(","))))
        )


class Name(click.ParamType):
    """One of a few names, with a suggestion for a mistyped one."""

    def __init__(self, what: str, known: Sequence[str]) -> None:
        self.name = what
        self.known = known

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.known:
            raise UsageError(f"there is no {self.name} {value!r}{did_you_mean(value, self.known)}")
        return value


class Names(Name):
    """Several of these names, separated by commas; `all` stands for every name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, list):
            return value
        words = [word.strip() for word in value.split(",") if word.strip()]
        if words == ["all"]:
            return list(self.known)
        if not words:
            raise UsageError(f"no {self.name} given; there are {', '.join(self.known)}")
        return list(dict.fromkeys(super(Names, self).convert(word, param, ctx) for word in words))


class _Model(Name):
    """A model; where the command can run them, also an ensemble of trees."""

    def __init__(self, ensembles: bool) -> None:
        super().__init__("model", tuple(MODELS))
        self.ensembles = ensembles

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not is_ensemble(value):
            return super().convert(value, param, ctx)
        if not self.ensembles:
            raise UsageError(f"{value}: ensembles of trees are for simulate, compare and sweep only")
        parse(value)  # raises UsageError for a wrong ensemble
        return value


class _Models(click.ParamType):
    """Models, separated by commas; key=value after an ensemble belongs to it. `all`: all but ensembles."""

    name = "models"

    def __init__(self, ensembles: bool) -> None:
        self.one = _Model(ensembles)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, list):
            return value
        given: list[str] = []
        for word in filter(None, map(str.strip, value.split(","))):
            if "=" in word and given and is_ensemble(given[-1]):
                given[-1] += f",{word}"
            else:
                given.append(word)
        if not given:
            raise UsageError(f"no model given; there are {', '.join(MODELS)}")
        every = [name for word in given for name in (MODELS if word == "all" else [word])]
        return list(dict.fromkeys(self.one.convert(name, param, ctx) for name in every))


# Arguments of a constructor that are no settings, and where their values come from instead.
_SHAPE = {
    "n_features": "the number of features is that of the samples",
    "n_classes": "the number of classes is that of the samples; --classes leaves room for more",
    "budget": "write --budget",
}


class _Setting(click.ParamType):
    name = "key=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, tuple):
            return value
        key, sign, text = value.partition("=")
        if not sign or not key.strip().isidentifier():
            raise UsageError(f"--set {value!r}: write key=value, for example grace=100")
        if key.strip() in _SHAPE:
            raise UsageError(f"--set {value!r}: {_SHAPE[key.strip()]}")
        return key.strip(), typed(text.strip())


def typed(text: str) -> Any:
    """The value that `text` is written as: int, float, bool, None or list, else the text itself."""
    words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text
    return value if isinstance(value, int | float | str | list | tuple) else text


class _Place(click.Path):
    """A path to write to. A mistake in it is found before a long run rather than after it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not value:
            self.fail("the name is empty.", param, ctx)
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if self.file_okay and not path.parent.is_dir():
            raise UsageError(f"{path}: there is no directory {path.parent}")
        there = path if path.exists() else path.parent
        if there.exists() and not os.access(there, os.W_OK):
            raise UsageError(f"{path}: cannot be written to")
        return str(path)


class _Share(click.FloatRange):
    """A number from 0 to 1. NaN is refused by a test of its own, because no comparison finds it outside."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        share = super().convert(value, param, ctx)
        if math.isnan(share):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return share


class _Delay(click.ParamType):
    """N samples, or N:M."""

    name = "delay"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, tuple):
            return value
        low, _, high = value.partition(":")
        least = count(0).convert(low, param, ctx)
        if ":" not in value:
            return least, None
        most = count(0).convert(high, param, ctx)
        if most < least:
            raise UsageError(f"--delay {value}: the first number must not be above the second")
        return least, most


def count(low: int) -> click.IntRange:
    """A number of samples, below 2**31, because kernels and generators count in 31 bits."""
    return click.IntRange(low, 2**31 - 1)


SIZE = _Size()
SIZES = _Sizes()
FILE = _Place(dir_okay=False)
DIRECTORY = _Place(file_okay=False)
COLUMNS = _Columns()
MODEL = _Model(ensembles=False)
MODEL_OR_ENSEMBLE = _Model(ensembles=True)
MODEL_LIST = _Models(ensembles=True)
RUNTIME = Name("runtime", tuple(RUNTIMES))
RUNTIME_LIST = Names("runtime", tuple(RUNTIMES))


SEED_OF_BOTH = "Of generators, and of what is drawn about labels."


def _group(*options: Callable) -> Callable:
    def decorate(command: Callable) -> Callable:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_SOURCE = (
    click.option("--limit", type=count(1), metavar="N", help="Use only the first N samples."),
    click.option(
        "--label",
        metavar="COLUMN",
        help="File: column of the label, by name or number; the last one by default.",
    ),
    click.option(
        "--classes",
        type=click.IntRange(min=2),
        metavar="N",
        help="How many classes there may be, seen or not. Labels 0..N-1 are then classes as they are.",
    ),
    click.option(
        "--nominal", type=COLUMNS, default="", metavar="A,B", help="File: columns that are nominal."
    ),
    click.option("--drop", type=COLUMNS, default="", metavar="A,B", help="File: columns to leave out."),
    click.option(
        "--fold",
        is_flag=True,
        help="Fold nominal columns of more than 255 values, which a tree does not take: value v is v % 255.",
    ),
    click.option("--no-header", is_flag=True, help="CSV: the first row is a sample; columns are x0, x1, ..."),
    click.option(
        "--encoding",
        "encodings",
        multiple=True,
        metavar="HOW",
        help="How values become 16-bit codes: auto (ranges the stream knows, else learned), learned from the "
        "first samples as a device would, whole stream (optimistic), raw, a range LO:HI for all, or a JSON "
        "file of ranges [lo, hi], in a list or by name; null for those to be learned. Or what a file's texts "
        "are written in, if not UTF-8: latin-1, cp1252, utf-16. May be given once for each.",
    ),
)


def _encodings(words: Sequence[str]) -> tuple[str, str | None]:
    """Tell the words of --encoding apart: one may be a method for codes, one a charset of texts."""
    charsets = [word for word in words if _is_charset(word)]
    methods = [word for word in words if word not in charsets]
    for same in (methods, charsets):
        if len(same) > 1:
            raise UsageError(f"--encoding {same[0]} and --encoding {same[1]}: one of them only")
    return methods[0] if methods else "auto", charsets[0] if charsets else None


def _is_charset(word: str) -> bool:
    try:
        "a".encode(word)
    except (LookupError, ValueError):
        return False
    return True


def source_options(seed: str | None = "Of generators.") -> Callable:
    """The options that say how a stream is read; the command gets them as one function `source(stream)`.

    `seed` is the help of --seed, None for a command that has no such option.
    """

    def decorate(command: Callable) -> Callable:
        @functools.wraps(command)
        def with_source(
            *args: Any, limit, label, classes, nominal, drop, fold, no_header, encodings, **rest: Any
        ) -> Any:
            encoding, charset = _encodings(encodings)

            def source(stream: str) -> Source:
                seed = rest.get("seed")
                columns = (label, classes, nominal, drop)
                return Source(stream, limit, *columns, encoding, seed, not no_header, charset, fold)

            return command(*args, source=source, **rest)

        if seed:
            with_source = click.option(
                "--seed", type=int, default=1, show_default=True, metavar="N", help=seed
            )(with_source)
        return _group(*_SOURCE)(with_source)

    return decorate


def telling_options(command: Callable) -> Callable:
    """How labels come: the command gets the fields of a Telling."""

    @functools.wraps(command)
    def with_telling(*args: Any, delay: tuple[int, int | None], **rest: Any) -> Any:
        names = ("labelled", "labelled_first", "teach", "teach_order")
        told = {"delay": delay[0], "delay_most": delay[1], **{name: rest[name] for name in names}}
        Telling(**told)  # refuses options that do not go together, before a stream is read
        return command(*args, **{**rest, **told})

    return _group(
        click.option(
            "--delay",
            type=_Delay(),
            default="0",
            metavar="N",
            help="Each label is told N samples late; N:M for a delay that is drawn for each sample.",
        ),
        click.option(
            "--labelled",
            type=_Share(0, 1),
            default=1.0,
            metavar="SHARE",
            help="Tell only this share of the labels, for example 0.1; all samples are judged.",
        ),
        click.option(
            "--labelled-first",
            type=count(0),
            metavar="N",
            help="Tell the labels of the first N samples, then none; all samples are judged.",
        ),
        click.option(
            "--teach",
            type=count(0),
            metavar="K",
            default=0,
            help="Teach K samples of each class, evenly spread over the first half of the stream; then "
            f"freeze the model and judge it on the second half, at most {JUDGED:,} samples evenly spread.",
        ),
        click.option(
            "--teach-order",
            type=Name("order", ORDERS),
            default=ORDERS[0],
            metavar="HOW",
            help="How --teach shows them: blocks, one class after another (default), or mixed.",
        ),
    )(with_telling)


def runtime_option(default: str = "numba") -> Callable:
    known = ", ".join(RUNTIMES) + "."
    return click.option(
        "--runtime", type=RUNTIME, default=default, show_default=True, metavar="R", help=known
    )


set_option = click.option(
    "--set",
    "settings",
    type=_Setting(),
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the model, for example grace=100 or leaf=mc; may be repeated.",
)

model_option = click.option(
    "--model", type=MODEL, default="vfdt", show_default=True, metavar="M", help=", ".join(MODELS) + "."
)
_ENSEMBLES = "or an ensemble of trees, such as bag:svfdt1,trees=10 and arf:vfdt,trees=10"
model_or_ensemble_option = click.option(
    "--model",
    type=MODEL_OR_ENSEMBLE,
    default="vfdt",
    show_default=True,
    metavar="M",
    help=f"{', '.join(MODELS)}, {_ENSEMBLES}.",
)


def models_option(default: str, ensembles: bool = True) -> Callable:
    known = ", ".join(MODELS) + (f", all of these, {_ENSEMBLES}." if ensembles else ", or all.")
    return click.option(
        "--models", type=_Models(ensembles), default=default, show_default=True, metavar="M,M", help=known
    )


budget_option = click.option(
    "--budget", type=SIZE, default="8k", show_default=True, help="Bytes the model may take: 8k, 8192."
)
port_option = click.option(
    "--port", metavar="P", help="Serial port of the board; by default the only one on USB."
)
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout, nothing else.")
