"""The program behind `make mutants`: draw mutants, let them meet the tests, remember and report.

What has been found out is kept in build/mutants: a run that was interrupted goes on where it was, and after a
new test only what survived is tried again.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable

from support.mutants.change import Mutant, drawn, modules
from support.mutants.report import equivalents, report
from support.mutants.server import KILLED, SURVIVED, TESTS, Server, fingerprint, unit

FOLDER = TESTS.parent / "build" / "mutants"
RESULTS = FOLDER / "results.jsonl"


def known() -> dict[str, dict[str, str]]:
    if not RESULTS.exists():
        return {}
    return {found["key"]: found for found in map(json.loads, RESULTS.read_text().splitlines())}


def still_holds(found: dict[str, str] | None, mutant: Mutant, mark: str) -> bool:
    """A verdict lasts while the module is the same; that nobody noticed, while the tests are."""
    if not found or found["unit"] != unit(mutant.module):
        return False
    return found["verdict"] != SURVIVED or found["mark"] == mark


def run(mutants: list[Mutant], server: Server, mark: str) -> None:
    results = known()
    todo = [mutant for mutant in mutants if not still_holds(results.get(mutant.key), mutant, mark)]
    # New ones first, of all modules in turn, so that a run that is interrupted has seen some of each.
    random.Random(1).shuffle(todo)
    todo.sort(key=lambda mutant: mutant.key in results)
    server.tell(f"{len(mutants)} mutants, {len(mutants) - len(todo)} of them known from before")
    count: Counter[str] = Counter()
    start = time.monotonic()
    with RESULTS.open("a") as file:
        for number, mutant in enumerate(todo, 1):
            began = time.monotonic()
            verdict, by = server.meet(mutant)
            count[verdict] += 1
            found = {
                "key": mutant.key,
                "verdict": verdict,
                "by": by,
                "unit": unit(mutant.module),
                "mark": mark,
            }
            file.write(json.dumps(found) + "\n")
            file.flush()
            took = time.monotonic() - began
            if verdict != KILLED:
                server.tell(f"{verdict} ({by}, {took:.1f} s): {mutant.key}")
            if number % 20 == 0 or number == len(todo):
                each = (time.monotonic() - start) / number
                left = each * (len(todo) - number)
                server.tell(f"{number} of {len(todo)}: {dict(count)}, {each:.1f} s each, {left:.0f} s left")


def parser(doc: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--seed", type=int, default=1, help="which mutants are drawn (default: 1)")
    made.add_argument("--count", type=int, default=400, help="about how many (default: 400)")
    made.add_argument("--module", action="append", default=[], help="of this module only, such as tree.rule")
    made.add_argument("--fresh", action="store_true", help="forget what earlier runs have found out")
    made.add_argument(
        "--report", action="store_true", help="run nothing, show what is known of these mutants"
    )
    made.add_argument("--list", action="store_true", help="show the mutants, run nothing")
    return made


def main(options: argparse.Namespace, heading: Callable[[], None]) -> int:
    """The table on stdout, progress on stderr; 1 if the score is below the goal, 2 for bad usage."""
    unknown = set(options.module) - set(modules())
    if unknown:
        print(f"mutants: no module {min(unknown)!r}; there are {', '.join(modules())}", file=sys.stderr)
        return 2
    mutants = drawn(options.seed, options.count, tuple(options.module))
    if options.list:
        print("\n".join(mutant.key for mutant in mutants))
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    if options.fresh:
        RESULTS.unlink(missing_ok=True)
    mark = fingerprint()
    server = Server(FOLDER, lambda server: run(mutants, server, mark))
    server.tell = lambda text: print(text, file=sys.stderr, flush=True)
    if not options.report:
        server.start()
    results = known()
    done = [(mutant, results[mutant.key]) for mutant in mutants if mutant.key in results]
    heading()
    return report(done, equivalents())
