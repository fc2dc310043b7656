"""The window of a grove's feature: which of its values have codes. references/grove.py uses it."""

from dataclasses import dataclass

CODES = 256  # codes of a window, 0 for a missing value among them
NARROW = 4  # values that a new window covers; the first value is in its middle
NEAR = 3  # a value is near if so many doublings bring it inside


@dataclass
class Window:
    """The values from `lo` on that have codes: NARROW << shift of them."""

    lo: int
    shift: int = 0
    outsiders: int = 0

    def place(self, value: int) -> int:
        return (value - self.lo) * CODES // (NARROW << self.shift)

    def covers(self, value: int) -> bool:
        return 0 <= self.place(value) < CODES

    def code(self, value: int) -> int:
        return min(max(self.place(value), 1), CODES - 1)

    def double(self, down: bool) -> None:
        if down:
            self.lo -= NARROW << self.shift
        self.shift += 1

    def is_near(self, value: int) -> bool:
        """Do a few doublings bring the value inside?"""
        trial = Window(self.lo, self.shift)
        for _ in range(NEAR):
            trial.double(value < trial.lo)
        return trial.covers(value)
