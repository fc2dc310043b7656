"""Accuracy against budget, beside river's uncapped Hoeffding tree.

    python benchmarks/budgets.py STREAM... > benchmarks/results/budgets.md

The first --limit samples; percent right, each tested before it is learned. Where the edges of bins happen to
lie moves a figure by half a point to two, at 1k and 2k by more. So each is the mean of --phases runs: the
first with the ranges that the encoder states or learns, the others with each range up to a tenth wider on
either side, at random. A figure in bold lies more than one point below that of a smaller budget; `first run`
counts those of the first run alone. `spread` is the largest standard deviation from run to run at any budget.
`river` is its HoeffdingTreeClassifier with default settings on the raw values; `won` says whether the tree of
--against does at least as well.
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


def below(values: np.ndarray) -> np.ndarray:
    """Which lie more than one point below that of a smaller budget."""
    return np.array([value < np.nanmax([0, *values[:i]]) - 1 for i, value in enumerate(values)])


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budgets", default="1k,2k,4k,8k,16k,32k,64k")
    options.add_argument("--against", default="16k")
    options.add_argument("--limit", type=int, default=30_000)
    options.add_argument("--model", default="vfdt")
    options.add_argument("--phases", type=int, default=5)
    options.add_argument("--no-river", action="store_true")
    args = options.parse_args()
    budgets = args.budgets.split(",")
    heading(__doc__)
    table(["stream", *budgets, "spread", "first run", *([] if args.no_river else ["river", "won"])])
    found, won, losses, first = [], 0, 0, 0
    for spec in args.streams:
        data, *others = (load(spec, args.limit, phase) for phase in range(args.phases))
        runs = [[d.percent(args.model, parse_size(budget)) for budget in budgets] for d in (data, *others)]
        found.append(np.mean(runs, axis=0))
        worse, alone = below(found[-1]), below(np.array(runs[0]))
        losses, first = losses + worse.sum(), first + alone.sum()
        cells = [f"**{v:.2f}**" if w else f"{v:.2f}" for v, w in zip(found[-1], worse, strict=True)]
        cells += [f"{np.nan_to_num(np.std(runs, axis=0)).max():.2f}", int(alone.sum())]
        if not args.no_river:
            peer = river_accuracy(data)
            wins = found[-1][budgets.index(args.against)] >= peer
            won += wins
            cells += [f"{peer:.2f}", "yes" if wins else "no"]
        row([data.name, *("-" if cell == "nan" else cell for cell in cells)])
    row(["mean (- as 0)", *(f"{mean:.2f}" for mean in np.nan_to_num(found).mean(axis=0))])
    of = len(found) * len(budgets)
    print(f"\nMore than a point below a smaller budget: {losses} of {of}, in the first run alone {first}.")
    if not args.no_river:
        print(f"\nAt {args.against} at least as good as river: {won} of {len(found)}.")


if __name__ == "__main__":
    main()
