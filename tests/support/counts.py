"""How much is tested, in numbers, for docs/testing.md:   python tests/support/counts.py

Tests are counted by collecting them, the rest by asking the tests' own tables.
"""

import ast
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))


def collected() -> dict[str, int]:
    """Tests of each file."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", str(TESTS)]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    found: dict[str, int] = {}
    for line in lines:
        if "::" in line:
            file = line.split("::")[0].rpartition("/")[2]
            found[file] = found.get(file, 0) + 1
    return found


def device_functions() -> int:
    """Tests in tests/device, each of which runs on every runtime."""
    return sum(
        isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        for path in (TESTS / "device").glob("*.py")
        for node in ast.parse(path.read_text()).body
    )


def hostile_images() -> int:
    """What test_golden.py changes one number of."""
    import random

    from support import fuzz_images, golden

    return sum(
        1
        for number, recipe in enumerate(fuzz_images.RECIPES)
        for _ in golden.pokes(fuzz_images.valid(recipe), random.Random(number))
    )


def main() -> None:
    import test_policies
    import test_policies_ensembles
    from test_device_suite import RUNTIMES

    from support import golden
    from support.mutants.change import Pool, modules

    found = collected()
    ways = [*test_policies.POLICIES.values(), *test_policies_ensembles.POLICIES.values()]
    rows = [
        ("tests, in files", f"{sum(found.values()):,}, {len(found)}"),
        ("tests in tests/device, runtimes they run on", f"{device_functions()}, {len(RUNTIMES)}"),
        ("digests of models and options", len(golden.CASES)),
        ("policies, and changes of their lines that must be noticed", f"{len(ways)}, {sum(map(len, ways))}"),
        ("images with one changed number, by digest", f"{hostile_images():,}"),
        ("hostile images in test_fuzz.py, and in make fuzz", "20,000, 2,000,000"),
        ("tests of power cuts", found.get("test_powercut.py", 0)),
        ("tests of interrupts", found.get("test_interrupts.py", 0)),
        (
            "mutants that can be drawn, in modules",
            f"{sum(len(Pool(m)) for m in modules()):,}, {len(modules())}",
        ),
    ]
    print("| what | how many |\n| --- | --- |")
    for what, count in rows:
        print(f"| {what} | {count} |")


if __name__ == "__main__":
    main()
