"""Sensors, buttons and lamps for a desktop or an emulated board. Integers only: the same everywhere."""

from array import array

# A quarter of a sine, 0..16384 (1 g), in 16 steps; the rest is mirrored.
_QUARTER = array("h", (0, 1606, 3196, 4756, 6270, 7723, 9102, 10394))
_QUARTER.extend(array("h", (11585, 12665, 13623, 14449, 15137, 15679, 16069, 16305)))


def sine(phase):
    """16,384 times the sine, 64 steps a turn."""
    k = phase & 31
    v = _QUARTER[k] if k < 16 else 16384 if k == 16 else _QUARTER[32 - k]
    return -v if phase & 32 else v


class Noise:
    """16-bit xorshift."""

    def __init__(self, seed=1):
        self.state = seed

    def below(self, n):
        s = self.state
        s ^= (s << 7) & 65535
        s ^= s >> 9
        s ^= (s << 8) & 65535
        self.state = s
        return s % n


class Hand:
    """An accelerometer in a hand that rests, shakes, draws circles or taps, and a person who names these.

    A gesture lasts 160 samples. The person teaches the first `teach` samples, and later one gesture in four.
    """

    def __init__(self, teach=4000):
        self.t = 0
        self.teach = teach
        self.gesture = 0
        self._noise = Noise()
        self._round = 0

    def read(self, out):
        t = self.t
        if t % 160 == 0:
            self.gesture = (self.gesture + 1 + self._noise.below(3)) % 4
            self._round += 1
        self.t = t + 1
        x, y, z = 0, 0, 16384
        if self.gesture == 1:
            x = sine(t * 7) // 2
        elif self.gesture == 2:
            x = sine(t * 3) // 3
            z += sine(t * 3 + 16) // 3
        elif self.gesture == 3 and t % 25 < 3:
            z += 9000
        out[0] = x + self._noise.below(1200) - 600
        out[1] = y + self._noise.below(1200) - 600
        out[2] = z + self._noise.below(1200) - 600

    def label(self):
        """What the person says now, or -1."""
        return self.gesture if self.t < self.teach or self._round % 4 == 0 else -1


class Machine:
    """The current of a motor on an ADC, 0..65535, with a fault now and then, and a person who sees it."""

    def __init__(self, teach=6000):
        self.t = 0
        self.teach = teach
        self.faulty = 0
        self._noise = Noise(7)

    def read_u16(self):
        t = self.t
        if t % 640 == 0:
            self.faulty = 1 if self._noise.below(3) == 0 else 0
        self.t = t + 1
        v = 30000 + sine(t * 5) // 4
        if self.faulty:
            v += sine(t * 23) // 6 + (3000 if t % 40 < 4 else 0)
        return v + self._noise.below(1500)

    def label(self):
        """1 while the person says that the motor is faulty, 0 for fine, -1 while the person says nothing."""
        return self.faulty if self.t < self.teach else -1
