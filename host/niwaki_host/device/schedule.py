"""What `learn` does with a sample, from the schedule in a model's layout: for everyone who drives kernels.

A layout (mcu/niwaki/tree/layout.py and its like) says once which kernel does what is due, and in which order.
numba's loop and the C source are generated from it; references, checks and tests call `Schedule.teach`. The
classes on the board spell this order out by hand, for speed: tests/test_schedule.py compares them with it.
"""

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple


class Step(NamedTuple):
    """A kernel and its bit: when the bit is due, the kernel is called until it returns 0."""

    due: int
    kernel: Callable
    flags: int  # only models with one of these flags have this step; 0: all models


@dataclass(frozen=True)
class Schedule:
    """The kernels of a model, or of all models of a class, in the order in which they are called."""

    predict: Callable
    learn: Callable
    steps: tuple[Step, ...]
    turn: int  # if this bit is due, predict and learn run once more after all steps; 0: there is no such bit
    again: Step | None  # its kernel runs after the steps and returns what is due next; 0: nothing
    flags_at: int  # the header word with the flags
    before: tuple[Callable, ...] = ()  # the 1st, 2nd, ... runs if `predict` returns -1, -2, ...

    @property
    def kernels(self) -> tuple[Callable, ...]:
        """Each kernel once."""
        steps = [*self.steps, *([self.again] if self.again else [])]
        return tuple(dict.fromkeys((self.predict, self.learn, *(step.kernel for step in steps))))

    @property
    def flags(self) -> int:
        """All flags that replace a kernel or add one."""
        every = [*self.steps, *([self.again] if self.again else [])]
        return functools.reduce(lambda flags, step: flags | step.flags, every, 0)

    def by_bit(self) -> dict[int, list[Step]]:
        """The steps of each bit, the step for all models first; a single model has one step for each."""
        found: dict[int, list[Step]] = {}
        for step in self.steps:
            found.setdefault(step.due, []).append(step)
        return found

    def of(self, flags: int) -> "Schedule":
        """The schedule of a model with these flags, one kernel for each bit."""
        chosen: dict[int, Step] = {}
        for step in self.steps:  # a later step, for some flags, replaces the step for all models
            if not step.flags or step.flags & flags:
                chosen[step.due] = step._replace(flags=0)
        again = self.again._replace(flags=0) if self.again and self.again.flags & flags else None
        return replace(self, steps=tuple(chosen.values()), again=again)

    def ask(self, call: Callable[..., int]) -> int:
        """Predict a sample; if `predict` asks for other kernels first, call them, then ask again."""
        answer = call(self.predict)
        while answer < 0 and self.before:
            call(self.before[-1 - answer])
            answer = call(self.predict)
        return answer

    def teach(self, call: Callable[..., int], y: int) -> int:
        """Predict and learn a sample with all that follows; -1: there is no class `y`.

        `call(kernel)` calls a kernel with the model's arrays and the sample; `learn` gets the label, too.
        """

        def take_turn() -> int:
            self.ask(call)
            return call(self.learn, y)

        due = take_turn()
        while due > 0:
            for step in self.steps:
                while due & step.due and call(step.kernel):
                    pass
            if due & self.turn:
                due = take_turn()
            else:
                due = call(self.again.kernel) if self.again else 0
        return due


@functools.cache
def schedule_of_class(cls: type) -> Schedule:
    """The schedule for all models of a class, or of the device's class that it is derived from."""
    own = next(base for base in cls.__mro__ if base.__module__.startswith("niwaki."))
    folder = own.__module__.rpartition(".")[0]
    layout = importlib.import_module(f"{folder}.layout")
    again = getattr(layout, "AGAIN", None)
    return Schedule(
        _kernel(folder.partition(".")[2] + ".predict predict"),
        _kernel(folder.partition(".")[2] + ".learn learn"),
        tuple(_step(*row) for row in layout.SCHEDULE),
        getattr(layout, "DUE_TURN", 0),
        _step(*again) if again else None,
        getattr(layout, "FLAGS", 0),
        tuple(_kernel(where) for where in getattr(layout, "BEFORE", ())),
    )


def schedule_of(model: Any) -> Schedule:
    """The schedule of one model."""
    every = schedule_of_class(type(model))
    return every.of(model.words[every.flags_at])


def _step(due: int, where: str, flags: int) -> Step:
    return Step(due, _kernel(where), flags)


def _kernel(where: str) -> Callable:
    """The kernel of "module name", a module of the device package."""
    module, name = where.split()
    return getattr(importlib.import_module(f"niwaki.{module}"), name)
