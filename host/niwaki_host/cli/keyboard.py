"""Read keys as they are pressed, on a terminal; read whole lines where input comes from a pipe."""

from __future__ import annotations

import queue
import sys
import threading
from typing import Any


class Keyboard:
    """`poll()` gives the next key, or line, that has come; None when there is none."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdin is not None and sys.stdin.isatty()
        self._before: Any = None
        self._lines: queue.Queue[str] = queue.Queue()

    def __enter__(self) -> Keyboard:
        if not self.is_terminal:
            if sys.stdin is not None:
                threading.Thread(target=self._read, daemon=True).start()
        elif sys.platform != "win32":
            import termios
            import tty

            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._before is not None:
            import termios

            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def _read(self) -> None:
        try:
            for line in sys.stdin:
                self._lines.put(line.strip())
        except (OSError, ValueError):  # somebody closed the input meanwhile
            pass

    def poll(self) -> str | None:
        if not self.is_terminal:
            return None if self._lines.empty() else self._lines.get()
        if sys.platform == "win32":
            import msvcrt

            return msvcrt.getwch() if msvcrt.kbhit() else None
        import select

        ready, _, _ = select.select([sys.stdin], [], [], 0)
        return sys.stdin.read(1) if ready else None
