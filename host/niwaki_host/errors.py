"""Errors that a user can do something about, and what a user should know."""

import warnings


class UsageError(Exception):
    """Bad usage or input. One clear line: what is wrong, and what to do."""


class RuntimeMissing(UsageError):
    """A runtime cannot be used on this machine; the message says what is missing and how to get it."""


class HeapError(UsageError):
    """The model, or what it needs beside it, does not fit the heap of the runtime."""


class DeviceError(RuntimeError):
    """Code on a MicroPython runtime failed; the message ends with the device's own traceback."""


class Notice(UserWarning):
    """A warning: the command goes on as asked, but may not do what was meant. It is shown as one line."""


def notice(text: str) -> None:
    """Warn the user, and go on."""
    warnings.warn(Notice(text), stacklevel=3)
