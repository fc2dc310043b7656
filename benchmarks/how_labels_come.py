"""Accuracy by how labels come: at once, late, taught and left alone; ours beside what a desktop would use.

Means over streams, the first --rows samples of each, ranges learned as a device does.

    python benchmarks/how_labels_come.py data/*.csv.xz --models vfdt,grove --budgets 8k

*Late*: each label so many samples later (50:350 is drawn for each sample). *First 500*: no label after them.
*Taught*: so many samples of each class from the first half, one class after another or mixed; then frozen,
and judged on the second half. scikit-learn's classifiers keep every sample that was taught, and know no cap.
"""

from pathlib import Path

import numpy as np
from common import heading, parser, row, table

from niwaki_host.compare.batch_peers import batch_peers
from niwaki_host.evaluation import metrics
from niwaki_host.evaluation.experiment import Task, simulate
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.evaluation.telling import Telling
from niwaki_host.sizes import format_size, parse_sizes

WAYS = {
    "at once": Telling(seed=1),
    "late (200)": Telling(delay=200, seed=1),
    "late (50:350)": Telling(delay=50, delay_most=350, seed=1),
    "first 500": Telling(labelled_first=500, seed=1),
    "taught 10": Telling(teach=10, seed=1),
    "taught 50": Telling(teach=50, seed=1),
    "taught 50, mixed": Telling(teach=50, teach_order="mixed", seed=1),
}


def own(source: Source, samples: Samples, model: str, budget: int, telling: Telling) -> float:
    fields = {name: value for name, value in vars(telling).items() if name != "seed"}
    return simulate(Task(source, model, budget, **fields), samples).record["accuracy"]


def batch(samples: Samples, telling: Telling) -> dict[str, float]:
    """scikit-learn's classifiers, where samples are taught in one go."""
    _taught, asked = telling.lesson(samples.y, samples.unready)
    found = {peer.name: peer.run(samples, telling, 0).predictions for peer in batch_peers()}
    return {name: metrics.accuracy(samples.y[asked], p[asked]) for name, p in found.items()}


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--rows", type=int, default=6000)
    options.add_argument("--models", default="vfdt,shrubs,grove")
    options.add_argument("--budgets", default="2k,8k,32k")
    options.add_argument("--each", action="store_true", help="also a table for each stream")
    arguments = options.parse_args()
    heading(__doc__ or "")
    scores: dict[str, dict[str, list[float]]] = {}
    for path in arguments.streams:
        source = Source(path, arguments.rows, seed=1)
        samples = prepare(source)
        found: dict[str, dict[str, float]] = {}
        for way, telling in WAYS.items():
            for budget in parse_sizes(arguments.budgets):
                for model in arguments.models.split(","):
                    name = f"{model} {format_size(budget)}"
                    found.setdefault(name, {})[way] = own(source, samples, model, budget, telling)
            for name, accuracy in batch(samples, telling).items() if telling.teach else ():
                found.setdefault(name, {})[way] = accuracy
        if arguments.each:
            print(f"\n### {Path(path).name}\n")
            write({name: {way: [value] for way, value in ways.items()} for name, ways in found.items()})
        for name, ways in found.items():
            for way, value in ways.items():
                scores.setdefault(name, {}).setdefault(way, []).append(value)
    print(f"\nMeans over {len(arguments.streams)} streams, the first {arguments.rows:,} samples:\n")
    write(scores)


def write(scores: dict[str, dict[str, list[float]]]) -> None:
    table(["classifier", *WAYS])
    for name, ways in scores.items():
        cells = (f"{np.mean(ways[way]):.3f}" if way in ways else "" for way in WAYS)
        row([name, *cells])


if __name__ == "__main__":
    main()
