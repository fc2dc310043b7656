"""The same bytes on every runtime: all models on all generators, or on all files of a directory.

    python benchmarks/verify_all.py --out verify.jsonl > benchmarks/results/verify_generators.md
    python benchmarks/verify_all.py DIRECTORY --limit 20000 --runtimes numba,c,cortex-m3-c > files.md

Runs `niwaki verify` with every model on the first --limit samples of each stream: of every CSV in DIRECTORY,
of every stream that is named, or, where none is, of every generator with its defaults.
Each cell has the digest of the model's arrays at the end, which is the same on all runtimes; where it is not,
the cell names them all. One run at a time; with --out each result is kept as a line of JSON as soon as it is
there, and what is there already is not run again.
"""

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from common import heading, parser, row, table, version

from niwaki_host.cli import main as niwaki
from niwaki_host.device.models import MODELS
from niwaki_host.streams.registry import GENERATORS

TOO_SMALL = "too small"  # the words of a BudgetError: the stream has too many features for the budget


def verify(stream: str, model: str, budget: str, limit: int, runtimes: str) -> dict[str, Any]:
    """What `niwaki verify` found; its message where it could not run."""
    command = ["verify", stream, "--model", model, "--budget", budget, "--limit", str(limit)]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        niwaki([*command, "--runtimes", runtimes, "--json"])  # in this process: numba compiles a model once
    if not out.getvalue().strip():
        return {"equal": False, "error": (err.getvalue().strip().splitlines() or ["no output"])[-1]}
    return json.loads(out.getvalue())


def cell(found: dict[str, Any], runtimes: int) -> tuple[str, bool]:
    """What the table says of one run, and whether it is good."""
    digests = found.get("digests", {})
    if TOO_SMALL in found.get("error", ""):
        return "-", True
    if not found["equal"]:
        return f"**{digests or found['error']}**", False
    same = next(iter(digests.values()))
    return (same, True) if len(digests) == runtimes else (f"{same} on {len(digests)} only", False)


def streams_of(words: list[str]) -> list[str]:
    found: list[str] = []
    for word in words:
        found += [str(path) for path in sorted(Path(word).glob("*.csv*"))] if Path(word).is_dir() else [word]
    return found or list(GENERATORS)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budget", default="8k")
    options.add_argument("--limit", type=int, default=2000)
    options.add_argument("--models", default=",".join(MODELS))
    options.add_argument("--runtimes", default="all")
    options.add_argument("--out", type=Path)
    args = options.parse_args()
    streams, models = streams_of(args.streams), args.models.split(",")
    known = {}
    if args.out and args.out.exists():
        for record in map(json.loads, args.out.read_text().splitlines()):
            known[tuple(record["key"])] = record["found"]
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    for model in models:
        for stream in streams:
            name = Path(stream).name.split(".")[0] if Path(stream).is_file() else stream
            key = (name, model, args.budget, args.limit, args.runtimes)
            if key not in known:
                known[key] = verify(stream, model, args.budget, args.limit, args.runtimes)
                if args.out:
                    with args.out.open("a") as out:
                        print(json.dumps({"key": key, "version": version(), "found": known[key]}), file=out)
            cells[name, model] = known[key]
    runtimes = {name: None for found in cells.values() for name in found.get("digests", {})}
    heading(__doc__)
    print(f"Runtimes: {', '.join(runtimes)}. Budget {args.budget}; `-`: too small for that many features.\n")
    table(["stream", "samples", *models])
    failed = 0
    for name in dict.fromkeys(name for name, _ in cells):
        found = [cells[name, model] for model in models]
        texts = [cell(one, len(runtimes)) for one in found]
        failed += sum(not good for _, good in texts)
        row([name, f"{max(one.get('samples', 0) for one in found):,}", *(text for text, _ in texts)])
    print(f"\nRuns that ended with different bytes, or not on every runtime: {failed} of {len(cells)}.")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
