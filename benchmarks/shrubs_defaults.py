"""Where the defaults of Shrubs come from: accuracy over many streams as one setting varies.

    python benchmarks/shrubs_defaults.py STREAM... --budgets 2k,8k --vary shrubs=4,8 --vary every=32

STREAM is a file or a generator, as for `niwaki simulate`. Each --vary is a table of its own: a row per budget
and value, the mean accuracy over all streams (each counts the same) and, with --streams, that of each stream.
Sizes that do not fit are left to the budget; a stream that does not fit at all does not count. With
--instructions also what `learn` takes on a Cortex-M3, on average over the first samples of each stream. A
value such as 0.1C is multiplied by the number of classes.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from niwaki import BudgetError, Shrubs
from niwaki_host.runtimes import Run, run
from niwaki_host.sizes import format_size, parse_sizes
from niwaki_host.streams import open_stream
from niwaki_host.streams.encoding import make_encoding

MEASURED = 400  # samples on the emulated board


class Data:
    """A stream's samples as codes."""

    def __init__(self, spec: str, limit: int | None):
        stream = open_stream(spec, limit)
        X, y = stream.read()
        self.name = spec.rsplit("/", 1)[-1].split(".")[0]
        self.X = make_encoding(stream).encode(X)
        self.y = y
        self.shape = (stream.n_features, stream.n_classes)

    def fitting(self, budget: int, settings: dict[str, Any]) -> dict[str, Any] | None:
        """The settings without those sizes that do not fit; None if nothing fits."""
        settings = dict(settings)
        for name in ("window", "shrubs", "nodes", None):
            try:
                Shrubs(*self.shape, budget, **{k: v for k, v in settings.items() if k != "step"})
                return settings
            except BudgetError:
                settings.pop(name, None)
        return None

    def accuracy(self, budget: int, settings: dict[str, Any]) -> float:
        result = self._run("numba", budget, settings, len(self.y))
        return float((result.predictions == self.y).mean()) if result else np.nan

    def instructions(self, budget: int, settings: dict[str, Any]) -> float:
        result = self._run("cortex-m3", budget, settings, MEASURED)
        return float(result.instructions_per_learn or 0) if result else np.nan

    def _run(self, runtime: str, budget: int, settings: dict[str, Any], n: int) -> Run | None:
        d, c = self.shape
        fit = self.fitting(budget, settings)
        if fit is None:
            return None
        for name, value in fit.items():
            if isinstance(value, str) and value.endswith("C"):
                fit[name] = float(value[:-1]) * c
        params = {"n_features": d, "n_classes": c, "budget": budget, **fit}
        return run(runtime, "shrubs", params, self.X[:n], self.y[:n], measure=runtime == "cortex-m3")


def parse(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"none": None, "true": True, "false": False}.get(text.lower(), text)


def variants(texts: list[str]) -> Iterator[tuple[str, list[Any]]]:
    for text in texts:
        name, _, values = text.partition("=")
        yield name, [parse(value) for value in values.split(",")]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("streams", nargs="+", metavar="STREAM")
    parser.add_argument("--budgets", default="8k")
    parser.add_argument("--limit", type=int, default=30000)
    parser.add_argument("--vary", action="append", default=[], metavar="NAME=V,V,...")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=V", help="for all runs")
    parser.add_argument("--streams", dest="detail", action="store_true", help="also each stream's accuracy")
    parser.add_argument("--instructions", action="store_true")
    options = parser.parse_args()

    fixed = {name: values[0] for name, values in variants(options.set)}
    data = [Data(spec, options.limit) for spec in options.streams]
    detail = [d.name for d in data] if options.detail else []
    cost = ["instructions"] if options.instructions else []
    for name, values in variants(options.vary) if options.vary else [("seed", [1])]:
        heads = ["budget", name, "mean", *cost, *detail]
        print("| " + " | ".join(heads) + " |\n" + "| --- " * len(heads) + "|")
        for budget in parse_sizes(options.budgets):
            for value in values:
                settings = {**fixed, name: value}
                found = [d.accuracy(budget, settings) for d in data]
                cells = [format_size(budget), str(value), f"{np.nanmean(found):.4f}"]
                if cost:
                    cells.append(f"{np.nanmean([d.instructions(budget, settings) for d in data]):,.0f}")
                print("| " + " | ".join(cells + [f"{v:.3f}" for v in found if detail]) + " |", flush=True)
        print()


if __name__ == "__main__":
    main()
