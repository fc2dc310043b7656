"""Learns gestures from an accelerometer, on the board, and survives a reset.

Hardware: an MPU-6050 or LSM6DS3 on I2C, a button to ground, and the board's LED. A click goes to the next
gesture (the LED blinks its number); while the button is held, the gesture is taught. The LED blinks what is
recognised. Set PINS for your board, then

    niwaki deploy --model grove --parts grove,window
    mpremote cp button.py mpu6050.py lsm6ds3.py : + cp gesture.py :main.py + reset

Without such hardware (a desktop, the emulated board) a simulated hand moves and teaches:

    python gesture.py 10000
"""

import gc
import sys
from array import array

from niwaki import Grove, ImageError, load
from niwaki.window import FEATURES, Window

PINS = {"scl": 5, "sda": 4, "button": 14, "led": 25}  # a Pico; on most ESP32 boards 22, 21, 0 and 2
RATE = 50  # samples a second
AXES = 3
CLASSES = 4
BUDGET = 8192
SAVE = 25  # learned samples between checkpoints


class Gestures:
    """The learner. `sensor` has read(out), `teacher` label() -> class or -1, `lamp` show(class)."""

    def __init__(self, sensor, teacher, lamp, path="gestures.niw"):
        self.sensor = sensor
        self.teacher = teacher
        self.lamp = lamp
        try:  # load it before the window is made: a model needs the longest pieces of the heap
            self.clf = load(path)
        except (OSError, ImageError):  # nothing is saved yet, or nothing that this version reads
            self.clf = Grove(AXES * len(FEATURES), CLASSES, BUDGET)
        self.window = Window(AXES, 32, 16, None)
        self.checkpoint = self.clf.checkpoint(path, every=SAVE)
        self._x = array("h", bytearray(2 * AXES))
        self._features = array("h", bytearray(2 * self.window.n_features))
        self.windows = self.asked = self.right = 0

    def step(self):
        """One sample. Allocates nothing, but when a checkpoint is saved."""
        self.sensor.read(self._x)
        if not self.window.push(self._x):
            return
        self.windows += 1
        self.window.features(self._features)
        guess = self.clf.predict(self._features)
        self.lamp.show(guess)
        y = self.teacher.label()
        if y >= 0:
            self.asked += 1
            if guess == y:
                self.right += 1
            self.clf.learn(self._features, y)
            self.checkpoint.tick()
            if self.clf.samples % SAVE == 0:
                gc.collect()  # what the checkpoint left behind: the pause comes now, not in some gesture


class Teacher:
    """A person with a button: click for the next gesture, hold to teach it."""

    def __init__(self, button, lamp):
        self._button = button
        self._lamp = lamp
        self._event = 0
        self.gesture = 0

    def poll(self):
        from button import CLICK

        self._event = self._button.poll()
        if self._event == CLICK:
            self.gesture = (self.gesture + 1) % CLASSES
            self._lamp.show(self.gesture)

    def label(self):
        from button import HELD

        return self.gesture if self._event == HELD else -1


class Lamp:
    """An LED that blinks a class: class + 1 times, then a pause. Call tick() once per sample."""

    def __init__(self, pin):
        self._pin = pin
        self._class = 0
        self._t = 0

    def show(self, c):
        self._class = c

    def tick(self):
        self._t = (self._t + 1) % (16 * (CLASSES + 2))
        k = self._t // 16
        self._pin.value(1 if k <= self._class and self._t % 16 < 8 else 0)


class Silent:
    def show(self, c):
        pass


def accelerometer(i2c):
    """The accelerometer that is on the bus, at the first or the second of its addresses."""
    found = i2c.scan()
    for address in found:
        if address in (0x68, 0x69):
            from mpu6050 import MPU6050

            return MPU6050(i2c, address)
        if address in (0x6A, 0x6B):
            from lsm6ds3 import LSM6DS3

            return LSM6DS3(i2c, address)
    raise OSError("no MPU-6050 or LSM6DS3 on the I2C bus, only %s" % found)


def hardware():
    """The learner on a board, for ever."""
    import time

    from button import Button
    from machine import I2C, Pin

    i2c = I2C(0, scl=Pin(PINS["scl"]), sda=Pin(PINS["sda"]), freq=400000)
    lamp = Lamp(Pin(PINS["led"], Pin.OUT))
    teacher = Teacher(Button(Pin(PINS["button"], Pin.IN, Pin.PULL_UP)), lamp)
    app = Gestures(accelerometer(i2c), teacher, lamp)
    due = time.ticks_ms()
    while True:
        teacher.poll()
        app.step()
        lamp.tick()
        due = time.ticks_add(due, 1000 // RATE)
        wait = time.ticks_diff(due, time.ticks_ms())
        if wait > 0:
            time.sleep_ms(wait)


def tidy():
    """Collect garbage, now and often, so that the free heap is in one piece when a model is loaded."""
    gc.collect()
    if hasattr(gc, "mem_free"):  # a board
        gc.threshold(1024)


def free():
    """Bytes of free heap, or 0 where nobody can tell."""
    if not hasattr(gc, "mem_free"):
        return 0
    gc.collect()
    return gc.mem_free()


def run(app, samples):
    for _ in range(samples):
        app.step()


def simulate(samples, path="gestures.niw", report=1000):
    """The learner with a simulated hand; prints samples, windows, % right since the last line, free heap."""
    from simulated import Hand

    hand = Hand()
    app = Gestures(hand, hand, Silent(), path)
    print("known", app.clf.samples)
    for done in range(0, samples + 1, report):
        if done:
            run(app, report)
        heap = free()
        print(done, app.windows, 100 * app.right // max(app.asked, 1), heap)
        app.asked = app.right = 0
    return app


def main():
    tidy()
    try:
        from machine import I2C  # noqa: F401
    except ImportError:
        simulate(int(sys.argv[1]) if len(sys.argv) > 1 else 10000)
    else:
        hardware()


if __name__ == "__main__":
    main()
