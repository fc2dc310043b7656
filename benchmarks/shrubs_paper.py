"""Area under the Pareto front: table 1 of the Shrub Ensembles paper, and our models of at most 64 KB.

    python benchmarks/shrubs_paper.py elec2.csv.xz noaa_weather.csv.xz > benchmarks/results/shrubs_paper.md

Buschjaeger et al., "Shrub Ensembles for Online Classification", 2022: accuracy against bytes, normalised by
the largest model, which there is up to 100 MB. Ours, default settings at --budgets, continue at their best
accuracy to the same 100 MB, so that the areas can be compared: what is left of the front's start is a
thousandth at most. The paper's streams that can be generated (--samples of the paper's 1,000,000) and those
whose files are given; theirs is the best of 50 random settings for each method and stream.
"""

from common import Data, heading, load, parser, row, table

from niwaki_host.errors import UsageError
from niwaki_host.evaluation.statistics import apf
from niwaki_host.sizes import parse_sizes

LARGEST = 100_000_000
MODELS = ("vfdt", "hat", "shrubs")
METHODS = ("HT", "ARF", "SRP", "SE")
PAPER = {
    "agrawal_a": (0.9145, 0.8259, 0.8877, 0.9355),
    "agrawal_g": (0.8601, 0.7738, 0.8571, 0.9157),
    "led_a": (0.6846, 0.7149, 0.7240, 0.7233),
    "led_g": (0.6825, 0.7085, 0.7124, 0.7144),
    "rbf_f": (0.3807, 0.7550, 0.7739, 0.7302),
    "rbf_m": (0.6262, 0.8541, 0.8479, 0.7962),
    "elec2": (0.8641, 0.9081, 0.9091, 0.9401),
    "noaa_weather": (0.7510, 0.7788, 0.7895, 0.7586),
}
FILES = ("elec2", "noaa_weather")  # elec and weather in the paper


def area(data: Data, model: str, budgets: list[int]) -> str:
    """The area, and the bytes of the smallest model with the best accuracy."""
    points = []
    for budget in budgets:
        try:
            found = data.run(model, budget)
        except UsageError as error:
            if "too small" not in str(error):
                raise
        else:
            points.append((data.accuracy(found) / 100, found.model_bytes))
    best = max(points, key=lambda point: (point[0], -point[1]))
    return f"{apf(*zip(*points, strict=True), LARGEST):.4f} ({best[1]:,})"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=1_000_000)
    options.add_argument("--budgets", default="2k,8k,64k")
    args = options.parse_args()
    heading(__doc__)
    table(["stream, samples", *(f"{m} (best in bytes)" for m in MODELS), *(f"paper's {m}" for m in METHODS)])
    generated = [f"{name}:n={args.samples}" for name in PAPER if name not in FILES]
    for spec in [*generated, *args.streams]:
        data = load(spec)
        name = data.name.split(":")[0]
        cells = [area(data, model, parse_sizes(args.budgets)) for model in MODELS]
        row([f"{name}, {len(data.y):,}", *cells, *(f"{value:.4f}" for value in PAPER.get(name, ()))])


if __name__ == "__main__":
    main()
