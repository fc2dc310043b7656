"""numba's compiler, where numba is: generators and encoding use it, MicroPython's runtimes do without.

numba keeps machine code beside a module, or in the user's cache; where neither can be written to, in ours.
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
        """In the place of numba's: a function that can't be called, and says why."""

        def decorate(function: Callable) -> Callable:
            def refuse(*_arguments: Any) -> Any:
                raise RuntimeMissing(f"generators of streams are compiled, and {MISSING}")

            return refuse

        return decorate

    available = False
else:
    available = True


def njit_or_python(**options: Any) -> Callable:
    """Compiled where numba is; the function itself, slow and the same, where it is not."""
    return njit(**options) if available else lambda function: function
