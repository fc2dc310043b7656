"""Record, push, pull: docs/record.md as it is printed, and what goes wrong, against the emulated board."""

import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import serial
from conftest import complains, need
from test_docs import blocks

import niwaki
from niwaki_host import cli
from niwaki_host.deploy import emulated, link, transfer
from niwaki_host.deploy.record import Recording
from niwaki_host.device import images
from niwaki_host.errors import DeviceError, UsageError

ROOT = Path(__file__).resolve().parent.parent
HEAP = 96 << 10  # the gesture app with its model of 8 KB and all its code on the heap; a Pico has twice that
PAGE = ROOT / "docs" / "record.md"


@pytest.fixture(scope="module")
def board():
    need("cortex-m3")
    need("mpremote")
    with emulated.EmulatedBoard(HEAP) as board:
        yield board


@pytest.fixture
def on_usb(board, monkeypatch):
    """The board as mpremote and `niwaki` find it by themselves."""

    class Info:
        vid, pid, serial_number, device, description = 1, 2, "3", board.port, "emulated"
        manufacturer, product = "QEMU", "mps2-an385"

    monkeypatch.setattr("serial.tools.list_ports.comports", lambda *_: [Info])
    return board


def run(line: str) -> int:
    """A printed command, in this process."""
    from mpremote import main as mpremote

    program, *words = shlex.split(line, comments=True)
    if program == "cd":
        os.chdir(words[0])
        return 0
    if program == "niwaki":
        return cli.main(words)
    assert program == "mpremote", line
    before, sys.argv = sys.argv, [program, *words]
    try:
        return mpremote.main() or 0
    finally:
        sys.argv = before


def test_the_tutorial_works_as_it_is_printed(on_usb, tmp_path, monkeypatch, capsys) -> None:
    shutil.copytree(ROOT / "firmware_scripts" / "apps", tmp_path / "firmware_scripts" / "apps")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    for line in "".join(blocks(PAGE, "console board")).splitlines():
        assert run(line) == 0, f"{line}: {capsys.readouterr().err}"
        if "main.py + reset" in line:
            with serial.Serial(on_usb.port, timeout=60) as port:  # it has learned for a while
                assert b"000 " in port.read_until(b"000 ")  # after 1,000 samples, or more
    work = Path.cwd()
    rows = (work / "gestures.csv").read_text().splitlines()
    assert rows[0].startswith("x_mean,") and rows[0].endswith(",label") and len(rows) == 201
    more = (work / "more.csv").read_text().splitlines()
    assert [row.rpartition(",")[2] for row in more[1:]] == ["shake"] * 10 + ["rest"] * 10
    # the app has learned on from what was pushed, and what came home is that
    taught, learned = niwaki.load("gestures.niw"), niwaki.load("learned.niw")
    assert taught.samples == 200 < learned.samples


def test_the_app_starts_with_its_model_however_often_it_is_interrupted(board, capsys) -> None:
    """Ctrl-C in the midst of it, then a soft reset: the heap must do each time."""
    apps = ROOT / "firmware_scripts" / "apps"
    assert cli.main(["deploy", "--port", board.port, "--model", "grove", "--parts", "grove,window"]) == 0
    files = shlex.join(str(apps / f"{name}.py") for name in ("button", "simulated"))
    assert run(f"mpremote connect {board.port} cp {files} :") == 0
    assert run(f"mpremote connect {board.port} cp {apps / 'gesture.py'} :main.py") == 0
    known = []
    with serial.Serial(board.port, timeout=60) as port:
        for _ in range(5):
            port.write(b"\x03\x02\x04")
            port.read_until(b"soft reboot")
            started = port.read_until(b"\n2000 ")
            assert b"known " in started, started
            known.append(int(started.partition(b"known ")[2].split()[0]))
        port.write(b"\x03")
    assert known == sorted(set(known))


ENDLESS = """
print("Booting")
print("a,b,label")
n = 0
while True:
    n += 1
    print("%d,%d,%d" % (n, -n, n % 3 - 1))
    if n == 7:
        print("not a sample")
"""
FAILING = "print('a,b')\nprint('1,2')\nprint('3,')\n1 // 0\n"


def program(tmp_path: Path, source: str) -> str:
    path = tmp_path / "program.py"
    path.write_text(source)
    return str(path)


def test_labels_of_the_board_or_of_a_person(board, niwaki, tmp_path, monkeypatch) -> None:
    """-1 is no label; what a person says goes before what the board says; names stand for numbers."""
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    endless = program(tmp_path, ENDLESS)
    out = tmp_path / "out.csv"
    command = ["record", out, "--port", board.port, "--run", endless, "--labels", "rest,shake", "--json"]
    code, printed, err = niwaki(*command, "--samples", 20)
    assert code == 0, err
    told = json.loads(printed)
    assert told["labels"] == {"rest": 10, "shake": 10} and told["left_out"] >= 9
    assert told["other_lines"] == 2 and told["samples"] == 20
    assert out.read_text().splitlines()[:3] == ["a,b,label", "1,-1,rest", "2,-2,shake"]
    before = out.read_text()
    complains(niwaki(*command), "is there already", "--append", "--force")
    complains(niwaki(*command, "--append", "--force"), "choose one")
    complains(niwaki(*command, "--force", "--as", "run"), "label 'run'", "rest, shake")
    assert out.read_text() == before
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))
    assert niwaki(*command, "--append", "--samples", 5)[0] == 0
    assert out.read_text().startswith(before)
    assert {row.rpartition(",")[2] for row in out.read_text().splitlines()[21:]} <= {"shake", "rest"}


def test_what_a_failing_program_printed_is_kept(board, niwaki, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    out = tmp_path / "out.csv"
    command = ["record", out, "--port", board.port, "--run", program(tmp_path, FAILING)]
    code, _, err = niwaki(*command, "--as", "x")
    assert code == 1 and "2 samples are in" in err and "ZeroDivisionError" in err
    assert out.read_text() == "a,b,label\n1,2,x\n3,,x\n"
    out.unlink()
    code, _, err = niwaki(*command)  # nobody says what they are
    assert code == 1 and "ZeroDivisionError" in err and not out.exists()
    silent = ["record", out, "--port", board.port, "--run", program(tmp_path, "print('hello')")]
    complains(niwaki(*silent), "printed no numbers, but 'hello'")
    unlabelled = ["record", out, "--port", board.port, "--run", program(tmp_path, "print('1,2')")]
    complains(niwaki(*unlabelled), "1 samples came, none with a label", "--as LABEL")
    assert not out.exists()


def test_ctrl_c_is_the_ordinary_end(board, tmp_path) -> None:
    out = tmp_path / "out.csv"
    words = ["record", str(out), "--port", board.port, "--run", program(tmp_path, ENDLESS)]
    process = subprocess.Popen(
        [sys.executable, "-m", "niwaki_host.cli", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while not out.exists() and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and "samples" in printed
    with link.Link(board.port) as there:
        assert there.evaluate("6 * 7") == 42


def test_a_board_without_a_program_and_no_board(board, niwaki, tmp_path, monkeypatch) -> None:
    with link.Link(board.port) as there:
        if "main.py" in there.listing("/"):
            there.remove("/main.py")
    out = tmp_path / "out.csv"
    complains(niwaki("record", out, "--port", board.port), "no main.py", "--run")
    complains(niwaki("record", out, "--port", "/dev/nothing"), "no serial port")
    monkeypatch.setattr("serial.tools.list_ports.comports", list)
    complains(niwaki("pull"), "no board found")
    complains(niwaki("push", tmp_path / "none.niw"), "does not exist")


def test_rows_of_another_shape_are_not_taken(tmp_path) -> None:
    recording = Recording(tmp_path / "a.csv")
    lines = ["1,2,3", "4,5", "6,7,nan", "", "a,b,c", "8,,9"]
    assert [recording.take(line, "x") for line in lines] == [True, False, True, False, False, True]
    recording.close()
    assert (tmp_path / "a.csv").read_text() == "x0,x1,x2,label\n1,2,3,x\n6,7,nan,x\n8,,9,x\n"
    other = Recording(tmp_path / "a.csv", append=True)
    with pytest.raises(UsageError, match="take another file"):
        other.take("1,2", "x")


def model(samples: int, kind: type = niwaki.Grove) -> Any:
    clf = kind(2, 2, 1024)
    for i in range(samples):
        clf.learn([i % 10, i], i % 10 > 4)
    return clf


def test_push_and_pull_lose_nothing(board, niwaki, tmp_path, monkeypatch) -> None:
    with link.Link(board.port) as there:
        for path in transfer.models(there):
            for name in (path, path + "~"):
                if there.get(name) is not None:
                    there.remove(name)
    complains(niwaki("pull", "--port", board.port), "no model on the board")
    first, second = str(tmp_path / "m.niw"), str(tmp_path / "n.niw")
    model(10).save(first)
    model(30).save(second)
    to = ["--to", "m.niw", "--port", board.port]
    code, printed, err = niwaki("push", first, *to, "--json")
    told = json.loads(printed)
    assert (code, told["samples"], told["changed"]) == (0, 10, True), err
    with link.Link(board.port) as there:
        installed = bool(there.listing("/lib/niwaki"))
    assert ("same digest" in told["checked"]) == installed and (
        "niwaki deploy" in told["checked"]
    ) != installed
    assert "it was there already" in niwaki("push", first, *to)[1]
    nowhere = niwaki("push", first, "--to", "none/m.niw", "--port", board.port)
    complains(nowhere, "/none/m.niw: there is no such directory on the board")
    complains(niwaki("push", second, *to), "holds another model", "10 samples", "--force", "niwaki pull")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.niw").unlink()
    code, printed, err = niwaki("pull", "--port", board.port)
    assert code == 0 and (tmp_path / "m.niw").read_bytes() == images.to_bytes(model(10)), err
    assert "it was here already" in niwaki("pull", "m.niw", "--port", board.port)[1]
    complains(niwaki("pull", "--port", board.port, "--out", second), "30 samples", "--force")
    complains(niwaki("pull", "other.niw", "--port", board.port), "no /other.niw", "there is /m.niw")
    # a transfer that is cut leaves what was there
    with monkeypatch.context() as patch:
        patch.setattr(link.Link, "write", cut(link.Link.write))
        code, _, err = niwaki("push", second, *to, "--force")
    assert code == 1 and "untouched" in err
    assert niwaki("pull", "--port", board.port)[0] == 0
    code, printed, err = niwaki("push", second, *to, "--force", "--json")
    assert code == 0, err
    assert "10 samples" in json.loads(printed)["replaced"]
    # as load does there, pull takes the other file when the newest is torn
    with link.Link(board.port) as there:
        there.put({"m.niw": images.to_bytes(model(30))[:-9]}, "/")
    code, printed, err = niwaki("pull", "--port", board.port, "--force")
    assert code == 0 and "/m.niw is damaged" in err and "30 samples" in printed


def cut(write):
    def cut_write(self, target, data, advance):
        write(self, target, data[:-100], advance)

    return cut_write


def test_what_is_no_model_does_not_reach_a_board(niwaki, tmp_path) -> None:
    path = tmp_path / "x.niw"
    path.write_bytes(b"something else")
    complains(niwaki("push", path, "--port", "/dev/nothing"), "not a model of this version")


def test_a_lost_board_is_told(board) -> None:
    board.power_cycle()
    with link.Link(board.port) as there:
        lines = there.lines("print(1)\nprint(2, end='')")
        assert [text for text in lines if text] == ["1", "2"]
        with pytest.raises(DeviceError, match="NameError"):
            list(there.lines("nonsense"))
