"""Prints what the gesture learner would learn from, as CSV over USB, for `niwaki record`.

Each window gives a line: six features of each axis, and what the button says, -1 while nobody holds it. The
hardware, PINS, windows and classes are those of gesture.py, so that a model that a desktop trains with these
lines works in gesture.py.

    niwaki deploy --model grove --parts grove,window
    mpremote cp button.py mpu6050.py lsm6ds3.py gesture.py :
    niwaki record gestures.csv --run recorder.py

Without such hardware (a desktop, the emulated board) a simulated hand moves and teaches:

    python recorder.py 5000
"""

import sys
from array import array

from gesture import AXES, PINS, RATE, Lamp, Teacher, accelerometer

from niwaki.window import FEATURES, Window

HEADER = ",".join(["%s_%s" % (axis, name) for axis in "xyz" for name in FEATURES] + ["label"])


class Recorder:
    """`sensor` has read(out), `teacher` label() -> class or -1."""

    def __init__(self, sensor, teacher):
        self._sensor = sensor
        self._teacher = teacher
        self._window = Window(AXES, 32, 16, None)
        self._x = array("h", bytearray(2 * AXES))
        self._features = array("h", bytearray(2 * self._window.n_features))

    def step(self):
        """One sample; a line when a window is complete."""
        self._sensor.read(self._x)
        if self._window.push(self._x):
            self._window.features(self._features)
            print(",".join([str(v) for v in self._features]), self._teacher.label(), sep=",")


def hardware():
    """The recorder on a board, for ever."""
    import time

    from button import Button
    from machine import I2C, Pin

    i2c = I2C(0, scl=Pin(PINS["scl"]), sda=Pin(PINS["sda"]), freq=400000)
    lamp = Lamp(Pin(PINS["led"], Pin.OUT))
    teacher = Teacher(Button(Pin(PINS["button"], Pin.IN, Pin.PULL_UP)), lamp)
    app = Recorder(accelerometer(i2c), teacher)
    print(HEADER)
    due = time.ticks_ms()
    while True:
        teacher.poll()
        app.step()
        lamp.tick()
        due = time.ticks_add(due, 1000 // RATE)
        wait = time.ticks_diff(due, time.ticks_ms())
        if wait > 0:
            time.sleep_ms(wait)


def simulate(samples):
    from simulated import Hand

    hand = Hand()
    app = Recorder(hand, hand)
    print(HEADER)
    for _ in range(samples):
        app.step()


def main():
    try:
        from machine import I2C  # noqa: F401
    except ImportError:
        simulate(int(sys.argv[1]) if len(getattr(sys, "argv", ())) > 1 else 10000)
    else:
        hardware()


if __name__ == "__main__":
    main()
