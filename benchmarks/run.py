"""Make the tables of benchmarks/results/ again: all of them, or those that are named.

    python benchmarks/run.py --list
    python benchmarks/run.py --data DIR peers growth            # or: make tables DATA=DIR

DIR holds the real streams, as CSV files with the label last; without it, the tables that need them are made
from generators alone. All of them take some hours; each says how long it took.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
FILES = "FILES"  # stands for all files of the data directory
DIRECTORY = "DIR"  # stands for the directory itself
RECORDINGS = (
    "basicmotions_raw_10hz",
    "cwru_12k_loaddrift_win",
    "emlearn_har_exercise_raw",
    "insects_gradual_balanced",
    "noaa_weather",
    "powersupply",
    "seglearn_watch_win",
    "shuttle_7class_mlbench",
    "wall_following_24",
)
SENSORS = (
    *RECORDINGS,
    "batteryless_rfid",
    "covtype_first100k",
    "elec2",
    "emlearn_cgestures_raw",
    "occupancy_uci357",
)
SHRUBS_PAPER = ("elec2", "noaa_weather", "covtype_first100k", "nomao", "nycflights13")
ENSEMBLES = (
    "elec2",
    "insects_gradual_balanced",
    "wall_following_24",
    "noaa_weather",
    "covtype_first100k",
    "shuttle_7class_mlbench",
    "occupancy_uci357",
    "powersupply",
    "cwru_12k_loaddrift_win",
    "batteryless_rfid",
)
GENERATORS = ("sea", "rbf", "hyperplane", "waveform", "agrawal:function=2", "imu")
DRIFTING = ("sea", "agrawal:function=2", "rbf", "led", "hyperplane", "waveform", "imu:drift=50%", "rbf_f")
DRIFTS = (
    "agrawal:function=1+2,drift=50%:5%",
    "bg1:attributes=20,features=0/1/2+3/4/5,drift=50%:5%",
    "seafd:function=1+2,attributes=20,drift=50%:5%",
    "rbf:classes=5,model=1+2+3,drift=33%+66%",
    "led:swap=0+5+7,drift=33%+66%",
)
FAST = "numba,c,cortex-m3-c"  # the runtimes that do 20,000 samples in seconds or a minute

# The name of a table, the script that makes it and its arguments.
TABLES: dict[str, tuple[str, ...]] = {
    "which_model": ("which_model.py", *(f"{name}.csv.xz" for name in RECORDINGS)),
    # beside river and MOA
    "peers": ("peers.py", FILES, *GENERATORS),
    "budgets": ("budgets.py", FILES),
    "speed": ("speed.py",),
    "shrubs_peers": ("shrubs_peers.py", FILES),
    # beside the papers
    "strict_sizes": ("strict_sizes.py", "elec2.csv.xz", "covtype_first100k.csv.xz"),
    "ht_reg": ("ht_reg.py",),
    "ht_reg_tables": ("ht_reg_tables.py",),
    # beside the rules of docs/papers.md
    "capped_reference": ("capped_reference.py",),
    "exact_lockstep": ("exact_lockstep.py",),
    "exact_lockstep_shrubs": ("exact_lockstep.py", "--models", "shrubs"),
    "exact": ("exact.py", "--samples", "8000", *(f"{name}.csv.xz" for name in SENSORS)),
    "subset": ("subset.py", *(f"{name}.csv.xz" for name in SENSORS)),
    "papers_strict": ("papers_strict.py", "elec2.csv.xz", "covtype_first100k.csv.xz", "--runs", "3"),
    "papers_ht_reg": ("papers_ht_reg.py", "tables", "covtype_first100k.csv.xz"),
    "papers_ht_reg_omega": ("papers_ht_reg.py", "omega"),
    "papers_ranking": ("papers_ranking.py",),
    "shrubs_paper": ("shrubs_paper.py", *(f"{name}.csv.xz" for name in SHRUBS_PAPER)),
    "shrubs_paper_long": (
        "shrubs_paper.py",
        *(f"{name}.csv.xz" for name in SHRUBS_PAPER),
        *("--samples", "200000", "--without", "shrubs, exact"),
    ),
    "shrubs_paper_random": (
        "shrubs_paper.py",
        *("elec2.csv.xz", "noaa_weather.csv.xz", "--samples", "3000", "--random", "50"),
        *("--without", "shrubs, exact", "--without", "hat"),
    ),
    "shrubs_figures": ("shrubs_figures.py", "--samples", "4000", "--without", "ARF,SRP,EFDT,max_size"),
    "ensembles": ("ensembles.py", *(f"{name}.csv.xz" for name in ENSEMBLES)),
    "ensembles_long": (
        "ensembles.py",
        "--limit",
        "40000",
        "--budgets",
        "64k",
        *(f"{name}.csv.xz" for name in ENSEMBLES),
    ),
    # the tests
    "mutants": ("mutants.py",),
    # on a board
    "first_five_minutes": ("first_five_minutes.py",),
    "device": ("device.py",),
    "growth": ("growth.py",),
    "interrupts": ("interrupts.py",),
    "shrubs_cost": ("shrubs_cost.py", "basicmotions_raw_10hz.csv.xz", "rbf:attributes=6,classes=4", "imu"),
    # drift, labels, glitches, choices
    "drift_models": ("drift_models.py", DIRECTORY),
    "drift_wide": ("drift.py", "wide", "--samples", "1000000"),
    "drift_narrow": ("drift.py", "narrow"),
    "drift_files": ("drift.py", "files", "--river", FILES),
    "drift_rank": ("drift.py", "rank"),
    "drift_cost": ("drift.py", "cost"),
    "long_drift": ("long_drift.py",),
    "verify_all": ("verify_all.py", DIRECTORY, *DRIFTS, "--limit", "20000", "--runtimes", FAST),
    "verify_generators": ("verify_all.py",),
    "novelty": ("novelty.py", "rbf:classes=5", "waveform", "imu", "led:noise=10", FILES),
    "how_labels_come": ("how_labels_come.py", *(f"{name}.csv.xz" for name in SENSORS)),
    "how_labels_come_generated": ("how_labels_come.py", "--rows", "20000", "--each", *DRIFTING),
    "grove_defaults": ("grove_defaults.py", *(f"{name}.csv.xz" for name in SENSORS), "--seeds", "5"),
    "confidence": ("confidence.py", *(f"{name}.csv.xz" for name in SENSORS)),
    "merge": ("merge.py",),
    "few_shot": ("few_shot.py", *(f"{name}.csv.xz" for name in SENSORS)),
    "grove_ablation": ("grove_ablation.py", *(f"{name}.csv.xz" for name in SENSORS)),
    "partial_labels": ("partial_labels.py", "sea:noise=10", "rbf:classes=5", "led:noise=10", "imu", FILES),
    "glitches": ("glitches.py", "--seeds", "10", FILES, *GENERATORS),
    "adwin": ("adwin.py",),
    "tree_policy": ("tree_policy.py", FILES),
    "inherited": ("inherited.py", FILES),
}


def arguments(words: tuple[str, ...], data: Path | None) -> list[str]:
    """With files found in the data directory; those that are not there are left out."""
    found = []
    for word in words:
        if word == FILES:
            found += [str(path) for path in sorted(data.glob("*.csv*"))] if data else []
        elif word == DIRECTORY:
            found += [str(data)] if data else []
        elif ".csv" not in word:
            found.append(word)
        elif data and (data / word).is_file():
            found.append(str(data / word))
    return found


def make(name: str, data: Path | None) -> bool:
    """Run the script; a table that fails keeps its old result."""
    script, *words = TABLES[name]
    command = [sys.executable, str(HERE / script), *arguments(tuple(words), data)]
    target = RESULTS / f"{name}.md"
    partial = target.with_suffix(".partial")
    start = time.monotonic()
    with open(partial, "w") as out:
        done = subprocess.run(command, stdout=out, cwd=HERE.parent)
    if done.returncode:
        print(f"{name}: failed; {partial} has what it printed", flush=True)
        return False
    partial.replace(target)
    print(f"{name}: {target.relative_to(HERE.parent)}, {time.monotonic() - start:.0f} s", flush=True)
    return True


def main() -> int:
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("names", nargs="*", metavar="NAME", help="tables; all by default")
    parser.add_argument("--data", type=Path, metavar="DIR", help="where the files with real streams are")
    parser.add_argument("--list", action="store_true", help="say what there is, and the command for each")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in TABLES]
    if unknown:
        parser.error(f"there is no table {unknown[0]!r}; there are {', '.join(TABLES)}")
    if options.data and not options.data.is_dir():
        parser.error(f"{options.data} is no directory")
    names = options.names or list(TABLES)
    if options.list:
        for name in names:
            print(f"{name:14} python benchmarks/{' '.join(TABLES[name])}")
        return 0
    failed = [name for name in names if not make(name, options.data)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
