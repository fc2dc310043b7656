"""Interrupts on CPython: Ctrl-C waits until a model has learned, and what strikes a kernel is noticed.

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

CHANGING = ("learn", "learn_late")  # methods of classes; others end in these, or call `hold`


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
    """The method, which nothing interrupts unnoticed."""

    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        from niwaki import layout, torn

        words = self._arrays[layout.A_WORDS]
        if words[layout.IDENTITY] & layout.BUSY:
            return method(
                self, *arguments, **named
            )  # which refuses, or belongs to the call that is under way
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
    """What `hold` of the device does: do(model), all of which is one step."""
    from niwaki import layout
    from niwaki.torn import tear

    if model._arrays[layout.A_WORDS][layout.IDENTITY] & layout.BUSY:
        do(model)  # in the midst of `learn`, which is held
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
