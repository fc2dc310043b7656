"""Samples per second, test-then-train: trees beside MOA's and river's, shrubs beside CapyMOA's.

    python benchmarks/speed.py > benchmarks/results/speed.md

An RBF stream of 10 features and 3 classes in memory; niwaki on numba, compiled before, in 16 KB. One process
after the other, the best of three runs each: read the ratios, not the figures. `same` is Shrubs as in their
paper, with CapyMOA's window of 32, 8 shrubs and a new shrub for each sample. river and CapyMOA's Shrubs are
slow enough to be timed on a part of the samples.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from common import heading, parser, row, table
from shrubs_peers import both

from niwaki_host.runtimes import run
from niwaki_host.streams import open_stream
from niwaki_host.streams.encoding import encode_stream

FEATURES, CLASSES = 10, 3


def niwaki(X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    params = {"n_features": FEATURES, "n_classes": CLASSES, "budget": 16384, "leaf": "nba"}
    result = run("numba", "vfdt", params, X, y)
    return result.seconds, float(np.mean(result.predictions == y))


def moa(n: int) -> tuple[float, float]:
    """MOA's own loop in Java, over its own generator of the same stream, whose time is taken off."""
    from capymoa.classifier import HoeffdingTree, NoChange
    from capymoa.evaluation import prequential_evaluation
    from capymoa.stream.generator import RandomRBFGenerator

    seconds = []
    for learner in (NoChange, HoeffdingTree, NoChange, HoeffdingTree):  # the first two warm Java up
        stream = RandomRBFGenerator(number_of_attributes=FEATURES, number_of_classes=CLASSES)
        start = time.perf_counter()
        results = prequential_evaluation(stream, learner(stream.get_schema()), max_instances=n)
        seconds.append(time.perf_counter() - start)
    return seconds[3] - seconds[2], results.cumulative.accuracy() / 100


def river(X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    from river.tree import HoeffdingTreeClassifier

    samples = [dict(enumerate(values)) for values in X.tolist()]
    labels = y.tolist()
    model = HoeffdingTreeClassifier()
    right = 0
    start = time.perf_counter()
    for sample, label in zip(samples, labels, strict=True):
        right += model.predict_one(sample) == label
        model.learn_one(sample, label)
    return time.perf_counter() - start, right / len(labels)


def best(timed: Callable[..., tuple[float, float]], *arguments: Any) -> tuple[float, float]:
    """The shortest of three: what else a machine does only adds to it."""
    return min(timed(*arguments) for _ in range(3))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=200_000)
    n = options.parse_args().samples
    heading(__doc__)
    spec = f"rbf:attributes={FEATURES},classes={CLASSES},n={n}"
    floats, y = open_stream(spec).read()
    codes, _ = encode_stream(open_stream(spec))
    part, few = min(n, 20_000), min(n, 2_000)
    runs = [both(spec, few) for _ in range(3)]
    samples = runs[0][2]
    same = min((found[0] for found in runs), key=lambda found: found.seconds)
    capymoa = min((found[1] for found in runs), key=lambda found: found.seconds)
    timed = {
        "tree": (n, *best(niwaki, codes, y), "tree"),
        "MOA's HoeffdingTree": (n, *best(moa, n), "tree"),
        "river's HoeffdingTreeClassifier": (part, *best(river, floats[:part], y[:part]), "tree"),
        "shrubs, same": (few, same.seconds, np.mean(same.predictions == samples.y), "shrubs, same"),
        "CapyMOA's Shrubs": (few, capymoa.seconds, np.mean(capymoa.predictions == samples.y), "shrubs, same"),
    }
    table(["", "samples", "per second", "accuracy", "niwaki is so many times as fast"])
    for name, (taken, seconds, accuracy, ours) in timed.items():
        rate = taken / seconds
        times = timed[ours][0] / timed[ours][1] / rate
        row([name, f"{taken:,}", f"{rate:,.0f}", f"{accuracy:.3f}", "" if name == ours else f"{times:,.0f}"])


if __name__ == "__main__":
    main()
