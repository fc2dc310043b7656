"""Samples per second, test-then-train, stream in memory: niwaki on numba, MOA's and river's Hoeffding tree.

    python benchmarks/speed.py [--samples 200000]

One run, one machine, one process after the other: read the ratios, not the figures.
"""

import argparse
import time

import numpy as np

from niwaki_host.encoding import encode_stream
from niwaki_host.runtimes import run
from niwaki_host.streams import open_stream

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

    rows = [dict(enumerate(row)) for row in X.tolist()]
    labels = y.tolist()
    model = HoeffdingTreeClassifier()
    right = 0
    start = time.perf_counter()
    for row, label in zip(rows, labels, strict=True):
        right += model.predict_one(row) == label
        model.learn_one(row, label)
    return time.perf_counter() - start, right / len(labels)


def main() -> None:
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("--samples", type=int, default=200_000)
    n = parser.parse_args().samples
    stream = open_stream(f"rbf:attributes={FEATURES},classes={CLASSES},n={n}")
    floats, y = stream.read()
    codes, _ = encode_stream(open_stream(f"rbf:attributes={FEATURES},classes={CLASSES},n={n}"))
    share = min(n, 20_000)  # river is slow enough to be timed on a part
    rates = {}
    for name, taken, (seconds, accuracy) in (
        ("niwaki", n, niwaki(codes, y)),
        ("MOA", n, moa(n)),
        ("river", share, river(floats[:share], y[:share])),
    ):
        rates[name] = taken / seconds
        print(f"{name:8s}{rates[name]:14,.0f} samples/s   accuracy {accuracy:.3f}")
    for peer in ("MOA", "river"):
        print(f"niwaki is {rates['niwaki'] / rates[peer]:.0f} times as fast as {peer}")


if __name__ == "__main__":
    main()
