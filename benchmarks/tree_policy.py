"""Which bins, count width, lanes and tie threshold serve a tree best, byte for byte.

    python benchmarks/tree_policy.py STREAM... > benchmarks/results/tree_policy.md

Mean percent right over the streams given, over generators of many shapes, and over --phases runs of each with
other edges of bins (and seeds), on the first --limit samples; 0 where the budget is too small. `half race`
lets half of the features race at each leaf, `one leaf` never splits. `least` is the most that any stream's
mean loses to the default's, over all budgets where both fit.

From these tables come the defaults in mcu/niwaki/tree/plan.py: 8-bit counts; all features where one leaf has
room for them with 4 bins, else as many as fit, which race, at a leaf that never splits if need be; then 16
bins, 8 or 4, whatever leaves room for one slot (instead of 4 rather a leaf that never splits); then slots
and nodes; tau 0.1.
"""

from typing import Any

import numpy as np
from common import Data, heading, load, parser, row, table

from niwaki_host.sizes import parse_size

POLICIES: dict[str, dict[str, Any]] = {
    "default": {},
    "tau .05": {"tau": 0.05},
    "tau .2": {"tau": 0.2},
    "4 bins": {"bins": 4},
    "8 bins": {"bins": 8},
    "16 bins": {"bins": 16},
    "32 bins": {"bins": 32},
    "8 bins of 16 bits": {"bins": 8, "count_bits": 16},
    "16 bins of 16 bits": {"bins": 16, "count_bits": 16},
    "half race": {"lanes": 2},
    "one leaf": {"nodes": 1},
}
GENERATORS = (
    "sea:noise=10",
    "sea_a",
    "agrawal:function=2",
    "agrawal:function=6,irrelevant=20",
    "agrawal_a",
    "bg1:attributes=50",
    "led:noise=10",
    "rbf:classes=5",
    "rbf:attributes=30,classes=4",
    "hyperplane",
    "hyperplane:attributes=30",
    "waveform:attributes=40",
    "imu",
    "seafd:attributes=20,drift=50%:5%",
)


def right(data: Data, budget: int, policy: dict[str, Any]) -> float:
    settings = dict(policy)
    if "lanes" in settings:
        settings["lanes"] = (data.stream.n_features + 1) // settings["lanes"]
    return data.percent("vfdt", budget, **settings)


def compare(title: str, streams: list[list[Data]], budgets: list[str]) -> None:
    print(f"\n## {title}\n")
    table(["policy", *budgets, "least"])
    default: np.ndarray | None = None
    for name, policy in POLICIES.items():
        found = np.array(
            [
                np.mean([[right(data, parse_size(b), policy) for b in budgets] for data in phases], axis=0)
                for phases in streams
            ]
        )
        if default is None:
            default = found
        cells = [f"{mean:.2f}" for mean in np.nan_to_num(found).mean(axis=0)]
        row([name, *cells, f"{np.nanmin(found - default):+.2f}"])


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budgets", default="1k,2k,4k,8k,16k,32k,64k")
    options.add_argument("--limit", type=int, default=20_000)
    options.add_argument("--phases", type=int, default=3)
    args = options.parse_args()
    heading(__doc__)
    phases = range(args.phases)
    if args.streams:
        streams = [[load(spec, args.limit, k) for k in phases] for spec in args.streams]
        compare(f"{len(streams)} streams given", streams, args.budgets.split(","))
    seeded = [f"{spec}{',' if ':' in spec else ':'}n={args.limit},seed=" for spec in GENERATORS]
    streams = [[load(f"{spec}{k + 1}", None, k) for k in phases] for spec in seeded]
    compare(f"{len(streams)} generators", streams, args.budgets.split(","))


if __name__ == "__main__":
    main()
