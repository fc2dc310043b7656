"""Shrubs beside CapyMOA's ShrubsClassifier in one run: accuracy, bytes, samples per second.

    python benchmarks/shrubs_peers.py STREAM... > benchmarks/results/shrubs_peers.md

`same` is Shrubs as in the paper, with CapyMOA's window of --window and number of shrubs (--shrubs), a new
shrub for each sample; `default`, Shrubs with its defaults in --budget; CapyMOA has its defaults but for those
two sizes. All run test-then-train over the same 16-bit codes, the first --limit samples. Bytes: Niwaki's byte
model, everything included; CapyMOA's are the arrays of its trees and its window alone. Times leave the
compilation out.
"""

import numpy as np
from common import heading, parser, row, table

from niwaki_host.compare.moa_agent import start_moa
from niwaki_host.compare.moa_peers import run_shrubs
from niwaki_host.compare.peer import Result
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.runtimes import Run, run
from niwaki_host.sizes import parse_size


def ours(samples: Samples, budget: int, **settings: int) -> Run:
    params = {"n_features": samples.n_features, "n_classes": samples.n_classes, "budget": budget, **settings}
    return run("numba", "shrubs", params, samples.X, samples.y)


def both(spec: str, limit: int, window: int = 32, shrubs: int = 8) -> tuple[Run, Result, Samples]:
    """Ours as in the paper, and CapyMOA's with the same window and number of shrubs."""
    start_moa()
    samples = prepare(Source(spec, limit))
    paper = {"window": window, "shrubs": shrubs, "nodes": window - 1, "every": 1, "recent": 0}
    same = ours(samples, 1 << 20, features=samples.n_features, **paper)
    return same, run_shrubs(samples, batch_size=window, l_ensemble_reg=shrubs), samples


def cells(samples: Samples, predictions: np.ndarray, nbytes: int, seconds: float) -> list[str]:
    accuracy = (predictions == samples.y).mean()
    return [f"{accuracy:.3f}", f"{nbytes:,}", f"{len(samples.y) / seconds:,.0f}"]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--limit", type=int, default=2000)
    options.add_argument("--window", type=int, default=32)
    options.add_argument("--shrubs", type=int, default=8)
    options.add_argument("--budget", default="8k")
    args = options.parse_args()
    heading(__doc__)
    who, what = ("same", "default", "CapyMOA"), ("accuracy", "bytes", "per s")
    table(["stream", *(f"{a} {b}" for a in who for b in what), "speed, same / CapyMOA"])
    ratios = []
    for spec in args.streams:
        same, peer, samples = both(spec, args.limit, args.window, args.shrubs)
        default = ours(samples, parse_size(args.budget))
        ratios.append(peer.seconds / same.seconds)
        columns = [
            *cells(samples, same.predictions, same.model_bytes, same.seconds),
            *cells(samples, default.predictions, default.model_bytes, default.seconds),
            *cells(samples, peer.predictions, peer.nbytes or 0, peer.seconds),
        ]
        row([spec.rsplit("/", 1)[-1].split(".")[0], *columns, f"{ratios[-1]:,.0f}"])
    print(f"\nSpeed, same / CapyMOA: {min(ratios):,.0f} at least, {np.median(ratios):,.0f} in the middle.")


if __name__ == "__main__":
    main()
