"""Shrubs beside CapyMOA's ShrubsClassifier in one run: accuracy, bytes, samples per second.

    .venv/bin/python benchmarks/shrubs_peers.py STREAM... [--limit 3000] > benchmarks/shrubs_peers.md

STREAM is a file or a generator, as for `niwaki simulate`. Three columns each:
same     Shrubs as in the paper, with CapyMOA's window and number of shrubs, a new shrub for each sample
default  Shrubs with its defaults in --budget bytes
CapyMOA  its defaults but for window and number of shrubs
All run test-then-train over the same 16-bit codes. Bytes: Niwaki's byte model, everything included; CapyMOA's
are the arrays of its trees and its window alone. Times leave compilation out.
"""

import argparse

import numpy as np

from niwaki_host.compare.moa_agent import start_moa
from niwaki_host.compare.moa_peers import run_shrubs
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.runtimes import Run, run
from niwaki_host.sizes import parse_size


def ours(samples: Samples, budget: int, **settings: int) -> Run:
    params = {"n_features": samples.n_features, "n_classes": samples.n_classes, "budget": budget, **settings}
    return run("numba", "shrubs", params, samples.X, samples.y)


def cells(samples: Samples, predictions: np.ndarray, nbytes: int, seconds: float) -> list[str]:
    accuracy = (predictions == samples.y).mean()
    return [f"{accuracy:.3f}", f"{nbytes:,}", f"{len(samples.y) / seconds:,.0f}"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("streams", nargs="+", metavar="STREAM")
    parser.add_argument("--limit", type=int, default=3000)
    parser.add_argument("--window", type=int, default=32)
    parser.add_argument("--shrubs", type=int, default=8)
    parser.add_argument("--budget", default="8k")
    options = parser.parse_args()

    start_moa()
    paper = {"window": options.window, "shrubs": options.shrubs, "nodes": options.window - 1, "every": 1}
    print(f"Window {options.window}, {options.shrubs} shrubs, first {options.limit:,} samples.\n")
    who, what = ("same", "default", "CapyMOA"), ("accuracy", "bytes", "per s")
    heads = [f"{a} {b}" for a in who for b in what]
    print("| stream | " + " | ".join([*heads, "speed, same / CapyMOA"]) + " |")
    print("| --- " * (len(heads) + 2) + "|")
    ratios = []
    for spec in options.streams:
        samples = prepare(Source(spec, options.limit))
        name = spec.rsplit("/", 1)[-1].split(".")[0]
        same = ours(samples, 1 << 20, features=samples.n_features, recent=0, **paper)
        default = ours(samples, parse_size(options.budget))
        peer = run_shrubs(samples, batch_size=options.window, l_ensemble_reg=options.shrubs)
        ratios.append(peer.seconds / same.seconds)
        columns = [
            *cells(samples, same.predictions, same.model_bytes, same.seconds),
            *cells(samples, default.predictions, default.model_bytes, default.seconds),
            *cells(samples, peer.predictions, peer.nbytes or 0, peer.seconds),
        ]
        print(f"| {name} | " + " | ".join([*columns, f"{ratios[-1]:,.0f}"]) + " |", flush=True)
    print(f"\nSpeed, same / CapyMOA: {min(ratios):,.0f} at least, {np.median(ratios):,.0f} in the middle.")


if __name__ == "__main__":
    main()
