"""The playground's parts without a browser: its site, its sensor, the lab's code as MicroPython takes it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zlib

import numpy as np
import pytest
from conftest import need

from niwaki_host.cli import main
from niwaki_host.device import memory_map, models
from niwaki_host.evaluation.samples import Source, prepare
from niwaki_host.inspect.export import export
from niwaki_host.playground import build
from niwaki_host.playground.portable import portable

SENSOR = """
import { Sensor } from "%s";
const sensor = new Sensor(%s), x = new Int16Array(6), seen = [];
for (let i = 0; i < 4000; i++) {
    if ([1000, 1015, 3000].includes(i)) sensor.remount();
    seen.push([sensor.next(x), ...x]);
}
console.log(JSON.stringify([sensor.name, seen]));
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    need("wasm")
    target = tmp_path_factory.mktemp("site")
    build.build(target)
    return target


def test_the_site_is_whole_and_small(site):
    page = (site / "index.html").read_text()
    assert build.POLICY in page and "{{" not in page
    named = set(re.findall(r'(?:src|href)="([^":,]+)"', page))
    for script in site.glob("*.js"):
        found = re.findall(r'(?:from |Worker\()"([^"]+)"', script.read_text())
        named |= {name.removeprefix("./") for name in found}
    assert named and all((site / name).is_file() for name in named)
    worker = (site / "offline.js").read_text()
    kept = re.findall(r'FILES = "([^"]+)"', worker)[0].split()
    assert {*kept, "offline.js"} == {path.name for path in site.iterdir()} and "{{" not in worker
    compressed = sum(len(zlib.compress(path.read_bytes(), 6)) for path in site.iterdir())
    assert compressed < 1_000_000


def test_the_site_names_no_other_place(site):
    """Addresses are of standards (an SVG's namespace), and none is fetched."""
    for path in [*build.SITE.glob("*.js"), *build.SITE.glob("*.html"), *build.SITE.glob("*.css")]:
        assert set(re.findall(r"https?://[\w./]+", path.read_text())) <= {"http://www.w3.org/2000/svg"}, path


def test_the_site_has_every_model(site):
    setting = json.loads((site / "device.json").read_text())
    assert {"vfdt", "hat", "shrubs", "grove"} <= set(setting["models"]) == set(models.MODELS)
    assert setting["teach"] == "grove"


def test_the_sensor_is_the_desktops(site, tmp_path):
    """Sample for sample, also when it is re-mounted, twice within a few samples."""
    script = tmp_path / "sensor.mjs"
    script.write_text(SENSOR % (site / "sensor.js", json.dumps(build.sensor_tables())))
    (site / "package.json").write_text('{"type": "module"}')  # node takes .js for modules by this
    done = subprocess.run(["node", script], capture_output=True, text=True, check=True)
    (site / "package.json").unlink()
    name, seen = json.loads(done.stdout)
    assert name == "imu:rate=5,bout=10,drift=1010+1025+3010"
    expected = prepare(Source(name, limit=4000, encoding="raw"))
    np.testing.assert_array_equal(np.array(seen)[:, 0], expected.y)
    np.testing.assert_array_equal(np.array(seen)[:, 1:], expected.X)


def test_portable_source():
    text = '''
from __future__ import annotations
from dataclasses import dataclass, field
from somewhere import unused
from niwaki.tree import layout as lay

@dataclass
class Thing:
    """A thing."""
    name: str
    parts: list[int] = field(default_factory=list)

    @property
    def double(self) -> int:
        return 2 * len(self.parts)

def make(name: str, *more: int) -> list[Thing]:
    found: list[Thing] = [Thing(name)]
    pairs = zip(name, more, strict=True)
    return [*found, Thing(name, [at for _, at in pairs])]

def other() -> None: ...
'''
    plain = portable(text, ("make",))
    for gone in ("dataclass", "->", "strict", "unused", "other", "[*", "str", "lay"):
        assert gone not in plain, gone
    scope = {}
    exec(plain, scope)
    first, second = scope["make"]("ab", 3, 4)
    assert (first.parts, second.parts, second.double) == ([], [3, 4], 4)
    with pytest.raises(ValueError, match="nowhere"):
        portable(text, ("nowhere",))


VIEW = """
import sys
sys.path.insert(0, "/job/lab")
import json
import bench
name, shape, options, rows = json.loads(open("job").read())
bench.make("m", name, shape, options, "")
clf = bench.models["m"]
for row in rows:
    clf.learn(row[1:], row[0])
print(json.dumps(bench.view("m")))
"""


@pytest.mark.parametrize("name", models.MODELS)
def test_the_page_draws_what_the_lab_draws(name, tmp_path):
    """The lab's code on MicroPython sees in a model what it sees on the desktop."""
    need("wasm")
    from niwaki_host.runtimes import wasm_rt

    samples = prepare(Source("imu", limit=700, encoding="raw"))
    class_name, options = models.resolve(name, {"grace": 60} if models.MODELS[name][0] == "Tree" else {})
    rows = np.column_stack([samples.y, samples.X]).tolist()
    for path, text in build.sources().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "job").write_text(json.dumps([class_name, [6, 6, 8192], options, rows]))
    (tmp_path / "script.py").write_text(VIEW)
    output = wasm_rt.start(tmp_path, "script").communicate()[0]
    assert output.startswith("{"), output
    seen = json.loads(output)
    model = models.build(name, 6, 6, 8192, **options)
    for row in rows:
        model.learn(row[1:], row[0])
    assert seen["parts"] == [[p.name, p.nbytes, p.in_use] for p in memory_map.memory_map(model)]
    exported = export(model)
    assert len(seen["members"]) == min(6, len(exported.members)) and seen["leaves"] == model.n_leaves
    for drawn, member in zip(seen["members"], exported.members, strict=False):
        assert drawn["replaces"] == member.replaces and drawn["weight"] == pytest.approx(member.weight)
        assert [node[1:7] for node in drawn["nodes"]] == [
            [n.feature, n.threshold, n.left, n.right, n.label, n.counts] for n in member.nodes
        ]


def test_command_writes_the_site(tmp_path, capsys):
    need("wasm")
    assert main(["playground", "--out", str(tmp_path / "site")]) == 0
    assert "for any web server" in capsys.readouterr().out
    assert (tmp_path / "site" / "micropython.wasm").read_bytes()[:4] == b"\0asm"


def test_command_serves_until_interrupted(tmp_path):
    need("wasm")
    command = [sys.executable, "-m", "niwaki_host.cli", "playground", "--port", "0", "--no-open"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "TMPDIR": str(tmp_path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment) as process:
        try:
            line = process.stdout.readline()
            place = re.search(r"http://127\.0\.0\.1:\d+/", line)[0]
            with urllib.request.urlopen(place) as answer:
                assert answer.headers["Content-Security-Policy"] == build.POLICY
                assert b"Niwaki" in answer.read()
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(f"{place}../../etc/passwd")
            taken = place.split(":")[-1].strip("/")
            assert main(["playground", "--port", taken, "--no-open"]) == 2
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 0 and out.strip() == "ended" and not err
    assert not list(tmp_path.iterdir())  # the site it served is gone


def test_command_without_npm_says_what_to_do(monkeypatch, capsys, tmp_path):
    from niwaki_host.errors import RuntimeMissing
    from niwaki_host.toolchain import wasm

    def missing(*_args):
        raise RuntimeMissing("missing node and npm; on Debian: apt-get install nodejs npm")

    monkeypatch.setattr(wasm, "ensure", missing)
    assert main(["playground", "--out", str(tmp_path / "site")]) == 2
    assert "apt-get install nodejs npm" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()
