"""Shrub Ensembles, table 1 and figure 1 of their paper: areas under Pareto fronts, ours and as published.

    python benchmarks/shrubs_paper.py FILE... > benchmarks/results/shrubs_paper.md

Buschjaeger, Hess and Morik, "Shrub Ensembles for Online Classification", AAAI 2022: accuracy against bytes,
normalised by the largest model, which there is up to 100 MB; theirs is the front of 50 random settings for
each method and stream, and the mean accuracy so far. Ours, at --budgets, continue at their best accuracy to
the same 100 MB, so that areas can be compared: what is left of a front's start is a thousandth at most. With
--random N ours, too, are the fronts of N random settings (`niwaki sweep --random` draws the same), without it
they have their defaults. `shrubs, exact` is `exact=True`, Algorithm 1 as it is printed; --without COLUMN
leaves a column out. The paper's streams that can be generated (--samples of the paper's 1,000,000) and those
whose files are given; flights from New York (columns of names folded to 255 values) stand in for airlines.
Missing: gas-sensor. 20,000 samples of eleven streams take 16 seconds of one core without `exact` and some
minutes with it, 200,000 without it 82 seconds.
"""

from pathlib import Path
from typing import Any

import numpy as np
from common import Data, heading, load, parser, row, table

from niwaki_host.errors import UsageError
from niwaki_host.evaluation import statistics
from niwaki_host.evaluation.metrics import summary
from niwaki_host.sizes import parse_sizes
from niwaki_host.sweep.random_search import draw

LARGEST = 100_000_000
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "vfdt": ("vfdt", {}),
    "hat": ("hat", {}),
    "shrubs": ("shrubs", {}),
    "shrubs, exact": ("shrubs", {"exact": True}),
    "grove": ("grove", {}),
}
METHODS = ("ARF", "Bag", "HT", "HTT", "NB", "SB", "SDT", "SE", "SRP")
NONE = float("nan")
PAPER = {
    "agrawal_a": (0.8259, 0.8939, 0.9145, 0.9136, 0.7429, 0.9124, 0.0977, 0.9355, 0.8877),
    "agrawal_g": (0.7738, 0.8535, 0.8601, 0.8732, 0.7427, 0.8759, 0.4548, 0.9157, 0.8571),
    "led_a": (0.7149, 0.7050, 0.6846, 0.7095, 0.6441, 0.7199, 0.1011, 0.7233, 0.7240),
    "led_g": (0.7085, 0.7034, 0.6825, 0.7089, 0.6439, 0.7174, NONE, 0.7144, 0.7124),
    "rbf_f": (0.7550, 0.5171, 0.3807, 0.4014, 0.2975, 0.4217, 0.0725, 0.7302, 0.7739),
    "rbf_m": (0.8541, 0.7566, 0.6262, 0.6803, 0.3295, 0.6478, 0.1667, 0.7962, 0.8479),
    "elec2": (0.9081, 0.8946, 0.8641, 0.8771, 0.7616, 0.8821, 0.4251, 0.9401, 0.9091),
    "noaa_weather": (0.7788, 0.7827, 0.7510, 0.7658, 0.6958, 0.7688, 0.3287, 0.7586, 0.7895),
    "covtype_first100k": (0.9274, 0.8157, 0.8487, 0.8712, 0.6458, 0.8196, 0.0374, 0.9284, 0.9285),
    "nomao": (0.9793, 0.9613, 0.9443, 0.9668, 0.9277, 0.9606, 0.8863, 0.9866, 0.9752),
    "nycflights13": (0.5679, 0.3461, 0.5654, 0.6588, 0.6693, 0.5048, 0.3877, 0.6818, 0.5369),  # airlines'
}
GENERATED = ("agrawal_a", "agrawal_g", "led_a", "led_g", "rbf_f", "rbf_m")
NAMES = {"nycflights13": ("carrier", "flight", "origin", "dest")}  # columns of numbers that are names


def runs(
    model: str, fixed: dict[str, Any], budgets: list[int], drawn: int
) -> list[tuple[int, dict[str, Any]]]:
    """Budget and settings of each run."""
    if not drawn:
        return [(budget, fixed) for budget in budgets]
    found = [draw(model, number, 1, budgets) for number in range(drawn)]
    return [(budget, {**dict(settings), **fixed}) for budget, settings in found]


def area(data: Data, model: str, fixed: dict[str, Any], budgets: list[int], drawn: int) -> float:
    """The area under the front of the mean accuracy so far; NaN where no run was possible."""
    points = []
    for budget, settings in runs(model, fixed, budgets, drawn):
        try:
            found = data.run(model, budget, **settings)
        except UsageError as error:
            if "too small" not in str(error) and "must be in" not in str(error):
                raise
        else:
            score = summary(data.y, found.predictions)["mean_running_accuracy"]
            points.append((score, found.model_bytes))
    return statistics.apf(*zip(*points, strict=True), LARGEST) if points else NONE


def ranked(scores: np.ndarray, names: list[str]) -> None:
    """Figure 1, in words."""
    whole = ~np.isnan(scores).any(axis=0)
    scores, names = scores[:, whole], [name for name, there in zip(names, whole, strict=True) if there]
    mean, p = statistics.mean_ranks(scores), statistics.wilcoxon(scores)
    friedman = statistics.friedman(scores)
    order = np.argsort(mean, kind="stable")
    print(f"\nFigure 1: mean ranks over {len(scores)} streams", end="")
    print(
        f" (Friedman's p {friedman.p:.2g}; Wilcoxon with Holm's method, level 0.05):" if friedman else ":",
        end=" ",
    )
    print(", ".join(f"{names[k]} {mean[k]:.1f}" for k in order) + ".")
    pairs = len(names) * (len(names) - 1) // 2
    if pairs * 2.0 ** (1 - len(scores)) > 0.05:
        print(f"\nOf {pairs} pairs none can be told apart at that level by so few streams.")
        return
    groups = [[names[order[k]] for k in range(a, b + 1)] for a, b in statistics.groups(mean, p, 0.05)]
    print("\nNot told apart: " + "; ".join(" = ".join(group) for group in groups) + ".")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=1_000_000)
    options.add_argument("--budgets", default="2k,8k,64k")
    options.add_argument("--random", type=int, default=0, metavar="N")
    options.add_argument("--without", action="append", default=[], choices=OURS, metavar="COLUMN")
    args = options.parse_args()
    ours = {title: how for title, how in OURS.items() if title not in args.without}
    heading(__doc__)
    if args.samples < 1_000_000:
        print(f"**At most {args.samples:,} samples of each stream; the paper has up to 1,000,000.**\n")
    table(["stream, samples", *ours, *(f"paper's {m}" for m in METHODS)])
    scores = []
    for spec in [*(f"{name}:n={args.samples}" for name in GENERATED), *args.streams]:
        data = load(spec, args.samples, nominal=NAMES.get(Path(spec).name.split(".")[0], ()))
        name = data.name.split(":")[0]
        areas = [area(data, *one, parse_sizes(args.budgets), args.random) for one in ours.values()]
        scores.append([*areas, *PAPER.get(name, [NONE] * len(METHODS))])
        cells = ["-" if np.isnan(value) else f"{value:.4f}" for value in scores[-1]]
        row([f"{name}, {len(data.y):,}", *cells])
    ranked(np.array(scores), [*ours, *(f"paper's {m}" for m in METHODS)])


if __name__ == "__main__":
    main()
