"""The exported C library: strict compilers, Python's own bytes and answers, images both ways, bare metal."""

import ctypes
import json
import subprocess
from array import array
from pathlib import Path

import numpy as np
import pytest
from conftest import need

import niwaki
from niwaki_host import cli
from niwaki_host.deploy import emulated
from niwaki_host.device import c_build, images
from niwaki_host.device.c_library import Library

SUPPORT = Path(__file__).parent / "support"
STRICT = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror")
MODELS = [
    ("Tree", {}),
    ("Tree", {"leaf": "mc", "criterion": "gini", "count_bits": 16, "nominal": [3, 0, 0, 0, 0, 0]}),
    ("Tree", {"adaptive": True, "strict": 2}),
    ("Shrubs", {}),
    ("Shrubs", {"loss": "ce", "every": 4}),
    ("Grove", {}),
]
COMPILERS = {
    "cc": ("cc", "cc", ["-O2"]),
    "cortex-m0": ("arm", "arm-none-eabi-gcc", ["-Os", "-mcpu=cortex-m0", "-mthumb"]),
    "rv32imc": (
        "riscv",
        "riscv64-unknown-elf-gcc",
        ["-Os", "-march=rv32imc", "-mabi=ilp32", "-ffreestanding"],
    ),
}


def library(name, options, budget=4096):
    return Library(getattr(niwaki, name)(6, 4, budget, **options))


def stream(count, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1000, 1000, (count, 6)).astype(np.int16)
    X[:, 0] %= 3
    y = ((X[:, 0] > 1) * 2 + (X[:, 1] > 300)).astype(int)
    X[rng.random(X.shape) < 0.02] = niwaki.MISSING
    return X, y


@pytest.mark.parametrize("target", COMPILERS)
@pytest.mark.parametrize(("name", "options"), MODELS, ids=str)
def test_compiles_without_a_warning(name, options, target, tmp_path):
    needed, compiler, flags = COMPILERS[target]
    need(needed)
    for path, text in library(name, options).files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    command = [compiler, *STRICT, *flags, "-c", "src/niwaki.c", "-o", "niwaki.o"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr


class InC:
    """The library of a model, on this desktop."""

    def __init__(self, source: Library) -> None:
        self.code = ctypes.CDLL(str(c_build.build(source.source(include=False))))
        self.size = len(source.image)
        self.model = ctypes.create_string_buffer(source.ram())
        self.code.niwaki_init(self.model)

    def learn(self, x, y):
        return self.code.niwaki_learn(self.model, x.ctypes.data_as(ctypes.c_void_p), int(y))

    def predict(self, x):
        return self.code.niwaki_predict(self.model, x.ctypes.data_as(ctypes.c_void_p))

    def scores(self, x):
        out = (ctypes.c_int32 * 4)()
        best = self.code.niwaki_scores(self.model, x.ctypes.data_as(ctypes.c_void_p), out)
        return best, list(out)

    def save(self):
        image = ctypes.create_string_buffer(self.size)
        self.code.niwaki_save(self.model, image)
        return image.raw

    def load(self, image):
        work = ctypes.create_string_buffer(len(image))
        return self.code.niwaki_load(self.model, image, len(image), work)


@pytest.mark.parametrize(("name", "options"), MODELS, ids=str)
def test_learns_what_python_learns(name, options):
    need("c")
    there = InC(library(name, options))
    here = getattr(niwaki, name)(6, 4, 4096, **options)
    X, y = stream(1200)
    out = array("i", [0] * 4)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        sample = array("h", x.tolist())
        if t % 3:
            assert there.predict(x) == here.predict(sample)
        assert there.learn(x, label) == here.learn(sample, int(label))
        if t % 100 == 0:
            here.scores(sample, out)
            assert there.scores(x) == (here.predict(sample), list(out))
    assert there.learn(X[0], 4) == there.learn(X[0], -1) == -1
    assert there.save() == images.to_bytes(here)


@pytest.mark.parametrize(("name", "options"), MODELS, ids=str)
def test_words_that_are_taken_for_fixed_never_change(name, options):
    """C has them as constants."""
    source = library(name, options)
    model = source.model
    for x, label in zip(*stream(1500), strict=True):
        model.learn(array("h", x.tolist()), int(label))
    assert source.proof and {i: model.words[i] for i in source.proof.fixed} == source.proof.fixed
    assert all(low <= model.words[i] <= high for i, (low, high) in source.proof.ranges.items())


@pytest.mark.parametrize(("name", "options"), MODELS, ids=str)
def test_images_go_both_ways(name, options):
    need("c")
    X, y = stream(1500)
    there = InC(library(name, options))
    for x, label in zip(X[:500], y[:500], strict=True):
        there.learn(x, label)
    here = images.from_bytes(there.save())
    for x, label in zip(X[500:1000], y[500:1000], strict=True):
        here.learn(array("h", x.tolist()), int(label))
    again = InC(library(name, options))
    assert again.load(images.to_bytes(here)) == 0
    for x, label in zip(X[1000:], y[1000:], strict=True):
        assert again.learn(x, label) == here.learn(array("h", x.tolist()), int(label))
    assert again.save() == images.to_bytes(here)


@pytest.mark.parametrize(("name", "options"), MODELS, ids=str)
def test_damaged_images_are_refused(name, options):
    need("c")
    there = InC(library(name, options))
    for x, label in zip(*stream(300), strict=True):
        there.learn(x, label)
    good = there.save()
    assert there.load(good) == 0
    assert there.load(good[:-1]) == 1 and there.load(b"X" + good[1:]) == 1
    assert there.load(good[:40] + bytes([good[40] ^ 1]) + good[41:]) == 2
    rng = np.random.default_rng(5)
    refused = 0
    for _ in range(300):  # what Python refuses is refused here, though the checksum is right
        bad = bytearray(good[:-4])
        place = int(rng.integers(20, len(bad)))
        bad[place] = int(rng.integers(256))
        image = bytes(bad) + niwaki.image.crc32(bytes(bad)).to_bytes(4, "little")
        accepted = there.load(image) == 0
        refused += not accepted
        if accepted:
            images.from_bytes(image)
    assert refused > 30


@pytest.mark.parametrize(("name", "options"), [MODELS[0], MODELS[3], MODELS[5]], ids=str)
def test_bare_metal_ends_with_the_same_image(name, options, tmp_path):
    need("arm")
    need("qemu")
    samples = 500
    source = library(name, options)
    for path, text in source.files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    script = Path(emulated.__file__).parent / "board" / "board.ld"
    flags = ["-Os", "-mcpu=cortex-m3", "-mthumb", "-nostartfiles", f"-DTAUGHT_SAMPLES={samples}", "-Isrc"]
    files = [str(SUPPORT / "bare_metal.c"), "src/niwaki.c", "-T", str(script), "-o", "program.elf"]
    done = subprocess.run(["arm-none-eabi-gcc", *flags, *files], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    machine = ["-machine", "mps2-an385", "-semihosting", "-nographic", "-monitor", "none", "-serial", "none"]
    command = ["qemu-system-arm", *machine, "-kernel", "program.elf"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    here = getattr(niwaki, name)(6, 4, 4096, **options)
    seed, right = 1, 0
    for _ in range(samples):
        x = array("h", [0] * 6)
        for f in range(6):
            seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
            x[f] = (seed >> 16) % 2001 - 1000
        label = (x[0] > 0) * 2 + (x[1] > 300)
        right += here.learn(x, label) == label
    crc = int.from_bytes(images.to_bytes(here)[-4:], "little")
    assert (done.stdout + done.stderr).split() == [f"{crc:08x}", f"{right:08x}"]


def test_command(tmp_path, capsys):
    clf = niwaki.Shrubs(3, 2, 2048)
    clf.learn([1, 2, 3], 1)
    clf.save(str(tmp_path / "model"))
    assert cli.main(["export-c", str(tmp_path / "a"), "--image", str(tmp_path / "model"), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert "src/niwaki.c" in record["files"] and "library.properties" in record["files"]
    assert "learned 1 samples" in (tmp_path / "a/src/niwaki.h").read_text()
    shape = ["--features", "6", "--classes", "4", "--budget", "4k", "--name", "gestures"]
    assert cli.main(["export-c", str(tmp_path / "b"), "--model", "vfdt", *shape]) == 0
    capsys.readouterr()
    assert "gestures_learn" in (tmp_path / "b/src/gestures.h").read_text()
    assert "@" not in (tmp_path / "b/library.properties").read_text()


def test_the_guides_code_compiles(tmp_path):
    page = (SUPPORT.parent.parent / "docs" / "c.md").read_text()
    lines = page.partition("```c\n")[2].partition("```")[0]
    first, _, rest = lines.partition("\n")
    use = f"int use(const int16_t *x, int label, uint8_t *image)\n{{\n{rest}return answer;\n}}\n"
    (tmp_path / "niwaki.h").write_text(library("Tree", {}).header())
    (tmp_path / "use.c").write_text(f'#include "niwaki.h"\n{first}\n{use}')
    done = subprocess.run(["cc", *STRICT, "-c", "use.c"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--image", "not-there"], "not-there"),
        (["--model", "vfdt"], "--features"),
        (["--features", "6", "--classes", "4", "--budget", "100"], "smallest"),
        (["--features", "6", "--classes", "4", "--name", "No Name"], "--name"),
    ],
)
def test_bad_usage_is_one_line(arguments, word, tmp_path, capsys):
    assert cli.main(["export-c", str(tmp_path / "out"), *arguments]) == 2
    error = capsys.readouterr().err
    assert word in error and "Traceback" not in error and not (tmp_path / "out").exists()
