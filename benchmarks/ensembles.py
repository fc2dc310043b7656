"""Ensembles of trees against grove and shrubs: is there a budget where they win?

    python benchmarks/ensembles.py FILE... > benchmarks/results/ensembles.md

Online bagging and the adaptive random forest of docs/models.md, all their trees in one budget, beside the
models that a board has. The first --limit samples of each stream, mean accuracy in %: *at once*, each label
right after its prediction; *late*, 200 samples later. A budget that is too small counts as 0. Ten files and
6,000 samples take 75 seconds of one core; `--limit 40000 --budgets 64k` takes about as long.
"""

import numpy as np
from common import Data, heading, load, parser, row, table

from niwaki_host.errors import UsageError
from niwaki_host.runtimes import run
from niwaki_host.sizes import format_size, parse_sizes

GENERATORS = (
    "sea",
    "agrawal:function=2",
    "rbf",
    "led",
    "hyperplane",
    "waveform",
    "sea:drift=50%",
    "agrawal:drift=25%+50%+75%",
)
ALONE = ("vfdt", "svfdt1", "hat", "shrubs", "grove")
TOGETHER = (
    "bag:vfdt,trees=5",
    "bag:vfdt,trees=10",
    "bag:svfdt1,trees=5",
    "bag:svfdt1,trees=10",
    "bag:vfdt,trees=10,weight=6",
    "arf:vfdt,trees=5",
    "arf:vfdt,trees=10",
    "arf:svfdt1,trees=10",
)
LATE = 200


def percent(data: Data, model: str, budget: int, delay: int) -> float:
    """0 where the budget is too small."""
    params = data.shape(model, budget)
    try:
        found = run("numba", model, params, data.X, data.y, delay=delay)
    except UsageError as error:
        if "too small" not in str(error):
            raise
        return 0.0
    return data.accuracy(found)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budgets", default="4k,8k,16k,32k,64k,128k")
    options.add_argument("--limit", type=int, default=6000)
    args = options.parse_args()
    heading(__doc__)
    budgets = parse_sizes(args.budgets)
    streams = [load(spec, args.limit) for spec in [*GENERATORS, *args.streams]]
    models = [*ALONE, *TOGETHER]
    for delay, title in ((0, "At once"), (LATE, "Late")):
        scores = np.array([[[percent(d, m, b, delay) for d in streams] for m in models] for b in budgets])
        print(f"## {title}\n")
        table(["model", *map(format_size, budgets)])
        for place, model in enumerate(models):
            row([f"`{model}`", *(f"{value:.1f}" for value in scores[:, place].mean(axis=1))])
        alone, together = scores[:, : len(ALONE)], scores[:, len(ALONE) :]
        wins = (together.max(axis=1) > alone.max(axis=1)).sum(axis=1)
        row([f"streams of {len(streams)} that the best ensemble wins", *wins])
        print()
        for kind, part in (("generators", slice(len(GENERATORS))), ("files", slice(len(GENERATORS), None))):
            if scores[:, :, part].size:
                print(f"Best ensemble minus the better of grove and shrubs, means over the {kind}:", end=" ")
                means = scores[:, :, part].mean(axis=2)
                gap = means[:, len(ALONE) :].max(axis=1) - means[:, 3 : len(ALONE)].max(axis=1)
                print(
                    ", ".join(f"{format_size(b)} {g:+.1f}" for b, g in zip(budgets, gap, strict=True)) + "\n"
                )


if __name__ == "__main__":
    main()
