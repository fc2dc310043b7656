"""Interrupts: a model goes on, saves, loads and passes its proof; or it is spoilt, says so and is not saved.

benchmarks/interrupts.py does the same with the full counts.
"""

import signal

import pytest
from conftest import need
from support import interrupts
from support.interrupts import MODELS, Interrupt, Striker, copy, sample, taught

import niwaki
from niwaki.grove.layout import COUNT, IDLE, LEAVES, REST
from niwaki_host.device import images
from niwaki_host.runtimes import unix_rt


@pytest.mark.parametrize("kind", MODELS)
def test_learn_can_be_interrupted_outside_kernels(kind, tmp_path) -> None:
    """Either the sample is learned or it is not; what was due may be put off. Then it goes on, and loads."""
    found = interrupts.outside(kind, samples=40, places=24, path=tmp_path / "model")
    assert found.places >= 24 and not found.bad, found.bad


@pytest.mark.parametrize("kind", MODELS)
def test_what_strikes_a_kernel_is_noticed(kind, tmp_path) -> None:
    found = interrupts.inside(kind, samples=40, places=20, path=tmp_path / "model")
    assert found.noticed == found.places >= 20 and not found.bad, found.bad


@pytest.mark.parametrize("kind", MODELS)
def test_ctrl_c_waits_until_a_kernel_has_ended(kind) -> None:
    """On the main thread of CPython: the sample is learned, then KeyboardInterrupt is raised."""
    model = taught(kind, 60)
    for k in (50, 700):
        whole, cut = copy(model), copy(model)
        whole.learn(*sample(60))
        with (
            pytest.raises(KeyboardInterrupt),
            Striker(k, kernels=True, strike=lambda: signal.raise_signal(2)),
        ):
            cut.learn(*sample(60))
        assert images.to_bytes(cut) == images.to_bytes(whole)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("kind", MODELS)
def test_learn_from_inside_learn_is_refused(kind) -> None:
    model, said = taught(kind, 60), []
    whole = copy(model)
    whole.learn(*sample(60))

    def again() -> None:
        with pytest.raises(RuntimeError, match="from inside learn") as error:
            model.learn(*sample(1))
        said.append(error)
        with pytest.raises(RuntimeError, match="from inside learn"):
            model.save("nowhere")

    with Striker(300, kernels=True, strike=again):
        model.learn(*sample(60))
    assert said and images.to_bytes(model) == images.to_bytes(whole)


CALLS = {
    "predict": lambda clf, path: clf.predict([3, 4]),
    "scores": lambda clf, path: clf.scores([3, 4], [0, 0, 0]),
    "importances": lambda clf, path: clf.importances([0, 0]),
    "novelty": lambda clf, path: clf.novelty([3, 4]),
    "defer": lambda clf, path: clf.defer([3, 4]),
    "label": lambda clf, path: clf.label(clf.defer([3, 4]), 1),
    "load": lambda clf, path: niwaki.load(path),
}


def without_idle(model) -> bytes:
    calm = copy(model)
    if isinstance(calm, niwaki.Grove):
        calm.words[IDLE] = 0
    return images.to_bytes(calm)


@pytest.mark.parametrize("kind", MODELS)
def test_every_other_call_can_be_interrupted(kind, tmp_path) -> None:
    """What only asks leaves a model as it is, or as the same question does that nothing interrupts."""
    model, path = taught(kind, 100), tmp_path / "model"
    model.save(path)
    before = path.read_bytes()
    for name, call in CALLS.items():
        whole = copy(model)
        call(whole, path)  # what is loaded on first use is loaded
        # A grove counts questions since the last label; nothing else may have changed.
        assert name in ("defer", "label") or without_idle(whole) == without_idle(model)
        with Striker() as steps:
            call(copy(model), path)
        for k in range(1, steps.seen, max(1, steps.seen // 5)):
            cut = copy(model)
            with Striker(k):
                call(cut, path)
            if name in ("defer", "label"):
                cut.learn(*sample(101))
                images.from_bytes(images.to_bytes(cut))
            else:
                assert images.to_bytes(cut) in (before, images.to_bytes(whole))
                assert path.read_bytes() == before


def test_a_question_that_grows_shrubs_can_be_interrupted() -> None:
    """Nobody teaches, and shrubs are due: they grow in the question or they do not, or it is noticed."""
    model = taught("grove", 100)
    model.predict([3, 4])  # the first since the last label
    assert model.words[LEAVES] or model.words[REST] >= model.words[COUNT]
    before, whole = without_idle(model), copy(model)
    with Striker() as steps:
        whole.predict([5, 6])
    grown, found = without_idle(whole), set()
    assert grown != before
    for k in range(1, steps.seen + 1):
        cut = copy(model)
        with Striker(k):
            cut.predict([5, 6])
        try:
            cut.predict([5, 6])
        except RuntimeError as error:
            assert "half changed" in str(error)
            found.add("noticed")
        else:
            state = images.to_bytes(cut)
            assert images.to_bytes(images.from_bytes(state)) == state  # its proof passes
            found.add("goes on")
    assert "goes on" in found


def test_a_save_that_is_interrupted_leaves_the_old_or_the_new_model(tmp_path) -> None:
    model, path = taught("tree", 60), tmp_path / "model"
    model.save(path)
    old, data = images.to_bytes(model), path.read_bytes()
    model.learn(*sample(60))
    with Striker() as whole:
        model.save(path)
    found = set()
    for k in (*range(1, whole.seen, max(1, whole.seen // 40)), whole.seen):
        path.write_bytes(data)
        (tmp_path / "model~").write_bytes(b"")
        with Striker(k):
            model.save(path)
        found.add(images.to_bytes(niwaki.load(path)))
    assert found == {old, images.to_bytes(model)}


def test_what_would_not_load_is_not_saved(tmp_path) -> None:
    """Whatever has happened to a model in memory: the files keep what they have."""
    model, path = taught("tree", 60), tmp_path / "model"
    model.save(path)
    before = path.read_bytes()
    model.halves[len(model.halves) // 2] ^= 0x5555
    model.words[13] += 1  # NODES
    with pytest.raises(niwaki.ImageError, match="nothing is saved, because this model would not load"):
        model.save(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("viper", [True, False])
def test_exceptions_at_calls_of_kernels_on_micropython(viper) -> None:
    """Before and after the k-th call of a kernel on the unix port; then it goes on, saves and loads."""
    need("micropython")
    lines = unix_rt.execute(interrupts.BOUNDARIES.replace("EVERY", "7"), heap=1 << 20, viper=viper).split()
    assert len(lines) == 2 * len(MODELS) and all(int(n) > 20 for n in lines[1::2])


@pytest.mark.parametrize("viper", [True, False])
def test_sigint_at_any_time_on_micropython(viper, tmp_path) -> None:
    """As on a board: held back from kernels that are bytecode, harmless between others."""
    need("micropython")
    for kind in ("tree", "hat", "shrubs", "grove"):
        interrupted = interrupts.signals(kind, 12, tmp_path, viper=viper)
        assert interrupted == 12


def test_where_nothing_can_be_held_back_it_is_noticed() -> None:
    """The unix port with threads raises Ctrl-C in scheduled functions too: a torn model says so."""
    need("micropython")
    output = unix_rt.execute(interrupts.TORN, heap=1 << 20, viper=False, threads=True)
    assert output.split() == ["noticed", "refused", "loaded"]


def test_interrupt_is_no_exception_that_code_catches() -> None:
    assert not issubclass(Interrupt, Exception)
