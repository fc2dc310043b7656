"""What Shrubs costs on a Cortex-M3, in instructions: the paper's schedule in a small size, and the defaults.

    python benchmarks/shrubs_cost.py STREAM... > benchmarks/results/shrubs_cost.md

The first --limit samples of each stream.
"""

from typing import Any

from common import heading, load, parser, row, table

from niwaki_host.runtimes import run

SIZES: dict[str, dict[str, Any]] = {
    "window 32, 8 shrubs, a new one every sample": {"window": 32, "shrubs": 8, "every": 1},
    "window 32, 8 shrubs": {"window": 32, "shrubs": 8},
    "2k": {"budget": 2048},
    "8k": {"budget": 8192},
}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--limit", type=int, default=500)
    args = options.parse_args()
    heading(__doc__)
    table(["stream", "size", "bytes", "predict", "learn", "learn at most"])
    for spec in args.streams:
        data = load(spec, args.limit)
        shape = {"n_features": data.stream.n_features, "n_classes": data.stream.n_classes, "budget": 8192}
        for size, settings in SIZES.items():
            found = run("cortex-m3", "shrubs", {**shape, **settings}, data.X, data.y, measure=True)
            numbers = (
                found.model_bytes,
                found.instructions_per_predict or 0,
                found.instructions_per_learn or 0,
                found.max_instructions_per_learn or 0,
            )
            row([data.name, size, *(f"{n:,.0f}" for n in numbers)])


if __name__ == "__main__":
    main()
