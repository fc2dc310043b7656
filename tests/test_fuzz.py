"""20,000 hostile images, and what accepted ones do on the device; `make fuzz` goes on to 2,000,000."""

import io
import json
import zlib
from array import array

import pytest
from conftest import need
from support import fuzz_images as fuzz
from support.checked_tree import caller

import niwaki
from niwaki import ImageError, image
from niwaki.tree.layout import SLOT, SLOT_WORDS0
from niwaki_host.device.images import to_bytes
from niwaki_host.device.schedule import schedule_of
from niwaki_host.runtimes import unix_rt


@pytest.mark.parametrize("seed", range(8))
def test_hostile_images_are_refused_or_harmless(seed) -> None:
    outcomes, harm = fuzz.run(seed, 2500)
    assert not harm, harm[0][0]
    assert outcomes["refused"] > 1000 and outcomes["accepted"] > 100


def test_the_corpus_itself_is_accepted() -> None:
    for data in fuzz.corpus():
        assert fuzz.survives(data) == "accepted"
        assert to_bytes(fuzz.load(data)) == data


def test_accepted_images_keep_every_intermediate_in_range() -> None:
    """With the kernels that check themselves: +-2**30, indices, shifts."""
    for data in fuzz.accepted(1, 60):
        model = fuzz.load(data)
        twin = fuzz.load(data)
        for x, y in fuzz.samples(model):
            schedule_of(model).teach(_not_asked(model, array("h", x)), y)
            twin.learn(x, y)
        assert to_bytes(model) == to_bytes(twin)


def _not_asked(model, x):
    """Calls kernels as `learn` does for a sample that was not asked: nobody's credit changes."""
    call = caller(model, x)
    credit = getattr(type(model), "CREDIT", None)

    def taught(kernel, *label):
        if label and credit:
            call(credit[1], -1)
        return call(kernel, *label)

    return taught


def test_checked_arrays_take_no_other_way() -> None:
    """The fuzzer's samples do to a model on checked arrays what they do to any other."""
    for data in fuzz.corpus():
        model, twin = fuzz.load(data), fuzz.load(data)
        fuzz.exercise(model)
        for x, y in fuzz.samples(twin):
            twin.predict(x)
            if twin.words[0] & 0x1000000:
                fuzz.late(twin, x, y)
            else:
                twin.learn(x, y)
        twin.scores(x, [0] * twin.n_classes)  # which may let a grove grow
        assert to_bytes(model) == to_bytes(twin)


@pytest.mark.parametrize("lo", [-65536, -65488, -16])
def test_a_window_where_no_code_lies_is_refused(lo) -> None:
    """Values outside a window are counted at its end, which must be one that codes can reach."""
    model = niwaki.Tree(2, 2, 1024)
    model.words[model.words[SLOT_WORDS0] + SLOT] = (lo + 65536) << 12 | 16
    with pytest.raises(ImageError, match="a window starts at"):
        fuzz.load(to_bytes(model))


def test_a_truncated_extended_or_flipped_file_is_an_image_error(tmp_path) -> None:
    clf = niwaki.Tree(2, 2, 1024)
    path = tmp_path / "model"
    clf.save(str(path))
    good = path.read_bytes()
    broken = [good[:n] for n in range(0, len(good), 7)]
    broken += [good + b"\0", good + good]
    broken += [good[:n] + bytes([good[n] ^ 1 << n % 8]) + good[n + 1 :] for n in range(0, len(good), 5)]
    for data in broken:
        path.write_bytes(data)
        with pytest.raises(ImageError):
            niwaki.load(str(path))


_DEVICE = """
import io, json
from binascii import crc32
import niwaki.image as image
with open(PATH + ".json") as f:
    table = json.load(f)
with open(PATH, "rb") as f:
    n = 0
    total = 0
    while True:
        head = f.read(4)
        if not head:
            break
        model = image.read(io.BytesIO(f.read(int.from_bytes(head, "little"))))
        for x, y in table["%d %d" % (model.n_features, model.n_classes)]:
            if not 0 <= model.predict(x) < model.n_classes:
                print("class")
            model.learn(x, y)
        total = crc32(model.octets, crc32(model.halves, crc32(model.words, total)))
        n += 1
print(n, total)
"""


@pytest.mark.parametrize("seed", range(4))
def test_accepted_images_run_under_viper(tmp_path, seed) -> None:
    """5,000 of them in all; 100 of those end with the same bytes as here."""
    need("micropython")
    viper(tmp_path / "images", seed, 25, compare=True)
    viper(tmp_path / "images", seed + 100, 1225, compare=False)


def viper(path, seed: int, count: int, compare: bool) -> None:
    """Run accepted images on 32-bit MicroPython: a crash, an error or a hang of it fails the test."""
    table, images = {}, list(fuzz.accepted(seed, count))
    total = 0
    with open(path, "wb") as f:
        for data in images:
            f.write(len(data).to_bytes(4, "little") + data)
            model = fuzz.load(data)
            rows = table.setdefault(f"{model.n_features} {model.n_classes}", fuzz.samples(model))
            if compare:
                for x, y in rows:
                    model.predict(x)  # a grove gives credit to those who were asked
                    model.learn(x, y)
                total = zlib.crc32(
                    model.octets, zlib.crc32(bytes(model.halves), zlib.crc32(bytes(model.words), total))
                )
    path.with_name(path.name + ".json").write_text(json.dumps(table))
    n, digest = unix_rt.execute(_DEVICE.replace("PATH", repr(str(path))), heap=1 << 19).split()
    assert int(n) == count
    assert not compare or int(digest) == total


def test_the_slow_checksum_is_the_checksum() -> None:
    from niwaki.crc import crc32

    for data in (b"", b"a", bytes(range(256)), b"NIWAKI" * 50):
        assert crc32(data) == zlib.crc32(data)
        assert crc32(data, 123456789) == zlib.crc32(data, 123456789)
    assert image._whole(io.BytesIO(b""), bytearray(8)) is None
