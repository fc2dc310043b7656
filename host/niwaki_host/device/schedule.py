"""What `learn` does with a sample, from the schedule in a model's layout: for everyone who drives kernels.

A layout (mcu/niwaki/tree/layout.py and its like) says once which kernel does what is due, and in which order.
numba's loop and the C source are generated from it; references, checks and tests call `Schedule.teach`. The
classes on the board have it unrolled by hand, for speed: tests/test_schedule.py holds them to it.
"""

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple


class Step(NamedTuple):
    """A kernel, which is called until it returns 0 when its bit is due."""

    due: int
    kernel: Callable
    flags: int  # the models that it is for have one of these; 0: all models


@dataclass(frozen=True)
class Schedule:
    """The kernels of a model, or of all models of a class, in the order in which they are called."""

    predict: Callable
    learn: Callable
    steps: tuple[Step, ...]
    turn: int  # the bit that asks for predict and learn once more, after all steps; 0: nothing does
    again: Step | None  # when nothing else is due its kernel says what is next, until it returns 0
    flags_at: int  # the header word with the flags
    before: tuple[Callable, ...] = ()  # where `predict` returns -1, -2, ...: called, then `predict` again

    @property
    def kernels(self) -> tuple[Callable, ...]:
        """Each kernel once."""
        steps = [*self.steps, *([self.again] if self.again else [])]
        return tuple(dict.fromkeys((self.predict, self.learn, *(step.kernel for step in steps))))

    @property
    def flags(self) -> int:
        """All flags that bring other kernels, or more of them."""
        every = [*self.steps, *([self.again] if self.again else [])]
        return functools.reduce(lambda flags, step: flags | step.flags, every, 0)

    def by_bit(self) -> dict[int, list[Step]]:
        """The steps of each bit in order, the one for all models first; a single model has one for each."""
        found: dict[int, list[Step]] = {}
        for step in self.steps:
            found.setdefault(step.due, []).append(step)
        return found

    def of(self, flags: int) -> "Schedule":
        """The schedule of a model with these flags, one kernel for each bit."""
        chosen: dict[int, Step] = {}
        for step in self.steps:  # a later one, for some flags, takes the place of the one for all
            if not step.flags or step.flags & flags:
                chosen[step.due] = step._replace(flags=0)
        again = self.again._replace(flags=0) if self.again and self.again.flags & flags else None
        return replace(self, steps=tuple(chosen.values()), again=again)

    def ask(self, call: Callable[..., int]) -> int:
        """Predict a sample, after what is to be done before."""
        answer = call(self.predict)
        while answer < 0 and self.before:
            call(self.before[-1 - answer])
            answer = call(self.predict)
        return answer

    def teach(self, call: Callable[..., int], y: int) -> int:
        """Predict and learn a sample with all that follows; -1: there is no class `y`.

        `call(kernel)` calls a kernel with the model's arrays and the sample, `call(self.learn, y)` this one.
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
