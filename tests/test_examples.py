"""The example apps, with simulated sensors, on the desktop and on the emulated board; drivers; the soak."""

import importlib
import json
import sys
from array import array
from pathlib import Path

import pytest
from conftest import need

import niwaki
from niwaki_host import cli
from niwaki_host.deploy import bundle, emulated, link
from niwaki_host.runtimes import package, romfs

SCRIPTS = Path(__file__).resolve().parent.parent / "firmware_scripts"
APPS = SCRIPTS / "apps"


@pytest.fixture
def apps(monkeypatch):
    monkeypatch.syspath_prepend(str(APPS))
    yield importlib.import_module
    for path in APPS.glob("*.py"):
        sys.modules.pop(path.stem, None)


def test_gestures_are_learned_on_the_desktop_and_survive(apps, tmp_path, capsys) -> None:
    gesture = apps("gesture")
    path = str(tmp_path / "gestures")
    first = gesture.simulate(6000, path)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "known 0" and int(lines[-1].split()[2]) > 85
    assert first.checkpoint.saves > 3
    gesture.simulate(1000, path)
    lines = capsys.readouterr().out.splitlines()
    assert int(lines[0].split()[1]) >= 200 and int(lines[-1].split()[2]) > 85


def test_the_monitor_streams_csv_and_knows_faults(apps, tmp_path, capsys) -> None:
    monitor = apps("adc_monitor")
    right, asked = monitor.simulate(12000, str(tmp_path / "monitor"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("window,mean,") and len(lines[1].split(",")) == 9
    assert asked > 80 and right > 0.9 * asked


@pytest.mark.parametrize(("app", "saved"), [("gesture", 25), ("adc_monitor", 10)])
def test_a_file_that_cannot_be_read_stops_no_app(apps, tmp_path, capsys, app, saved) -> None:
    """It would at every start: on a board there is nobody to remove it."""
    path = tmp_path / "model"
    path.write_bytes(b"NIWAKI\x09, of another version")
    apps(app).simulate(2000, str(path))
    assert niwaki.load(str(path)).samples >= saved


class Bus:
    """An I2C bus with one device, which remembers its registers."""

    def __init__(self, registers: dict[int, bytes], address: int = 0) -> None:
        self.registers, self.written, self.address = registers, {}, address

    def scan(self) -> list[int]:
        return [0x3C, self.address]  # a display is there too

    def writeto_mem(self, address: int, register: int, data: bytes) -> None:
        self.written[address, register] = data

    def readfrom_mem_into(self, address: int, register: int, data: bytearray) -> None:
        data[:] = self.registers[register]


def test_the_drivers_wake_their_sensor_and_read_signed_values(apps) -> None:
    out = array("h", bytearray(6))
    bus = Bus({0x3B: bytes([0x40, 0, 0xC0, 0, 0xFF, 0xFF])})
    apps("mpu6050").MPU6050(bus).read(out)
    assert out.tolist() == [16384, -16384, -1] and bus.written == {(0x68, 0x6B): b"\0"}
    bus = Bus({0x28: bytes([0, 0x40, 0, 0xC0, 0xFE, 0xFF])})
    apps("lsm6ds3").LSM6DS3(bus).read(out)
    assert out.tolist() == [16384, -16384, -2] and bus.written[0x6A, 0x10] == b"\x40"


@pytest.mark.parametrize(
    ("address", "name"), [(0x68, "MPU6050"), (0x69, "MPU6050"), (0x6A, "LSM6DS3"), (0x6B, "LSM6DS3")]
)
def test_gestures_take_the_sensor_that_is_there(apps, address, name) -> None:
    gesture = apps("gesture")
    bus = Bus({}, address)
    assert type(gesture.accelerometer(bus)).__name__ == name
    assert {where for where, _ in bus.written} == {address}
    with pytest.raises(OSError, match="no MPU-6050"):
        gesture.accelerometer(Bus({}, 0x50))


class Pin:
    def __init__(self) -> None:
        self.state = 1

    def value(self, new: int | None = None) -> int:
        if new is not None:
            self.state = new
        return self.state


def test_a_button_knows_clicks_holds_and_bounces(apps) -> None:
    button = apps("button")
    pin = Pin()
    b = button.Button(pin, hold=5)

    def poll(level: int, n: int) -> list[int]:
        pin.state = level
        return [b.poll() for _ in range(n)]

    assert poll(0, 1) + poll(1, 2) == [0, 0, 0]
    assert poll(0, 3) + poll(1, 2) == [0, 0, 0, button.CLICK, 0]
    assert poll(0, 7) + poll(1, 2) == [0] * 5 + [button.HELD] * 2 + [0, 0]


def test_person_button_and_lamp_work_together(apps, tmp_path) -> None:
    gesture, button, simulated = apps("gesture"), apps("button"), apps("simulated")
    pin, led = Pin(), Pin()
    lamp = gesture.Lamp(led)
    teacher = gesture.Teacher(button.Button(pin, hold=5), lamp)
    app = gesture.Gestures(simulated.Hand(), teacher, lamp, str(tmp_path / "g"))
    states = set()
    for level, n in ((0, 3), (1, 3), (0, 200), (1, 200)):  # a click, then teach gesture 1 for 200 samples
        pin.state = level
        for _ in range(n):
            teacher.poll()
            app.step()
            lamp.tick()
            states.add(led.state)
    assert teacher.gesture == 1 and app.asked == app.clf.samples > 8 and states == {0, 1}

    monitor = apps("adc_monitor")
    teacher = monitor.Teacher(button.Button(pin, hold=5))
    said = []
    for level, n in ((1, 3), (0, 3), (1, 3), (0, 9), (1, 3)):
        pin.state = level
        for _ in range(n):
            teacher.poll()
        said.append(teacher.label())
    assert said == [-1, -1, monitor.NORMAL, monitor.FAULTY, -1]


@pytest.fixture(scope="module")
def board():
    """64 KB of heap, the package and the apps in ROMFS, a file system in flash."""
    need("cortex-m3")
    need("mpremote")
    sources = {path.name: path.read_text() for path in [*APPS.glob("*.py"), *SCRIPTS.glob("on_board_*.py")]}
    files = package.compiled({**bundle.modules(), **sources}, "armv7m")
    with emulated.EmulatedBoard(65536, rom=romfs.image(files)) as board:
        yield board


def test_gestures_run_10000_samples_on_the_board_in_constant_heap(board) -> None:
    board.power_cycle()
    with link.Link(board.port) as there:
        lines = there.execute("import gesture\napp = gesture.simulate(10000)").splitlines()
    assert lines[0] == "known 0" and len(lines) == 12
    rows = [line.split() for line in lines[2:]]
    print(*lines, sep="\n")
    assert rows[0][0] == "1000" and int(rows[-1][2]) > 85
    assert len({row[3] for row in rows}) == 1, "free heap over the last 9,000 samples"
    board.power_cycle()  # without a warning; the model is in flash
    with link.Link(board.port) as there:
        lines = there.execute("import gesture\napp = gesture.simulate(500, report=500)").splitlines()
    assert int(lines[0].split()[1]) >= 250 and int(lines[-1].split()[2]) > 85


def test_the_board_and_the_desktop_learn_the_same(board, apps, tmp_path, capsys) -> None:
    board.power_cycle()
    with link.Link(board.port) as there:
        source = "import adc_monitor\nprint(adc_monitor.simulate(3000, '/m1'))"
        printed = there.execute(source)
    print(apps("adc_monitor").simulate(3000, str(tmp_path / "m1")))
    assert capsys.readouterr().out == printed


def test_measuring_on_a_board_gives_a_line_for_bench(board, tmp_path, capsys) -> None:
    board.power_cycle()
    with link.Link(board.port) as there:
        printed = there.execute("import on_board_measure\non_board_measure.main(samples=300)")
    path = tmp_path / "board.json"
    path.write_text("Connected to the board\n" + printed)
    command = ["bench", "--runtime", "cpython", "--models", "vfdt", "--samples", "64", "--board", str(path)]
    assert cli.main([*command, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    tree = next(row for row in rows if row.get("board"))
    assert tree["board"] == "mps2-an385 with Cortex-M3" and tree["instructions_per_learn"] > 1000
    assert cli.main(command) == 0
    assert "on mps2-an385" in capsys.readouterr().out
    path.write_text("nothing")
    assert cli.main(command) == 2
    assert tree["garbage_per_learn_bytes"] == tree["garbage_per_predict_bytes"] == 0
    assert tree["model_heap_bytes"] <= tree["budget_bytes"]
    assert tree["flash_write_bytes"] > 1000


def test_the_soak_holds(board) -> None:
    board.power_cycle()
    with link.Link(board.port) as there:
        printed = there.execute("import on_board_soak\non_board_soak.main(rounds=3, samples=200)")
    lines = printed.splitlines()
    assert lines[-1] == "ok" and len(lines) == 4
