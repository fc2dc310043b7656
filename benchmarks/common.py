"""What the measuring scripts share: streams by name, a model's run over one, and markdown on stdout."""

import argparse
import datetime
import math
import shlex
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from niwaki_host.device import models
from niwaki_host.errors import UsageError
from niwaki_host.runtimes import Run, run
from niwaki_host.streams import Stream, open_stream
from niwaki_host.streams.encoding import encode_stream, make_encoding
from niwaki_host.streams.fold import Folded


@dataclass
class Data:
    """A stream in memory, as the codes that a model takes."""

    name: str
    stream: Stream
    X: np.ndarray
    y: np.ndarray

    def shape(self, model: str, budget: int) -> dict[str, Any]:
        """What the model's constructor gets."""
        shape: dict[str, Any] = {
            "n_features": self.stream.n_features,
            "n_classes": self.stream.n_classes,
            "budget": budget,
        }
        if any(self.stream.nominal) and models.takes_nominal(model):
            shape["nominal"] = list(self.stream.nominal)
        return shape

    def run(self, model: str, budget: int, **settings: Any) -> Run:
        return run("numba", model, {**self.shape(model, budget), **settings}, self.X, self.y)

    def percent(self, model: str, budget: int, **settings: Any) -> float:
        """Percent right; NaN where the budget is too small."""
        try:
            return self.accuracy(self.run(model, budget, **settings))
        except UsageError as error:
            if "too small" not in str(error):
                raise
            return math.nan

    def accuracy(self, found: Run, start: int = 0, stop: int | None = None) -> float:
        """Percent right, each sample tested before it is learned."""
        return 100 * float(np.mean(found.predictions[start:stop] == self.y[start:stop]))


def load(spec: str, limit: int | None = None, phase: int = 0, nominal: Iterable[str] = ()) -> Data:
    """A stream; `phase` other than 0 moves its codes: each range is up to a tenth wider on either side.

    `nominal` are columns of a file that hold names; more than 255 of them are folded.
    """
    stream = Folded(open_stream(spec, limit=limit, nominal=list(nominal)))
    name = Path(spec).name.split(".")[0] if Path(spec).exists() else spec
    encoding = make_encoding(stream)
    if phase:
        rng = np.random.default_rng(phase)
        for j, known in enumerate(encoding.ranges):
            if isinstance(known, tuple):
                below, above = rng.uniform(0, 0.1, 2) * (known[1] - known[0])
                encoding.ranges[j] = known[0] - below, known[1] + above
    return Data(name, stream, *encode_stream(stream, encoding))


def parser(doc: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("streams", nargs="*", help="files or generators")
    return made


def version() -> str:
    """The version, with the commit where there is one."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty=+"]
    found = subprocess.run(command, capture_output=True, text=True)
    return niwaki.__version__ + (f" ({found.stdout.strip()})" if found.returncode == 0 else "")


def heading(doc: str) -> None:
    """Title and explanation from the script's docstring; version, date and command."""
    title, _, rest = doc.partition("\n")
    words = [_shown(word) for word in sys.argv[1:]]
    command = shlex.join(["benchmarks/" + Path(sys.argv[0]).name, *words])
    today = datetime.date.today().isoformat()
    print(f"# {title.rstrip('.')}\n\nniwaki {version()}, {today}: `python {command}`\n")
    parts = rest.strip("\n").split("\n\n")
    print("\n\n".join(part for part in parts if not part.startswith("    ")).strip() + "\n", flush=True)


def _shown(word: str) -> str:
    """An argument, without the directories of this machine."""
    path = Path(word)
    return "DIR" if path.is_dir() else path.name if path.is_file() or path.is_absolute() else word


def row(cells: Iterable[Any]) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def table(columns: list[str]) -> None:
    """The head of a table; the first column is text, the others are numbers."""
    row(columns)
    row(["---"] + ["---:"] * (len(columns) - 1))
