"""What an image carries beside its model, models as new, and copies."""

import gc
from array import array
from io import BytesIO

from tools import HEAP_IS_COUNTED, Random, checksum, draw, refuses, state, teach

import niwaki.image
from niwaki import Encoder, Grove, ImageError, Shrubs, Tree, Window

image = niwaki.image

MODELS = (
    (Tree, {}),
    (Tree, {"adaptive": True, "strict": 2, "pending": 2}),
    (Shrubs, {"pending": 3}),
    (Grove, {"pending": 2}),
)


def made(cls, options, n=150):
    clf = cls(4, 3, 4000, **options)
    teach(clf, n)
    return clf


def saved(clf):
    """The bytes of its image, on a board without files too."""
    body = bytes(image._head(clf)) + b"".join(state(clf)) + image.section(clf)
    return sealed(body)


def sealed(body):
    return body + image.crc32(body).to_bytes(4, "little")


def loaded(data):
    f = BytesIO(data)
    assert image._whole(f, bytearray(128)) is not None
    return image.read(f)


def test_reset_is_as_new():
    for cls, options in MODELS:
        clf = made(cls, options)
        if "pending" in options:
            clf.defer([1, 2, 3, 4])
        clf.predict([1, 2, 3, 4])
        clf.reset()
        fresh = cls(4, 3, 4000, **options)
        assert state(clf) == state(fresh), cls
        teach(clf, 100, seed=7)
        teach(fresh, 100, seed=7)
        assert checksum(clf) == checksum(fresh), cls
    refuses(TypeError, clf.reset, "1")


def test_a_copy_goes_on_by_itself():
    for cls, options in MODELS:
        clf = made(cls, options)
        before = checksum(clf)
        other = clf.copy()
        assert type(other) is cls and state(other) == state(clf)
        x = array("h", [0] * 4)
        rng = Random(3)
        for _ in range(60):
            y = draw(rng, x, 3)
            assert other.learn(x, y) in (0, 1, 2)
        assert checksum(clf) == before != checksum(other)
        teach(clf, 40, seed=5)
        twin = clf.copy()
        teach(clf, 40, seed=6)
        teach(twin, 40, seed=6)
        assert checksum(clf) == checksum(twin)


def test_an_image_carries_its_surroundings():
    for cls, options in MODELS:
        clf = made(cls, options)
        assert clf.about() == {}
        plain = saved(clf)
        digest = checksum(clf)
        encoder = Encoder(4, [(0, 4095), (-2.5, 2.5), 5, (0, 1 << 40)])
        names = ["light", "tilt", "key", "count"]
        clf.about(labels=["rest", "wäve"], features=names, units=["lx", "g", "", ""], encoder=encoder)
        assert checksum(clf) == digest
        data = saved(clf)
        assert len(data) > len(plain) and data[20 : len(plain) - 4] == plain[20:-4]
        again = loaded(data)
        assert checksum(again) == digest and saved(again) == data
        about = again.about()
        assert about["labels"] == ["rest", "wäve"] and about["features"] == names
        assert about["units"] == ["lx", "g", "", ""] and "window" not in about
        assert about["encoder"].ranges == encoder.ranges and about["encoder"].ready
        out, own = array("h", [0] * 4), array("h", [0] * 4)
        about["encoder"].encode([100, 1.25, 3, 1 << 39], out)
        assert out == encoder.encode([100, 1.25, 3, 1 << 39], own)
        assert saved(again) == data  # also when it has been unpacked
        teach(again, 30)
        teach(clf, 30)
        assert saved(again) == saved(clf) != data
        assert saved(again.copy()) == saved(clf)
        again.reset()
        assert again.about()["labels"] == ["rest", "wäve"]
        again.about(labels=None, features=None, units=None, encoder=None)
        assert again.about() == {} and saved(again) == saved(cls(4, 3, 4000, **options))


def test_a_window_and_an_encoder_that_still_learns():
    clf = Tree(12, 2, 4000)
    encoder = Encoder(2, [None, (0, 9)])
    clf.about(window=Window(2, 16, 8, None), encoder=encoder, features=["x", "y"], units=["g", "g"])
    out = array("h", [0, 0])
    encoder.encode([1.5, 3], out)
    about = loaded(saved(clf)).about()
    assert about["encoder"].left == 2 and not about["encoder"].ready
    for x in (0.25, 4.0):  # it goes on where the other one was
        encoder.encode([x, 3], out)
        about["encoder"].encode([x, 3], out)
    assert about["encoder"].ready and about["encoder"].ranges == encoder.ranges
    ready = loaded(saved(clf)).about()  # what it has learned since is saved
    assert ready["encoder"].ready and ready["encoder"].ranges == encoder.ranges
    window = ready["window"]
    assert window.n_features == 12 and not window.ready
    for i in range(16):
        window.push([i, -i])
    assert window.ready


def test_what_does_not_fit_is_refused():
    clf = Tree(6, 2, 4000)
    for error, what in (
        (ValueError, {"labels": ["a", "b", "c"]}),
        (ValueError, {"labels": []}),
        (TypeError, {"labels": "ab"}),
        (TypeError, {"labels": [1, 2]}),
        (ValueError, {"labels": ["a\n"]}),
        (ValueError, {"labels": ["a" * 256]}),
        (ValueError, {"features": ["a", "b"]}),
        (ValueError, {"units": ["g"]}),
        (ValueError, {"window": Window(2, 8)}),
        (TypeError, {"window": (2, 8)}),
        (ValueError, {"encoder": Encoder(3)}),
        (TypeError, {"encoder": [(0, 1)]}),
        (TypeError, {"names": ["a"]}),
    ):
        text = refuses(error, clf.about, **what)
        assert "about" in text, text
    clf.about(features=["a" * 255] * 6, units=["b" * 255] * 6, labels=["c" * 255] * 2)  # 3.6 KB are allowed
    wide = Tree(256, 2, 40000)
    assert "4096" in refuses(ValueError, wide.about, encoder=Encoder(256))  # it will have learned 256 ranges
    wide.about(encoder=Encoder(256, [(0, 255)] * 256))


def test_a_hostile_section_is_refused():
    clf = Tree(2, 2, 1000)
    clf.about(labels=["a", "b"], encoder=Encoder(2, [(0, 1), 3]))
    data = saved(clf)
    start = len(data) - 4 - len(loaded(data)._arrays[6])
    accepted = 0
    for at in range(start, len(data) - 4):
        for value in (0, 255, data[at] ^ 1, data[at] ^ 128):
            body = data[:at] + bytes([value]) + data[at + 1 : -4]
            try:
                about = loaded(sealed(body)).about()
                accepted += 1
                assert len(about) == 2
            except ImageError as error:
                assert "damaged" in str(error), error
    assert accepted
    body = data[:start]  # format 2, and nothing told
    refuses(ImageError, loaded, sealed(body))


def test_who_tells_nothing_pays_nothing():
    clf = made(Tree, {})
    assert len(clf._arrays) == 6
    if HEAP_IS_COUNTED:
        clf.copy()
        gc.collect()
        before = gc.mem_alloc()
        other = clf.copy()
        gc.collect()
        assert gc.mem_alloc() - before <= other.nbytes <= other.budget
