"""Sanitizers: a program around a model's library that feeds it hostile images, or all small streams."""

from __future__ import annotations

import subprocess
import tempfile
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from niwaki_host.device import c_build, images
from niwaki_host.device.c_library import Library
from niwaki_host.device.c_model import TEMPLATES

SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
FLAGS = ("-std=c99", "-O1", "-g", "-Wall", "-Wextra")


def program(model: Any, checked: bool = True, sanitized: bool = True) -> Path:
    """The program for models like this one; `checked`: every number, index and store is tested, too."""
    library = Library(model, checked=checked)
    source = library.source(include=False) + library.fill((TEMPLATES / "fuzz.c").read_text())
    return c_build.build(source, (*FLAGS, *(SANITIZERS if sanitized else ())), suffix="")


def corpus(model: Any, count: int = 8) -> list[bytes]:
    """Images of the model while it learns a stream that makes it grow."""
    rng = np.random.default_rng(1)
    found = [images.to_bytes(model, about=False)]
    for step in range(1, count):
        for _ in range(60 * step):
            x = rng.integers(-20, 21, model.n_features)
            y = (int(x[0] > 0) * 2 + int(x[-1] > 5)) % model.n_classes
            model.learn(array("h", x.tolist()), y)
        found.append(images.to_bytes(model, about=False))
    return found


def run(path: Path, *arguments: str, timeout: float | None = None) -> str:
    """Run the program; returns what it prints. If it fails, the error contains its output."""
    done = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=timeout)
    if done.returncode:
        raise AssertionError(f"{done.stdout}{done.stderr}"[-3000:])
    return done.stdout


def fuzz(model: Any, rounds: int, seed: int = 1, options: Sequence[bool] = (True, True)) -> str:
    """Feed hostile images to models like this one, in so many `rounds`."""
    path = program(model, *options)
    with tempfile.TemporaryDirectory(prefix="niwaki-") as folder:
        file = Path(folder) / "images"
        file.write_bytes(b"".join(corpus(model)))
        return run(path, "images", str(file), str(rounds), str(seed))


def exhaust(model: Any, length: int, letters: int) -> str:
    """Try all streams of `length` samples over so many codes (`letters`)."""
    return run(program(model), "scopes", str(length), str(letters))
