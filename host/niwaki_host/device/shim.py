"""A stand-in for the `micropython` module, so that the device's source runs on CPython as it is.

Importing this module installs it. `viper` and `native` leave a function as it is and tag it, but for a label
`y: int`, which native code would get as a machine integer; the pointer types exist only because they appear
in annotations.
"""

import builtins
import functools
import operator
import sys
import types
from collections.abc import Callable
from typing import Any


def const(value: Any) -> Any:
    return value


def viper(fn: Callable) -> Callable:
    fn.__viper__ = True  # type: ignore[attr-defined]
    if fn.__annotations__.get("y") is not int:
        return fn

    @functools.wraps(fn)
    def kernel(*arguments: Any) -> Any:
        return fn(*arguments[:-1], _label(arguments[-1]))  # a kernel has y last

    return kernel


def _label(y: Any) -> int:
    """The label as an int: numpy's small integers would overflow in a kernel, and its bool is no index."""
    return operator.index(y.item() if getattr(y, "ndim", 1) == 0 else y)


def native(fn: Callable) -> Callable:
    fn.__native__ = True  # type: ignore[attr-defined]
    return fn


def _nothing(*_args: Any) -> int:
    return 0


def _same(buffer: Any) -> Any:
    """A pointer cast: here a kernel gets the arrays themselves."""
    return buffer


def install() -> None:
    """Put the stand-in where `import micropython` finds it, unless a real one is there."""
    if "micropython" not in sys.modules:
        module = types.ModuleType("micropython", __doc__)
        vars(module).update(
            const=const,
            viper=viper,
            native=native,
            heap_lock=_nothing,
            heap_unlock=_nothing,
            alloc_emergency_exception_buf=_nothing,
        )
        sys.modules["micropython"] = module
    for name in ("ptr8", "ptr16", "ptr32", "uint"):
        if not hasattr(builtins, name):
            setattr(builtins, name, _same)


install()
