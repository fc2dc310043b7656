"""Features of a sliding window of sensor samples: what a model wants to see of a movement or a vibration.

    win = Window(3, 32, 16)                  # 3 axes, 32 samples, a new window each 16
    out = array("h", bytearray(2 * win.n_features))
    if win.push(sample):                     # a window is complete
        win.features(out)
        clf.predict(out)

Per axis, in this order: mean, deviation (standard), min, max, mean absolute difference of neighbours,
crossings of `level` (zero, or None for the window's own mean, which serves signals with an offset: gravity,
an ADC). All are codes: integers in -32767..32767.

Nothing is allocated after construction. `push` may be called from an interrupt, hard ones too, with an
array('h'), while the main program runs `features`: the ring has room for `step` more samples than a window,
so a complete window stays as it is until another `step` samples have come (or `length`, if that is less).
One that was not fetched in time is counted in `missed`.
"""

import sys
from array import array

import micropython
from micropython import const

FEATURES = ("mean", "deviation", "min", "max", "difference", "crossings")

# words of the state
_AXES = const(0)
_LENGTH = const(1)
_STEP = const(2)
_LEVEL = const(3)  # level + 32768, -1 for the mean
_SLOTS = const(4)  # the ring holds so many samples
_HEAD = const(5)  # where the next one goes
_UNTIL = const(6)  # samples until a window is complete
_DUE = const(7)  # 1 + slot of the first sample of a complete window that nobody has fetched
_MISSED = const(8)
_LAST = const(9)  # as _DUE, kept after it was fetched
_STATE = const(10)


@micropython.viper
def _push(state: ptr32, ring: ptr16, x: ptr16) -> int:
    """Take a sample into the ring; returns 1 when it completes a window."""
    axes = state[_AXES]
    place = state[_HEAD] * axes
    for axis in range(axes):
        ring[place + axis] = x[axis]
    head = state[_HEAD] + 1
    if head == state[_SLOTS]:
        head = 0
    state[_HEAD] = head
    until = state[_UNTIL] - 1
    if until:
        state[_UNTIL] = until
        return 0
    state[_UNTIL] = state[_STEP]
    if state[_DUE]:
        if state[_MISSED] < 0x3FFFFFFF:
            state[_MISSED] += 1
    first = head - state[_LENGTH]
    if first < 0:
        first += state[_SLOTS]
    state[_LAST] = first + 1
    state[_DUE] = first + 1
    return 1


@micropython.viper
def _features(state: ptr32, ring: ptr16, out: ptr16) -> int:
    """Six features per axis of the last complete window. Codes are raised by 32768, to be 0..65535."""
    axes = state[_AXES]
    length = state[_LENGTH]
    slots = state[_SLOTS]
    first = state[_LAST] - 1
    state[_DUE] = 0
    for axis in range(axes):
        slot = first
        total = 0
        differences = 0
        low = 65535
        high = 0
        before = 0
        for i in range(length):
            code = (ring[slot * axes + axis] + 32768) & 65535
            total += code
            if code < low:
                low = code
            if code > high:
                high = code
            if i:
                if code > before:
                    differences += code - before
                else:
                    differences += before - code
            before = code
            slot += 1
            if slot == slots:
                slot = 0
        mean = (total + (length >> 1)) // length
        level = state[_LEVEL]
        if level < 0:
            level = mean

        # Squares of the deviations, with as many bits as a sum of them leaves room for.
        limit = 0x3FFFFFFF // length
        widest = high - mean
        if mean - low > widest:
            widest = mean - low
        shift = 0
        while widest > 16383 or widest * widest > limit:
            widest >>= 1
            shift += 1
        squares = 0
        crossings = 0
        side = 0
        slot = first
        for i in range(length):
            code = (ring[slot * axes + axis] + 32768) & 65535
            deviation = code - mean
            if deviation < 0:
                deviation = 0 - deviation
            deviation >>= shift
            squares += deviation * deviation
            above = 0
            if code >= level:
                above = 1
            if i:
                crossings += above ^ side
            side = above
            slot += 1
            if slot == slots:
                slot = 0
        squares = squares // length
        root = 0
        bit = 0x4000
        while bit:
            guess = root + bit
            if guess * guess <= squares:
                root = guess
            bit >>= 1
        differences = differences // (length - 1)
        if differences > 32767:
            differences = 32767
        # -32768 would mean that the feature is missing
        if mean == 0:
            mean = 1
        if low == 0:
            low = 1
        if high == 0:
            high = 1
        place = axis * 6
        out[place] = mean - 32768
        out[place + 1] = root << shift
        out[place + 2] = low - 32768
        out[place + 3] = high - 32768
        out[place + 4] = differences
        out[place + 5] = crossings
    return 0


def _whole(name, value, low, high):
    if not isinstance(value, int):
        raise TypeError("%s must be an int, not %r" % (name, value))
    if not low <= value <= high:
        raise ValueError("%s must be %d..%d, not %d" % (name, low, high, value))


def _is_signed_16(out):
    """Whether `out` is an array('h'): kernels write 16 bits an item, beyond the end of smaller ones."""
    try:
        out[0] = -32767
        if out[0] != -32767:
            return False
        out[0] = 32768  # a board's array wraps
    except OverflowError:
        pass
    return out[0] < 0


class Window:
    """Sliding windows of `length` samples of `axes` values, a new one each `step` samples."""

    def __init__(self, axes, length, step=None, level=0):
        if step is None:
            step = length
        _whole("axes", axes, 1, 256)
        _whole("length", length, 2, 1024)
        _whole("step", step, 1, 1 << 20)
        if level is not None:
            _whole("level", level, -32767, 32767)
        slots = length + min(step, length)
        self.n_features = len(FEATURES) * axes
        self._ring = array("h", bytearray(2 * axes * slots))
        self._sample = self._seen = array("h", bytearray(2 * axes))
        self._state = s = array("i", bytearray(4 * _STATE))
        s[_AXES] = axes
        s[_LENGTH] = length
        s[_STEP] = step
        s[_LEVEL] = -1 if level is None else level + 32768
        s[_SLOTS] = slots
        s[_UNTIL] = length

    @property
    def ready(self):
        """Whether a complete window waits to be fetched by `features`."""
        return self._state[_DUE] != 0

    @property
    def missed(self):
        """Windows that were replaced by newer ones before they were fetched."""
        return self._state[_MISSED]

    def push(self, sample):
        """Take one sample, array('h') or ints in -32768..32767; True when it completes a window."""
        x = self._sample
        if len(sample) != len(x):
            raise ValueError("expected %d values, got %d" % (len(x), len(sample)))
        if isinstance(sample, array):
            if sample is not self._seen:  # items of another kind would be read as what they are not
                first = sample[0]
                fits = _is_signed_16(sample)
                sample[0] = first
                if not fits:
                    raise TypeError("samples are array('h') or ints")
                self._seen = sample
        else:
            try:
                for i in range(len(x)):
                    if not -32768 <= sample[i] <= 32767:
                        raise ValueError("value %d: %d is not in -32768..32767" % (i, sample[i]))
                for i in range(len(x)):
                    x[i] = sample[i]
            except TypeError:
                raise TypeError("samples are array('h') or ints")
            sample = x
        return _push(self._state, self._ring, sample) == 1

    def features(self, out):
        """The features of the last complete window into `out`, an array('h') of n_features."""
        if not self._state[_LAST]:
            raise ValueError("no window is complete yet")
        if not isinstance(out, array) or len(out) != self.n_features or not _is_signed_16(out):
            raise ValueError("out must be an array('h') of %d" % self.n_features)
        _features(self._state, self._ring, out)


if sys.implementation.name != "micropython":
    __import__("niwaki_host.surface", globals(), locals(), ("name",)).name(Window)
