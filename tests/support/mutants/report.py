"""What became of the mutants, as a table in Markdown; and those that change nothing."""

from collections import Counter

from support.mutants.change import Mutant
from support.mutants.server import KILLED, STUCK, SURVIVED, TESTS

EQUIVALENTS = TESTS / "equivalent_mutants.md"
EQUIVALENT = "equivalent"
GOAL = 90  # percent of the mutants that change something


def equivalents() -> dict[str, str]:
    """key -> the heading that it stands under: why nobody can notice."""
    found, reason = {}, ""
    for line in EQUIVALENTS.read_text().splitlines():
        if line.startswith("## "):
            reason = line[3:]
        elif line.startswith("- "):
            found[line[2:].strip()] = reason
    return found


def verdicts(done: list[tuple[Mutant, dict[str, str]]], known: dict[str, str]) -> list[str]:
    return [
        EQUIVALENT if found["verdict"] == SURVIVED and mutant.key in known else found["verdict"]
        for mutant, found in done
    ]


def score(count: Counter[str]) -> float:
    """Percent noticed, of those that change something."""
    noticed = count[KILLED] + count[STUCK]
    return 100 * noticed / max(1, noticed + count[SURVIVED])


def table(done: list[tuple[Mutant, dict[str, str]]], known: dict[str, str]) -> str:
    said = verdicts(done, known)
    total = Counter(said)
    noticed = total[KILLED] + total[STUCK]
    lines = [
        f"Noticed: {noticed} of {len(done)} ({total[KILLED]} by a failing test, {total[STUCK]} by time).",
        f"Equivalent: {total[EQUIVALENT]}. Survived: {total[SURVIVED]}.",
        f"Score: {score(total):.1f} % of those that are not equivalent,",
        f"{100 * noticed / max(1, len(done)):.1f} % of all.",
        "",
        "| module | mutants | killed | timed out | equivalent | survived |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    by_module: dict[str, Counter[str]] = {}
    for (mutant, _), verdict in zip(done, said, strict=True):
        by_module.setdefault(mutant.module, Counter())[verdict] += 1
    kinds = (KILLED, STUCK, EQUIVALENT, SURVIVED)
    for module, count in by_module.items():
        lines.append(f"| {module} | {count.total()} | " + " | ".join(str(count[k]) for k in kinds) + " |")
    by_kind: dict[str, Counter[str]] = {}
    for (mutant, _), verdict in zip(done, said, strict=True):
        by_kind.setdefault(mutant.kind, Counter())[verdict] += 1
    lines += [
        "",
        "| change | mutants | killed | timed out | equivalent | survived |",
        "| --- " + "| ---: " * 5 + "|",
    ]
    for kind, count in sorted(by_kind.items()):
        lines.append(f"| {kind} | {count.total()} | " + " | ".join(str(count[k]) for k in kinds) + " |")
    for verdict, title in ((SURVIVED, "Survived"), (EQUIVALENT, "Equivalent")):
        lines += ["", f"## {title}", ""]
        left = [mutant for (mutant, _), one in zip(done, said, strict=True) if one == verdict]
        if not left:
            lines.append("None.")
        for mutant in left:
            why = f"\n  {known[mutant.key]}" if verdict == EQUIVALENT else ""
            lines += [f"- {mutant.module}, line {mutant.line}:{why}", "", "  ```diff"]
            lines += [f"  - {mutant.old}", f"  + {mutant.new}", "  ```"]
    return "\n".join(lines) + "\n"


def report(done: list[tuple[Mutant, dict[str, str]]], known: dict[str, str]) -> int:
    """Print the table; 1 if the score is below the goal."""
    print(table(done, known), end="")
    return 0 if score(Counter(verdicts(done, known))) >= GOAL else 1
