"""The Encoder on MicroPython: integers as on the desktop and without allocation, floats within a code."""

from array import array

import numpy as np
import pytest
from conftest import need

from niwaki.encoder import Encoder
from niwaki_host import runtimes

RANGES = [(0, 4095), (-100000, 100000), (0, 1 << 25), (-(1 << 27), 1 << 27), 5, (-32768, 32768), None]
ROWS = [
    [
        i * 97 % 4200 - 50,
        i * 7919 - 150000,
        i * 900001 - 99,
        i * 7000003 - (1 << 27),
        i % 7 - 1,
        i * 1999 - 40000,
        i * 31,
    ]
    for i in range(40)
]
FLOATS = [[i * 0.37 - 3.0, i * 1.1e-3, i * 250.0] for i in range(40)]

INTEGERS = f"""
import micropython
from array import array
from niwaki import Encoder
encoder = Encoder(7, {RANGES}, learn=5)
rows = {ROWS}
codes = [array("h", bytes(14)) for _ in rows]
for i in range(5):
    encoder.encode(rows[i], codes[i])
micropython.heap_lock()
for i in range(5, 40):
    encoder.encode(rows[i], codes[i])
micropython.heap_unlock()
for row in codes:
    print(*row)
"""

REALS = f"""
from array import array
from niwaki import Encoder
encoder = Encoder(3, [(-2.0, 9.5), None, (0, 10000)], learn=5)
out = array("h", bytes(6))
for row in {FLOATS}:
    print(*encoder.encode(row, out))
print(*encoder.encode([float("nan"), float("inf"), -float("inf")], out))
"""

WRONG = """
from array import array
from niwaki import Encoder
encoder = Encoder(2, [(0, 9), 4])
refused = 0
for out in (array("H", [0, 0]), array("b", [0, 0]), array("I", [0, 0]), bytearray(2), (0, 0)):
    try:
        encoder.encode([1, 3], out)
    except TypeError:
        refused += 1
print(refused)
"""


def desktop(rows, ranges):
    encoder, out = Encoder(len(ranges), ranges, learn=5), array("h", bytes(2 * len(ranges)))
    return np.array([list(encoder.encode(row, out)) for row in rows])


def printed(runtime, script):
    need(runtime)
    return np.array(
        [[int(code) for code in line.split()] for line in runtimes.execute(runtime, script).splitlines()]
    )


@pytest.mark.parametrize("runtime", ["micropython", "micropython-bytecode", "cortex-m3"])
def test_integers_are_exact_and_allocate_nothing(runtime):
    assert np.array_equal(printed(runtime, INTEGERS), desktop(ROWS, RANGES))


@pytest.mark.parametrize("runtime", ["micropython", "cortex-m3"])
def test_floats(runtime):
    """Single precision has 24 bits, a code 16: it may be the next one."""
    expected = desktop(
        [*FLOATS, [float("nan"), float("inf"), -float("inf")]], [(-2.0, 9.5), None, (0, 10000)]
    )
    codes = printed(runtime, REALS)
    assert np.abs(codes - expected).max() <= 1
    assert np.array_equal(codes[-1], expected[-1])


@pytest.mark.parametrize("runtime", ["micropython", "cortex-m3"])
def test_a_board_refuses_buffers_that_hold_no_codes(runtime):
    """Its arrays wrap, and a wrong code is a code."""
    need(runtime)
    assert runtimes.execute(runtime, WRONG) == "5\n"
