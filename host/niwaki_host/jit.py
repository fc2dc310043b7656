"""numba's compiler, where numba is installed. Generators and encoding need it, MicroPython's runtimes do not.

numba keeps machine code beside a module, or in the user's cache. Where it can write to neither, it gets a
directory in our own cache.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from niwaki_host.errors import RuntimeMissing
from niwaki_host.toolchain import cache

MISSING = "numba is missing: pip install numba"

if "NUMBA_CACHE_DIR" not in os.environ and not cache.writable(Path(__file__).parent / "__pycache__"):
    os.environ["NUMBA_CACHE_DIR"] = str(cache.room("numba"))  # read when numba is imported

try:
    from numba import njit
except ImportError:

    def njit(*_words: Any, **_options: Any) -> Any:
        """Stand in for numba's njit: the function that it returns refuses a call, and says why."""

        def decorate(function: Callable) -> Callable:
            def refuse(*_arguments: Any) -> Any:
                raise RuntimeMissing(f"generators of streams are compiled, and {MISSING}")

            return refuse

        return decorate

    available = False
else:
    available = True


def njit_or_python(**options: Any) -> Callable:
    """Compile a function where numba is installed; elsewhere leave it as it is: slow, with equal results."""
    return njit(**options) if available else lambda function: function
