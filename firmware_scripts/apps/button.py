"""One button, polled: a click or a hold. It needs no interrupt and allocates nothing."""

CLICK = 1
HELD = 2


class Button:
    """`pin` is anything with value(): 0 while pressed (a button to ground, with a pull-up)."""

    def __init__(self, pin, hold=25):
        self._pin = pin
        self._hold = hold  # polls after which a press is a hold
        self._down = 0

    def poll(self):
        """Call it once per sample. CLICK when a short press ends, HELD as long as a hold lasts, else 0."""
        if self._pin.value() == 0:
            if self._down < self._hold:
                self._down += 1
                return 0
            return HELD
        down = self._down
        self._down = 0
        # one poll alone is a bounce
        return CLICK if 1 < down < self._hold else 0
