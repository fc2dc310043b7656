"""What an image tells about its model: in files, in `niwaki inspect`, in C, and when it is hostile."""

import json
import random
import zlib

import pytest
from conftest import need
from support import fuzz_images as fuzz
from test_c_library import InC, library

import niwaki
from niwaki import Encoder, ImageError, Window
from niwaki_host.cli import main
from niwaki_host.device import images
from niwaki_host.runtimes import unix_rt
from niwaki_host.runtimes.result import digest


def told(cls=niwaki.Tree, features: int = 12, n: int = 400):
    """A model behind a window of two axes, which are measured in g."""
    clf = cls(features, 3, 6000)
    rng = random.Random(4)
    for _ in range(n):
        x = [rng.randrange(-9000, 9000) for _ in range(features)]
        clf.learn(x, (x[0] > 3000) + (x[1] > 0))
    encoder = Encoder(2, [(-2.0, 2.0), (-4, 4)])
    clf.about(encoder=encoder, window=Window(2, 32, 16))
    clf.about(labels=["rest", "wave"], features=["x", "y"], units=["g", "g"])
    return clf


def test_a_file_keeps_it_and_so_does_every_save(tmp_path) -> None:
    clf = told()
    path = tmp_path / "model"
    assert clf.save(path) == path.stat().st_size == len(images.to_bytes(clf))
    data = path.read_bytes()
    assert data == images.to_bytes(clf) and zlib.crc32(data[:-4]) == int.from_bytes(data[-4:], "little")
    assert clf.save(path) == 0  # the file holds this very model
    again = niwaki.load(path)
    again.learn([0] * 12, 0)
    again.save(path)
    again.save(tmp_path / "elsewhere")
    for name in ("model", "model~", "elsewhere"):
        assert niwaki.load(tmp_path / name).about()["labels"] == ["rest", "wave"]
    path.write_bytes(path.read_bytes()[:-9])  # torn: the other one has it too
    assert niwaki.load(path).about()["units"] == ["g", "g"]


def test_it_is_no_part_of_what_was_learned() -> None:
    clf = told()
    plain = images.to_bytes(clf, about=False)
    assert digest(clf) == digest(images.from_bytes(plain)) and images.from_bytes(plain).about() == {}
    bare = niwaki.Tree(12, 3, 6000)
    assert images.to_bytes(bare)[6] == 1 and images.to_bytes(clf)[6] == 2  # older readers say: a newer niwaki
    assert clf.nbytes == images.from_bytes(plain).nbytes


_BOARD = """
from array import array
from niwaki import load
clf = load(PATH)
about = clf.about()
out = array("h", [0] * 2)
window = about["window"]
for i in range(32):
    window.push(about["encoder"].encode([i / 16 - 1, 0.5], out))
features = array("h", [0] * window.n_features)
window.features(features)
print(about["labels"], list(features[:3]))
print(clf.save("again"))
from binascii import hexlify
with open("again", "rb") as f:
    print(hexlify(f.read()).decode())
"""


def test_a_board_starts_from_one_file(tmp_path, monkeypatch) -> None:
    need("micropython")
    monkeypatch.chdir(tmp_path)
    clf = told()
    clf.save("model")
    names, size, data = unix_rt.execute(
        _BOARD.replace("PATH", repr(str(tmp_path / "model"))), heap=1 << 18
    ).splitlines()
    assert names.startswith("['rest', 'wave'] [")
    assert bytes.fromhex(data) == images.to_bytes(clf) and int(size) == len(bytes.fromhex(data))


def test_inspect_shows_names_and_units(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    told(n=3000).save("model")
    assert main(["inspect", "model"]) == 0
    text = capsys.readouterr().out
    assert "x deviation [g]" in text and "wave" in text and "2 axes, 32 samples, a new one each 16" in text
    assert " g\n" in text or " g " in text  # thresholds have their unit
    assert main(["inspect", "model", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["classes"] == ["rest", "wave", "2"] and record["features"][:2] == ["x mean", "x deviation"]
    assert record["units"][4:6] == ["g", ""] and record["window"]["level"] == 0
    assert record["ranges"][:2] == [[-2.0, 2.0], [-2.0, 2.0]] and record["ranges"][7] == [-4.0, 4.0]
    assert main(["inspect", "model", "--class-names", "a,b,c", "--json"]) == 0  # what is said last counts
    assert json.loads(capsys.readouterr().out)["classes"] == ["a", "b", "c"]


def test_a_name_does_not_drive_the_terminal(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    clf = niwaki.Tree(1, 2, 1000)
    clf.about(labels=["\x9b31mred", "[bold]b"])
    clf.save("model")
    assert main(["inspect", "model", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["classes"] == ["?31mred", "[bold]b"]


def test_merged_groves_keep_it(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    told(niwaki.Grove, n=60).save("one")
    plain = images.from_bytes(images.to_bytes(told(niwaki.Grove, n=80), about=False))
    plain.save("two")
    assert main(["merge", "two", "one", "--out", "both"]) == 0
    assert niwaki.load("both").about()["labels"] == ["rest", "wave"]


def test_c_passes_over_it() -> None:
    need("c")
    there = InC(library("Tree", {}))
    here = niwaki.Tree(6, 4, 4096)
    for i in range(300):
        here.learn([i % 7, i % 5, 3, 4, 5, i % 11], i % 4)
    here.about(labels=["a", "b", "c"])
    data = images.to_bytes(here)
    assert there.load(data) == 0 and there.save() == images.to_bytes(here, about=False)
    assert there.load(data[:-5] + bytes([data[-5] ^ 1]) + data[-4:]) == 2
    assert there.load(data[:-4] + bytes(4096) + data[-4:]) == 1
    plain = images.to_bytes(here, about=False)
    assert there.load(fuzz.seal(plain[:6] + b"\2" + plain[7:-4])) == 1


@pytest.mark.parametrize("cls", [niwaki.Tree, niwaki.Grove])
def test_hostile_sections_are_refused_or_harmless(cls) -> None:
    clf = told(cls, n=30)
    start = len(images.to_bytes(clf, about=False)) - 4
    good = images.to_bytes(clf)[:-4]
    rng = random.Random(8)
    outcomes = {"refused": 0, "accepted": 0}
    for _ in range(1500):
        section = bytearray(good[start:])
        for _ in range(rng.choice((1, 1, 2, 5))):
            kind, at = rng.random(), rng.randrange(len(section))
            if kind < 0.7:
                section[at] = rng.choice((0, 1, 255, rng.randrange(256), section[at] ^ 1 << rng.randrange(8)))
            elif kind < 0.85 and len(section) > 8:
                del section[at : at + rng.randrange(1, 6)]
            else:
                section[at:at] = rng.randbytes(rng.randrange(1, 6))
        try:
            model = fuzz.load(fuzz.seal(good[:start] + bytes(section)))
            about = model.about()
        except ImageError:
            outcomes["refused"] += 1
            continue
        outcomes["accepted"] += 1
        assert digest(model) == digest(clf)
        if "encoder" in about:
            n = about["encoder"].n_features
            about["encoder"].encode([0.5] * n, niwaki.model.array("h", [0] * n))
        assert fuzz.load(images.to_bytes(model)).about().keys() == about.keys()
    assert min(outcomes.values()) > 50, outcomes
