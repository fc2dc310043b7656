"""Exact mode beside float64 references: is every decision the paper's?

    python benchmarks/exact_lockstep.py > benchmarks/results/exact_lockstep.md

The device's models with `exact=True` and references that are written from the papers alone, without any
departure (host/niwaki_host/references), learn the same --samples samples. With room for everything, counts of
16 bits, grace 100, delta 1e-5. Of trees every attempt to split is compared, its best split, whether it was
carried out, and in adaptive ones every change that a monitor sees and every verdict on an alternate. A *tie*
is a decision in which both differ by less than the device's fixed point explains; the reference then does as
the device did. A *difference* is any other. Answers are compared before each sample is learned: those of
majority leaves, and, in a second run of --bayes samples, those of leaves with naive Bayes where it was right
more often (`nba`), whose short logarithms turn some. Of shrubs (window 24, six, step 1) the weights are
compared after each sample: a tie is another member where two weights are equal but for rounding, a difference
any other gap above .001; then the reference goes on with the device's weights. They learn --shrubs samples of
each stream: their reference grows a tree from nothing with each.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from common import heading, parser, row, table

import niwaki
from niwaki.shrubs.layout import WEIGHTS
from niwaki_host.device.schedule import schedule_of
from niwaki_host.references import HoeffdingTree, RegularisedTree, StrictTree, adaptive_lockstep
from niwaki_host.references.adaptive import AdaptiveRegularisedTree, AdaptiveTree
from niwaki_host.references.lockstep import Agreement, DeviceTrace, compare
from niwaki_host.references.shrubs import ShrubEnsemble
from niwaki_host.runtimes.numba_rt import compiled, views
from niwaki_host.streams import open_stream
from niwaki_host.streams.encoding import encode_stream, make_encoding

STREAMS = (
    ("sea:function=1+2+3,drift=33%+66%,noise=10", 0.1),
    ("agrawal:function=1+2,missing=5,drift=50%", 0.1),
    ("rbf:classes=4", 0.2),
    ("led:noise=10", 0.35),
    ("hyperplane", 0.1),
    ("stagger:function=1+2+3,drift=33%+66%", 0.1),
)
MODELS: dict[str, tuple[type[HoeffdingTree], dict[str, Any]]] = {
    "vfdt": (HoeffdingTree, {}),
    "svfdt1": (StrictTree, {"strict": 1}),
    "svfdt2": (StrictTree, {"strict": 2}),
    "ht-reg": (RegularisedTree, {"omega": 0.5}),
    "hat": (AdaptiveTree, {}),
    "hat-reg": (AdaptiveRegularisedTree, {"omega": 0.5}),
}
BUDGET = 4_000_000
WINDOW, SHRUBS, STEP = 24, 6, 1.0
ROUNDING = 0.001
"""Of a weight: what fixed point may be wrong by in one step."""


class Samples(NamedTuple):
    n_classes: int
    nominal: list[int]
    X: np.ndarray
    y: np.ndarray

    def first(self, n: int) -> "Samples":
        return self._replace(X=self.X[:n], y=self.y[:n])


def read(spec: str, n: int) -> Samples:
    stream = open_stream(spec, limit=n)
    return Samples(
        stream.n_classes, list(stream.nominal), *encode_stream(stream, make_encoding(stream, "whole"))
    )


def trees(name: str, data: Samples, tau: float, leaf: str) -> tuple[Agreement, float, int]:
    """What was found, the share of equal answers, and how often an alternate began."""
    cls, chosen = MODELS[name]
    adaptive = issubclass(cls, AdaptiveTree)
    options = {"grace": 100, "delta": 1e-5, "tau": tau, "leaf": leaf, "nominal": data.nominal, **chosen}
    more = {"adaptive": True} if adaptive else {}
    features = data.X.shape[1]
    tree = niwaki.Tree(
        features, data.n_classes, BUDGET, exact=True, bins=16, count_bits=16, **options, **more
    )
    options["drop_poor"] = not adaptive and "omega" not in options  # line 30 of SVFDT's Algorithm 1, VFDT's
    reference = cls(features, data.n_classes, **options)
    if isinstance(reference, AdaptiveTree):
        found, same = adaptive_lockstep.compare(tree, reference, data.X, data.y)
        return found, same, len(reference.started)
    answers: list[bool] = []
    found = compare(tree, reference, data.X, data.y, answers)
    if DeviceTrace(tree).splits() != reference.splits():
        found.differences.append("the trees at the end")
    return found, float(np.mean(answers)), 0


def shrubs(data: Samples) -> tuple[int, int, float, float]:
    """Ties, differences, the share of equal answers, the largest difference of a weight but for these."""
    model = niwaki.Shrubs(
        data.X.shape[1], data.n_classes, 1 << 17, window=WINDOW, shrubs=SHRUBS, step=STEP, exact=True
    )
    reference = ShrubEnsemble(data.n_classes, window=WINDOW, shrubs=SHRUBS, step=STEP)
    state, schedule = views(model), schedule_of(model)

    def call(kernel: Callable, *label: int) -> int:
        return compiled(kernel)(*state, *label)

    ties, differences, answers, worst = 0, 0, 0, 0.0
    for x, y in zip(data.X, data.y.tolist(), strict=True):
        state.x[:] = x
        answers += call(schedule.predict) == reference.predict(x)
        schedule.teach(call, y)
        reference.learn(x, y)
        weights = np.array(model.words[WEIGHTS:]) / 65536
        gap = np.abs(weights - reference.weights)
        if gap.max() <= ROUNDING:
            worst = max(worst, float(gap.max()))
        else:
            cut = np.sort(reference.stepped)[-SHRUBS]
            odd = (weights > 0) != (reference.weights > 0)
            tie = odd.any() and np.abs(reference.stepped[odd] - cut).max() <= ROUNDING
            ties += tie
            differences += not tie
        reference.weights = weights  # neither ties nor the device's rounding add up
    return ties, differences, answers / len(data.y), worst


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=20_000)
    options.add_argument("--bayes", type=int, default=2_000)
    options.add_argument("--shrubs", type=int, default=2_000)
    options.add_argument("--models", default=",".join([*MODELS, "shrubs"]))
    args = options.parse_args()
    heading(__doc__)
    wanted = args.models.split(",")
    data = {spec: read(spec, args.samples) for spec, _ in STREAMS}
    if set(wanted) & set(MODELS):
        head = ["attempts", "splits", "alternates", "ties", "differences", "same answers, %", "`nba`, %"]
        table(["model, stream, samples", *head])
    alike = []
    for name in MODELS:
        for spec, tau in STREAMS if name in wanted else ():
            found, same, started = trees(name, data[spec], tau, "mc")
            _, by_bayes, _ = trees(name, data[spec].first(args.bayes), tau, "nba")
            alike.append(same)
            ties = ", ".join(f"{what} {n}" for what, n in found.ties.items()) or "0"
            cells = [found.attempts, found.splits, started, ties, len(found.differences)]
            row(
                [
                    f"{name}, {spec}, {len(data[spec].y):,}",
                    *cells,
                    f"{100 * same:.3f}",
                    f"{100 * by_bayes:.3f}",
                ]
            )
    if alike:
        mean, least = 100 * np.mean(alike), 100 * min(alike)
        print(f"\nSame answers of majority leaves: {mean:.4f} %, the least {least:.3f} %.\n")
    if "shrubs" in wanted:
        table(["shrubs: stream, samples", "ties", "differences", "same answers, %", "worst weight"])
        for spec, _ in STREAMS:
            some = data[spec].first(args.shrubs)
            ties, differences, same, worst = shrubs(some)
            row([f"{spec}, {len(some.y):,}", ties, differences, f"{100 * same:.3f}", f"{worst:.5f}"])


if __name__ == "__main__":
    main()
