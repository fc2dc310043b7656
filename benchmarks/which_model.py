"""Which model when: accuracy of all seven at four budgets, over generators and recordings.

    python benchmarks/which_model.py FILE... > benchmarks/results/which_model.md

The first --limit samples of each stream; a budget that is too small counts as 0. What the guide's page on
models says comes from here. Runs are kept in build/which_model, so that an interrupted sweep goes on.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from common import heading, parser, row, table

from niwaki_host.device.models import MODELS
from niwaki_host.evaluation.samples import Source
from niwaki_host.sizes import format_size, parse_sizes
from niwaki_host.sweep.analysis import analyse
from niwaki_host.sweep.grid import grid
from niwaki_host.sweep.runner import run_sweep
from niwaki_host.sweep.store import Store

GENERATORS = (
    "sea",
    "agrawal:function=2",
    "rbf",
    "led",
    "hyperplane",
    "waveform",
    "imu:drift=50%",
    "sea:drift=50%",
    "agrawal:drift=25%+50%+75%",
)


def name_of(stream: str) -> str:
    return Path(stream).name.split(".csv")[0]


def means(title: str, accuracy: pd.DataFrame) -> None:
    for budget, part in accuracy.groupby(level="budget_bytes"):
        row([title, format_size(int(budget)), *(f"{100 * value:.1f}" for value in part.fillna(0).mean())])


def best(accuracy: pd.DataFrame, budget: int, models: list[str]) -> dict[str, int]:
    """On how many streams each is the best of these, ties counted for all."""
    part = accuracy.xs(budget, level="budget_bytes")[models].fillna(0)
    return part.eq(part.max(axis=1), axis=0).sum().to_dict()


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budgets", default="2k,4k,8k,16k")
    options.add_argument("--limit", type=int, default=20_000)
    options.add_argument("--jobs", type=int, default=1)
    args = options.parse_args()
    heading(__doc__)
    budgets = parse_sizes(args.budgets)
    streams = [*GENERATORS, *args.streams]
    tasks = grid([Source(stream, args.limit) for stream in streams], list(MODELS), budgets)
    with Store("build/which_model") as store:
        found = analyse(store.frame(run_sweep(tasks, store, args.jobs)))
    accuracy, names = found.accuracy, found.models
    print("Mean accuracy, %.\n")
    table(["streams", "budget", *names])
    generated = accuracy.index.get_level_values("stream").isin(GENERATORS)
    means("generators", accuracy[generated])
    if args.streams:
        means("recordings", accuracy[~generated])
    means("all", accuracy)
    if found.ranks:
        print("\nMean rank by area under the Pareto front; critical difference", end=" ")
        print(f"{found.ranks.critical_difference:.2f} (Nemenyi, 5 %).\n")
        table(["", *names])
        row(["mean rank", *(f"{value:.2f}" for value in found.ranks.mean)])
    print(f"\nOn how many of the {len(streams)} streams a model is the best of seven, and the best tree.\n")
    table(["budget", *names, *(f"{name} of trees" for name in names if name != "shrubs")])
    trees = [name for name in names if name != "shrubs"]
    for budget in budgets:
        wins = [*best(accuracy, budget, names).values(), *best(accuracy, budget, trees).values()]
        row([format_size(budget), *wins])
    print("\nEach stream.\n")
    table(["stream", "budget", *names])
    for (stream, budget), values in zip(accuracy.index, accuracy.to_numpy(), strict=True):
        row([name_of(stream), format_size(int(budget)), *(f"{100 * v:.1f}" for v in np.nan_to_num(values))])


if __name__ == "__main__":
    main()
