"""As the papers have it beside the default: what our departures cost and bring.

    python benchmarks/exact.py FILE... > benchmarks/results/exact.md

Percent right, each sample tested before it is learned, and nodes at the end: means over ten generators of
--samples samples and the first of each file given, at --budget. `default` and `exact` are the two modes; the
rows below each model are the default with one departure off (where an option or a line does that), so that
the difference to the default is what the departure brings. Files and generators in columns of their own.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from common import Data, heading, load, parser, row, table

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from support.changed import changed

GENERATORS = (
    "sea",
    "sea_a",
    "agrawal:function=2",
    "agrawal_a",
    "bg1",
    "led",
    "rbf:classes=4",
    "rbf_f",
    "hyperplane",
    "waveform",
)
Change = tuple[str, str, str]
FADES = ("tree.learn", "if flags & _EXACT:\n        epoch = 0", "if 1:\n        epoch = 0")
EMPTY = ("tree.grow", "if flags & _BAYES and flags & _EMPTY == 0:", "if 0:")
GUARDS = ("tree.rule", "elif flags & _EXACT == 0 and (", "elif 0 and (")
CHANCE = ("tree.rule", "if omega and best <= chance:", "if 0:")
PSI = ("tree.rule", "slack = bound\n", "slack = 0\n")
PLAIN = ("tree.rule", "elif omega and plain - plain_second <= bound and", "elif 0 and")
TIE = ("tree.rule", "elif best <= chance and halves", "elif 0 and halves")
LOST = ("tree.alternates", "if start < 0 and review and words[_OMEGA]", "if 0 and words[_OMEGA]")
YOUTH = ("tree.drift", "youth = _YOUTH\n    patience = _PATIENCE\n", "youth = 0\n    patience = 65535\n")
# Of each model: (what is off, options, changed lines)
Row = tuple[str, dict[str, Any], tuple[Change, ...]]
COMMON: list[Row] = [
    ("class counts do not fade", {}, (FADES,)),
    ("children start empty", {}, (EMPTY,)),
    ("no guard keeps a leaf whole", {}, (GUARDS,)),
    ("tau .05", {"tau": 0.05}, ()),
]
ROWS: dict[str, list[Row]] = {
    "vfdt": [*COMMON, ("poor attributes are dropped", {"drop_poor": True}, ())],
    "svfdt1": [("no guard keeps a leaf whole", {}, (GUARDS,)), ("line 30 drops", {"drop_poor": True}, ())],
    "svfdt2": [("no guard keeps a leaf whole", {}, (GUARDS,)), ("line 30 drops", {"drop_poor": True}, ())],
    "ht-reg": [
        ("J* > Psi", {}, (PSI,)),
        ("no chance test", {}, (CHANCE,)),
        ("VFDT's rule need not hold", {}, (PLAIN,)),
    ],
    "hat": [("no tie rule of our own", {}, (TIE,)), ("alternates go at once", {}, (YOUTH,))],
    "hat-reg": [("no trigger but the detector's", {}, (LOST,)), ("alternates go at once", {}, (YOUTH,))],
    "shrubs": [
        ("a shrub with each sample", {"every": 1}, ()),
        ("none that leads", {"recent": 0}, ()),
        ("both, all features", {"every": 1, "recent": 0, "features": True}, ()),
    ],
}


def measure(streams: list[Data], model: str, budget: int, options: dict[str, Any]) -> list[tuple[float, int]]:
    found = []
    for data in streams:
        chosen = dict(options)
        if chosen.get("features") is True:
            chosen["features"] = data.stream.n_features
        run = data.run(model, budget, **chosen)
        found.append((data.accuracy(run), run.nodes))
    return found


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=10_000)
    options.add_argument("--budget", type=int, default=8192)
    args = options.parse_args()
    heading(__doc__)
    generators = [load(name, args.samples) for name in GENERATORS]
    files = [load(name, args.samples) for name in args.streams]
    table(["model", "mode", "generators", "nodes", "files", "nodes"])
    for model, rows in ROWS.items():
        shown: list[Row] = [("default", {}, ()), ("exact", {"exact": True}, ())]
        for title, chosen, changes in [*shown, *(("default, but: " + what, o, c) for what, o, c in rows)]:
            with changed(*changes):
                means = []
                for streams in (generators, files):
                    found = measure(streams, model, args.budget, chosen)
                    means += [f"{np.mean([f[i] for f in found]):.{2 - i}f}" if found else "" for i in (0, 1)]
            row([model, title, *means])


if __name__ == "__main__":
    main()
