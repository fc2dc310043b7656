"""Trees drawn by a seed, for comparisons: with short grace periods and wide ties, so that much happens."""

import random
from dataclasses import dataclass
from typing import Any

import niwaki
from niwaki_host.streams import Stream, open_stream
from niwaki_host.streams.encoding import encode_stream, make_encoding

STREAMS = (
    "sea",
    "sea:function=1+2+3+4,drift=25%+50%+75%",
    "agrawal:function=2,missing=5",
    "agrawal:function=1+2+5,drift=33%+66%",
    "rbf:classes=4",
    "led:noise=10",
    "waveform:missing=10",
    "hyperplane",
    "bg1:attributes=8,features=0/1/2+3/4/5,drift=50%",
    "stagger:function=1+2+3,drift=33%+66%",
    "seafd:function=1+2,attributes=6,drift=50%",
)
LIMITED = 8
"""Of ten seeds the one whose trees have `max_depth` and `nb_threshold`."""
BUDGETS = (1024, 1500, 2048, 3000, 4096, 8192)


@dataclass
class Drawn:
    spec: str
    budget: int
    tree: Any
    X: Any
    y: Any
    options: dict[str, Any]
    """Those that a reference must know."""

    def __str__(self) -> str:
        return f"{self.spec}, {self.budget} bytes, {self.options}"


def samples(spec: str, n: int) -> tuple[Stream, Any, Any]:
    stream = open_stream(spec, limit=n)
    return stream, *encode_stream(stream, make_encoding(stream, "whole"))


def drawn(seed: int, n: int | None = None, package: Any = niwaki) -> Drawn:
    """A tree (of the device package) and its stream, of `n` samples or of so many as the seed says."""
    rng = random.Random(seed)
    while True:
        spec, length = rng.choice(STREAMS), rng.choice((1000, 3000, 6000))
        stream, X, y = samples(spec, n or length)
        options: dict[str, Any] = {
            "leaf": rng.choice(("nba", "nba", "nba", "nb", "mc")),
            "tau": rng.choice((0.05, 0.1, 0.3, 1.0)),
            "delta": rng.choice((1e-7, 1e-4, 1e-2, 0.1)),
        }
        if rng.random() < 0.4:
            options["omega"] = rng.choice((0.3, 0.5, 0.8, 1.0))
        more: dict[str, Any] = {"adaptive": rng.random() < 0.6, "grace": rng.choice((20, 50, 100, 200))}
        if any(stream.nominal) and rng.random() < 0.8:
            more["nominal"] = list(stream.nominal)
        if rng.random() < 0.2:
            more["bins"] = rng.choice((4, 8, 16))
        if rng.random() < 0.3:
            more["lanes"] = rng.randint(2, stream.n_features)
        if rng.random() < 0.3:
            more["nodes"] = rng.choice((3, 5, 7, 9, 15))
        budget = rng.choice(BUDGETS)
        if seed % 10 == LIMITED:
            options["max_depth"] = rng.randint(1, 4)
            options["nb_threshold"] = rng.choice((30, 150, 700))
        try:
            tree = package.Tree(stream.n_features, stream.n_classes, budget, **options, **more)
        except package.BudgetError:
            continue
        return Drawn(spec, budget, tree, X, y, options)
