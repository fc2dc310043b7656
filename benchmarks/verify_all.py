"""The same bytes on every runtime: all models on all files, and on the drift generators.

    python benchmarks/verify_all.py DIRECTORY --out verify.jsonl > benchmarks/results/verify.md

Runs `niwaki verify` on the first --limit samples of every CSV in DIRECTORY with svfdt1, svfdt2, ht-reg, hat
and hat-reg, and on generators with drift with the last two. One run at a time; with --out each result is
kept as a line of JSON as soon as it is there, and what is there already is not run again.
"""

import json
import subprocess
import sys
from pathlib import Path

from common import heading, parser, row, table

TREES = ("svfdt1", "svfdt2", "ht-reg")
ADAPTIVE = ("hat", "hat-reg")
DRIFTS = (
    "agrawal:function=1+2,drift=50%:5%",
    "bg1:attributes=20,features=0/1/2+3/4/5,drift=50%:5%",
    "seafd:function=1+2,attributes=20,drift=50%:5%",
    "rbf:classes=5,model=1+2+3,drift=33%+66%",
    "led:swap=0+5+7,drift=33%+66%",
)


def verify(stream: str, model: str, budget: str, limit: int) -> dict:
    """What `niwaki verify` found; its message where it could not run."""
    command = [sys.executable, "-m", "niwaki_host.cli", "verify", stream, "--model", model]
    command += ["--budget", budget, "--limit", str(limit), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout.strip():
        return {"equal": False, "error": done.stderr.strip().splitlines()[-1:] or ["no output"]}
    return json.loads(done.stdout)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--budget", default="8k")
    options.add_argument("--limit", type=int, default=50_000)
    options.add_argument("--out", type=Path)
    args = options.parse_args()
    files = [str(path) for folder in args.streams for path in sorted(Path(folder).glob("*.csv*"))]
    work = [(stream, model) for stream in DRIFTS for model in ADAPTIVE]
    work += [(stream, model) for model in (*TREES, *ADAPTIVE) for stream in files]
    known = {}
    if args.out and args.out.exists():
        records = map(json.loads, args.out.read_text().splitlines())
        known = {(r["name"], r["model"], r["budget"], r["limit"]): r for r in records}
    heading(__doc__)
    table(["stream", "model", "samples", "runtimes", "digest"])
    failed = 0
    for stream, model in work:
        name = Path(stream).name.split(".")[0] if stream in files else stream
        key = (name, model, args.budget, args.limit)
        record = known.get(key)
        if record is None:
            record = dict(zip(("name", "model", "budget", "limit"), key, strict=True))
            record |= {"found": verify(stream, model, args.budget, args.limit)}
            if args.out:
                with args.out.open("a") as out:
                    out.write(json.dumps(record) + "\n")
        found = record["found"]
        digests = found.get("digests", {})
        same = (
            " ".join(sorted(set(digests.values()))) if found["equal"] else f"**{digests or found['error']}**"
        )
        failed += not found["equal"]
        row([name, model, f"{found.get('samples', 0):,}", len(digests), same])
    print(f"\nRuns that ended with different bytes on different runtimes: {failed} of {len(work)}.")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
