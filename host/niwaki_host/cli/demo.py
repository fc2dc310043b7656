"""niwaki demo: show in under a minute that models in 8 KB recover from a drift."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from niwaki_host.cli import options
from niwaki_host.cli.output import console, print_json, progress_bar, rows_table

_NEXT = (
    ("simulate {stream} --limit 8000 --model grove --budget 4k", "another model, another budget"),
    ("plan --features 6 --classes 6 --budget 4k", "where the bytes go"),
    ("verify sea --limit 2000 --model shrubs", "every runtime, the same bytes?"),
)


@click.command("demo")
@click.option(
    "--out",
    type=options.FILE,
    default="niwaki-demo.png",
    show_default=True,
    help="The picture: PNG, SVG or PDF.",
)
@click.option(
    "--limit", type=click.IntRange(min=2000), default=8000, show_default=True, metavar="N", help="Samples."
)
@options.json_option
def command(out: str, limit: int, as_json: bool) -> int:
    """Learn a moving person's activities in 8 KB, then re-mount the sensor and watch the models recover.

    A tree and a shrub ensemble learn a simulated 6-axis stream sample by sample, on the desktop and on an
    emulated Cortex-M3. Then these and a grove are taught some samples of one activity after another, and
    left alone. Exits with 1 when desktop and Cortex-M3 do not end with the same bytes.
    """
    from niwaki_host import demo as demos
    from niwaki_host.plots import save
    from niwaki_host.plots.style import check_format

    check_format(out)
    demo = demos.prepare_demo(limit)
    with progress_bar("demo", demos.work_of(demo)) as progress:
        demos.run_demo(demo, progress)
    picture = save(_figure(demo), out)
    if as_json:
        print_json(
            {
                "stream": demos.STREAM,
                "samples": limit,
                "drift": demo.drift,
                "window": demos.WINDOW,
                "budget_bytes": demos.BUDGET,
                "equal": demo.equal,
                "runs": [part.record() for part in demo.parts],
                "taught": [part.record() for part in demo.taught],
                "skipped": demo.skipped,
                "picture": str(picture),
            }
        )
    else:
        _print(demo, picture)
    return 0 if demo.equal else 1


def _figure(demo: Any) -> Any:
    from niwaki_host.demo import BUDGET, MODELS, WINDOW
    from niwaki_host.plots.demo import Line, demo_figure

    lines = []
    for name, model in MODELS.items():
        learning, frozen = demo.of(name)[0], demo.of(name, frozen=True)[0]
        lines.append(Line(model, f"{name}, learning", learning.recent))
        lines.append(Line(model, f"{name}, taught once", frozen.recent, frozen=True))
    title = f"Six activities from a 6-axis sensor, learned sample by sample in {BUDGET // 1024} KB"
    return demo_figure(lines, demo.drift, WINDOW, title)


def _print(demo: Any, picture: Path) -> None:
    from niwaki_host.demo import BUDGET, MODELS, STREAM, TEACH, WINDOW

    ordered = [part for name in MODELS for part in (*demo.of(name), *demo.of(name, frozen=True))]
    rows_table(
        f"6 sensor axes, {demo.samples.n_classes} activities, {len(demo.samples.y):,} samples, "
        f"budget {BUDGET:,} B; the sensor is re-mounted at {demo.drift:,}",
        ("model", "where", "before", "at", "after", "bytes", "learn", "predict", "heap", "digest"),
        [_row(part) for part in ordered],
        left=2,
    )
    say = console()
    say.print(
        f"before, at, after: accuracy over {WINDOW} samples at the drift and at the end; learn, predict: "
        "instructions per sample;\nheap: the most in use, code and stream driver included; "
        "taught once: no labels after the drift",
        highlight=False,
        style="dim",
    )
    one = demo.taught[0]
    rows_table(
        f"the same sensor before that, taught {TEACH} samples of each activity, one activity after another, "
        f"then left alone for {one.asked:,} samples",
        ("model", "right"),
        [(part.name, f"{part.accuracy:.1%}") for part in demo.taught],
        left=1,
    )
    for runtime, why in demo.skipped.items():
        say.print(f"skipped: {runtime}: {why}", highlight=False)
    if not demo.equal:
        say.print(
            "the digests DIFFER: desktop and Cortex-M3 did not end with the same bytes", style="bold red"
        )
    elif not demo.skipped:
        say.print("same digest: desktop and Cortex-M3 end with the same bytes", style="bold green")
    say.print(f"picture: {picture}", highlight=False, soft_wrap=True)
    say.print("\ntry next:")
    program = _program()
    for words, what in _NEXT:
        line = f"  {program} {words.format(stream=STREAM)}"
        say.print(f"{line:<90} # {what}", highlight=False, soft_wrap=True)


def _row(part: Any) -> tuple[str, ...]:
    result = part.run
    where = {"numba": "desktop", "cortex-m3": "Cortex-M3"}[part.runtime]
    return (
        part.name,
        "desktop, taught once" if part.frozen else where,
        *(f"{value:.1%}" for value in (part.before, part.at, part.after)),
        f"{result.model_bytes:,}",
        _count(result.instructions_per_learn),
        _count(result.instructions_per_predict),
        _count(result.peak_heap_bytes),
        result.digest,
    )


def _count(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _program() -> str:
    """How to call this program from here: `make demo` runs it from an environment that is not active."""
    own = Path(sys.argv[0])
    found = shutil.which("niwaki")
    if own.name != "niwaki" or (found and os.path.samefile(found, own)):
        return "niwaki"
    return os.path.relpath(own)
