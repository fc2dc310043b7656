"""What the bytes of a grove are worth, by how labels come: the shapes of its plan were chosen by this.

Means over streams and seeds, ranges learned as a device does; --set tries another shape.

    python benchmarks/grove_defaults.py data/*.csv.xz --budgets 1k,2k,8k --seeds 5
    python benchmarks/grove_defaults.py data/*.csv.xz --budgets 8k --set shrubs=24 --set nodes=16

*Worse than smaller*: how far a budget lies below the best smaller one, in points, where it is most.
A budget that is too small for a stream's shape leaves that stream out of its row.
"""

from dataclasses import replace

import numpy as np
from common import heading, parser, row, table
from how_labels_come import WAYS

from niwaki_host.errors import UsageError
from niwaki_host.evaluation.experiment import Task, simulate
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.sizes import format_size, parse_sizes

FOUR = ("at once", "late (200)", "taught 10", "taught 50")


def accuracy(source: Source, samples: Samples, budget: int, way: str, settings: dict[str, int]) -> float:
    """Of one run; NaN where the budget is too small."""
    fields = {name: value for name, value in vars(WAYS[way]).items() if name != "seed"}
    task = Task(source, "grove", budget, settings=tuple(settings.items()))
    try:
        return simulate(replace(task, **fields), samples).record["accuracy"]
    except UsageError as error:
        if "too small" not in str(error):
            raise
        return float("nan")


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--rows", type=int, default=6000)
    options.add_argument("--budgets", default="1k,2k,4k,8k,16k,32k,64k")
    options.add_argument("--seeds", type=int, default=1)
    options.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    arguments = options.parse_args()
    heading(__doc__ or "")
    chosen = {key: int(value) for key, value in (pair.split("=") for pair in arguments.settings)}
    sources = [Source(path, arguments.rows, seed=1) for path in arguments.streams]
    everything = [(source, prepare(source)) for source in sources]
    table(["budget", "streams", *FOUR, "worse than smaller"])
    best = dict.fromkeys(FOUR, 0.0)
    for budget in parse_sizes(arguments.budgets):
        means = {}
        fitted = 0
        for way in FOUR:
            found = [
                [
                    accuracy(source, samples, budget, way, {**chosen, "seed": seed + 1})
                    for source, samples in everything
                ]
                for seed in range(arguments.seeds)
            ]
            fitted = int(np.sum(~np.isnan(found[0])))
            means[way] = float(np.nanmean(found)) if fitted else float("nan")
        drop = max(best[way] - means[way] for way in FOUR)
        row(
            [format_size(budget), fitted, *(f"{means[way]:.4f}" for way in FOUR), f"{max(0, 100 * drop):.2f}"]
        )
        if fitted == len(everything):
            best = {way: max(best[way], means[way]) for way in FOUR}


if __name__ == "__main__":
    main()
