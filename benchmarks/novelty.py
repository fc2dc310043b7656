"""What `novelty(x)` can tell.

    python benchmarks/novelty.py STREAM... > benchmarks/results/novelty.md

A model learns four fifths of the first --limit samples without one of the classes. Then it is asked for the
novelty of samples of the rest, and of strange ones. The figures are areas under the ROC curve: how often a
strange sample scores higher than a usual one (0.5 would be guessing), the mean over the classes that were
left out, four at most; streams of which no class can be left out, as of two, are passed over.

class: samples of the class that was left out. end: a feature of a usual sample is at an end of the 16-bit
range. stuck: half of its features are 0.
"""

import numpy as np
from common import Data, heading, load, parser, row, table
from scipy.stats import rankdata

from niwaki_host.device import models
from niwaki_host.runtimes import run
from niwaki_host.runtimes.result import set_state
from niwaki_host.sizes import parse_size

SAMPLES = 200
CLASSES = 4


def area(strange: np.ndarray, usual: np.ndarray) -> float:
    """Area under the ROC curve: the share of pairs in which the strange sample scores higher."""
    n = len(strange)
    ranks = rankdata(np.concatenate([strange, usual]))[:n]
    return float((ranks.sum() - n * (n + 1) / 2) / (n * len(usual)))


def some(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return X[rng.permutation(len(X))[:SAMPLES]]


def areas(data: Data, name: str, budget: int, left_out: int, rng: np.random.Generator) -> list[float] | None:
    """Areas for a class that is left out; None when it has too few samples."""
    known = data.y != left_out
    X, y = data.X[known], data.y[known]
    n = 4 * len(X) // 5
    if np.sum(~known) < 30 or len(np.unique(y[:n])) < 2:
        return None
    params = {"n_features": X.shape[1], "n_classes": data.stream.n_classes, "budget": budget}
    done = run("numba", name, params, X[:n], y[:n])
    model = models.build(name, **params)
    set_state(model, done.words.tobytes(), done.halves.tobytes(), done.octets.tobytes())

    def scores(samples: np.ndarray) -> np.ndarray:
        return np.array([model.novelty(x) for x in samples.tolist()])

    usual = some(X[n : n + 1000], rng)
    end = usual.copy()
    end[np.arange(len(end)), rng.integers(0, X.shape[1], len(end))] = rng.choice([-32767, 32767], len(end))
    stuck = np.where(rng.random(usual.shape) < 0.5, 0, usual)
    normal = scores(usual)
    return [area(scores(strange), normal) for strange in (some(data.X[~known], rng), end, stuck)]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budget", default="8k")
    options.add_argument("--limit", type=int, default=12_000)
    args = options.parse_args()
    heading(__doc__)
    columns = [
        "stream",
        *(f"{name} {what}" for name in ("tree", "shrubs") for what in ("class", "end", "stuck")),
    ]
    table(columns)
    total = []
    for spec in args.streams:
        data = load(spec, args.limit)
        found = []
        for name in ("vfdt", "shrubs"):
            rng = np.random.default_rng(1)
            left_out = range(min(CLASSES, data.stream.n_classes))
            each = [areas(data, name, parse_size(args.budget), c, rng) for c in left_out]
            each = [figures for figures in each if figures]
            found += list(np.mean(each, 0)) if each else []
        if not found:
            continue
        total.append(found)
        row([data.name, *(f"{value:.2f}" for value in found)])
    row(["**mean**", *(f"{value:.2f}" for value in np.mean(total, 0))])


if __name__ == "__main__":
    main()
