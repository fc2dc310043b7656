"""`load` takes the newest file that passes, checksum and proof, and says when it is the older one."""

import zlib

import pytest
from conftest import need
from support import fuzz_images as fuzz

import niwaki
from niwaki import ImageError, image
from niwaki.layout import FOREVER
from niwaki_host.cli.inspect import load
from niwaki_host.device import images
from niwaki_host.runtimes import unix_rt
from niwaki_host.runtimes.result import digest

KINDS = {
    "tree": niwaki.Tree,
    "hat": lambda *a: niwaki.Tree(*a, adaptive=True),
    "shrubs": niwaki.Shrubs,
    "grove": niwaki.Grove,
}


def teach(clf, n: int, start: int = 0) -> None:
    for i in range(start, start + n):
        clf.learn([i * 37 % 101, i * 11 % 53], i * 37 % 101 // 34)


def unprovable(data: bytes) -> bytes:
    """The image with a right checksum and more samples in its header than there can be."""
    at = image._HEAD + 4 * 7
    return fuzz.seal(data[:at] + b"\xff\xff\xff\xff" + data[at + 4 : -4])


def torn(data: bytes) -> bytes:
    return data[: len(data) // 2] + bytes(len(data) - len(data) // 2)


DAMAGE = {
    "proof": unprovable,
    "checksum": torn,
    "emptied": lambda data: b"",
    "other": lambda data: b"hello" * 9,
}


def two_generations(tmp_path, kind: str):
    """A model, and the two files that hold its last two generations: the third save writes one of them."""
    clf, path, kept = KINDS[kind](2, 3, 2048), tmp_path / "model", []
    for generation in range(3):
        teach(clf, 120, 120 * generation)
        clf.save(str(path))
        kept.append(digest(clf))
    assert path.read_bytes() != (tmp_path / "model~").read_bytes()
    return clf, path, kept


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("kind", KINDS)
def test_the_other_generation_is_taken_and_says_why(tmp_path, kind, damage) -> None:
    clf, path, kept = two_generations(tmp_path, kind)
    assert niwaki.load(path).restored() == "" == clf.restored()
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    model = niwaki.load(path)
    assert digest(model) == kept[1]
    assert model.restored().startswith(str(path) + ": ")
    assert {"proof": "is -1, not in", "checksum": "checksum"}.get(damage, "not a model") in model.restored()
    assert clf.restored() == ""
    teach(model, 50)
    model.save(path)
    again = niwaki.load(path)
    assert digest(again) == digest(model) and again.restored() == ""


def test_a_file_that_is_gone_is_restored_too(tmp_path) -> None:
    _, path, kept = two_generations(tmp_path, "tree")
    path.unlink()
    model = niwaki.load(path)
    assert digest(model) == kept[1] and "no such file" in model.restored()


@pytest.mark.parametrize("first", DAMAGE)
@pytest.mark.parametrize("second", DAMAGE)
def test_when_both_are_bad_one_error_names_both_reasons(tmp_path, first, second) -> None:
    _, path, _ = two_generations(tmp_path, "tree")
    twin = tmp_path / "model~"
    path.write_bytes(DAMAGE[first](path.read_bytes()))
    twin.write_bytes(DAMAGE[second](twin.read_bytes()))
    with pytest.raises(ImageError) as caught:
        niwaki.load(path)
    says = {
        "proof": "is -1, not in",
        "checksum": "checksum",
        "emptied": "not a model",
        "other": "not a model",
    }
    newest, previous = str(caught.value).split("; ")
    assert newest.startswith(f"{path}: ") and says[first] in newest
    assert previous.startswith(f"{twin}: ") and says[second] in previous


def test_a_whole_image_of_a_newer_niwaki_is_not_damage(tmp_path) -> None:
    """An older model in its place would be saved over it."""
    _, path, _ = two_generations(tmp_path, "tree")
    for at, value in ((6, 3), (7, 9)):
        body = bytearray(path.read_bytes()[:-4])
        body[at] = value
        path.write_bytes(body + zlib.crc32(body).to_bytes(4, "little"))
        with pytest.raises(ImageError, match=r"newer|no such model"):
            niwaki.load(path)


@pytest.mark.parametrize("fails", ["model", "model~"])
def test_a_save_after_a_restored_load_spares_the_file_that_passed(tmp_path, monkeypatch, fails) -> None:
    """The newest is whole but does not pass: as long as its successor is not written, the other must stay."""
    _, path, kept = two_generations(tmp_path, "shrubs")
    path.write_bytes(unprovable(path.read_bytes()))
    model = niwaki.load(path)
    teach(model, 30)
    write, touched = image._write, []

    def cut(name, *rest):
        touched.append(name)
        if name.endswith(fails):
            raise OSError(5, "the power is gone")
        return write(name, *rest)

    monkeypatch.setattr(image, "_write", cut)
    if fails == "model":
        with pytest.raises(OSError, match="gone"):
            model.save(path)
        assert digest(niwaki.load(path)) == kept[1]
    else:
        model.save(path)
        assert digest(niwaki.load(path)) == digest(model)
    assert touched == [str(path)]


_DEVICE = """
from niwaki import load
try:
    clf = load(PATH)
    print(clf.samples, clf.restored())
    clf.learn([1, 2], 1)
    clf.save(PATH)
    clf = load(PATH)
    print(clf.samples, clf.restored() == "")
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("kind", KINDS)
def test_a_board_does_the_same(tmp_path, kind) -> None:
    need("micropython")
    _, path, _ = two_generations(tmp_path, kind)
    twin = tmp_path / "model~"
    path.write_bytes(unprovable(path.read_bytes()))
    source = _DEVICE.replace("PATH", repr(str(path)))
    found = unix_rt.execute(source, heap=1 << 18).splitlines()
    word = {"shrubs": "samples", "grove": "samples"}.get(kind, "a word of the header")
    reason = f"{path}: damaged: {word} is -1, not in 0..{FOREVER}"
    assert found == [f"240 {reason}", "241 True"]
    twin.write_bytes(torn(twin.read_bytes()))
    path.write_bytes(unprovable(path.read_bytes()))
    found = unix_rt.execute(source, heap=1 << 18)
    assert found.strip() == f"ImageError {reason}; {twin}: damaged: the checksum does not match the content"


def test_inspect_says_that_it_shows_the_previous_model(tmp_path, capsys) -> None:
    _, path, _ = two_generations(tmp_path, "tree")
    path.write_bytes(torn(path.read_bytes()))
    model = load(str(path))
    assert f"this is the previous model, from {path}~" in capsys.readouterr().err
    assert images.to_bytes(model) == (tmp_path / "model~").read_bytes()
