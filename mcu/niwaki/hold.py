"""Hold Ctrl-C back while kernels that are bytecode run; where that can't be had, notice that it has struck.

MicroPython raises Ctrl-C at jumps of bytecode, never inside native code. Between two kernels it does no harm:
what is due is kept, or put off. Inside a kernel that is bytecode it would leave a model half changed. Where
kernels are native, those are the rare ones of a tree; elsewhere all of them.

In a scheduled function of a port without threads nothing is raised: `hold` lets one do the work. Ports with
threads raise there too; a board then stops listening to Ctrl-C for some milliseconds. Neither takes heap.
Else (MicroPython on a desktop or in a browser) the interrupt comes, and `tear` spoils the model: torn.py. On
CPython niwaki_host/device/held.py does all this.
"""

import sys

import micropython
from micropython import const

_OPEN = const(0)  # nothing can be held back
_LOCK = const(1)  # the scheduler's lock
_KEY = const(2)  # the key that interrupts

_TRIES = const(9)  # jumps until a scheduled function has run, if it can: 8 others may be before it

ctrl_c = 3  # the key; a program that has turned it off by micropython.kbd_intr(-1) sets this to -1

_how = _OPEN
_queued = False
_inside = False
_do = None  # what the scheduled function is to do, and with which model
_model = None
_error = None  # what it has raised


def _find_out():
    """How this port can hold interrupts back."""
    try:
        import _thread  # noqa: F401
    except ImportError:
        return _LOCK if hasattr(micropython, "schedule") else _OPEN
    if sys.platform in ("linux", "darwin", "win32", "webassembly") or not hasattr(micropython, "kbd_intr"):
        return _OPEN
    return _KEY


def _run(_):
    """The scheduled function. No jump lies before the work is taken: it is done once."""
    global _do, _error, _inside, _queued
    do = _do
    _do = None
    _queued = False
    if do:
        _inside = True
        try:
            do(_model)
        except BaseException as error:
            _error = error
        _inside = False


def hold(do, model):
    """do(model), with no Ctrl-C raised inside if that can be had; one that was pending comes afterwards."""
    global _do, _error, _model, _queued
    pending = None
    try:
        if _inside or _how != _LOCK:
            return _otherwise(do, model)
        _model = model
        _do = do
        if not _queued:
            micropython.schedule(_run, None)
            _queued = True
        _wait()
    except RuntimeError:  # the queue is full
        pass
    except KeyboardInterrupt as error:
        if _how != _LOCK:
            raise
        pending = error
    if pending:
        _wait()
    left = _do
    _do = None
    if left:  # this is a scheduled function already, where nothing is raised; or the queue was full
        _otherwise(do, model)
    error = _error or pending
    if error:
        _error = None
        raise error


def _wait():
    """Come to some jumps, where what is scheduled has its turn."""
    tries = _TRIES
    while _do and tries:
        tries -= 1


def _otherwise(do, model):
    if _how == _KEY:
        micropython.kbd_intr(-1)
        try:
            for _ in range(2):  # what is pending already is raised here, before anything has begun
                pass
            return do(model)
        finally:
            micropython.kbd_intr(ctrl_c)
    try:
        return do(model)
    except KeyboardInterrupt:
        from .torn import tear

        tear(model)
        raise


if sys.implementation.name == "micropython":
    _how = _find_out()
else:  # a desktop has signals
    hold = __import__("niwaki_host.device.held", globals(), locals(), ("hold",)).hold
