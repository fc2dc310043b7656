"""The same bytes, predictions and curve on every runtime, and errors that say what to do."""

import numpy as np
import pytest
from conftest import need

from niwaki_host import runtimes
from niwaki_host.device import models
from niwaki_host.errors import DeviceError, HeapError, UsageError

PARAMS = {"n_features": 6, "n_classes": 4, "budget": 8192, "grace": 50}
OTHERS = [name for name in runtimes.RUNTIMES if name != "cpython"]
DEVICES = ["micropython", "micropython-bytecode", "cortex-m3"]


@pytest.fixture(scope="module")
def reference(small_stream):
    results = {}

    def get(**options):
        key = repr(options)
        if key not in results:
            results[key] = runtimes.run("cpython", "vfdt", PARAMS, *small_stream, **options)
        return results[key]

    return get


def same(a, b):
    assert a.digest == b.digest
    for name in ("words", "halves", "octets", "predictions"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert a.curve.keys() == b.curve.keys()
    for name in a.curve:
        np.testing.assert_array_equal(a.curve[name], b.curve[name])
    for name in ("nodes", "leaves", "samples", "model_bytes", "budget_bytes"):
        assert getattr(a, name) == getattr(b, name)


@pytest.mark.parametrize("options", [{}, {"every": 300}, {"delay": 100, "every": 1000}], ids=str)
@pytest.mark.parametrize("runtime", OTHERS)
def test_same_bytes(runtime, options, reference, small_stream):
    need(runtime)
    done = []
    other = runtimes.run(runtime, "vfdt", PARAMS, *small_stream, progress=done.append, **options)
    same(reference(**options), other)
    assert done[-1] == 2000 and done == sorted(done)


@pytest.mark.parametrize("runtime", runtimes.RUNTIMES)
def test_continues_from_an_image(runtime, small_stream, tmp_path):
    """A stream in two halves, with a saved model between them, ends as the whole one."""
    need(runtime)
    X, y = small_stream
    model = models.build("vfdt", **PARAMS)
    for row, label in zip(X[:1000].tolist(), y[:1000].tolist(), strict=True):
        if label >= 0:
            model.learn(row, label)
    model.save(str(tmp_path / "model"))
    image = (tmp_path / "model").read_bytes()
    second = runtimes.run(runtime, "vfdt", PARAMS, X[1000:], y[1000:], image=image)
    whole = runtimes.run("numba", "vfdt", PARAMS, X, y)
    assert second.digest == whole.digest
    np.testing.assert_array_equal(second.predictions, whole.predictions[1000:])


def test_broken_image(small_stream):
    with pytest.raises(UsageError, match="not a model"):
        runtimes.run("cpython", "vfdt", PARAMS, *small_stream, image=b"rubbish")


def test_reference_learns(reference, small_stream):
    result = reference(every=300)
    y = small_stream[1]
    assert result.nodes > 1 and result.samples == (y >= 0).sum()
    assert result.curve["at"].tolist() == [300, 600, 900, 1200, 1500, 1800]
    late = slice(1000, 2000)
    assert (result.predictions[late] == y[late]).mean() > 0.7
    assert result.model_bytes <= result.budget_bytes == 8192


@pytest.mark.parametrize("runtime", runtimes.RUNTIMES)
def test_delay_longer_than_the_stream_learns_nothing(runtime, small_stream):
    need(runtime)
    X, y = small_stream[0][:50], small_stream[1][:50]
    result = runtimes.run(runtime, "vfdt", PARAMS, X, y, delay=60)
    assert result.samples == 0 and (result.predictions == 0).all()


@pytest.mark.parametrize("runtime", runtimes.RUNTIMES)
def test_empty_stream(runtime):
    need(runtime)
    result = runtimes.run(runtime, "vfdt", PARAMS, np.empty((0, 6), np.int16), np.empty(0, np.int16))
    assert result.samples == 0 and len(result.predictions) == 0


@pytest.mark.parametrize("runtime", DEVICES)
def test_heap_is_reported(runtime, small_stream):
    need(runtime)
    X, y = small_stream[0][:200], small_stream[1][:200]
    result = runtimes.run(runtime, "vfdt", PARAMS, X, y)
    assert result.heap_bytes == 65536
    assert result.model_bytes < result.peak_heap_bytes < 40000
    larger = runtimes.run(runtime, "vfdt", {**PARAMS, "budget": 100_000}, X, y)
    assert larger.heap_bytes == 262144


@pytest.mark.parametrize("runtime", DEVICES)
def test_heap_too_small(runtime, small_stream):
    need(runtime)
    with pytest.raises(HeapError, match="too small"):
        runtimes.run(runtime, "vfdt", {**PARAMS, "budget": 30_000}, *small_stream, heap=32768)


@pytest.mark.parametrize("runtime", DEVICES)
def test_a_heap_that_no_device_has_is_refused(runtime, small_stream):
    need(runtime)
    with pytest.raises(UsageError, match=str(5 << 30)):
        runtimes.run(runtime, "vfdt", PARAMS, *small_stream, heap=5 << 30)


def test_wasm_has_no_heap_to_choose(small_stream):
    need("wasm")
    with pytest.raises(UsageError, match="its heap grows"):
        runtimes.run("wasm", "vfdt", PARAMS, *small_stream, heap=65536)


@pytest.mark.parametrize("runtime", ["cpython", *DEVICES, "wasm"])
def test_execute_and_its_traceback(runtime):
    need(runtime)
    assert runtimes.execute(runtime, "import niwaki\nprint(niwaki.__version__)").strip()
    with pytest.raises(DeviceError, match="ZeroDivisionError") as caught:
        runtimes.execute(runtime, "def f():\n    return 1 // 0\nf()\n")
    assert "line 2" in str(caught.value)


def test_instruction_counts_are_exact_and_repeatable(small_stream):
    need("cortex-m3")
    X, y = small_stream[0][:600], small_stream[1][:600]
    first, again = (runtimes.run("cortex-m3", "vfdt", PARAMS, X, y, measure=True) for _ in range(2))
    plain = runtimes.run("cortex-m3", "vfdt", PARAMS, X, y)
    assert plain.digest == first.digest and plain.instructions_per_learn is None
    for name in ("instructions_per_learn", "instructions_per_predict", "max_instructions_per_learn"):
        assert getattr(first, name) == getattr(again, name) > 0
    assert first.max_instructions_per_learn > first.instructions_per_learn


SPIN = """
import micropython
@micropython.viper
def spin(n: int):
    while n:
        n -= 1
"""
COUNT = """
import count
from spin import spin
def instructions(n):
    ticks = 0
    for call in range(40):
        count.start(call)
        a = count.ticks()
        spin(n)
        b = count.ticks()
        ticks += a - b
    return ticks
print(instructions(21) - instructions(20), instructions(120) - instructions(20))
"""


def test_counting_is_exact():
    """A loop of seven instructions is seen as such, though a tick is forty: 40 calls have each phase once."""
    need("cortex-m3")
    from niwaki_host.runtimes import cortex, package
    from niwaki_host.runtimes.emulator import Board

    with Board(package.compiled({**cortex._drivers(), "spin.py": SPIN}, "armv7m")) as board:
        assert board.execute(COUNT).split() == ["7", "700"]


def test_import_cost():
    need("cortex-m3")
    from niwaki_host.runtimes.cortex import import_cost

    modules = ("niwaki", "niwaki.tree")
    viper, bytecode = import_cost(modules), import_cost(modules, viper=False)
    assert viper["niwaki"] == bytecode["niwaki"] > 0
    assert viper["niwaki.tree"] > bytecode["niwaki.tree"] > 0  # machine code is copied to the heap


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"runtime": "pypy"}, "unknown runtime 'pypy'"),
        ({"model": "cart"}, "unknown model 'cart'"),
        ({"params": {**PARAMS, "budget": 100}}, "budget"),
        ({"params": {**PARAMS, "colour": "red"}}, "colour"),
        ({"params": {**PARAMS, "n_features": 5}}, "5 features"),
        ({"params": {**PARAMS, "n_classes": 3}}, "label 3"),
    ],
)
def test_bad_usage(change, message, small_stream):
    arguments = {"runtime": "cpython", "model": "vfdt", "params": PARAMS, **change}
    with pytest.raises(UsageError, match=message) as caught:
        runtimes.run(*arguments.values(), *small_stream)
    assert "\n" not in str(caught.value)
