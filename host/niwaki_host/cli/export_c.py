"""niwaki export-c: a model as a C library."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from niwaki_host.cli import options
from niwaki_host.cli.output import pairs_table, print_json
from niwaki_host.device import images, models
from niwaki_host.device.c_library import Library
from niwaki_host.errors import UsageError


@click.command("export-c")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@options.model_option
@click.option("--features", type=click.IntRange(1, 4096), help="Codes in a sample.")
@click.option("--classes", type=click.IntRange(1, 255), help="Labels are 0 .. classes - 1.")
@click.option("--budget", type=options.SIZE, default="8k", show_default=True)
@click.option(
    "--image",
    type=click.Path(path_type=Path),
    help="A saved model, trained or not, instead of a new one.",
)
@click.option("--name", default="niwaki", show_default=True, help="Prefix of files and names in C.")
@options.set_option
@options.json_option
def command(
    directory: Path,
    model: str,
    features: int | None,
    classes: int | None,
    budget: int,
    image: Path | None,
    name: str,
    settings: tuple[tuple[str, Any], ...],
    as_json: bool,
) -> int:
    """Write a model as a library in C99 for people without MicroPython: Arduino, PlatformIO, Zephyr, CMake.

    It learns and answers the same as the Python model, byte for byte, and their images go both ways.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UsageError(f"--name must be a lower-case name in C, not {name!r}")
    if image is not None:
        if features or classes or settings:
            raise UsageError("--image has its own shape and options: leave --features, --classes, --set out")
        try:
            data = image.read_bytes()
        except OSError as error:
            raise UsageError(f"{image}: {error.strerror}") from None
        built = images.from_bytes(data)
    elif features is None or classes is None:
        raise UsageError("say --features and --classes, or --image for a saved model")
    else:
        built = models.build(model, features, classes, budget, **dict(settings))
    library = Library(built, name)
    files = library.files()
    for path, text in files.items():
        place = directory / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    sizes = {"model_bytes": library.ram(), "image_bytes": len(library.image)}
    if as_json:
        print_json(
            {"directory": str(directory), "files": sorted(files), "loads": bool(library.proof), **sizes}
        )
    else:
        rows = [
            ("files", ", ".join(sorted(files))),
            ("RAM of a model", f"{sizes['model_bytes']:,} B"),
            ("its image", f"{sizes['image_bytes']:,} B of flash"),
        ]
        pairs_table(f"{type(built).__name__} as a C library in {directory}", rows)
    return 0
