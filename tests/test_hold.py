"""hold.py and torn.py as boards have them: on CPython, with a stand-in for the port that they run on.

test_interrupts.py tries them on the unix port of MicroPython; here is what only some ports do.
"""

import sys
import types
from pathlib import Path

import pytest

import niwaki
from niwaki import layout

FOLDER = Path(niwaki.__file__).parent


class Port:
    """A port of MicroPython: what its modules offer, and what was asked of them."""

    def __init__(self, monkeypatch, platform="rp2", threads=False, schedule=True, key=True) -> None:
        self.queue: list = []
        self.full = False  # no more can be scheduled
        self.locked = False  # this is a scheduled function already: no other one has its turn
        self.keys: list[int] = []
        self.pending: list[BaseException] = []  # raised at the next jumps
        module = types.ModuleType("micropython")
        module.__dict__.update(const=lambda value: value)
        if schedule:
            module.__dict__.update(schedule=self.schedule)
        if key:
            module.__dict__.update(kbd_intr=self.keys.append)
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "micropython", module)
            patch.setitem(sys.modules, "_thread", types.ModuleType("_thread") if threads else None)
            patch.setattr(sys, "implementation", types.SimpleNamespace(name="micropython"))
            patch.setattr(sys, "platform", platform)
            self.names = load("hold")
        self.wait = self.names["_wait"]
        self.names["_wait"] = self.jumps

    def schedule(self, function, argument) -> None:
        if self.full:
            raise RuntimeError("schedule queue full")
        self.queue.append((function, argument))

    def jumps(self) -> None:
        """As MicroPython does at a jump: what is pending is raised, else what is scheduled has its turn."""
        if self.pending:
            raise self.pending.pop()
        while self.queue and not self.locked:
            function, argument = self.queue.pop(0)
            function(argument)

    def hold(self, do, model=None):
        return self.names["hold"](do, model)


def load(name: str, **names) -> dict:
    """The names of a module of the device, run anew."""
    path = FOLDER / f"{name}.py"
    names |= {"__name__": f"niwaki.{name}", "__package__": "niwaki"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names


def model():
    clf = niwaki.Tree(2, 2, 2048)
    clf.learn([3, 4], 1)
    return clf


@pytest.mark.parametrize(
    ("port", "how"),
    [
        ({}, "_LOCK"),
        ({"platform": "linux"}, "_LOCK"),
        ({"schedule": False}, "_OPEN"),
        ({"threads": True}, "_KEY"),
        ({"threads": True, "platform": "esp32"}, "_KEY"),
        ({"threads": True, "key": False}, "_OPEN"),
        ({"threads": True, "platform": "linux"}, "_OPEN"),
        ({"threads": True, "platform": "webassembly"}, "_OPEN"),
    ],
    ids=str,
)
def test_each_port_holds_interrupts_back_as_it_can(monkeypatch, port, how) -> None:
    names = Port(monkeypatch, **port).names
    assert names["_how"] == names[how]


def test_without_threads_a_scheduled_function_does_the_work_once(monkeypatch) -> None:
    port, done = Port(monkeypatch), []
    for k in range(3):
        port.hold(done.append, k)
    assert done == [0, 1, 2] and not port.queue and not port.keys


def test_what_the_work_raises_comes_out_of_hold_and_not_again(monkeypatch) -> None:
    port = Port(monkeypatch)

    def fail(_) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        port.hold(fail)
    port.hold(lambda _: None)


def test_a_pending_interrupt_comes_when_the_work_is_done(monkeypatch) -> None:
    port, done = Port(monkeypatch), []
    port.pending.append(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        port.hold(done.append, 1)
    assert done == [1]
    port.hold(done.append, 2)
    assert done == [1, 2]


@pytest.mark.parametrize("why", ["full", "locked"])
def test_where_nothing_can_be_scheduled_the_work_is_done_at_once(monkeypatch, why) -> None:
    """The queue is full; or this is a scheduled function already, where nothing is raised."""
    port, done = Port(monkeypatch), []
    setattr(port, why, True)
    for k in range(3):
        port.hold(done.append, k)
    assert done == [0, 1, 2] and len(port.queue) == (why == "locked")
    setattr(port, why, False)
    port.jumps()  # what stands in the queue finds no work left
    assert done == [0, 1, 2]
    port.hold(done.append, 3)
    assert done == [0, 1, 2, 3]


def test_work_inside_the_work_is_done_at_once(monkeypatch) -> None:
    port, done = Port(monkeypatch), []
    port.hold(lambda _: port.hold(lambda _: done.append(len(port.queue)), None))
    assert done == [0]


def test_waiting_ends_when_the_work_is_done_or_has_no_turn(monkeypatch) -> None:
    port = Port(monkeypatch)
    port.names["_do"] = print
    port.wait()
    port.names["_do"] = None
    port.wait()


@pytest.mark.parametrize("ctrl_c", [3, -1])
def test_with_threads_nobody_listens_to_the_key_meanwhile(monkeypatch, ctrl_c) -> None:
    """Afterwards it listens again, unless the program has turned the key off; also when the work fails."""
    port = Port(monkeypatch, threads=True)
    port.names["ctrl_c"] = ctrl_c
    port.hold(lambda _: port.keys.append("work"))
    assert port.keys == [-1, "work", ctrl_c]

    def fail(_) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        port.hold(fail)
    assert port.keys[3:] == [-1, ctrl_c] and not port.queue


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError], ids=["ctrl_c", "no_heap"])
def test_where_nothing_can_be_held_back_an_interrupt_is_noticed(monkeypatch, error) -> None:
    port, clf, done = Port(monkeypatch, platform="linux", threads=True), model(), []
    port.hold(done.append, 1)
    assert done == [1] and not port.queue and not port.keys

    def strike(_) -> None:
        raise error

    before = clf.words[layout.IDENTITY]
    with pytest.raises(error):
        port.hold(strike, clf)
    if error is KeyboardInterrupt:
        assert clf.words[layout.IDENTITY] == before | layout.TORN != before
        for call in (lambda: clf.learn([1, 2], 0), lambda: clf.predict([1, 2]), lambda: clf.save("nowhere")):
            with pytest.raises(RuntimeError, match="half changed"):
                call()
    else:
        clf.learn([1, 2], 0)


def test_a_guarded_learn_goes_through_hold(monkeypatch) -> None:
    """Where all kernels are bytecode `learn` is one step, with its arguments and its answer."""
    held = []

    def hold(do, model):
        held.append(model)
        do(model)

    monkeypatch.setitem(sys.modules, "niwaki.hold", types.SimpleNamespace(hold=hold))
    with monkeypatch.context() as patch:
        patch.setattr(sys, "implementation", types.SimpleNamespace(name="micropython"))
        guard = load("torn")["guard"]

    class Clf:
        def learn(self, x, y):
            return [x, y]

    guard(Clf)
    clf = Clf()
    assert clf.learn(3, 4) == [3, 4] and clf.learn(5, 6) == [5, 6]
    assert held == [clf, clf]
