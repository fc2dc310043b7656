"""Trees as they ship beside a float64 reference: every decision under the cap.

    python benchmarks/capped_reference.py > benchmarks/results/capped_reference.md

The device's tree and its reference (host/niwaki_host/references/capped, written from the rules in
docs/papers.md) learn the same samples with default options. After each sample in which a leaf tried to split,
looked for a slot, or monitors had something to decide, and after every 250th, all that both know is compared:
splits, leaves, class counts, promise, slots and their histograms, monitors and alternates. A *difference*
ends a run. A *tie* is a decision in which the two differ by no more than the device's fixed point explains;
the reference then takes over the device's choice. The last table has trees with options drawn by a seed, with
short grace periods and wide ties, where more happens.

Slot moves: a slot has another leaf than before, the heir of a split among them. Undone: of all collapses, the
split right above a leaf that wanted to split. Kept whole: splits that the bound allowed, where naive Bayes
was much better, or where a regularised tree had no slot free. Races: changes of what the lanes watch. Merit
lost: of all alternates, those that began though the error had not risen. Answers: naive Bayes at a leaf, of
which the device's short logarithms turn some.
"""

from common import heading, load, parser, row, table

from niwaki_host.device import models
from niwaki_host.device.views import TreeView
from niwaki_host.errors import UsageError
from niwaki_host.references.capped.drawn import drawn
from niwaki_host.references.capped.lockstep import Agreement, compare

STREAMS = (
    "sea",
    "agrawal:function=2,missing=5",
    "rbf:classes=4",
    "led:noise=10",
    "waveform",
    "hyperplane",
    "agrawal:function=1+2,drift=50%:5%",
    "bg1:attributes=20,features=0/1/2+3/4/5,drift=50%:5%",
)
BUDGETS = (1024, 2048, 4096, 8192)
MODELS = {"vfdt": {}, "ht-reg": {"omega": 0.5}, "hat": {}, "hat-reg": {"omega": 0.5}}
HAPPENED = ("splits", "collapses", "undone", "slot moves", "kept whole", "races")
ADAPTIVE = ("monitors moved", "alternates", "merit lost", "swaps", "dropped")


def numbers(found: Agreement, names: tuple[str, ...]) -> list[int]:
    """The events by name; ties in decisions, in answers, differences."""
    answers = found.ties["answer"]
    ties = found.ties.total() - answers
    return [found.attempts, *(found.events[name] for name in names), ties, answers, len(found.differences)]


def columns(names: tuple[str, ...]) -> list[str]:
    return ["attempts", *names, "ties", "answers", "differences"]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=20_000)
    options.add_argument("--drawn", type=int, default=300, help="trees with options drawn by a seed")
    o = options.parse_args()
    heading(__doc__)
    wrong = []
    for model, known in MODELS.items():
        names = HAPPENED + (ADAPTIVE if model.startswith("hat") else ())
        print(f"\n## {model}, {o.samples:,} samples\n")
        table(["stream", "bytes", "slots", *columns(names)])
        for spec in o.streams or STREAMS:
            data = load(spec, o.samples)
            nominal = {"nominal": list(data.stream.nominal)} if any(data.stream.nominal) else {}
            for budget in BUDGETS:
                try:
                    shape = data.stream.n_features, data.stream.n_classes, budget
                    tree = models.build(model, *shape, **nominal)
                except UsageError:
                    row([spec, budget, "too small"] + ["-"] * (len(names) + 4))
                    continue
                found = compare(tree, data.X, data.y, **known)
                wrong += [f"{model} {spec} {budget}: {text}" for text in found.differences]
                row([spec, budget, TreeView(tree).n_slots, *numbers(found, names)])
    names = HAPPENED + ADAPTIVE
    print("\n## Options drawn by a seed\n")
    table(["trees", "samples", *columns(names)])
    total = Agreement()
    for seed in range(o.drawn):
        case = drawn(seed)
        found = compare(case.tree, case.X, case.y, **case.options)
        wrong += [f"{case}: {text}" for text in found.differences]
        total.samples += found.samples
        total.attempts += found.attempts
        total.events += found.events
        total.ties += found.ties
        total.differences += found.differences
    row([o.drawn, total.samples, *numbers(total, names)])
    shown = ", ".join(f"{name} {n}" for name, n in sorted(total.ties.items()))
    print(f"\nTies by what was decided: {shown}.")
    for text in wrong:
        print(f"\nDifference: {text}")


if __name__ == "__main__":
    main()
