"""Every command of README and guide, as it is printed, page by page: `make check-guide`, before a release.

`make test` runs those that take a moment (test_docs.py, test_record.py) and does not collect this file. The
commands of a page run in its order, in a directory of their own, which has what a reader has by then. What
takes hours, or is checked by another target, is in ELSEWHERE, with its reason.
"""

import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import serial
from conftest import SHELLS_130, lacking, need
from test_docs import PAGES, ROOT, blocks, mentioned
from test_record import board, on_usb, run  # noqa: F401  (fixtures)

KINDS = ("console", "console slow", "console board", "sh")
BY_HAND = "takes twenty minutes and more, or writes benchmarks/results/"
ELSEWHERE = {
    "make test": "the first step of .ci/run",
    "make lint": "the last step of .ci/run",
    "python -m pip install 'niwaki-ml[device]'": "make check-dist, with the wheel",
    "make coverage": BY_HAND,
    "make mutants SEED=1 COUNT=320": BY_HAND,
    "make fuzz": BY_HAND,
    'make tables TABLES="device growth"': BY_HAND,
    "make tables DATA=DIR": BY_HAND,
    "niwaki compare led_a:n=100000 --every 1000 --plot FILE": BY_HAND,
    "niwaki bench --board board.json": "test_examples.py: the file comes from a real board",
    "niwaki bench --board FILE": "test_examples.py: the file comes from a real board",
}
# Recordings of a reader's own.
OWN = ("your.csv", "data.csv", "elec.csv")
APPS = ROOT / "firmware_scripts" / "apps"


def printed(page: Path) -> list[str]:
    """Its commands, in order: lines of its blocks, then those within the text."""
    lines = "".join(blocks(page, *KINDS)).splitlines()
    lines = [line.partition(" #")[0].rstrip() for line in lines]
    return [line for line in lines if line] + ["niwaki " + shlex.join(words) for words in mentioned(page)]


def recording(path: Path) -> None:
    rows = (f"{i % 50},{i * 7 % 31},{i * i % 97},{'run' if i // 100 % 2 else 'rest'}" for i in range(1200))
    path.write_text("a,b,c,label\n" + "\n".join(rows) + "\n")


def prepare(folder: Path) -> None:
    """What a reader has by then: a clone, recordings, a model that was saved."""
    import niwaki

    for name in OWN:
        recording(folder / name)
    clf = niwaki.Tree(6, 4, 2048)
    clf.save(str(folder / "model"))
    shutil.copytree(APPS, folder / "firmware_scripts" / "apps")
    (folder / "benchmarks").symlink_to(ROOT / "benchmarks")


def shell(line: str) -> None:
    """A program that is not ours: python is that of the set-up, and make runs in the clone."""
    own = line.startswith(("make ", ".venv/"))
    settings = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        line, shell=True, cwd=ROOT if own else None, env=settings, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{line}: {done.stdout[-1000:]}{done.stderr[-2000:]}"


def serves(line: str) -> None:
    """It runs until it is interrupted: so it says where it is, and Ctrl-C is its ordinary end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "niwaki_host.cli", *shlex.split(line)[1:]],
        env={**os.environ, "BROWSER": "true", "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout and "the playground is at http" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) in (0, *SHELLS_130), line


def recognises(port: str) -> None:
    """The app that has just been copied has run for a while, and saved what it was taught."""
    with serial.Serial(port, timeout=60) as link:
        link.write(b"\x03\x02\x04")  # a soft reset, with us listening
        assert b"\n1000 " in link.read_until(b"\n1000 ")
        time.sleep(1)


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in PAGES if printed(page)])
def test_commands_work_as_they_are_printed(page, tmp_path, monkeypatch, capsys, request) -> None:
    lines = [line for line in printed(page) if line not in ELSEWHERE]
    usb = None
    if any(re.match(r"mpremote|niwaki (deploy|record|push|pull)", line) for line in lines):
        usb = request.getfixturevalue("on_usb")
    if any("river" in line or "compare" in line for line in lines):
        need("river")
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    if usb:  # it has neither sensor nor button: a simulated hand stands for them
        assert run(f"mpremote connect {usb.port} cp {APPS / 'simulated.py'} :") == 0
    for line in lines:
        if ",moa" in line and not shutil.which("java"):
            lacking(f"{line}: MOA needs Java")
        began = time.monotonic()
        stood = line.replace("REPOSITORY", str(ROOT)).replace("/dev/ttyACM0", usb.port if usb else "")
        if line.startswith("niwaki playground"):
            serves(line)
        elif re.match(r"(niwaki|mpremote|cd) ", line):
            assert run(stood) == 0, f"{line}: {capsys.readouterr()}"
        else:
            shell(stood)
        if "main.py + reset" in line:
            assert usb
            recognises(usb.port)
        with capsys.disabled():
            print(f"\n{time.monotonic() - began:7.1f} s  {line}", end="", flush=True)


def test_what_is_checked_elsewhere_is_printed_and_can_be_had() -> None:
    """No exception outlives its command; every make target exists."""
    lines = {line for page in PAGES for line in printed(page)}
    assert ELSEWHERE.keys() <= lines
    for line in ELSEWHERE:
        if line.startswith("make "):
            shell(line.replace("make ", "make --dry-run ", 1))
