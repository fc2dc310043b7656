"""Saved models: the same bytes everywhere, in the middle of a stream too, and little heap needed for it."""

import zlib

import numpy as np
import pytest
from conftest import need
from support import fuzz_images as fuzz

import niwaki
from niwaki import ImageError, image
from niwaki import layout as shared
from niwaki.proof import Once
from niwaki.tree import layout as tree_layout
from niwaki_host.device import images, models
from niwaki_host.errors import UsageError
from niwaki_host.runtimes import RUNTIMES, run, unix_rt
from niwaki_host.runtimes.result import digest, set_state

MODELS = list(models.MODELS)


def stream(n: int, features: int = 4, classes: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-500, 500, (n, features)).astype(np.int16)
    y = ((X[:, 0] > 0).astype(int) + (X[:, 1] > 100)) % classes
    y[n // 2 :] = (y[n // 2 :] + 1) % classes  # a drift
    X[rng.random(X.shape) < 0.02] = -32768
    return X, y.astype(np.int16)


def trained(name: str = "vfdt", n: int = 600, budget: int = 2048, **settings):
    model = models.build(name, 4, 3, budget, **settings)
    for x, y in zip(*(part.tolist() for part in stream(n)), strict=True):
        model.learn(x, y)
    return model


def image_of(name: str, params: dict, result) -> bytes:
    """What `save` writes for the model that a run ended with."""
    settings = dict(params)
    shape = [settings.pop(key) for key in ("n_features", "n_classes", "budget")]
    model = models.build(name, *shape, **settings)
    set_state(model, result.words.tobytes(), result.halves.tobytes(), result.octets.tobytes())
    return images.to_bytes(model)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_moves_between_all_runtimes_in_the_middle_of_a_stream(name) -> None:
    """Desktop, device, desktop: one segment on each runtime, against one run without a break."""
    for runtime in RUNTIMES:
        need(runtime)
    params = {"n_features": 4, "n_classes": 3, "budget": 4096}
    if name not in ("shrubs", "grove"):
        params["grace"] = 50
    X, y = stream(1500)
    whole = run("numba", name, params, X, y)
    order = ["cpython", "micropython", "numba", "cortex-m3", "micropython-bytecode"]
    saved, predictions = None, []
    for k, runtime in enumerate(order):
        part = slice(300 * k, 300 * k + 300)
        result = run(runtime, name, params, X[part], y[part], image=saved)
        saved = image_of(name, params, result)
        predictions.append(result.predictions)
    assert result.digest == whole.digest
    assert (np.concatenate(predictions) == whole.predictions).all()


@pytest.mark.parametrize("name", MODELS)
def test_the_loaded_model_is_the_saved_one(tmp_path, name) -> None:
    model = trained(name)
    path = str(tmp_path / "model")
    written = model.save(path)
    data = (tmp_path / "model").read_bytes()
    assert written == len(data) == image.size(model)
    assert data == images.to_bytes(model)
    assert zlib.crc32(data[:-4]) == int.from_bytes(data[-4:], "little")
    loaded = niwaki.load(path)
    assert type(loaded) is type(model) and digest(loaded) == digest(model)
    assert (loaded.nbytes, loaded.budget, loaded.samples) == (model.nbytes, model.budget, model.samples)
    for x, y in zip(*(part.tolist() for part in stream(300, seed=1)), strict=True):
        assert loaded.predict(x) == model.predict(x)
        loaded.learn(x, y)
        model.learn(x, y)
    assert digest(loaded) == digest(model)


_SAVE = """
from binascii import hexlify
from niwaki import load
clf = load(PATH)
seed = 1
for i in range(100):
    seed = (seed * 1103 + 12345) & 65535
    clf.learn([seed & 255, seed >> 8, 3, 4], seed % 3)
clf.save("again")
with open("again", "rb") as f:
    print(hexlify(f.read()).decode())
"""


@pytest.mark.parametrize("name", ["vfdt", "hat", "shrubs", "grove"])
def test_a_device_saves_the_same_bytes(tmp_path, name) -> None:
    need("micropython")
    model = trained(name)
    model.save(str(tmp_path / "model"))
    source = _SAVE.replace("PATH", repr(str(tmp_path / "model")))
    seed = 1
    for _ in range(100):
        seed = (seed * 1103 + 12345) & 65535
        model.learn([seed & 255, seed >> 8, 3, 4], seed % 3)
    for viper in (True, False):
        assert bytes.fromhex(unix_rt.execute(source, heap=1 << 18, viper=viper)) == images.to_bytes(model)


@pytest.mark.parametrize("name", ["vfdt", "svfdt1", "ht-reg"])
def test_a_split_that_waits_for_its_decision_waits_in_the_file_too(name) -> None:
    model = models.build(name, 4, 3, 4096, grace=50, delta=0.1, tau=0.3)
    waited = 0
    for x, y in zip(*(part.tolist() for part in stream(1200)), strict=True):
        if model.words[tree_layout.WAIT]:
            waited += 1
            copy = fuzz.load(images.to_bytes(model))
            copy.learn(x, y)
            model.learn(x, y)
            assert images.to_bytes(copy) == images.to_bytes(model)
        else:
            model.learn(x, y)
    assert waited > 10 and model.n_nodes > 1


def test_path_holds_the_newest_and_its_twin_a_whole_one(tmp_path) -> None:
    path, twin = tmp_path / "model", tmp_path / "model~"
    model = trained()
    model.save(str(path))
    first = path.read_bytes()
    assert not twin.exists()
    model.learn([1, 2, 3, 4], 0)
    model.save(path)  # a Path will do, on a desktop
    assert path.read_bytes() == twin.read_bytes() == images.to_bytes(model) != first
    path.write_bytes(first[:-1])
    assert digest(niwaki.load(str(path))) == digest(model)
    path.unlink()
    assert digest(niwaki.load(path)) == digest(model)


def test_an_old_twin_does_not_hide_what_is_wrong_with_a_whole_file(tmp_path) -> None:
    """A power cut leaves a wrong checksum. Another format or a hostile structure has other causes."""
    model = trained()
    path = tmp_path / "model"
    for _ in range(2):
        model.save(str(path))
        model.learn([1, 2, 3, 4], 0)
    body = bytearray(path.read_bytes()[:-4])
    body[6] += 2
    path.write_bytes(body + zlib.crc32(body).to_bytes(4, "little"))
    with pytest.raises(ImageError, match="newer niwaki"):
        niwaki.load(str(path))


def _broken(change) -> bytes:
    body = bytearray(images.to_bytes(trained())[:-4])
    change(body)
    return bytes(body) + zlib.crc32(body).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a model"),
        (b"hello", "not a model"),
        (_broken(lambda body: body.__setitem__(0, 0)), "not a model"),
        (_broken(lambda body: body.__setitem__(6, 9)), "newer niwaki, in format 9"),
        (_broken(lambda body: body.__setitem__(6, 0)), "no such model"),
        (_broken(lambda body: body.__setitem__(7, 7)), "no such model"),
        (_broken(lambda body: body.__setitem__(8, body[8] ^ 1)), "other sizes"),
        (_broken(lambda body: body.extend(b"1234")), "other sizes"),
        (_broken(lambda body: body.__setitem__(20, 0)), "do not agree"),
        (_broken(lambda body: body.__setitem__(24, body[24] ^ 1)), "do not agree"),
        (images.to_bytes(trained())[:-1], "checksum"),
    ],
)
def test_an_image_error_says_what_is_wrong(tmp_path, data, message) -> None:
    path = tmp_path / "model"
    path.write_bytes(data)
    with pytest.raises(ImageError, match=message):
        niwaki.load(str(path))
    with pytest.raises(UsageError):
        images.from_bytes(data)


def test_proofs_draw_the_line_where_learn_does() -> None:
    """A block of ADWIN holds up to 31 values, of which so many are ones."""
    model = trained("hat")
    recent = model.words[tree_layout.MONITOR0] + tree_layout.WATCH + shared.ADWIN_RECENT
    for values, ones, good in ((31, 31, True), (31, 0, True), (32, 0, False), (5, 6, False), (0, 1, False)):
        model.halves[recent] = values << 8 | ones
        if good:
            images.from_bytes(images.to_bytes(model))
        else:
            with pytest.raises(UsageError, match=r"values|ones"):
                images.from_bytes(images.to_bytes(model))


def test_a_set_of_numbers_knows_its_members() -> None:
    once = Once("number", 20)
    for i in (0, 3, 8, 15, 19):
        assert not once.has(i)
        once.take(i)
        assert once.has(i)
        with pytest.raises(ImageError, match=f"number {i} is used twice"):
            once.take(i)
    assert [i for i in range(20) if once.has(i)] == [0, 3, 8, 15, 19]
    with pytest.raises(ImageError, match="of 20 numbers 5 are used"):
        once.all_taken()
    for i in (-1, 20):
        with pytest.raises(ImageError, match=f"number {i} of 20"):
            once.take(i)


def test_no_file_is_an_os_error(tmp_path) -> None:
    with pytest.raises(OSError, match="nothing"):
        niwaki.load(str(tmp_path / "nothing"))


@pytest.mark.parametrize("path", [None, 7, b"model"])
def test_what_is_no_path_makes_no_file(tmp_path, monkeypatch, path) -> None:
    monkeypatch.chdir(tmp_path)
    model = trained(n=0)
    for call in (model.save, niwaki.load, model.checkpoint):
        with pytest.raises(TypeError, match="a path is a str"):
            call(path)
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_leaves_the_model_as_it_is(tmp_path) -> None:
    """`learn` stays the class's own, and saves nothing; checkpoints do not know of each other."""
    model, before = trained(n=0), set(vars(trained(n=0)))
    first = model.checkpoint(tmp_path / "first", every=1)
    second = model.checkpoint(tmp_path / "second", every=2)
    assert set(vars(model)) == before and model.learn.__func__ is type(model).learn
    model.learn([1, 2, 3, 4], 0)
    assert not list(tmp_path.iterdir())
    for _ in range(2):
        first.tick()
        second.tick()
    assert (first.saves, second.saves) == (2, 1)


def test_a_checkpoint_that_fails_tries_again(tmp_path) -> None:
    model = trained(n=0)
    checkpoint = model.checkpoint(tmp_path / "no such directory" / "model", every=2)
    model.learn([1, 2, 3, 4], 0)
    checkpoint.tick()
    with pytest.raises(OSError):
        checkpoint.tick()
    assert checkpoint.saves == checkpoint.written == 0
    checkpoint.tick()
    (tmp_path / "no such directory").mkdir()
    checkpoint.tick()
    assert checkpoint.saves == 1 and niwaki.load(checkpoint.path).samples == 1


def test_checkpoints_save_every_so_many_ticks(tmp_path) -> None:
    path = str(tmp_path / "model")
    model, twin = trained(n=0), trained(n=0)
    checkpoint = model.checkpoint(path, every=10)
    written = 0
    for i in range(35):
        model.learn([i, i, i, i], i % 3)
        written += checkpoint.tick()
        twin.learn([i, i, i, i], i % 3)
    assert checkpoint.saves == 3
    assert niwaki.load(path).samples == 30
    assert digest(model) == digest(twin)
    size = image.size(model)
    assert checkpoint.written == written == 4 * size  # one file, two, one
    assert checkpoint.per_day(10) == 86400 * size * 3 // 2
    for every in (0, -1):
        with pytest.raises(ValueError, match="every"):
            model.checkpoint(path, every=every)
    with pytest.raises(TypeError, match="every"):
        model.checkpoint(path, every=1.5)


# Where one free piece of n bytes is all there is: does it succeed?
_TIGHT = """
import gc, os, vfs
from niwaki import CLASS, load
import niwaki.image, niwaki.generations, niwaki.MODULE

class Device:
    def __init__(self):
        self.data = bytearray(128 * 512)
    def readblocks(self, block, buf, offset=0):
        at = block * 512 + offset
        buf[:] = memoryview(self.data)[at:at + len(buf)]
    def writeblocks(self, block, buf, offset=0):
        at = block * 512 + offset
        self.data[at:at + len(buf)] = buf
    def ioctl(self, op, arg):
        return 128 if op == 4 else 512 if op == 5 else 0

device = Device()
kind = vfs.KIND
kind.mkfs(device)
vfs.mount(kind(device), "/d")

def tight(f, n):
    gc.collect()
    reserve = bytearray(n)
    hold = None
    size = 16384
    while size >= 16:
        try:
            hold = (hold, bytearray(size - 15))
        except MemoryError:
            size >>= 1
    try:
        while True:
            hold = (hold,)  # what is too small for anything else
    except MemoryError:
        pass
    reserve = None
    gc.collect()
    free = gc.mem_free()
    try:
        f()
    except MemoryError:
        free = 0
    hold = None
    gc.collect()
    return free

def teach(clf, n):
    seed = 7
    for i in range(n):
        seed = (seed * 1103 + 12345) & 65535
        clf.learn([seed & 255, (seed >> 8) & 255, seed & 15, 3, 4, 5], seed >> 15)

def smallest(f, low, high, before=lambda: None):
    for n in range(low, high, 48):
        before()
        got = tight(f, n)
        if got:
            return got

clf = CLASS(6, 4, 8192)
teach(clf, 500)
def save():
    teach(clf, 1)
    clf.save("/d/model")
save()
save()
saving = smallest(save, 200, 3000)
bytes_ = clf.nbytes
clf = None
def get():
    global clf
    clf = load("/d/model")
def drop():
    global clf
    clf = None
    import niwaki.MODULE  # code that is already there is not counted
get()
print(saving, smallest(get, bytes_ + 200, bytes_ + 3000, drop) - bytes_)
"""


@pytest.mark.parametrize("kind", ["VfsLfs2", "VfsFat"])
@pytest.mark.parametrize(
    ("name", "module"), [("Tree", "tree.check"), ("Shrubs", "shrubs.check"), ("Grove", "grove.check")]
)
def test_saving_and_loading_need_less_than_a_kilobyte_of_heap(name, module, kind) -> None:
    need("micropython")
    source = _TIGHT.replace("CLASS", name).replace("MODULE", module).replace("KIND", kind)
    saving, loading = map(int, unix_rt.execute(source, heap=240 << 10).split())
    print(name, kind, "save", saving, "load", loading)
    assert saving < 1400 and loading <= 1400
