"""The tools that rewrite kernels: the shim, the checked mode, numba's transform, stripping, ROMFS."""

import sys
from array import array
from pathlib import Path

import numpy as np
import pytest
from conftest import need

from niwaki_host import runtimes
from niwaki_host.device import checked, shim
from niwaki_host.runtimes import numba_rt, package, romfs

LIMIT = 1 << 30
_TWO = 2


def mix(words: "ptr32", halves: "ptr16", octets: "ptr8", n: int) -> int:  # noqa: F821
    """Loads of every width, a store, a floor division and a shift of a negative number."""
    total = -_TWO
    for i in range(n):
        words[i] -= halves[i] * _TWO
        total += (words[i] // 3) + (words[i] % 5) + (words[i] >> 1) - octets[i]
    return total


def arrays():
    return array("i", [5, -7, 100]), array("H", [65535, 0, 9]), bytearray([255, 1, 2])


def test_shim():
    import micropython

    assert micropython is sys.modules["micropython"]
    assert micropython.const(5) == 5
    assert micropython.viper(mix) is mix and mix.__viper__
    assert micropython.heap_lock() == 0
    assert ptr32 and ptr16 and ptr8  # noqa: F821
    shim.install()
    assert micropython is sys.modules["micropython"]


def test_numba_gives_what_cpython_gives():
    plain, fast = arrays(), arrays()
    views = [np.frombuffer(a, t) for a, t in zip(fast, (np.int32, np.uint16, np.uint8), strict=True)]
    kernel = numba_rt.compiled(mix)
    assert kernel(*views, 3) == mix(*plain, 3)
    assert fast == plain
    assert numba_rt.compiled(mix) is kernel


def test_views_share_memory():
    from niwaki import Tree

    model = Tree(3, 2, 4096)
    numba_rt.views(model).words[7] = 41
    assert model.samples == 41


def test_numba_sees_a_changed_constant(monkeypatch):
    before = numba_rt._kernel_source(mix, "mix")
    monkeypatch.setitem(mix.__globals__, "_TWO", 3)
    assert numba_rt._kernel_source(mix, "mix") != before


def test_checked_kernel_is_the_same_where_it_is_safe():
    a, b = arrays(), arrays()
    assert checked.checked(mix)(*a, 3) == mix(*b, 3)
    assert a == b


def negative(a: "ptr32", n: int) -> int:  # noqa: F821
    return a[n - 1]


def large(n: int) -> int:
    return n * n


def shift(n: int) -> int:
    return 1 << n


def grow(a: "ptr32", n: int) -> int:  # noqa: F821
    a[0] += n
    return -n


@pytest.mark.parametrize(
    ("kernel", "good", "bad"),
    [
        (negative, ([4, 5], 2), ([4, 5], 0)),
        (negative, ([4, 5], 1), ([4, 5], 3)),
        (large, (32768,), (32769,)),
        (shift, (30,), (31,)),
        (shift, (0,), (-1,)),
        (grow, ([0], LIMIT), ([1], LIMIT)),
    ],
)
def test_checked_kernel_refuses_what_other_runtimes_do_differently(kernel, good, bad):
    assert checked.checked(kernel)(*good) == kernel(*good)
    with pytest.raises(checked.RangeError):
        checked.checked(kernel)(*bad)


def test_strip_keeps_lines_and_everything_else():
    source = "import micropython\n\n\n@micropython.viper\ndef f(a: ptr8) -> int:\n    return 1\n"
    source += "class A:\n    @micropython.native  # why\n    def g(self):\n        '@micropython.viper'\n"
    stripped = package.strip(source)
    assert len(stripped.splitlines()) == len(source.splitlines())
    assert "\n@micropython.viper" not in stripped and "@micropython.native" not in stripped
    assert "'@micropython.viper'" in stripped and "def f(a: ptr8) -> int:" in stripped
    other = "@micropython.viper_like\ndef f():\n    pass\n"
    assert package.strip(other) == other


def test_package_compiles_for_every_architecture():
    need("micropython")
    for march in ("armv6m", "armv7m", "xtensawin", "rv32imc", None):
        files = package.compiled(package.sources(), march)
        assert "niwaki/__init__.mpy" in files and all(data[0] == ord("M") for data in files.values())


def test_romfs_is_what_mpremote_writes(tmp_path, monkeypatch):
    need("mpremote")
    from mpremote.romfs import make_romfs

    files = {"a.bin": b"x" * 200, "b.txt": b"", "sub/c.py": b"pass\n", "sub/d/e": bytes(range(256)) * 100}
    for name, data in files.items():
        path = Path(tmp_path) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert romfs.image(files) == make_romfs(str(tmp_path), mpy_cross=False)


def test_romfs_can_be_read_on_the_device():
    need("cortex-m3")
    from niwaki_host.runtimes.emulator import Board

    with Board({"d/data": bytes(range(200))}) as board:
        assert board.execute("print(sum(open('/rom/d/data', 'rb').read()))").strip() == str(sum(range(200)))


def test_every_runtime_is_described():
    assert set(runtimes.available()) == set(runtimes.RUNTIMES)
