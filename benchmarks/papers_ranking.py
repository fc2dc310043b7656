"""Feature ranking, figures 1 and 2 of its paper: HT, HAT, HAT-REG and a forest, by MPG and MDI.

    python benchmarks/papers_ranking.py > benchmarks/results/papers_ranking.md
    niwaki simulate bg1-rank:n=500000 --model arf:vfdt --budget 1m --importances mpg --plot figure1d.png

Karax, Malucelli and Barddal, "Decision tree-based Feature Ranking in Concept Drifting Data Streams", 2019.
200 features of which two or three matter, others after each of two gradual drifts; the paper has 500,000
samples. Just before each drift, and at the end: how many of the relevant features are first, and the depth of
the tree (of the forest its deepest). The paper prints figures and no numbers: there all relevant features are
highlighted but attrib30 of bg1's last concept. `exact` is `exact=True`, `ours` the default, in --budget
bytes. The forest divides them among ten trees and two in the background, each with 60 % of the features. A
sample that is learned six times (Poisson(6)) counts six times in the Hoeffding bound: of 200 features some
then win by chance, and the last rows are without that. 100,000 samples take 45 seconds of one core.
"""

from common import Data, heading, load, parser, row, table

from niwaki_host.evaluation.features import depth
from niwaki_host.inspect.importances import KINDS, importance
from niwaki_host.runtimes import run

RELEVANT = {
    "bg1-rank": ({0, 1, 2}, {10, 20, 50}, {10, 25, 30}),
    "sea-rank": ({64, 113}, {6, 87}, {29, 131}),
}
MODELS = {
    "HT": "vfdt",
    "HAT": "hat",
    "HAT-REG": "hat-reg",
    "forest": "arf:vfdt,trees=10",
    "forest, Poisson(1), all features": "arf:vfdt,trees=10,weight=1,features=1.0",
}
MODES = {"exact": {"exact": True}, "ours": {}}
POINTS = 100


def look(model: object) -> tuple[int, dict[str, list[float]]]:
    """What is noted of a model on the way."""
    return depth(model), {kind: importance(model, kind) for kind in KINDS}


def ranked(data: Data, model: str, budget: int, concepts: tuple[set[int], ...], **settings: object) -> dict:
    """For each kind, and for depth, a text for each concept."""
    every = len(data.y) // POINTS
    params = {**data.shape(model, budget), **settings}
    found = run("numba", model, params, data.X, data.y, every=every, note=look)
    ends = [drift.position - drift.width // 2 for drift in data.stream.drifts] + [len(data.y)]
    texts: dict[str, list[str]] = {"accuracy": [f"{data.accuracy(found):.1f}"]}
    for relevant, end in zip(concepts, ends, strict=True):
        deep, scores = found.noted[end // every - 1]
        texts.setdefault("depth", []).append(str(deep))
        for kind in KINDS:
            order = sorted(range(len(scores[kind])), key=lambda f: -scores[kind][f])[: len(relevant)]
            hit = len(relevant & {f for f in order if scores[kind][f] > 0})
            texts.setdefault(kind, []).append(f"{hit} of {len(relevant)}")
    return texts


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=500_000)
    options.add_argument("--budget", type=int, default=1 << 20)
    args = options.parse_args()
    heading(__doc__)
    if args.samples < 500_000:
        print(f"**{args.samples:,} samples of the paper's 500,000.**\n")
    table(["stream, samples", "model", "row", "accuracy, %", "MPG finds", "MDI finds", "depth"])
    for spec, concepts in RELEVANT.items():
        data = load(f"{spec}:n={args.samples}")
        for title, model in MODELS.items():
            for mode, settings in MODES.items():
                texts = ranked(data, model, args.budget, concepts, **settings)
                cells = [", ".join(texts[name]) for name in ("accuracy", *KINDS, "depth")]
                row([f"{spec}, {len(data.y):,}", title, mode, *cells])


if __name__ == "__main__":
    main()
