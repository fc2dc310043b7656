"""Which bins, count width and tie threshold serve a tree best, byte for byte.

    python benchmarks/tree_policy.py STREAM... [--budgets 1k,2k,4k,8k,16k] [--limit 30000]

For each budget a table: accuracy of every policy on every stream, the mean last; "-" where the budget is too
small. The defaults in mcu/niwaki/tree_plan.py (8-bit counts, the most bins up to 16 that leave three slots,
tau 0.1) come from this table over sensor streams and generators.
"""

import argparse

import numpy as np

from niwaki_host.encoding import encode_stream
from niwaki_host.errors import UsageError
from niwaki_host.runtimes import run
from niwaki_host.sizes import parse_size
from niwaki_host.streams import open_stream

POLICIES = {
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


def accuracy(X: np.ndarray, y: np.ndarray, params: dict) -> float:
    """Prequential accuracy, NaN where the budget is too small for the policy."""
    try:
        return float(np.mean(run("numba", "vfdt", params, X, y).predictions == y))
    except UsageError as error:
        if "too small" not in str(error):
            raise
        return float("nan")


def main() -> None:
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("streams", nargs="+", help="files or generators")
    parser.add_argument("--budgets", default="1k,2k,4k,8k,16k,32k,64k")
    parser.add_argument("--limit", type=int, default=30000)
    args = parser.parse_args()
    streams = {}
    for spec in args.streams:
        stream = open_stream(spec, limit=args.limit)
        X, y = encode_stream(stream)
        streams[spec.rsplit("/", 1)[-1]] = (stream, X, y)
    for budget in args.budgets.split(","):
        print(f"\n{budget:26s}" + "".join(f"{name:>9s}" for name in POLICIES))
        table = []
        for name, (stream, X, y) in streams.items():
            params = {"n_features": stream.n_features, "n_classes": stream.n_classes}
            params["budget"] = parse_size(budget)
            if any(stream.nominal):
                params["nominal"] = list(stream.nominal)
            table.append([accuracy(X, y, {**params, **policy}) for policy in POLICIES.values()])
            print(f"{name[:25]:26s}" + "".join(f"{'-':>9s}" if a != a else f"{a:9.3f}" for a in table[-1]))
        print(f"{'mean (- as 0)':26s}" + "".join(f"{a:9.4f}" for a in np.nan_to_num(table).mean(axis=0)))


if __name__ == "__main__":
    main()
