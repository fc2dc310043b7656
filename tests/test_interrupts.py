"""An exception at any bytecode outside kernels: the model goes on, saves, loads and passes its proof.

On a board Ctrl-C is raised at jumps of bytecode, never inside native code. Here an exception is raised at
bytecodes of every function of the device package that is not a kernel, a superset of those places.
"""

import sys

import numpy as np
import pytest

import niwaki
from niwaki.shrubs import layout as shrubs_layout
from niwaki_host.device import images
from niwaki_host.runtimes.result import digest

MODELS = {
    "tree": lambda: niwaki.Tree(2, 3, 1536, grace=15, tau=0.5, pending=2),
    "strict": lambda: niwaki.Tree(2, 3, 1536, grace=15, tau=0.5, strict=2, criterion="gini", pending=2),
    "hat": lambda: niwaki.Tree(2, 3, 3072, grace=15, tau=0.5, adaptive=True, pending=2),
    "shrubs": lambda: niwaki.Shrubs(2, 3, 1536, pending=2),
    "grove": lambda: niwaki.Grove(2, 3, 2048, pending=2),
}
SAMPLES = 90
PACKAGE = niwaki.__file__.rpartition("/")[0]


class Interrupt(BaseException):
    """As KeyboardInterrupt: no `except Exception` stops it."""


class Interrupter:
    """Raises at the k-th bytecode of the device package outside kernels; counts them when there is no k."""

    def __init__(self, k: int = -1) -> None:
        self.k, self.seen = k, 0

    def __enter__(self):
        sys.settrace(self.trace)
        return self

    def __exit__(self, kind, *_) -> bool:
        sys.settrace(None)
        return kind is Interrupt

    def trace(self, frame, event, _):
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE) or code.co_varnames[:1] == ("at",):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            self.seen += 1
            if self.seen == self.k:
                raise Interrupt
        return self.trace


def sample(i: int) -> tuple[list[int], int]:
    a, b = i * 37 % 101, i * 11 % 53
    return [a, b], (a // 34 + i // 50) % 3


def copy(data: bytes):
    return images.from_bytes(data)


def stored(model, path) -> bytes:
    """What `save` writes; it must load, which proves it, and be the model."""
    model.save(path)
    loaded = niwaki.load(path)
    assert loaded.restored() == "" and digest(loaded) == digest(model)
    return path.read_bytes()


@pytest.mark.parametrize("kind", MODELS)
def test_learn_can_be_interrupted_at_every_bytecode(kind, tmp_path) -> None:
    """Either the sample is learned or it is not; an attempt to split may be put off. Then it goes on."""
    model, places, shortest, rng = MODELS[kind](), 0, 1 << 30, np.random.default_rng(1)
    for i in range(SAMPLES):
        before, (x, y) = images.to_bytes(model), sample(i)
        with Interrupter() as all_of_it:
            model.learn(x, y)
        after, n = images.to_bytes(model), all_of_it.seen
        # Most samples go the same way: every bytecode of some of them, and many of those with more to do.
        shortest = min(shortest, n)
        ways = range(1, n + 1) if i % 10 == 0 else rng.integers(1, n + 1, 20 if n > 1.2 * shortest else 2)
        for k in ways:
            cut = copy(before)
            with Interrupter(int(k)):
                cut.learn(x, y)
            places += 1
            samples = cut.samples
            assert samples in (i, i + 1)
            now = stored(cut, tmp_path / "model") if k % 8 == 0 else None
            if now and kind == "shrubs":
                assert now in (before, after)
            cut.learn(*sample(i + 1))
            assert cut.samples == samples + 1
            images.from_bytes(images.to_bytes(cut))  # proves it
    assert places > 700


CALLS = {
    "predict": lambda clf, path: clf.predict([3, 4]),
    "scores": lambda clf, path: clf.scores([3, 4], [0, 0, 0]),
    "importances": lambda clf, path: clf.importances([0, 0]),
    "novelty": lambda clf, path: clf.novelty([3, 4]),
    "defer": lambda clf, path: clf.defer([3, 4]),
    "label": lambda clf, path: clf.label(clf.defer([3, 4]), 1),
    "load": lambda clf, path: niwaki.load(path),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", MODELS)
def test_every_other_call_can_be_interrupted(kind, call, tmp_path) -> None:
    model = MODELS[kind]()
    for i in range(100):
        model.learn(*sample(i))
    path = tmp_path / "model"
    before = stored(model, path)
    CALLS[call](model, path)  # what is loaded on first use is loaded
    with Interrupter() as whole:
        CALLS[call](copy(before), path)
    for k in np.unique(np.linspace(1, whole.seen, 40).astype(int)):
        cut = copy(before)
        with Interrupter(int(k)):
            CALLS[call](cut, path)
        if call in ("defer", "label"):
            cut.learn(*sample(101))
            images.from_bytes(images.to_bytes(cut))
        else:
            assert images.to_bytes(cut) == before == path.read_bytes()


@pytest.mark.parametrize("kind", MODELS)
def test_a_save_that_is_interrupted_leaves_the_old_or_the_new_model(kind, tmp_path) -> None:
    model, path = MODELS[kind](), tmp_path / "model"
    for i in range(60):
        model.learn(*sample(i))
    model.save(path)
    old, data = digest(model), path.read_bytes()
    model.learn(*sample(60))
    with Interrupter() as whole:
        model.save(path)
    found = set()
    for k in range(1, whole.seen, 3):
        path.write_bytes(data)
        (tmp_path / "model~").write_bytes(b"")
        with Interrupter(k):
            model.save(path)
        found.add(digest(niwaki.load(path)))
    assert found == {old, digest(model)}


def test_what_is_due_in_shrubs_is_done_by_the_next_call() -> None:
    """Between learn and the kernels that grow and weigh: the header keeps what is left."""
    whole = MODELS["shrubs"]()
    for i in range(40):
        before = images.to_bytes(whole)
        whole.learn(*sample(i))
        with Interrupter() as steps:
            copy(before).learn(*sample(i))
        for k in range(1, steps.seen):
            cut = copy(before)
            with Interrupter(k):
                cut.learn(*sample(i))
            if cut.words[shrubs_layout.DUE]:
                cut.learn(*sample(i + 1))
                other = copy(images.to_bytes(whole))
                other.learn(*sample(i + 1))
                assert images.to_bytes(cut) == images.to_bytes(other)
                return
    raise AssertionError("nothing was ever due")
