"""What each part of a grove is worth: shrubs, neighbours, histograms, the newest samples, credit.

Mean accuracy over streams, the first --rows samples of each, ranges learned as a device does, by how labels
come: at once, 200 samples late, and taught (50 samples of each class one after another, then left alone).

Each row has the same budget: what a part does not use goes to the memory. The shrubs always grow on the
memory and vote. Neighbours and histograms vote beside them where they are there. *Lead*: who has been right
more often than the vote, when asked, answers alone: the nearest of the newest samples, or the histograms.
After teaching nobody has been asked, so the vote answers.

    python benchmarks/grove_ablation.py STREAM... > benchmarks/results/grove_ablation.md
"""

from typing import Any

import numpy as np
from common import heading, parser, row, table

from niwaki_host.evaluation.experiment import Task, simulate
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.evaluation.telling import Telling
from niwaki_host.sizes import format_size, parse_sizes

WAYS = {
    "at once": Telling(seed=1),
    "late (200)": Telling(delay=200, seed=1),
    "taught 50": Telling(teach=50, seed=1),
}
PARTS: dict[str, dict[str, Any]] = {
    "shrubs": {"neighbours": 0, "bins": 0},
    "shrubs, neighbours": {"recent": 0, "bins": 0},
    "shrubs, neighbours; newest lead": {"bins": 0},
    "shrubs, histograms; histograms lead": {"neighbours": 0},
    "shrubs, neighbours, histograms; histograms lead": {"recent": 0},
    "all of them: a grove": {},
    "all, but neighbours do not vote": {"near": 0},
    "all, but histograms do not vote": {"bayes": 0},
}


def accuracy(
    source: Source, samples: Samples, budget: int, settings: dict[str, Any], telling: Telling
) -> float:
    fields = {name: value for name, value in vars(telling).items() if name != "seed"}
    task = Task(source, "grove", budget, settings=tuple(settings.items()), **fields)
    return simulate(task, samples).record["accuracy"]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--rows", type=int, default=6000)
    options.add_argument("--budgets", default="2k,8k")
    arguments = options.parse_args()
    heading(__doc__ or "")
    sources = [Source(stream, arguments.rows, seed=1) for stream in arguments.streams]
    loaded = [(source, prepare(source)) for source in sources]
    for budget in parse_sizes(arguments.budgets):
        print(f"\n## {format_size(budget)}, {len(sources)} streams\n")
        table(["parts", *WAYS])
        for name, settings in PARTS.items():
            means = []
            for telling in WAYS.values():
                found = [accuracy(*stream, budget, settings, telling) for stream in loaded]
                means.append(f"{np.mean(found):.3f}")
            row([name, *means])


if __name__ == "__main__":
    main()
