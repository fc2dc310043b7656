"""Power cuts in `save`: at every byte on the semantics of FAT and LittleFS, and on the real file systems."""

import io
import types
from collections.abc import Iterator

import numpy as np
import pytest
from conftest import need
from support.changed import changed

import niwaki
from niwaki import generations, image
from niwaki_host.runtimes import unix_rt
from niwaki_host.runtimes.result import digest

PATH, TWIN = "model", "model~"


class Flash:
    """Files in memory, and a journal of what was done to them, in the order that the medium saw it."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.journal: list[tuple] = []

    def open(self, name: str, mode: str):
        if mode == "rb":
            if name not in self.files:
                raise FileNotFoundError(name)
            return io.BytesIO(self.files[name])
        return _Writing(self, name, mode)

    def stat(self, name: str) -> tuple:
        if name not in self.files:
            raise FileNotFoundError(name)
        return (0,) * 6 + (len(self.files[name]),)


class _Writing:
    def __init__(self, flash: Flash, name: str, mode: str) -> None:
        self.flash, self.name, self.at = flash, name, 0
        assert mode in ("wb", "r+b"), mode
        if mode == "wb":
            self._do("truncate", b"")

    def _do(self, what: str, data: bytes) -> None:
        self.flash.journal.append((what, self.name, self.at, data))
        apply(self.flash.files, what, self.name, self.at, data)
        self.at += len(data)

    def write(self, data) -> int:
        self._do("write", bytes(data))
        return len(bytes(data))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._do("close", b"")


def apply(files: dict[str, bytes], what: str, name: str, at: int, data: bytes) -> None:
    if what == "truncate":
        files[name] = b""
    elif what == "write":
        files[name] = files[name][:at] + data + files[name][at + len(data) :]


def fat(before: dict[str, bytes], journal: list[tuple]) -> Iterator[dict[str, bytes]]:
    """What may be there after a cut: any prefix, to the byte; a new file may also still look empty."""
    files = dict(before)
    yield dict(files)
    for what, name, at, data in journal:
        for i in range(len(data)):
            if files[name][at + i : at + i + 1] != data[i : i + 1]:  # else nothing has changed
                apply(files, what, name, at + i, data[i : i + 1])
                yield dict(files)
        apply(files, what, name, at, data)
        yield dict(files)
        if at + len(data) > len(before.get(name, b"")):
            yield {**files, name: b""}


BLOCK = 512
LATE = 3  # newest blocks that the medium may have put off


def reordered(before: dict[str, bytes], journal: list[tuple]) -> Iterator[dict[str, bytes]]:
    """FAT where blocks arrive in another order: after each one, any of the newest three may be missing.

    Closing a file brings all of its blocks to the medium, so that those of another file come later. Until
    then a file that grows has its old length or the new one.
    On LittleFS its blocks count only after that.
    """
    files = dict(before)
    name, old, new = "", b"", b""
    for what, target, at, data in journal:
        if target != name or what == "truncate":
            name, old = target, files.get(target, b"")
            new = old
        if what == "truncate":
            old = new = b""
            yield {**files, name: b""}
        elif what == "write":
            new = new[:at] + data + new[at + len(data) :]
        else:
            starts = [i for i in range(0, len(new), BLOCK) if new[i : i + BLOCK] != old[i : i + BLOCK]]
            for n in range(1, len(starts) + 1):
                written, late = starts[: max(0, n - LATE)], starts[max(0, n - LATE) : n]
                for subset in range(1 << len(late)):
                    there = written + [start for i, start in enumerate(late) if subset >> i & 1]
                    content = bytearray(old.ljust(len(new), b"\xff"))
                    for start in there:
                        content[start : start + BLOCK] = new[start : start + BLOCK]
                    for length in {len(old), len(new)}:
                        yield {**files, name: bytes(content[:length])}
            files[name], name = new, ""
            yield dict(files)


def littlefs(before: dict[str, bytes], journal: list[tuple]) -> Iterator[dict[str, bytes]]:
    """What may be there after a cut: a file changes as a whole, when it is closed."""
    files, open_files = dict(before), dict(before)
    yield dict(files)
    for what, name, at, data in journal:
        apply(open_files, what, name, at, data)
        if what == "truncate":
            yield {**files, name: files.get(name, b"")}  # a new file appears, empty
        if what == "close":
            files[name] = open_files[name]
        yield dict(files)


@pytest.fixture
def flash(monkeypatch) -> Flash:
    flash = Flash()
    # Whether an image is whole is decided anew after each cut; what a whole one holds, once.
    read, known = image.read, {}

    def read_once(path, step):
        if step is generations._check_whole:
            with flash.open(path, "rb") as f:
                return step(f)
        data = flash.files[path]
        if step is generations._read and data not in known:
            monkeypatch.undo()
            known[data] = digest(read(io.BytesIO(data)))
            install()
        return known.get(data)

    def install():
        for module in (image, generations):
            monkeypatch.setattr(module, "open", flash.open, raising=False)
        monkeypatch.setattr(image, "os", types.SimpleNamespace(stat=flash.stat))
        monkeypatch.setattr(generations, "_with", read_once)
        monkeypatch.setattr(generations, "_prove", lambda known, scratch: known)

    install()
    return flash


def train(clf, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for x in rng.integers(-300, 300, (n, clf.n_features)).tolist():
        clf.learn(x, int(x[0] > 0) + int(x[1] > 100))


MODELS = {
    "tree": lambda: niwaki.Tree(6, 3, 8192, grace=50),
    "shrubs": lambda: niwaki.Shrubs(6, 3, 8192),
    "grove": lambda: niwaki.Grove(6, 3, 8192),
}


def cuts(flash: Flash, clf, semantics) -> tuple[int, set[str]]:
    """Save with a cut at every point; returns how many there were and the digests that could be loaded."""
    before = dict(flash.files)
    flash.journal = []
    clf.save(PATH)
    after = dict(flash.files)
    found = set()
    n = 0
    for files in semantics(before, flash.journal):
        flash.files = files
        found.add(generations.load(PATH))
        n += 1
    flash.files = after
    return n, found


@pytest.mark.parametrize("semantics", [fat, littlefs])
@pytest.mark.parametrize("kind", MODELS)
def test_a_cut_at_any_byte_leaves_the_previous_or_the_new_model(flash, kind, semantics) -> None:
    clf = MODELS[kind]()
    train(clf, 300, 0)
    clf.save(PATH)
    written = []
    for generation in range(1, 5):  # a first twin, then in place: one file, two files, one file
        old = digest(clf)
        train(clf, 200, generation)
        n, found = cuts(flash, clf, semantics)
        assert found == {old, digest(clf)}
        assert generations.load(PATH) == digest(clf)
        written.append(sum(len(entry[3]) for entry in flash.journal) // image.size(clf))
        if semantics is fat:
            assert n > (5000 if generation == 1 else 50)  # bytes that change
    assert written == [2, 1, 2, 1]


@pytest.mark.parametrize("kind", MODELS)
def test_blocks_that_arrive_in_another_order_lose_nothing(flash, kind) -> None:
    clf = MODELS[kind]()
    train(clf, 300, 0)
    clf.save(PATH)
    for generation in range(1, 5):
        old = digest(clf)
        train(clf, 200, generation)
        n, found = cuts(flash, clf, reordered)
        assert found == {old, digest(clf)}
        assert generations.load(PATH) == digest(clf)
        assert n > 20


@pytest.mark.parametrize("semantics", [fat, littlefs])
def test_a_cut_while_recovering_from_a_cut_loses_nothing(flash, semantics) -> None:
    clf = MODELS["tree"]()
    train(clf, 300, 0)
    for generation in range(3):
        clf.save(PATH)
        train(clf, 100, generation)
    whole = dict(flash.files)
    known = {generations.load(PATH)}
    for torn in (PATH, TWIN):
        for length in (0, 20, len(whole[torn]) - 1):
            for rest in (b"", whole[torn][length:][::-1]):
                flash.files = {**whole, torn: whole[torn][:length] + rest}
                survivor = generations.load(PATH)
                _, found = cuts(flash, clf, semantics)
                assert found <= {survivor, digest(clf)} and digest(clf) in found
                known.add(survivor)
    assert len(known) == 2


@pytest.mark.parametrize("semantics", [fat, littlefs])
def test_a_model_of_another_size_takes_over_safely(flash, semantics) -> None:
    small, large = niwaki.Tree(2, 2, 1024), niwaki.Tree(2, 2, 2048)
    for old, new in ((small, large), (large, small)):
        old.save(PATH)
        _, found = cuts(flash, new, semantics)
        assert found == {digest(old), digest(new)}


def test_saving_an_unchanged_model_writes_nothing(flash) -> None:
    clf = MODELS["tree"]()
    assert clf.save(PATH) == image.size(clf)
    assert clf.save(PATH) == 0
    assert TWIN not in flash.files


def test_a_full_disk_keeps_the_previous_model(tmp_path, monkeypatch) -> None:
    clf = MODELS["tree"]()
    path = str(tmp_path / "model")
    clf.save(path)
    old = digest(clf)
    train(clf, 10, 0)

    class Full(io.FileIO):
        def write(self, data):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(
        image,
        "open",
        lambda name, mode: Full(name, mode) if mode != "rb" else open(name, mode),
        raising=False,
    )
    with pytest.raises(OSError, match="No space"):
        clf.save(path)
    monkeypatch.undo()
    assert digest(niwaki.load(path)) == old


# On the 32-bit unix port, with MicroPython's own FatFs and LittleFS on a block device that fails: before, in
# the middle of, or right after the k-th write or erasure.
_DEVICE = """
import gc, vfs, os
from binascii import crc32
from niwaki import Tree, load
SIZE = 512
COUNT = 160

class Device:
    def __init__(self, data):
        self.data = data
        self.left = 1 << 20  # operations until the cut
        self.torn = 0
        self.n = 0
    def _cut(self):
        self.n += 1
        self.left -= 1
        return self.left < 0
    def readblocks(self, block, buf, offset=0):
        at = block * SIZE + offset
        buf[:] = memoryview(self.data)[at:at + len(buf)]
    def writeblocks(self, block, buf, offset=0):
        at = block * SIZE + offset
        n = len(buf)
        if self.left < 0:
            return -5
        if self._cut():
            n = n * self.torn // 4
        self.data[at:at + n] = memoryview(buf)[:n]
        return 0 if self.left >= 0 else -5
    def ioctl(self, op, arg):
        if op == 4:
            return COUNT
        if op == 5:
            return SIZE
        if op == 6:
            n = SIZE
            if self.left < 0:
                return -5
            if self._cut():
                n = n * self.torn // 4
            for i in range(n):
                self.data[arg * SIZE + i] = 255
            return 0 if self.left >= 0 else -5
        return 0

def digest(m):
    return crc32(m.octets, crc32(m.halves, crc32(m.words)))

def teach(clf, n, seed):
    for i in range(n):
        seed = (seed * 1103 + 12345) & 65535
        clf.learn([seed & 255, (seed >> 8) & 255], seed >> 15)

def run(kind):
    device = Device(bytearray(SIZE * COUNT))
    kind.mkfs(device)
    clf = Tree(2, 2, 8192, grace=50)
    teach(clf, 200, 1)
    vfs.mount(kind(device), "/d")
    for i in range(GENERATIONS):
        clf.save("/d/model")
        teach(clf, 50, i)
    old = digest(load("/d/model"))
    vfs.umount("/d")
    start = bytes(device.data)
    device = Device(bytearray(start))
    vfs.mount(kind(device), "/d")
    clf.save("/d/model")
    vfs.umount("/d")
    new = digest(clf)
    olds = news = 0
    for k in range(device.n):
        for torn in (0, 2, 4):
            d = Device(bytearray(start))
            d.left, d.torn = k, torn
            try:
                vfs.mount(kind(d), "/d")
                clf.save("/d/model")
            except OSError:
                pass
            try:
                vfs.umount("/d")
            except OSError:
                pass
            # The board starts again; what the dead one still tries to do goes nowhere.
            vfs.mount(kind(Device(bytearray(d.data))), "/d")
            found = digest(load("/d/model"))
            vfs.umount("/d")
            if found == old:
                olds += 1
            elif found == new:
                news += 1
            else:
                print("lost at", k, torn)
    print(device.n, olds > 0, news > 0)

"""
_ORDERED = _DEVICE + "run(vfs.KIND)"

# The same file systems on a medium with a cache: what is written or erased after the last sync may arrive in
# another order. A save is recorded once; then, after each operation, any of the newest three that are not
# synced are lost.
_REORDERED = (
    _DEVICE
    + """
LATE = 3

class Recorder(Device):
    def __init__(self, data):
        super().__init__(data)
        self.journal = []
    def writeblocks(self, block, buf, offset=0):
        for i in range(0, len(buf), SIZE):  # several blocks in one call may arrive one by one
            self.journal.append((block * SIZE + offset + i, bytes(buf[i:i + SIZE])))
        return super().writeblocks(block, buf, offset)
    def ioctl(self, op, arg):
        if op == 3:
            self.journal.append(None)
        if op == 6:
            self.journal.append((arg * SIZE, b"\\xff" * SIZE))
        return super().ioctl(op, arg)

def states(start, journal):
    # What the medium may hold after a cut.
    synced = bytearray(start)
    late = []
    for entry in journal:
        if entry is None:
            for at, data in late:
                synced[at:at + len(data)] = data
            late = []
            continue
        late.append(entry)
        for subset in range(1 << min(LATE, len(late))):
            state = bytearray(synced)
            for i, (at, data) in enumerate(late):
                if i < len(late) - LATE or subset >> (len(late) - 1 - i) & 1:
                    state[at:at + len(data)] = data
            yield state
    for at, data in late:
        synced[at:at + len(data)] = data
    yield synced

def reordered(kind):
    device = Device(bytearray(SIZE * COUNT))
    kind.mkfs(device)
    clf = Tree(2, 2, 2048, grace=50)
    teach(clf, 200, 1)
    vfs.mount(kind(device), "/d")
    for i in range(GENERATIONS):
        clf.save("/d/model")
        teach(clf, 50, i)
    old = digest(load("/d/model"))
    vfs.umount("/d")
    start = bytes(device.data)
    device = Recorder(bytearray(start))
    vfs.mount(kind(device), "/d")
    clf.save("/d/model")
    vfs.umount("/d")
    new = digest(clf)
    n = olds = news = 0
    for state in states(start, device.journal):
        n += 1
        try:
            vfs.mount(kind(Device(state)), "/d")
            found = digest(load("/d/model"))
            vfs.umount("/d")
        except (OSError, ValueError) as error:
            print("lost at", n, repr(error))
            try:
                vfs.umount("/d")
            except OSError:
                pass
            continue
        olds += found == old
        news += found == new
    syncs = sum(1 for entry in device.journal if entry is None)
    print(n, syncs, olds + news, olds > 0, news > 0)

reordered(vfs.KIND)
"""
)


@pytest.mark.parametrize("generations", [1, 2, 3])
@pytest.mark.parametrize("kind", ["VfsFat", "VfsLfs2"])
def test_cuts_on_the_real_file_systems(kind, generations) -> None:
    need("micropython")
    source = _ORDERED.replace("KIND", kind).replace("GENERATIONS", str(generations))
    lines = unix_rt.execute(source, heap=1 << 20).splitlines()
    assert not [line for line in lines if line.startswith("lost")]
    writes, old_found, new_found = lines[-1].split()
    assert int(writes) > 8 and (old_found, new_found) == ("True", "True")


def keeps_a_model_whatever_arrives(kind: str, generations: int) -> None:
    source = _REORDERED.replace("KIND", kind).replace("GENERATIONS", str(generations))
    lines = unix_rt.execute(source, heap=1 << 21).splitlines()
    assert not [line for line in lines if line.startswith("lost")]
    states, syncs, kept, old_found, new_found = lines[-1].split()
    files = 1 if generations == 2 else 2  # that this save writes; each is synced when it is closed
    assert int(states) > 25 and int(syncs) >= files and kept == states
    assert (old_found, new_found) == ("True", "True")


@pytest.mark.parametrize("generations", [1, 2, 3])
@pytest.mark.parametrize("kind", ["VfsFat", "VfsLfs2"])
def test_reordered_writes_on_the_real_file_systems(kind, generations) -> None:
    need("micropython")
    keeps_a_model_whatever_arrives(kind, generations)


# Ways to save that lose a model: over the only one, the newest before its twin, both at once.
_CORNERS = {
    "no twin": (
        "alone = old is not None and old != _refused and _stored(twin(path), buf) != old",
        "alone = False",
    ),
    "newest first": (
        "written = _write(twin(path), model, head, end) if alone else 0\n"
        "    return written + _write(path, model, head, end)",
        "written = _write(path, model, head, end)\n"
        "    return written + (_write(twin(path), model, head, end) if alone else 0)",
    ),
    "not closed in between": (
        "    with open(path, mode) as f:\n        for data in",
        "    f = open(path, mode)\n    _late.append(f)\n    if 1:\n        for data in",
    ),
}
_CLOSED_LATE = (
    ("image", "_refused = None", "_late = []\n_refused = None"),
    (
        "image",
        "    return written + _write(path, model, head, end)",
        "    written += _write(path, model, head, end)\n    while _late:\n        _late.pop().close()\n"
        "    return written",
    ),
)


@pytest.mark.parametrize("corner", _CORNERS)
def test_a_save_that_cuts_corners_is_noticed(corner) -> None:
    need("micropython")
    changes = (("image", *_CORNERS[corner]), *(_CLOSED_LATE if corner == "not closed in between" else ()))
    with changed(*changes), pytest.raises(AssertionError, match="lost"):
        keeps_a_model_whatever_arrives("VfsFat", 1)
