"""A simulated 6-axis IMU on a person: gravity, periodic motion, sensor noise, in raw int16 units.

Activities come in bouts. Within a bout the body moves with one frequency and one strength, and the device
hangs a little differently each time. The sensor is one of +-8 g (4096 counts per g) and +-1000 deg/s (32.8
counts per deg/s). A drift re-mounts it: all readings turn by another fixed rotation.
"""

import math
from typing import Any

import numpy as np

from niwaki_host.jit import njit
from niwaki_host.streams.generator import SEED, Fill, Generator, Param
from niwaki_host.streams.javarandom import next_double, next_gaussian, next_int, next_int32, seeded

# name, steps per second, direction of gravity, swing in g at the step rate, and at twice that, swing in deg/s
ACTIVITIES = (
    ("rest", 0.25, (0.05, 0.10, 0.99), (0.00, 0.01, 0.01), (0.00, 0.00, 0.00), (0.5, 0.5, 0.5)),
    ("walk", 1.90, (0.00, 0.95, 0.30), (0.15, 0.25, 0.20), (0.05, 0.20, 0.10), (60, 25, 20)),
    ("run", 2.80, (0.10, 0.93, 0.35), (0.50, 1.10, 0.60), (0.20, 0.50, 0.30), (180, 70, 60)),
    ("stairs", 1.50, (0.05, 0.85, 0.52), (0.12, 0.35, 0.25), (0.10, 0.15, 0.12), (80, 35, 25)),
    ("cycle", 1.30, (0.25, 0.55, 0.80), (0.10, 0.08, 0.12), (0.04, 0.04, 0.06), (110, 12, 15)),
    ("shake", 4.50, (0.70, 0.10, 0.70), (1.20, 0.30, 0.50), (0.30, 0.10, 0.20), (120, 150, 90)),
)
RATES = np.array([row[1] for row in ACTIVITIES])
SHAPES = np.array([row[2:] for row in ACTIVITIES], float)  # (activity, gravity | swing | swing | turn, axis)
PHASES = np.array([[0.0, 0.25, 0.10], [0.35, 0.05, 0.60], [0.15, 0.40, 0.75]])
COUNTS_PER_G = 4096.0
COUNTS_PER_DPS = 32.8


@njit(cache=True)
def sine(turns):
    """sin(2 pi turns) by a polynomial: plain arithmetic, so that it is the same on every machine."""
    x = turns - math.floor(turns + 0.5)  # -0.5 .. 0.5
    if x > 0.25:
        x = 0.5 - x
    elif x < -0.25:
        x = -0.5 - x
    a = 6.283185307179586 * x
    b = a * a
    return a * (1 - b / 6 * (1 - b / 20 * (1 - b / 42 * (1 - b / 72 * (1 - b / 110 * (1 - b / 156))))))


@njit(cache=True)
def _begin_bout(rng, bout, place, gravity, counts, shapes):
    """counts: activity, samples left. place: phase, tempo, strength."""
    activity = next_int(rng, counts[2] - 1)
    counts[0] = activity if activity < counts[0] else activity + 1
    counts[1] = bout // 2 + next_int(rng, bout + 1)
    place[0] = next_double(rng)
    place[1] = 1.0 + 0.08 * min(max(next_gaussian(rng), -2.0), 2.0)
    place[2] = 1.0 + 0.15 * min(max(next_gaussian(rng), -2.0), 2.0)
    length = 0.0
    for axis in range(3):
        gravity[axis] = shapes[counts[0], 0, axis] + 0.08 * next_gaussian(rng)
        length += gravity[axis] * gravity[axis]
    for axis in range(3):
        gravity[axis] /= math.sqrt(length)


@njit(cache=True)
def _imu(rng, X, y, counts, place, gravity, bout, period, sensor, rotation, rates, shapes, phases):
    body = np.empty(6)
    for i in range(len(y)):
        if counts[1] == 0:
            _begin_bout(rng, bout, place, gravity, counts, shapes)
        counts[1] -= 1
        kind = counts[0]
        place[0] += rates[kind] * place[1] * period
        for axis in range(3):
            once = sine(place[0] + phases[0, axis]) * shapes[kind, 1, axis]
            twice = sine(2 * place[0] + phases[1, axis]) * shapes[kind, 2, axis]
            turn = sine(place[0] + phases[2, axis]) * shapes[kind, 3, axis]
            body[axis] = gravity[axis] + place[2] * (once + twice)
            body[3 + axis] = place[2] * turn
        for axis in range(6):
            first = 3 * (axis // 3)
            value = 0.0
            for k in range(3):
                value += rotation[axis % 3, k] * body[first + k]
            if axis < 3:
                value = COUNTS_PER_G * (value + 0.02 * sensor * next_gaussian(rng))
            else:
                value = COUNTS_PER_DPS * (value + 1.5 * sensor * next_gaussian(rng))
            X[i, axis] = min(max(math.floor(value + 0.5), -32767.0), 32767.0)
        y[i] = kind


def mounting(index: int) -> np.ndarray:
    """The rotation of a mounting: none for 0, else a uniformly random one (a random unit quaternion)."""
    if index == 0:
        return np.eye(3)
    rng = _stirred(index)
    w, x, y, z = (next_gaussian(rng) for _ in range(4))
    norm = w * w + x * x + y * y + z * z
    turned = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.array(turned) / norm


def _stirred(seed: int) -> np.ndarray:
    """Neighbouring seeds of java.util.Random begin with much the same numbers: skip those."""
    rng = seeded(seed)
    for _ in range(16):
        next_int32(rng)
    return rng


class Imu(Generator):
    """Accelerations and rates of turn of a person who rests, walks, runs, climbs, cycles, shakes."""

    name = "imu"
    about = "simulated 6-axis IMU: int16 counts, up to 6 activities; next concept: the sensor is re-mounted"
    PARAMS = {
        "activities": Param(6, "how many of rest, walk, run, stairs, cycle, shake", 2, 6),
        "bout": Param(250, "mean samples of one activity before the next", 1, 10**6),
        "rate": Param(50.0, "samples per second", 1, 10000),
        "sensor": Param(1.0, "sensor noise; 1 is 0.02 g and 1.5 deg/s", 0, 100),
        "mount": Param(0, "how the sensor is mounted; 0 as made, else one random rotation each", 0, 10**6),
        "seed": SEED,
    }

    def prepare(self, **params: Any) -> None:
        self.feature_names = ["ax", "ay", "az", "gx", "gy", "gz"]
        self.class_names = [row[0] for row in ACTIVITIES[: params["activities"]]]
        self.nominal = [0] * 6
        self.ranges = [(-32768.0, 32768.0)] * 6
        self.rotation = mounting(params["mount"])

    def start(self) -> Fill:
        p = self.params
        # Another mounting is another day, so it gets other random bouts.
        rng = _stirred(p["seed"] + 1000003 * p["mount"])
        counts = np.array([p["activities"], 0, p["activities"]], np.int64)
        counts[0] = next_int(rng, p["activities"])
        place, gravity = np.zeros(3), np.zeros(3)
        bout, period, sensor = p["bout"], 1.0 / p["rate"], p["sensor"]
        return lambda X, y: _imu(
            rng, X, y, counts, place, gravity, bout, period, sensor, self.rotation, RATES, SHAPES, PHASES
        )

    @classmethod
    def following(cls, params: dict[str, Any]) -> dict[str, Any]:
        return {**params, "mount": params["mount"] + 1}
