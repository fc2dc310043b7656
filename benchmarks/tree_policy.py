"""Which bins, count width and tie threshold serve a tree best, byte for byte.

    python benchmarks/tree_policy.py STREAM... > benchmarks/results/tree_policy.md

For each budget a table: percent right of every policy (bins x bits of a count) on the first --limit samples
of every stream, the mean last; "-" where the budget is too small. The defaults in mcu/niwaki/tree_plan.py
(8-bit counts; 16 bins where that leaves two slots, else 8, else 4; all features where one slot has room
for them; tau 0.1) come from this table over sensor streams and generators.
"""

from typing import Any

import numpy as np
from common import heading, load, parser, row, table

from niwaki_host.sizes import parse_size

POLICIES: dict[str, dict[str, Any]] = {
    "default": {},
    "tau .05": {"tau": 0.05},
    "tau .2": {"tau": 0.2},
    "4 x 8": {"bins": 4, "count_bits": 8},
    "8 x 8": {"bins": 8, "count_bits": 8},
    "16 x 8": {"bins": 16, "count_bits": 8},
    "32 x 8": {"bins": 32, "count_bits": 8},
    "8 x 16": {"bins": 8, "count_bits": 16},
    "16 x 16": {"bins": 16, "count_bits": 16},
}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budgets", default="1k,2k,4k,8k,16k,32k,64k")
    options.add_argument("--limit", type=int, default=30_000)
    args = options.parse_args()
    heading(__doc__)
    streams = [load(spec, args.limit) for spec in args.streams]
    for budget in args.budgets.split(","):
        print(f"\n## {budget}\n")
        table(["stream", *POLICIES])
        found = []
        for data in streams:
            found.append([data.percent("vfdt", parse_size(budget), **policy) for policy in POLICIES.values()])
            row([data.name, *("-" if a != a else f"{a:.2f}" for a in found[-1])])
        row(["mean (- as 0)", *(f"{a:.2f}" for a in np.nan_to_num(found).mean(axis=0))])


if __name__ == "__main__":
    main()
