"""Strict trees, tables 3 and 4 and figures 2 to 4 of their paper: exact, ours, and as published.

    python benchmarks/papers_strict.py elec2.csv.xz covtype.csv.xz > benchmarks/results/papers_strict.md

Turrisi da Costa, de Carvalho and Barbon Junior, "Strict Very Fast Decision Tree: a memory conservative
algorithm for data stream mining", 2018. Means over tau .05, .10, .15 and .20; delta 1e-5, grace 200, in
--budget bytes. `exact` is `exact=True` with --bins bins of 16 bits (the paper's Gaussians have 100 split
points), `ours` the default. Kappa M is that of the whole stream. KiB are those that are filled at the end.
Time is microseconds a sample, the best of --runs; the paper's are seconds of Python for the whole stream, the
mean of 30 runs. Spam and usenet, streams of texts, are not to be had here. 60,000 samples of nine
streams and three runs take 70 seconds of one core.
"""

from typing import Any

import numpy as np
from common import Data, heading, load, parser, row, table

from niwaki_host.device.memory_map import bytes_in_use
from niwaki_host.evaluation import metrics, statistics
from niwaki_host.runtimes import run

MODELS = {"VFDT": "vfdt", "SVFDT-I": "svfdt1", "SVFDT-II": "svfdt2"}
MODES = ("exact", "ours")
TAUS = (0.05, 0.10, 0.15, 0.20)
GENERATORS = {
    "led24_0": ("led:noise=0", 1_000_000),
    "led24_10": ("led:noise=10", 1_000_000),
    "led24_20": ("led:noise=20", 1_000_000),
    "rbf_1kk": ("rbf:seed=1", 1_000_000),
    "rbf_500k": ("rbf:seed=1", 500_000),
    "rbf_250k(50)": ("rbf:attributes=50", 250_000),
    "sea": ("sea_a:noise=10", 60_000),
}
# accuracy, Kappa M, nodes, seconds, of VFDT, SVFDT-I and SVFDT-II
PAPER = {
    "covtype": ((0.763, 0.537, 536, 167.8), (0.758, 0.529, 365, 135.5), (0.763, 0.537, 467, 159.2)),
    "elec2": ((0.801, 0.531, 209, 6.2), (0.799, 0.526, 78, 5.6), (0.804, 0.538, 126, 6.5)),
    "led24_0": ((1.0, 1.0, 19, 27.1), (1.0, 1.0, 19, 30.4), (1.0, 1.0, 19, 30.2)),
    "led24_10": ((0.733, 0.703, 554, 33.9), (0.730, 0.700, 90, 34.3), (0.731, 0.701, 255, 35.9)),
    "led24_20": ((0.504, 0.449, 524, 34.0), (0.500, 0.444, 132, 34.2), (0.504, 0.449, 235, 35.7)),
    "rbf_1kk": ((0.922, 0.833, 3194, 245.8), (0.900, 0.784, 128, 169.7), (0.909, 0.804, 864, 260.0)),
    "rbf_500k": ((0.914, 0.815, 1746, 128.9), (0.894, 0.771, 124, 100.2), (0.900, 0.785, 504, 138.2)),
    "rbf_250k(50)": ((0.990, 0.980, 455, 146.7), (0.982, 0.964, 110, 185.5), (0.990, 0.979, 312, 197.4)),
    "sea": ((0.850, 0.598, 273, 6.4), (0.852, 0.603, 116, 6.4), (0.851, 0.601, 137, 6.7)),
}
# Table 4, relative to VFDT's: accuracy, Kappa M, size, time; at each tau for SVFDT-I and SVFDT-II
PAPER_RELATIVE = {
    0.05: ((0.992, 0.991, 0.484, 0.853), (1.000, 1.006, 0.669, 0.971)),
    0.10: ((0.984, 0.844, 0.412, 0.877), (0.984, 0.825, 0.566, 1.043)),
    0.15: ((0.992, 1.020, 0.347, 1.044), (0.997, 1.043, 0.529, 1.125)),
    0.20: ((0.999, 1.076, 0.353, 1.103), (1.002, 1.084, 0.504, 1.148)),
}
MEASURES = ("accuracy", "Kappa M", "nodes", "KiB", "us")


def measure(data: Data, model: str, tau: float, args, mode: str) -> tuple[float, ...]:
    """One run: see MEASURES."""
    settings: dict[str, Any] = {"delta": 1e-5, "tau": tau}
    if mode == "exact":
        settings.update(exact=True, bins=args.bins, count_bits=16)
    params = {**data.shape(model, args.budget), **settings}
    # Noted at the end only: the time of a point is no part of a run's.
    ways = {"every": len(data.y), "note": bytes_in_use}
    runs = [run("numba", model, params, data.X, data.y, **ways) for _ in range(args.runs)]
    found = runs[0]
    scores = metrics.summary(data.y, found.predictions)
    seconds = min(one.seconds for one in runs)
    size = found.noted[-1] / 1024
    return scores["accuracy"], scores["kappa_m_global"], found.nodes, size, 1e6 * seconds / len(data.y)


def diagrams(scores: np.ndarray) -> None:
    """Figures 2 to 4, in words: mean ranks at tau .05 over the streams, and who can't be told apart."""
    print("\nFigures 2 to 4: mean ranks at tau 0.05 (Friedman, Nemenyi, level 0.05).\n")
    table(["row", "of", *MODELS, "Friedman's p", "critical difference", "not told apart"])
    names = list(MODELS)
    for m, mode in enumerate(MODES):
        for title, measured, sign in (("accuracy", 0, 1), ("memory", 3, -1), ("time", 4, -1)):
            part = sign * scores[:, m, :, 0, measured]
            mean, friedman = statistics.mean_ranks(part), statistics.friedman(part)
            distance = statistics.critical_difference(len(names), len(part))
            order = [names[k] for k in np.argsort(mean, kind="stable")]
            alike = [" = ".join(order[a : b + 1]) for a, b in statistics.cliques(mean, distance)]
            p = f"{friedman.p:.3g}" if friedman else "-"
            row([mode, title, *(f"{r:.2f}" for r in mean), p, f"{distance:.2f}", "; ".join(alike) or "-"])


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=1_000_000, help="at most so many of a stream")
    options.add_argument("--budget", type=int, default=16_000_000)
    options.add_argument("--bins", type=int, default=64)
    options.add_argument("--runs", type=int, default=1)
    args = options.parse_args()
    heading(__doc__)
    if args.samples < 1_000_000:
        print(f"**At most {args.samples:,} samples of each stream; the paper has up to 1,000,000.**\n")
    specs = [(name, f"{spec},n={min(n, args.samples)}") for name, (spec, n) in GENERATORS.items()]
    specs += [("covtype" if "cov" in file else "", file) for file in args.streams]
    print("Table 3.\n")
    table(
        ["stream, samples", "row", "model", *MEASURES, *(f"paper's {m}" for m in (*MEASURES[:3], "seconds"))]
    )
    every = []
    for name, spec in specs:
        data = load(spec, args.samples)
        name = name or data.name
        scores = np.array(
            [
                [[measure(data, model, tau, args, mode) for tau in TAUS] for model in MODELS.values()]
                for mode in MODES
            ]
        )
        every.append(scores)
        for m, mode in enumerate(MODES):
            for k, title in enumerate(MODELS):
                accuracy, kappa, nodes, size, us = scores[m, k].mean(axis=0)
                cells = [f"{accuracy:.3f}", f"{kappa:.3f}", f"{nodes:.0f}", f"{size:.0f}", f"{us:.2f}"]
                row([f"{name}, {len(data.y):,}", mode, title, *cells, *PAPER.get(name, {k: ()})[k]])
    found = np.array(every)  # stream, mode, model, tau, measure
    print("\nTable 4: relative to VFDT's, means over the streams: ours / paper's.\n")
    table(["tau", "row", "model", "accuracy", "Kappa M", "nodes", "time"])
    relative = found / found[:, :, :1]
    for t, tau in enumerate(TAUS):
        for m, mode in enumerate(MODES):
            for k, title in enumerate(list(MODELS)[1:]):
                mean = np.nanmean(relative[:, m, k + 1, t], axis=0)[[0, 1, 2, 4]]
                theirs = PAPER_RELATIVE[tau][k]
                row([tau, mode, title, *(f"{a:.3f} / {b:.3f}" for a, b in zip(mean, theirs, strict=True))])
    diagrams(found)


if __name__ == "__main__":
    main()
