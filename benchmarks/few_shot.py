"""Few-shot: accuracy after 1, 2, 5, 10 and 20 samples of each class, beside scikit-learn's 1-NN.

Means over streams, the first --rows samples of each, ranges learned as a device does. Each model is taught
so many samples of each class from the first half of a stream, one class after another; then it is left alone,
and judged on the second half. 1-NN keeps the same samples, as 16-bit codes: as they are, which is scaled by
each feature's range, or scaled by the deviation of what was taught.

    python benchmarks/few_shot.py DIR > benchmarks/results/few_shot.md
"""

from pathlib import Path

import numpy as np
from common import heading, parser, row, table
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from niwaki.model import MISSING
from niwaki_host.evaluation.experiment import Task, simulate
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.evaluation.telling import Telling
from niwaki_host.sizes import format_size, parse_sizes

SHOTS = (1, 2, 5, 10, 20)
SCALED = {"scikit-learn 1-NN": (), "scikit-learn 1-NN, scaled by deviation": (StandardScaler(),)}


def nearest(samples: Samples, shots: int, name: str) -> float:
    """1-NN on the samples that are taught; the median stands in for a missing value."""
    taught, asked = Telling(teach=shots, seed=1).lesson(samples.y, samples.unready)
    values = np.where(samples.X == MISSING, np.nan, samples.X.astype(float))
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    model = make_pipeline(imputer, *SCALED[name], KNeighborsClassifier(1))
    model.fit(values[taught], samples.y[taught])
    return float(np.mean(model.predict(values[asked]) == samples.y[asked]))


def files(words: list[str]) -> list[str]:
    """A directory stands for its files."""
    found = []
    for word in words:
        path = Path(word)
        found += sorted(str(file) for file in path.glob("*.csv*")) if path.is_dir() else [word]
    return found


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--rows", type=int, default=6000)
    options.add_argument("--models", default="vfdt,shrubs,grove")
    options.add_argument("--budgets", default="2k,8k")
    arguments = options.parse_args()
    heading(__doc__ or "")
    budgets, models = parse_sizes(arguments.budgets), arguments.models.split(",")
    names = [f"{model} {format_size(budget)}" for budget in budgets for model in models] + list(SCALED)
    found: dict[str, list[list[float]]] = {name: [] for name in names}
    streams = files(arguments.streams)
    for stream in streams:
        source = Source(stream, arguments.rows, seed=1)
        samples = prepare(source)
        for budget in budgets:
            for model in models:
                tasks = (Task(source, model, budget, teach=shots) for shots in SHOTS)
                figures = [simulate(task, samples).record["accuracy"] for task in tasks]
                found[f"{model} {format_size(budget)}"].append(figures)
        for name in SCALED:
            found[name].append([nearest(samples, shots, name) for shots in SHOTS])
    print(f"\nMeans over {len(streams)} streams:\n")
    table(["classifier", *(f"{shots} a class" for shots in SHOTS)])
    for name in names:
        row([name, *(f"{value:.3f}" for value in np.mean(found[name], 0))])
    print("\nAfter 5 samples of each class:\n")
    table(["stream", *names])
    for k, stream in enumerate(streams):
        five = (f"{found[name][k][SHOTS.index(5)]:.3f}" for name in names)
        row([Path(stream).name.split(".")[0], *five])


if __name__ == "__main__":
    main()
