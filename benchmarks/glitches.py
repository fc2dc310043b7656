"""What glitches cost: one sample in a thousand has a feature at an end of the 16-bit range.

    python benchmarks/glitches.py STREAM... > benchmarks/results/glitches.md

Percent right without and with glitches (a random numeric feature set to -32767 or 32767; the mean of --seeds
draws), and what they cost, on the first --limit samples.
"""

import numpy as np
from common import Data, heading, load, parser, row, table

from niwaki_host.sizes import parse_size


def glitch(data: Data, rate: float, seed: int) -> Data:
    rng = np.random.default_rng(seed)
    X = data.X.copy()
    numeric = np.flatnonzero(np.equal(data.stream.nominal, 0))
    rows = np.flatnonzero(rng.random(len(X)) < rate)
    X[rows, rng.choice(numeric, len(rows))] = rng.choice([-32767, 32767], len(rows))
    return Data(data.name, data.stream, X, data.y)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budget", default="16k")
    options.add_argument("--limit", type=int, default=30_000)
    options.add_argument("--rate", type=float, default=0.001)
    options.add_argument("--seeds", type=int, default=3)
    args = options.parse_args()
    heading(__doc__)
    table(["stream", "without", "with", "cost", "worst draw"])
    worst = 0.0
    for spec in args.streams:
        data = load(spec, args.limit)
        if all(data.stream.nominal):
            continue
        plain = data.accuracy(data.run("vfdt", parse_size(args.budget)))
        draws = [glitch(data, args.rate, seed) for seed in range(args.seeds)]
        found = [draw.accuracy(draw.run("vfdt", parse_size(args.budget))) for draw in draws]
        mean = float(np.mean(found))
        worst = max(worst, plain - mean)
        row([data.name, f"{plain:.2f}", f"{mean:.2f}", f"{plain - mean:+.2f}", f"{plain - min(found):+.2f}"])
    print(f"\nThe most that they cost: {worst:.2f} points.")


if __name__ == "__main__":
    main()
