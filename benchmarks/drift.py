"""Drift: alternates, shrubs, and the ranking of features that come and go.

    python benchmarks/drift.py wide --samples 1000000 > benchmarks/results/drift_wide.md
    python benchmarks/drift.py narrow > benchmarks/results/drift_narrow.md
    python benchmarks/drift.py files --river insects.csv elec2.csv > benchmarks/results/drift_files.md
    python benchmarks/drift.py rank > benchmarks/results/drift_rank.md
    python benchmarks/drift.py cost > benchmarks/results/drift_cost.md

One gradual drift in the middle (wide: 500 features, narrow: 20), or as the files have it. Percent right, each
sample tested before it is learned / nodes at the end. rank: the most important features by MPG just before
each drift and at the end. cost: Cortex-M3 instructions per learned sample.
"""

from array import array

import numpy as np
from common import Data, heading, load, parser, row, table

from niwaki_host.device import models
from niwaki_host.runtimes import run
from niwaki_host.runtimes.events import Prequential
from niwaki_host.runtimes.numba_rt import loop_of, views

ROOM = 1 << 20
WIDE_ROOM = 1 << 24  # with 500 features, 1 MB is 60 slots: not room for a tree that is not regularised
MODELS = ("vfdt", "hat", "ht-reg", "hat-reg")
WIDE = ("agr-500-drift", "bg1-500-drift", "sea-500-drift")
NARROW = (
    "agrawal:function=1+2,balance=1,irrelevant=5,irrelevant_nominal=6,drift=50%:5%",
    "bg1:attributes=20,features=0/1/2+3/4/5,drift=50%:5%",
    "seafd:function=1+2,attributes=20,drift=50%:5%",
)
RELEVANT = {
    "bg1-rank": ({0, 1, 2}, {10, 20, 50}, {10, 25, 30}),
    "sea-rank": ({64, 113}, {6, 87}, {29, 131}),
}


def result(data: Data, model: str, budget: int) -> str:
    found = data.run(model, budget)
    return f"{data.accuracy(found):.2f} / {found.nodes}"


def compare(specs: list[str], samples: int | None, columns: list[tuple[str, int]]) -> None:
    table(["stream", *(f"{model} {budget >> 10}k" for model, budget in columns)])
    for spec in specs:
        data = load(spec, samples)
        row([data.name, *(result(data, model, budget) for model, budget in columns)])


def river_hat(data: Data) -> str:
    from river.tree import HoeffdingAdaptiveTreeClassifier

    clf, right = HoeffdingAdaptiveTreeClassifier(seed=1), 0
    X, y = data.stream.read()
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        sample = dict(enumerate(x))
        right += clf.predict_one(sample) == label
        clf.learn_one(sample, label)
    return f"{100 * right / len(y):.2f} / {clf.n_nodes}"


def files(paths: list[str], samples: int | None, river: bool) -> None:
    columns = [(model, 16384) for model in (*MODELS, "shrubs")]
    table(["stream", *(f"{model} 16k" for model, _ in columns), *(["river HAT, no cap"] if river else [])])
    for path in paths:
        data = load(path, samples)
        cells = [result(data, model, budget) for model, budget in columns]
        row([data.name, *cells, *([river_hat(data)] if river else [])])


def top(model: str, data: Data, budget: int) -> list[list[int]]:
    """The features by MPG, best first, where each drift begins and at the end."""
    clf = models.build(
        model, data.stream.n_features, data.stream.n_classes, budget, nominal=data.stream.nominal
    )
    addresses = np.array([view.ctypes.data for view in views(clf)], np.uintp)
    predictions = np.empty(len(data.y), np.int16)
    samples, kept = (np.uintp(data.X.ctypes.data), data.X.shape[1]), np.zeros(1, np.int32)
    loop, out, at, order = loop_of(clf), array("i", bytes(4 * data.stream.n_features)), 0, []
    for stop in (*(drift.position - drift.width // 2 for drift in data.stream.drifts), len(data.y)):
        events = Prequential(data.y, 0).events(at, stop)
        loop(addresses, *samples, events.codes, events.rows, kept, predictions)
        at = stop
        clf.importances(out, "mpg")
        order.append(np.argsort(-np.array(out), kind="stable").tolist())
    return order


def rank(samples: int) -> None:
    table(["stream", "model", *(f"concept {i}: relevant, found" for i in (1, 2, 3))])
    for spec, concepts in RELEVANT.items():
        data = load(spec, samples)
        for model in ("vfdt", "hat", "hat-reg"):
            cells = []
            for relevant, order in zip(concepts, top(model, data, 1 << 18), strict=True):
                first = order[: len(relevant)]
                cells.append(f"{sorted(relevant)}, {len(relevant & set(first))} of {len(relevant)}: {first}")
            row([spec, model, *cells])


def cost(samples: int) -> None:
    table(["stream", "without", "adaptive", "times"])
    for spec in ("agrawal:function=1+2,drift=50%", "bg1:features=0/1/2+3/4/5,drift=50%", "rbf", "sea"):
        data = load(spec, samples)
        shape = {"n_features": data.stream.n_features, "n_classes": data.stream.n_classes, "budget": 8192}
        counts = []
        for model in ("vfdt", "hat"):
            params = {**shape, "nominal": list(data.stream.nominal)}
            found = run("cortex-m3", model, params, data.X, data.y, measure=True)
            counts.append(found.instructions_per_learn)
        row([spec, *(f"{n:,.0f}" for n in counts), f"{counts[1] / counts[0]:.2f}"])


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int)
    options.add_argument("--river", action="store_true")
    given = options.parse_intermixed_args()  # the files come after an option
    if not given.streams:
        options.error("which measurement: wide, narrow, files, rank or cost?")
    what, *paths = given.streams
    heading(__doc__)
    if what == "wide":
        compare(WIDE, given.samples or 200_000, [(model, WIDE_ROOM) for model in MODELS])
    elif what == "narrow":
        columns = [(model, budget) for budget in (16384, ROOM) for model in MODELS]
        compare(NARROW, given.samples or 1_000_000, columns)
    elif what == "files":
        files(paths, given.samples, given.river)
    elif what == "rank":
        rank(given.samples or 500_000)
    elif what == "cost":
        cost(given.samples or 12_000)
    else:
        options.error(f"unknown measurement {what!r}")


if __name__ == "__main__":
    main()
