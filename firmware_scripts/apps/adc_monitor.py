"""Watches a signal on an ADC, learns from a button what is normal and what is faulty, and streams CSV.

Hardware: a signal on an ADC pin, a button to ground. Click: what you see is normal. Hold: it is faulty. The
LED is on while the board thinks that something is wrong. Set PINS for your board, then

    niwaki deploy --model grove --parts grove,window
    mpremote cp button.py :
    mpremote run adc_monitor.py > log.csv

keeps the stream on the desktop. Its columns are the window's number, six features, what the person said (-1
nothing, 0 normal, 1 faulty), and what the model thought. Copied to the board as main.py, the program starts
by itself; what it has learned survives a reset.

Without such hardware (a desktop, the emulated board) a simulated motor runs:

    python adc_monitor.py 20000
"""

import sys
from array import array

from niwaki import Grove, ImageError, Window, load
from niwaki.window import FEATURES

PINS = {"adc": 26, "button": 14, "led": 25}  # a Pico
RATE = 500  # samples a second
NORMAL = 0
FAULTY = 1


class Monitor:
    """The learner. `adc` has read_u16(), `teacher` label() -> 0, 1 or -1, `lamp` value(0 or 1)."""

    def __init__(self, adc, teacher, lamp, path="monitor.niw"):
        self.adc = adc
        self.teacher = teacher
        self.lamp = lamp
        self.window = Window(1, 64, 64, None)
        try:
            self.clf = load(path)
        except (OSError, ImageError):  # nothing is saved yet, or nothing that this version reads
            self.clf = Grove(self.window.n_features, 2, 2048)
        self.checkpoint = self.clf.checkpoint(path, every=10)  # a person clicks seldom
        self._x = array("h", bytearray(2))
        self._features = array("h", bytearray(2 * self.window.n_features))
        self.windows = self.said = self.thought = 0

    def step(self):
        """One sample; True when a window was complete, and `said` and `thought` are new."""
        self._x[0] = self.adc.read_u16() - 32768
        if not self.window.push(self._x):
            return False
        self.windows += 1
        self.window.features(self._features)
        self.thought = self.clf.predict(self._features)
        self.lamp.value(self.thought)
        self.said = self.teacher.label()
        if self.said >= 0:
            self.clf.learn(self._features, self.said)
            self.checkpoint.tick()
        return True

    def line(self):
        """The last window as a line of CSV."""
        features = ",".join([str(v) for v in self._features])
        return "%d,%s,%d,%d" % (self.windows, features, self.said, self.thought)


HEADER = "window,%s,said,thought" % ",".join(FEATURES)


class Teacher:
    """A person with a button: a click says normal, a hold faulty."""

    def __init__(self, button):
        self._button = button
        self._event = 0

    def poll(self):
        event = self._button.poll()
        if event:
            self._event = event

    def label(self):
        from button import HELD

        event = self._event
        self._event = 0
        return -1 if event == 0 else FAULTY if event == HELD else NORMAL


class Dark:
    def value(self, on):
        pass


def hardware():
    """The monitor on a board, for ever."""
    import time

    from button import Button
    from machine import ADC, Pin

    teacher = Teacher(Button(Pin(PINS["button"], Pin.IN, Pin.PULL_UP), hold=RATE // 2))
    app = Monitor(ADC(Pin(PINS["adc"])), teacher, Pin(PINS["led"], Pin.OUT))
    print(HEADER)
    due = time.ticks_us()
    while True:
        teacher.poll()
        if app.step():
            print(app.line())
        due = time.ticks_add(due, 1000000 // RATE)
        wait = time.ticks_diff(due, time.ticks_us())
        if wait > 0:
            time.sleep_us(wait)


def simulate(samples, path="monitor.niw"):
    """The monitor with a simulated motor; the last line counts what was right where nothing was said."""
    from simulated import Machine

    motor = Machine()
    app = Monitor(motor, motor, Dark(), path)
    print(HEADER)
    right = asked = 0
    for _ in range(samples):
        truth = motor.faulty
        if app.step():
            print(app.line())
            if app.said < 0:
                asked += 1
                right += app.thought == truth
    print("# %d of %d right" % (right, asked))
    return right, asked


def main():
    try:
        from machine import ADC  # noqa: F401
    except ImportError:
        simulate(int(sys.argv[1]) if len(sys.argv) > 1 else 20000)
    else:
        hardware()


if __name__ == "__main__":
    main()
