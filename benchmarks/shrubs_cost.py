"""What Shrubs costs on a Cortex-M3, in instructions: the paper's schedule in a small size, and the defaults.

    .venv/bin/python benchmarks/shrubs_cost.py STREAM... [--limit 500] > benchmarks/shrubs_cost.md
"""

import argparse
from typing import Any

from niwaki_host.evaluation.samples import Source, prepare
from niwaki_host.runtimes import run

SIZES: dict[str, dict[str, Any]] = {
    "window 32, 8 shrubs, a new one every sample": {"window": 32, "shrubs": 8, "every": 1},
    "window 32, 8 shrubs": {"window": 32, "shrubs": 8},
    "2k": {"budget": 2048},
    "8k": {"budget": 8192},
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("streams", nargs="+", metavar="STREAM")
    parser.add_argument("--limit", type=int, default=500)
    options = parser.parse_args()
    print(f"First {options.limit} samples.\n")
    print("| stream | size | bytes | predict | learn | learn at most |\n" + "| --- " * 6 + "|")
    for spec in options.streams:
        samples = prepare(Source(spec, options.limit))
        shape = {"n_features": samples.n_features, "n_classes": samples.n_classes, "budget": 8192}
        name = spec.rsplit("/", 1)[-1].split(".csv")[0]
        for size, settings in SIZES.items():
            result = run("cortex-m3", "shrubs", {**shape, **settings}, samples.X, samples.y, measure=True)
            numbers = (
                result.model_bytes,
                result.instructions_per_predict or 0,
                result.instructions_per_learn or 0,
                result.max_instructions_per_learn or 0,
            )
            print(f"| {name} | {size} | " + " | ".join(f"{n:,.0f}" for n in numbers) + " |", flush=True)


if __name__ == "__main__":
    main()
