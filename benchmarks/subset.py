"""Strict and regularised trees beside VFDT with the same options: never more nodes.

    python benchmarks/subset.py FILE... > benchmarks/results/subset.md

Nodes at the end of each stream, and where a tree has more than VFDT's a star. Ten generators of --samples
samples, two Gaussian streams of 60,000 (6 features x 4 classes, 10 x 3), and the first --samples of each file
given. tau is .1 in both modes, so that trees grow, and with `exact` all of them drop poor attributes, as VFDT
and SVFDT do. After it the mean accuracy of each column.
"""

import numpy as np
from common import Data, heading, load, parser, row, table

from niwaki_host.streams import ArrayStream
from niwaki_host.streams.encoding import encode_stream, make_encoding

MODELS = ("vfdt", "svfdt1", "svfdt2", "ht-reg")
BUDGETS = {"4k": 4096, "64k": 65_536, "4m": 4_000_000}
MODES: dict[str, dict[str, bool]] = {"default": {}, "exact": {"exact": True, "drop_poor": True}}
GENERATORS = (
    "sea",
    "sea_a",
    "agrawal:function=2",
    "agrawal_a",
    "bg1",
    "led",
    "rbf:classes=4",
    "rbf_f",
    "hyperplane",
    "waveform",
)
GAUSSIAN = ((6, 4), (10, 3))
GAUSSIAN_SAMPLES = 60_000


def gaussian(features: int, classes: int, seed: int = 7) -> Data:
    """Classes that are Gaussians of deviation 1 around centres of deviation 1."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, GAUSSIAN_SAMPLES)
    X = rng.normal(size=(classes, features))[y] + rng.normal(size=(GAUSSIAN_SAMPLES, features))
    name = f"gaussian {features} x {classes}"
    names = [str(i) for i in range(features)]
    stream = ArrayStream(name, X, y, names, names[:classes], [0] * features)
    return Data(name, stream, *encode_stream(stream, make_encoding(stream)))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=20_000)
    args = options.parse_args()
    heading(__doc__)
    table(["stream, samples", "budget", *(f"{model}, {mode}" for mode in MODES for model in MODELS)])
    accuracies, larger, pairs = [], 0, 0
    every = [load(name, args.samples) for name in (*GENERATORS, *args.streams)]
    for data in [*every, *(gaussian(*shape) for shape in GAUSSIAN)]:
        for budget, size in BUDGETS.items():
            cells, right = [f"{data.name}, {len(data.y):,}", budget], []
            for settings in MODES.values():
                plain = 0
                for model in MODELS:
                    found = data.run(model, size, tau=0.1, **settings)
                    right.append(data.accuracy(found))
                    if model == "vfdt":
                        plain = found.nodes
                    more = found.nodes > plain
                    larger += more
                    pairs += model != "vfdt"
                    cells.append(f"{found.nodes}{' *' if more else ''}")
            row(cells)
            accuracies.append(right)
    row(["accuracy, mean", "", *(f"{mean:.2f}" for mean in np.mean(accuracies, axis=0))])
    print(f"\n{larger} of {pairs} trees have more nodes than VFDT's.")


if __name__ == "__main__":
    main()
