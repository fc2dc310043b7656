"""Accuracy at 1 to 64 KB beside river's and MOA's Hoeffding trees, with their bytes.

    python benchmarks/peers.py STREAM... > benchmarks/results/peers.md

The first --limit samples of each stream, the same codes for everybody; percent right, each tested before it
is learned; "-" where a budget is too small. Peers with their defaults, without a cap and with one of 64 KB:
their bytes are those at the end, by river's own count and by MOA's sizeof agent.
"""

import math

import numpy as np
from common import heading, parser, row, table

from niwaki_host.compare.moa_peers import moa_peers
from niwaki_host.compare.peer import AT_ONCE, Peer
from niwaki_host.compare.river_peers import river_peers
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.experiment import Task, simulate
from niwaki_host.evaluation.samples import Samples, Source, prepare
from niwaki_host.sizes import format_size, parse_sizes

MODELS = ("vfdt", "shrubs")
CAP = 64 << 10
PEERS = ("river HT", "river HT max_size=64k", "MOA HT", "MOA HT max_byte_size=64k")


def own(source: Source, samples: Samples, model: str, budget: int) -> float:
    """Percent right; NaN where the budget is too small."""
    try:
        return 100 * simulate(Task(source, model, budget), samples).record["accuracy"]
    except UsageError as error:
        if "too small" not in str(error):
            raise
        return math.nan


def other(peer: Peer, samples: Samples) -> tuple[float, int]:
    found = peer.run(samples, AT_ONCE, 0)
    return 100 * float(np.mean(found.predictions == samples.y)), found.nbytes or 0


def percent(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.1f}"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budgets", default="1k,2k,4k,8k,16k,32k,64k")
    options.add_argument("--limit", type=int, default=10_000)
    args = options.parse_args()
    heading(__doc__)
    budgets = parse_sizes(args.budgets)
    peers = [peer for peer in river_peers(CAP) + moa_peers(CAP) if peer.name in PEERS]
    names = [format_size(budget) for budget in budgets]
    found, theirs = [], []
    table(["stream", *(f"{model} {name}" for model in MODELS for name in names)])
    for spec in args.streams:
        source = Source(spec, args.limit)
        samples = prepare(source)
        name = spec.rsplit("/", 1)[-1].split(".csv")[0]
        found.append([own(source, samples, model, budget) for model in MODELS for budget in budgets])
        row([name, *map(percent, found[-1])])
        theirs.append((name, [other(peer, samples) for peer in peers]))
    row(["mean (- as 0)", *map(percent, np.nan_to_num(found).mean(axis=0))])
    print()
    table(["stream", *(f"{peer.name}{what}" for peer in peers for what in ("", ", bytes"))])
    for name, results in theirs:
        row([name, *(text for right, size in results for text in (percent(right), f"{size:,}"))])
    means = np.array([results for _, results in theirs]).mean(axis=0)
    row(["mean", *(text for right, size in means for text in (percent(right), f"{size:,.0f}"))])


if __name__ == "__main__":
    main()
