"""Interrupts on CPython: Ctrl-C waits until a model has learned; any other one inside a kernel is noticed.

CPython raises KeyboardInterrupt between any two bytecodes of the main thread, in the midst of a kernel too.
So while a method changes a model, the handler of SIGINT only remembers that it was called, and is called
again when the method has ended. What else can come (an exception that a tracer or another thread raises) is
noticed if it strikes inside a kernel: see `tear` in mcu/niwaki/torn.py.
"""

import functools
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

CHANGING = ("learn", "learn_late")  # methods that change a model; others call one of these, or `hold`


@contextmanager
def sigint_held() -> Iterator[None]:
    """No KeyboardInterrupt until the end, if this is the main thread and Python handles the signal."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    seen: list[tuple] = []

    def remember(*arguments: Any) -> None:
        seen.append(arguments)

    signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if seen:
            handler(*seen[0])


def in_kernel(trace: TracebackType | None) -> bool:
    """Whether an exception passed through a kernel, which has the arrays in its first argument, `at`."""
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_varnames[:1] == ("at",) and code.co_argcount:
            return True
        trace = trace.tb_next
    return False


def held(method: Callable) -> Callable:
    """Wrap a method so that no interrupt inside it goes unnoticed."""

    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        from niwaki import layout, torn

        words = self._arrays[layout.A_WORDS]
        if words[layout.IDENTITY] & layout.BUSY:
            return method(
                self, *arguments, **named
            )  # the method refuses, or it is a part of the call that is under way
        with sigint_held():
            try:
                return method(self, *arguments, **named)
            except BaseException as error:
                words[layout.IDENTITY] &= ~layout.BUSY
                if in_kernel(error.__traceback__):
                    torn.tear(self)
                raise

    return call


def hold(do: Callable, model: Any) -> None:
    """The desktop's form of the device's `hold`: call do(model) as one step that no interrupt divides."""
    from niwaki import layout
    from niwaki.torn import tear

    if model._arrays[layout.A_WORDS][layout.IDENTITY] & layout.BUSY:
        do(model)  # this is a part of `learn`, which holds interrupts already
        return
    with sigint_held():
        try:
            do(model)
        except BaseException:
            tear(model)
            raise


def guard(cls: Any) -> None:
    """Hold interrupts back while a method of the class changes a model."""
    for name in CHANGING:
        if name in vars(cls):
            setattr(cls, name, held(vars(cls)[name]))
