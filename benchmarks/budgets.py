"""Accuracy against budget, beside river's uncapped Hoeffding tree.

    python benchmarks/budgets.py STREAM... > benchmarks/results/budgets.md

The first --limit samples; percent right, each tested before it is learned. A figure in bold lies more than
one point below that of a smaller budget. `river` is its HoeffdingTreeClassifier with default settings on
the raw values; `won` says whether the tree of --against does at least as well.
"""

import math

import numpy as np
from common import Data, heading, load, parser, row, table
from river.tree import HoeffdingTreeClassifier

from niwaki_host.sizes import parse_size


def river_accuracy(data: Data) -> float:
    names = data.stream.feature_names
    nominal = [name for name, values in zip(names, data.stream.nominal, strict=True) if values]
    tree = HoeffdingTreeClassifier(nominal_attributes=nominal or None)
    right = 0
    for values, label in zip(*(part.tolist() for part in data.stream.read()), strict=True):
        x = {name: v for name, v in zip(names, values, strict=True) if not math.isnan(v)}
        right += tree.predict_one(x) == label
        tree.learn_one(x, label)
    return 100 * right / len(data.y)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budgets", default="1k,2k,4k,8k,16k,32k,64k")
    options.add_argument("--against", default="16k")
    options.add_argument("--limit", type=int, default=30_000)
    options.add_argument("--model", default="vfdt")
    options.add_argument("--no-river", action="store_true")
    args = options.parse_args()
    budgets = args.budgets.split(",")
    heading(__doc__)
    table(["stream", *budgets, *([] if args.no_river else ["river", "won"])])
    found, won, losses = [], 0, 0
    for spec in args.streams:
        data = load(spec, args.limit)
        found.append([data.percent(args.model, parse_size(budget)) for budget in budgets])
        cells, best = [], 0.0
        for value in found[-1]:
            worse = value < best - 1
            losses += worse
            cells.append("-" if math.isnan(value) else f"**{value:.2f}**" if worse else f"{value:.2f}")
            best = max(best, value)
        if not args.no_river:
            peer = river_accuracy(data)
            wins = found[-1][budgets.index(args.against)] >= peer
            won += wins
            cells += [f"{peer:.2f}", "yes" if wins else "no"]
        row([data.name, *cells])
    row(["mean (- as 0)", *(f"{mean:.2f}" for mean in np.nan_to_num(found).mean(axis=0))])
    print(f"\nMore than a point below a smaller budget: {losses} of {len(found) * len(budgets)}.")
    if not args.no_river:
        print(f"\nAt {args.against} at least as good as river: {won} of {len(found)}.")


if __name__ == "__main__":
    main()
