"""Interrupt models in thousands of places, and write down what became of them.

    python benchmarks/interrupts.py [--places 2000] [--signals 2000]

Places and times are drawn by a seed, and divided among the models.
"""

import argparse
import datetime
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support import interrupts  # type: ignore # noqa: E402
from support.interrupts import AFTER, BOUNDARIES, MODELS  # type: ignore # noqa: E402

import niwaki  # noqa: E402
from niwaki_host.runtimes import unix_rt  # noqa: E402

SAMPLES = 200


def _row(what: str, where: str, places: int, answer: str) -> str:
    print(f"{what}: {where}: {places}: {answer}", file=sys.stderr, flush=True)
    return f"| {what} | {where} | {places:,} | {answer} |"


def _outside(each: int, path: Path) -> str:
    found = [interrupts.outside(kind, SAMPLES, each, path, after=AFTER) for kind in MODELS]
    bad = [line for one in found for line in one.bad]
    return _row(
        "an exception at a bytecode outside kernels, then save, load, 100 more",
        "CPython",
        sum(one.places for one in found),
        f"{len(bad)} refused or different {'; '.join(bad[:3])}".strip(),
    )


def _inside(each: int, path: Path) -> str:
    found = [interrupts.inside(kind, SAMPLES, each, path) for kind in MODELS]
    bad = [line for one in found for line in one.bad]
    noticed = sum(one.noticed for one in found)
    return _row(
        "an exception inside a kernel that is interpreted",
        "CPython",
        sum(one.places for one in found),
        f"{noticed:,} noticed, {len(bad)} silent or lost {'; '.join(bad[:3])}".strip(),
    )


def _boundaries(viper: bool) -> str:
    places = 0
    for every in (1, 2, 3, 5, 7, 11, 13):
        lines = unix_rt.execute(BOUNDARIES.replace("EVERY", str(every)), heap=1 << 20, viper=viper).split()
        places += sum(map(int, lines[1::2]))
    where = "32-bit MicroPython, " + ("viper" if viper else "bytecode")
    return _row("an exception before or after a kernel's call", where, places, "0 refused")


def _signals(each: int, viper: bool) -> str:
    sent = 0
    for kind in MODELS:
        with tempfile.TemporaryDirectory(prefix="niwaki-") as work:
            sent += interrupts.signals(kind, each, Path(work), viper=viper, after=AFTER)
    where = "32-bit MicroPython, " + ("viper" if viper else "bytecode")
    return _row("SIGINT at a random time, then save, load, 100 more", where, sent, "0 refused, 0 hangs")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--places", type=int, default=2000)
    parser.add_argument("--signals", type=int, default=2000)
    options = parser.parse_args()
    places, signals = options.places // len(MODELS), options.signals // len(MODELS)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="niwaki-") as work:
        path = Path(work) / "model"
        rows = [
            _signals(signals, viper=True),
            _signals(signals, viper=False),
            _boundaries(viper=True),
            _boundaries(viper=False),
            _inside(places, path),
            _outside(places, path),
        ]
    seconds = time.perf_counter() - start
    command = f"python benchmarks/interrupts.py --places {options.places} --signals {options.signals}"
    text = f"""# Interrupts

niwaki {niwaki.__version__}, {datetime.date.today()}: `{command}`

Models: {", ".join(MODELS)}, as in tests/support/interrupts.py; {SAMPLES} samples; places and times drawn by a
seed, and divided among the models. What is promised where: docs/interrupts.md. {seconds:.0f} s.

| what | where | places | found |
| --- | --- | --- | --- |
{chr(10).join(rows)}
"""
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
