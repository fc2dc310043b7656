"""What children should inherit of their parent's histograms.

    python benchmarks/inherited.py STREAM... > benchmarks/results/inherited.md

After a split the cells of both children hold a quarter of their parent's counts, but for the feature that was
split on, which starts anew. Percent right of `vfdt` with children that start blind, and what a quarter
(`1/4`, as it is) or an eighth (`1/8`) adds, for the streams given and generators; the mean of --phases runs
with other edges of bins (and seeds), on the first --limit samples. Each variant is the device's own source
with that constant changed, in a directory of its own.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from common import heading, load, parser, row, table
from tree_policy import GENERATORS

import niwaki
from niwaki_host.sizes import parse_size

# file, what stands there, what a variant has instead
VARIANTS: dict[str, list[tuple[str, str, str]]] = {
    "blind": [("tree/grow.py", "scratch[_S_SHIFT] = 2", "scratch[_S_SHIFT] = 16")],
    "1/4": [],
    "1/8": [
        ("tree/grow.py", "scratch[_S_SHIFT] = 2", "scratch[_S_SHIFT] = 3"),
        ("tree/shrink.py", "shift == 2", "shift == 3"),
    ],
}


def percents(spec: str, budgets: list[str], limit: int, phases: int) -> list[float]:
    """The mean at each budget, with the package that this process has."""
    runs = []
    for phase in range(phases):
        seeded = spec if Path(spec).exists() else f"{spec}{',' if ':' in spec else ':'}seed={phase + 1}"
        data = load(seeded, limit, phase)
        runs.append([data.percent("vfdt", parse_size(budget)) for budget in budgets])
    return np.mean(runs, axis=0).tolist()


def variant(changes: list[tuple[str, str, str]], arguments: list[str]) -> dict[str, list[float]]:
    """What this script measures with a changed copy of the device package."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "niwaki"
        shutil.copytree(Path(niwaki.__file__).parent, package)
        for file, old, new in changes:
            text = (package / file).read_text()
            if old not in text:
                sys.exit(f"{file} has changed: no {old!r} in it")
            (package / file).write_text(text.replace(old, new))
        path = os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, __file__, "--measure", *arguments]
        found = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": path}, check=True, stdout=subprocess.PIPE
        )
        return json.loads(found.stdout)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budgets", default="2k,4k,16k")
    options.add_argument("--limit", type=int, default=30_000)
    options.add_argument("--phases", type=int, default=3)
    options.add_argument("--measure", action="store_true", help="with the package as it is, as JSON")
    args = options.parse_args()
    streams, budgets = [*args.streams, *GENERATORS], args.budgets.split(",")
    if args.measure:
        print(json.dumps({spec: percents(spec, budgets, args.limit, args.phases) for spec in streams}))
        return
    heading(__doc__)
    arguments = [word for word in sys.argv[1:] if word != "--measure"]
    found = {name: variant(changes, arguments) for name, changes in VARIANTS.items()}
    table(["stream", *(f"{name} {budget}" for name in VARIANTS for budget in budgets)])
    rows = {spec: np.array([values[spec] for values in found.values()]) for spec in streams}
    groups = {"mean of files": args.streams, "mean of generators": GENERATORS}
    for title, group in groups.items():
        if group:
            rows[title] = np.mean([np.nan_to_num(rows[spec]) for spec in group], axis=0)
    for spec, (blind, *others) in rows.items():
        name = Path(spec).name.split(".")[0] if Path(spec).exists() else spec
        added = [value for values in others for value in values - blind]
        row([name, *(f"{value:.2f}" for value in blind), *(f"{value:+.2f}" for value in added)])


if __name__ == "__main__":
    main()
