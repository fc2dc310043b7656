"""What learning from samples without a label is worth.

    python benchmarks/partial_labels.py STREAM... > benchmarks/results/partial_labels.md

Percent right on all samples of a stream, each tested first; the model is told 10 % or 2 % of the labels (the
mean of --seeds draws). "off": it learns from these alone. The other columns: what is gained by calling
`learn_unlabelled(x, margin)` for every other sample, margin in parts of 65,536.

It does not help in general, so nothing does it unless it is called: most streams lose, those with fewest
labels most, and a high margin loses least. Where it helps, it helps by some tenths of a point.
"""

import numpy as np
from common import Data, heading, load, parser, row, table

from niwaki_host.evaluation.telling import Telling
from niwaki_host.runtimes import run
from niwaki_host.sizes import parse_size

MARGINS = {"0.9": 58982, "0.99": 64881, "0.999": 65470, "1": 65536}


def accuracy(data: Data, model: str, budget: int, share: float, margin: int, seeds: int) -> float:
    stream = data.stream
    params = {"n_features": stream.n_features, "n_classes": stream.n_classes, "budget": budget}
    if any(stream.nominal) and model != "shrubs":
        params["nominal"] = list(stream.nominal)
    found = []
    for seed in range(seeds):
        labels = Telling(labelled=share, seed=seed).shown(data.y)
        done = run("numba", model, params, data.X, labels, self_train=margin)
        found.append(100 * np.mean(done.predictions == data.y))
    return float(np.mean(found))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budget", default="8k")
    options.add_argument("--limit", type=int, default=30_000)
    options.add_argument("--seeds", type=int, default=3)
    args = options.parse_args()
    heading(__doc__)
    streams = [load(spec, args.limit) for spec in args.streams]
    for model in ("vfdt", "hat", "shrubs"):
        for share in (0.1, 0.02):
            print(f"\n## `{model}` in {args.budget}, {share:.0%} of the labels\n")
            table(["stream", "off", *MARGINS])
            gains = []
            for data in streams:
                figures = [
                    accuracy(data, model, parse_size(args.budget), share, margin, args.seeds)
                    for margin in (0, *MARGINS.values())
                ]
                gains.append([value - figures[0] for value in figures[1:]])
                row([data.name, f"{figures[0]:.2f}", *(f"{gain:+.2f}" for gain in gains[-1])])
            better = [sum(gain > 0.1 for gain in column) for column in zip(*gains, strict=True)]
            worse = [sum(gain < -0.1 for gain in column) for column in zip(*gains, strict=True)]
            row(["**mean**", "", *(f"{value:+.2f}" for value in np.mean(gains, 0))])
            row(["better / worse", "", *(f"{a} / {b}" for a, b in zip(better, worse, strict=True))])


if __name__ == "__main__":
    main()
