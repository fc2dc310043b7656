"""`Window` against numpy, and on MicroPython: equal numbers, nothing allocated, safe under an interrupt."""

from array import array

import numpy as np
import pytest
from conftest import need
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki import Window
from niwaki_host.device.checked import checked
from niwaki_host.runtimes import cortex, unix_rt


def reference(window: np.ndarray, level: int | None) -> np.ndarray:
    """Features of one window (length, axes) in float64, from their definitions."""
    v = window.astype(float)
    mean = v.mean(0)
    above = v >= (np.floor(mean + 0.5) if level is None else level)
    difference = np.minimum(np.abs(np.diff(v, axis=0)).mean(0), 32767)
    crossings = (above[1:] != above[:-1]).sum(0)
    return np.stack([mean, v.std(0), v.min(0), v.max(0), difference, crossings], 1).ravel()


def windows(samples: np.ndarray, length: int, step: int, level: int | None) -> list[np.ndarray]:
    win = Window(samples.shape[1], length, step, level)
    out = array("h", bytearray(2 * win.n_features))
    found = []
    for row in samples.tolist():
        if win.push(array("h", row)):
            win.features(out)
            found.append(np.array(out))
    return found


@given(
    st.integers(1, 4),
    st.integers(2, 70),
    st.integers(1, 90),
    st.sampled_from([0, None, 500]),
    st.integers(0, 9),
)
@settings(max_examples=60, deadline=None)
def test_the_features_are_those_of_the_definitions(axes, length, step, level, seed) -> None:
    rng = np.random.default_rng(seed)
    scale = rng.choice([3, 200, 32767])
    samples = rng.integers(-scale, scale + 1, (200, axes)).astype(np.int16)
    if scale == 32767:
        samples[rng.random(samples.shape) < 0.3] = 32767
    found = windows(samples, length, step, level)
    ends = list(range(length, 201, step))
    assert len(found) == len(ends)
    for end, got in zip(ends, found, strict=True):
        want = reference(samples[end - length : end], level).reshape(axes, 6)
        error = np.abs(got.reshape(axes, 6) - want)
        assert (error[:, [2, 3]] == 0).all()
        assert (error[:, [0, 4]] < 1).all()
        assert (error[:, 1] <= 1.5 + want[:, 1] / 256).all()
        # a mean between two codes may fall on the other side of a sample that is right there
        tie = 0 if level is not None else 2 * (np.abs(samples[end - length : end] - want[:, 0]) <= 0.5).sum(0)
        assert (error[:, 5] <= tie).all()


def test_the_lowest_code_never_becomes_missing() -> None:
    (found,) = windows(np.full((8, 1), -32768, np.int16), 8, 8, 0)
    assert found.tolist() == [-32767, 0, -32767, -32767, 0, 0]


def test_the_kernels_stay_in_range_at_the_extremes() -> None:
    from niwaki import window

    features = checked(window._features)
    for length in (2, 3, 1024):
        for low, high in ((-32768, 32767), (-32768, -32768), (32767, 32767)):
            win = Window(1, length)
            for i in range(length):
                win.push([high if i % 2 else low])
            features(win._state, win._ring, array("h", bytearray(12)))


def test_windows_that_nobody_fetched_are_counted() -> None:
    win = Window(1, 4, 2)
    assert not win.ready and win.missed == 0
    pushed = [win.push([i]) for i in range(8)]
    assert pushed == [False, False, False, True, False, True, False, True]
    assert win.ready and win.missed == 2
    out = array("h", bytearray(12))
    win.features(out)
    assert not win.ready and out[2:4].tolist() == [4, 7]


@pytest.mark.parametrize(
    "arguments", [(0, 8), (1, 1), (1, 1025), (1, 8, 0), (1, 8, 8, 40000), (1.0, 8), ("a", 8), (1, "b")]
)
def test_impossible_windows_are_refused(arguments) -> None:
    with pytest.raises((TypeError, ValueError)):
        Window(*arguments)


def test_bad_samples_and_buffers_are_refused_and_leave_no_trace() -> None:
    win = Window(2, 2)
    for sample in ([1], [1, 2, 3], [1, 40000]):
        with pytest.raises(ValueError):
            win.push(sample)
    for kind in "bBHif":
        wrong = array(kind, [1, 2])
        with pytest.raises(TypeError, match=r"array\('h'\) or ints"):
            win.push(wrong)
        assert wrong.tolist() == [1, 2]
    for sample in ([1, 2.5], [1, None], "ab"):
        with pytest.raises(TypeError, match=r"array\('h'\) or ints"):
            win.push(sample)
    with pytest.raises(ValueError, match="no window"):
        win.features(array("h", bytearray(24)))
    assert not win.push([1, 2]) and win.push([3, 4])
    for out in (array("h", bytearray(22)), [0] * 12, *(array(kind, [0] * 12) for kind in "bBHiIf")):
        with pytest.raises(ValueError):
            win.features(out)


_WRONG = """
from array import array
from niwaki import Window
win = Window(2, 2)
win.push([1, 2])
win.push([3, 4])
refused = 0
for kind in "bBHif":  # of ADCs, H with large values: they would arrive as negative ones
    try:
        win.push(array(kind, [1, 2]))
    except TypeError:
        refused += 1
for kind in "bBHiIf":
    try:
        win.features(array(kind, [0] * 12))
    except ValueError:
        refused += 1
print(refused)
"""


def test_a_board_refuses_items_of_another_size() -> None:
    """A kernel would write beyond the end of the small ones, and read the large ones as what they are not."""
    need("micropython")
    assert unix_rt.execute(_WRONG) == "11\n"


_SCRIPT = """
import micropython
from array import array
from niwaki import Window
win = Window(3, 32, 16, None)
out = array("h", bytearray(2 * win.n_features))
x = array("h", bytearray(6))

total = 0
def run():
    seed = 1
    total = 0
    for i in range(1000):
        for a in range(3):
            seed = (seed * 1103 + 12345) & 65535
            x[a] = seed - 32768
        if win.push(x):
            win.features(out)
            for v in out:
                total = (total * 31 + v) & 0xFFFFFF
    return total
micropython.heap_lock()
total = run()
micropython.heap_unlock()
print(total)
"""


def test_the_same_numbers_everywhere_and_nothing_allocated(capsys) -> None:
    need("micropython")
    need("cortex-m3")
    exec(_SCRIPT, {})
    here = capsys.readouterr().out
    assert unix_rt.execute(_SCRIPT) == here
    assert unix_rt.execute(_SCRIPT, viper=False) == here
    assert cortex.execute(_SCRIPT) == here


_INTERRUPTED = """
import micropython
from array import array
from niwaki import Window

# A timer can't fire here, but scheduled calls run between bytecodes as soft interrupts do.
win = Window(1, 64, 32)
out = array("h", bytearray(12))
x = array("h", bytearray(2))
sent = 0
def tick(_):
    global sent
    x[0] = sent
    sent += 1
    win.push(x)
wrong = fetched = 0
while sent < 5000:
    micropython.schedule(tick, None)
    if win.ready:
        win.features(out)
        fetched += 1
        if out[3] - out[2] != 63 or out[4] != 1 or out[1] != 18:
            wrong += 1
print(wrong, fetched + win.missed >= 154)
"""


def test_push_may_interrupt_features() -> None:
    need("micropython")
    assert unix_rt.execute(_INTERRUPTED) == "0 True\n"
