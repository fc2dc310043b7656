"""Kernels in C: the same numbers as in Python, no warnings, and a line where there is no compiler."""

import ctypes
import itertools
import subprocess
from array import array

import numpy as np
import pytest
from conftest import need

import niwaki
from niwaki_host.device import c_build
from niwaki_host.device.c_model import Unit, parts_of, steps
from niwaki_host.device.c_translate import TranslationError
from niwaki_host.runtimes import c_rt

_TWO = 2
_FAR = 65536
STRICT = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unused-function", "-O2")


def arithmetic(at, x, a, b):
    words = at[0]
    words[0] = a // b
    words[1] = a % b
    words[2] = a >> 3
    words[3] = (a << 4) + ~b - -a
    words[4] = a // 8 * 3 - a % 8 + (a // -8) - (a % -8)
    words[5] = (a & 7 | 8) ^ b
    words[6] = a - (b - (a - _TWO)) - _FAR * _TWO
    words[7] = 0
    if (not a > b and (a or b)) or a == b:
        words[7] = 1
    if a & 3 == 2:
        words[7] += 2
    elif not a & 1:
        words[7] += 4
    else:
        if b:
            words[7] += 8
    return words[3] // b


def loops(at, x, a, b):
    words = at[0]
    total = 0
    for i in range(3):  # i is changed inside, and read afterwards
        total += i
        i = i * 10
        total += i
    words[0] = i
    end = 4
    for k in range(1, end):  # the end is computed once
        end = 9
        total += k
    words[1] = end
    for k in range(10, a, -3):
        total += k + (b & 3)
    for k in range(words[1]):
        words[1] = 2
        if k == 5:
            break
    words[2] = k
    n = 0
    while True:
        n += 1
        if n == 2:
            kept = n + a  # keeps its value from one turn to the next
        elif n > 2:
            total += kept
        if n > 4:
            break
        register = n
        continue
    words[3] = register
    words[4] = n
    words[5] = x[0] + (x[1] & 65535)
    return total


def widths(at, x, a, b):
    words = at[0]
    halves = at[1]
    octets = at[2]
    scratch = at[3]
    log2 = at[4]
    halves[0] = 40000
    halves[1] = halves[0] + 20000
    octets[0] = 250
    octets[0] += 5
    octets[1] = octets[0] >> 1
    scratch[0] = halves[0] * 3 + (halves[1] << 4) + octets[0] * 200 + (1 << 20)
    words[0] = log2[255] + log2[a & 15]
    words[1] = ~halves[0]
    halves[2] -= halves[2] >> 1
    words[2] -= scratch[0]
    scratch[0] |= 1 << 3
    return halves[0] + halves[1]


KERNELS = (arithmetic, loops, widths)
NUMBERS = (-70001, -33, -8, -7, -1, 0, 1, 2, 3, 6, 7, 8, 9, 1000, 65535, 1 << 20)


@pytest.fixture(scope="module")
def library():
    need("c")
    unit = Unit("test", KERNELS)
    text = [unit.source()]
    for kernel in KERNELS:
        text.append(
            f"int32_t {kernel.__name__}(int32_t *w, uint16_t *h, uint8_t *o, int32_t *s, int16_t *x,"
            f" int32_t a, int32_t b) {{ const niwaki_arrays at = {{w, h, o, s}};"
            f" return {unit.names[kernel]}(&at, x, a, b); }}"
        )
    return ctypes.CDLL(str(c_build.build("\n".join(text))))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_same_numbers_as_in_python(kernel, library):
    log2 = array("H", np.frombuffer(niwaki.model.LOG2, "<u2").tolist())
    for a, b in itertools.product(NUMBERS, NUMBERS):
        if kernel is arithmetic and b == 0:
            continue
        here = [array("i", range(8)), array("H", [1, 2, 65535]), bytearray(4), array("i", [7] * 4)]
        there = [
            type(part)(part) if isinstance(part, bytearray) else array(part.typecode, part) for part in here
        ]
        x = array("h", [-32768, -1])
        expected = kernel((*here, log2), x, a, b)
        buffers = [(ctypes.c_char * (len(p) * memoryview(p).itemsize)).from_buffer(p) for p in (*there, x)]
        assert library[kernel.__name__](*buffers, a, b) == expected, (a, b)
        assert there == here, (a, b)


def unknown(at, x):
    return len(x)


def chained(at, x):
    if 0 < x[0] < 3:
        return 1
    return 0


@pytest.mark.parametrize("kernel", [unknown, chained])
def test_what_the_dialect_forbids_is_refused(kernel):
    with pytest.raises(TranslationError, match=kernel.__name__):
        Unit("test", [kernel]).functions()


OPTIONS = [
    ("Tree", {}),
    ("Tree", {"leaf": "mc", "criterion": "gini", "count_bits": 16}),
    ("Tree", {"strict": 2, "omega": 0.5}),
    ("Tree", {"adaptive": True, "strict": 1}),
    ("Shrubs", {}),
]


@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=str)
def test_compiles_without_a_warning(name, options, tmp_path):
    need("c")
    parts = parts_of(getattr(niwaki, name)(6, 4, 8192, **options))
    (tmp_path / "model.c").write_text(c_rt.source(parts))
    command = [*(c_build.compiler() or []), *STRICT, "-c", "model.c", "-o", "model.o"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert not done.stderr and done.returncode == 0, done.stderr


def test_reads_like_the_source():
    """Names, docstring and comments are there; every constant has a name."""
    parts = parts_of(niwaki.Tree(6, 4, 8192))
    unit = Unit(parts.prefix, parts.all)
    text = unit.source() + steps(unit, parts)
    assert "static int32_t tree_predict(const niwaki_arrays *at, const int16_t *x)" in text
    assert "/* Return the class, -1 for a wrong length;" in text
    assert "// counting down is what a loop pays least for" in text
    assert "int32_t classes = words[CLASSES];" in text
    assert "#include" not in text.replace("#include <stdint.h>", "", 1)


def test_no_compiler_is_one_clear_line(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    assert c_rt.obstacle() == "CC names no-such-compiler, which is not on the path"
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", "")
    assert "apt-get install gcc" in c_rt.obstacle()
