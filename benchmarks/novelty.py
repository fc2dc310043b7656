"""What `novelty(x)` can tell.

    python benchmarks/novelty.py STREAM... > benchmarks/results/novelty.md

A model learns four fifths of the first --limit samples without one of the classes. Then it is asked for the
novelty of samples of the rest, and of strange ones. The figures are areas under the ROC curve: how often a
strange sample scores higher than a usual one (0.5 would be guessing), the mean over the classes that were
left out, four at most; nothing where no class can be left out, as of two.

class: samples of the class that was left out. end: a feature of a usual sample is at an end of the 16-bit
range. stuck: half of its features are 0. offset: half of them lie higher by half of the feature's span.
noise: every feature is off by a tenth of its span, on average.

A grove's novelty is a rank, so that an alarm at 1/64 has a rate: *alarms* is how many of a thousand usual
samples raise one. There it learns TAUGHT samples drawn at random from all of the stream's first --limit, and
is asked for others, drawn the same way (15.6 would be exact; 7.8 to 31.2 are 1/128 to 1/32).
"""

from array import array

import numpy as np
from common import Data, heading, load, parser, row, table
from scipy.stats import rankdata

from niwaki.grove import novelty
from niwaki_host.device import models
from niwaki_host.runtimes import numba_rt, run
from niwaki_host.runtimes.result import set_state
from niwaki_host.sizes import parse_size

SAMPLES = 200
CLASSES = 4
MODELS = {"vfdt": "tree", "shrubs": "shrubs", "grove": "grove"}
STRANGE = ("class", "end", "stuck", "offset", "noise")
TAUGHT, ASKED, DRAWS = 500, 600, 12
KINDS = (np.int32, np.uint16, np.uint8, np.int32, np.uint16)  # of the arrays that a kernel gets
ALARM = 65536 - 65536 // 64


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
    span = np.ptp(X[:n].astype(int), axis=0)
    half = rng.random(usual.shape) < 0.5
    offset = np.clip(usual + half * span // 2, -32767, 32767)
    noise = np.clip(usual + rng.normal(0, 0.125, usual.shape) * span, -32767, 32767).astype(int)
    normal = scores(usual)
    unlike = (some(data.X[~known], rng), end, stuck, offset, noise)
    return [area(scores(strange), normal) for strange in unlike]


def alarms(data: Data, budget: int) -> float:
    """Of a thousand samples like those that were taught, how many raise an alarm at 1/64."""
    raised: list[bool] = []
    for seed in range(DRAWS):
        drawn = np.random.default_rng(seed).permutation(np.flatnonzero(data.y >= 0))
        taught, asked = drawn[:TAUGHT], drawn[TAUGHT : TAUGHT + ASKED]
        params = {"n_features": data.X.shape[1], "n_classes": data.stream.n_classes, "budget": budget}
        done = run("numba", "grove", params, data.X[taught], data.y[taught])
        model = models.build("grove", **params)
        set_state(model, done.words.tobytes(), done.halves.tobytes(), done.octets.tobytes())
        raised += [model.novelty(x) >= ALARM for x in data.X[asked].tolist()]
    return 1000 * float(np.mean(raised))


def quicken() -> None:
    """Let groves search for neighbours as machine code: the same kernel, for which CPython takes minutes."""
    kernel = numba_rt.compiled(novelty.nearest)

    def nearest(at: tuple, x: array, place: int, enough: int) -> int:
        parts = [np.frombuffer(part, kind) for part, kind in zip(at, KINDS, strict=False)]
        words, halves, octets, scratch, log2 = parts
        return int(kernel(words, halves, octets, np.frombuffer(x, np.int16), scratch, log2, place, enough))

    novelty.nearest = nearest


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budget", default="8k")
    options.add_argument("--limit", type=int, default=12_000)
    args = options.parse_args()
    heading(__doc__)
    quicken()
    budget = parse_size(args.budget)
    table(["stream", *(f"{shown} {what}" for shown in MODELS.values() for what in STRANGE), "grove alarms"])
    total = []
    for spec in args.streams:
        data = load(spec, args.limit)
        found = []
        for name in MODELS:
            rng = np.random.default_rng(1)
            left_out = range(min(CLASSES, data.stream.n_classes))
            each = [areas(data, name, budget, c, rng) for c in left_out]
            each = [figures for figures in each if figures]
            found += list(np.mean(each, 0)) if each else [np.nan] * len(STRANGE)
        total.append(found)
        cells = ("" if np.isnan(value) else f"{value:.2f}" for value in found)
        row([data.name, *cells, f"{alarms(data, budget):.1f}"])
    row(["**mean**", *(f"{value:.2f}" for value in np.nanmean(total, 0)), ""])


if __name__ == "__main__":
    main()
