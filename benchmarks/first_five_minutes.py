"""The first five minutes of a stranger, timed: from pip to a result, to a model on a board, to a gesture.

    python benchmarks/first_five_minutes.py [--wheel FILE] [--clone]

A scripted walk. An empty virtual environment gets the wheel and what it depends on, as `pip install
'niwaki-ml[device]'` does; from then on its own `niwaki` and `mpremote` are used, in another directory, where
PATH has no compiler. The board is the emulated one. It is switched on before the clock starts, because a
real one would be on the table. With --clone a second walk follows: git clone and make demo, with a cache of
their own, where Debian's compilers and QEMU are there already.
"""

import argparse
import contextlib
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from common import heading, row, table

from niwaki_host.deploy.emulated import EmulatedBoard

ROOT = Path(__file__).resolve().parent.parent
APPS = ROOT / "firmware_scripts" / "apps"
RESET = b"\x03\x02\x04"  # Ctrl-C, B and D: a soft reset, with us listening, as `mpremote repl` would be
GESTURE = b"\n1000 "  # gesture.py prints a line after 1,000 samples: it has recognised some 60 windows


class Walk:
    """Steps, each a row of the table as soon as it is done."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.bin = work / "environment" / ("Scripts" if os.name == "nt" else "bin")
        self.begun = time.monotonic()

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        now = time.monotonic()
        row([name, f"{now - began:.1f}", f"{now - self.begun:.1f}"])

    def run(self, program: str, *words: str) -> None:
        """A program of the environment, which finds no other."""
        settings = {**os.environ, "PATH": str(self.bin), "NIWAKI_CACHE": str(self.work / "cache")}
        settings.pop("PYTHONPATH", None)
        done = subprocess.run(
            [str(self.bin / program), *words],
            cwd=self.work,
            env=settings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"{program} {' '.join(words)}: {done.stdout[-500:]}{done.stderr[-1500:]}")


def walk(work: Path, wheel: str, port: str) -> None:
    import serial

    done = Walk(work)
    with done.step("pip install 'niwaki-ml[device]' into an empty environment"):
        subprocess.run([sys.executable, "-m", "venv", str(work / "environment")], check=True)
        done.run("python", "-m", "pip", "install", "--quiet", "--no-compile", f"{wheel}[device]")
    with done.step("first result: niwaki simulate sea --limit 2000"):
        done.run("niwaki", "simulate", "sea", "--limit", "2000")
    with done.step("niwaki demo"):
        done.run("niwaki", "demo")
    with done.step("first model on the board: niwaki deploy --model grove --parts grove,window"):
        done.run("niwaki", "deploy", "--port", port, "--model", "grove", "--parts", "grove,window")
    with done.step("niwaki record, 200 windows"):
        names = [str(APPS / f"{name}.py") for name in ("button", "simulated", "gesture")]
        done.run("mpremote", "connect", port, "cp", *names, ":")
        recorder = str(APPS / "recorder.py")
        record = ("gestures.csv", "--port", port, "--run", recorder, "--samples", "200")
        done.run("niwaki", "record", *record)
    with done.step("niwaki simulate --save, niwaki push"):
        codes = ("--classes", "4", "--encoding", "raw")
        done.run("niwaki", "simulate", "gestures.csv", "--model", "grove", *codes, "--save", "gestures.niw")
        done.run("niwaki", "push", "gestures.niw", "--port", port)
    with done.step("first gestures recognised by the board's main.py"):
        done.run("mpremote", "connect", port, "cp", str(APPS / "gesture.py"), ":main.py")
        with serial.Serial(port, timeout=120) as board:
            board.write(RESET)
            said = board.read_until(GESTURE)
            if GESTURE not in said:
                sys.exit(f"the board's program recognised nothing: {said[-500:]!r}")


def clone(work: Path) -> None:
    """The same for somebody who has git, make and compilers."""
    settings = {**os.environ, "NIWAKI_CACHE": str(work / "cache-of-clone")}
    done = Walk(work)
    with done.step("git clone"):
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(work / "clone")], check=True)
    with done.step("first result: make demo, which sets everything up"):
        command = ["make", "--silent", "demo"]
        made = subprocess.run(command, cwd=work / "clone", env=settings, capture_output=True, text=True)
        if made.returncode:
            sys.exit(f"make demo: {made.stdout[-500:]}{made.stderr[-1500:]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--wheel", default="", help="what pip installs; by default the source here")
    parser.add_argument("--clone", action="store_true", help="then clone, and make demo")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="niwaki-walk-") as name, EmulatedBoard() as board:
        work = Path(name)
        source = options.wheel or str(shutil.copytree(ROOT, work / "source", ignore=_ignored))
        heading(__doc__ or "")
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan
        print(f"On {os.cpu_count()} cores; {load:.1f} processes ran beside it when it began.\n")
        table(["step", "seconds", "since the start"])
        walk(work, source, board.port)
        if options.clone:
            table(["from a clone", "seconds", "since the start"])
            clone(work)
    return 0


def _ignored(_folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name in (".git", ".venv", "build", "dist", "__pycache__")}


if __name__ == "__main__":
    sys.exit(main())
