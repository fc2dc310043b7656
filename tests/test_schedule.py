"""The classes do what their layouts' schedules say: the same kernels in the same order, but for idle ones."""

import importlib
from array import array

import numpy as np
import pytest

import niwaki
from niwaki_host.device.schedule import schedule_of, schedule_of_class
from niwaki_host.runtimes import numba_rt

N_FEATURES, N_CLASSES, BUDGET = 4, 3, 3000
MODELS = [
    ("Tree", {"grace": 20}),
    ("Tree", {"grace": 20, "leaf": "mc", "criterion": "gini"}),
    ("Tree", {"grace": 20, "strict": 2, "omega": 0.5}),
    ("Tree", {"grace": 20, "adaptive": True, "strict": 1, "criterion": "gini"}),
    ("Tree", {"grace": 20, "adaptive": True}),
    ("Shrubs", {"every": 10}),
    ("Grove", {}),
]
SAMPLES = 2000


def _stream():
    """Classes by a threshold that moves twice, so that an adaptive tree has something to do."""
    rng = np.random.default_rng(3)
    X = rng.integers(-300, 300, (SAMPLES, N_FEATURES))
    feature = np.arange(SAMPLES) * 3 // SAMPLES
    value = X[np.arange(SAMPLES), feature] + rng.integers(-40, 40, SAMPLES)
    return X.tolist(), np.digitize(value, [-100, 100]).tolist()


def _trace(model, monkeypatch, calls):
    """Let the kernels that a class calls write their names down, wherever it has them from."""
    cls = type(model)
    module = importlib.import_module(cls.__module__)
    schedule = schedule_of(model)
    traced = {}
    for kernel in schedule.kernels:

        def call(at, x, *rest, _kernel=kernel):
            calls.append(_kernel)
            return _kernel(at, x, *rest)

        traced[kernel] = call
        for name in [name for name, value in vars(module).items() if value is kernel]:
            monkeypatch.setattr(module, name, call)
    for key, kernels in getattr(module, "_variants", {}).items():
        monkeypatch.setitem(module._variants, key, tuple(traced.get(kernel, kernel) for kernel in kernels))


@pytest.mark.parametrize(("name", "options"), MODELS, ids=str)
def test_a_class_calls_its_kernels_as_scheduled(name, options, monkeypatch):
    """Sample by sample: the class calls what the schedule calls, without those that change nothing."""
    cls = getattr(niwaki, name)
    model, twin = (cls(N_FEATURES, N_CLASSES, BUDGET, **options) for _ in range(2))
    schedule, state = schedule_of(twin), numba_rt.views(twin)
    scheduled, called, met = [], [], set()

    def call(kernel, *label):
        before = bytes(twin.words) + bytes(twin.halves) + bytes(twin.octets)
        result = numba_rt.compiled(kernel)(*state, *label)
        changed = before != bytes(twin.words) + bytes(twin.halves) + bytes(twin.octets)
        scheduled.append((kernel, changed or result != 0))
        return result

    _trace(model, monkeypatch, called)
    for x, y in zip(*_stream(), strict=True):
        scheduled.clear()
        called.clear()
        sample = array("h", x)
        state.x[:] = sample
        schedule.teach(call, y)
        if hasattr(cls, "CREDIT"):
            model.predict(sample)  # so that the sample was asked, as the schedule has it
        model.learn(sample, y)
        assert bytes(model.words) == bytes(twin.words)
        assert bytes(model.halves) == bytes(twin.halves)
        assert bytes(model.octets) == bytes(twin.octets)
        rest = iter(scheduled)
        for kernel in called:
            for wanted, worked in rest:
                if wanted is kernel:
                    break
                assert not worked or wanted is schedule.predict, f"{wanted.__name__} was left out"
            else:
                raise AssertionError(f"{kernel.__name__} was called where the schedule does not have it")
        assert not any(worked for _, worked in rest)
        met.update(called)
    idle = {step.kernel for step in schedule.steps} - met
    assert not idle, f"the stream never asked for {[kernel.__name__ for kernel in idle]}"


@pytest.mark.parametrize("name", ["Tree", "Shrubs", "Grove"])
def test_a_schedule_has_every_bit_once(name):
    """Each bit that its layout knows has a kernel; for models with the same flags one."""
    cls = getattr(niwaki, name)
    layout = importlib.import_module(f"niwaki.{name.lower()}.layout")
    schedule = schedule_of_class(cls)
    single = {
        value for key, value in vars(layout).items() if key.startswith("DUE_") and value & (value - 1) == 0
    }
    again = {schedule.again.due} if schedule.again else set()
    assert single - again - {schedule.turn} == set(schedule.by_bit())
    for first, *others in schedule.by_bit().values():
        assert all(step.flags for step in others)
        assert not others or not first.flags
    bits = [step.due for step in schedule.steps]
    assert bits == sorted(bits)


def test_a_derived_class_has_the_schedule_of_its_base():
    class Mine(niwaki.Shrubs):
        pass

    assert schedule_of_class(Mine) == schedule_of_class(niwaki.Shrubs)
