"""Encoder: sensor values of any kind to the 16-bit codes that a model takes.

    encoder = Encoder(3, [(0, 4095), (-2.0, 2.0), 5])     # ADC counts, volts, a nominal feature of 5 values
    codes = array("h", bytes(6))
    model.learn(encoder.encode(x, codes), y)

A range (lo, hi) is cut into 65,536 equal steps: code = floor((value - lo) * 65536 / (hi - lo)) - 32768, held
within -32767..32767: what lies outside goes to the nearest end. NaN is MISSING. Integers in an integer range
are encoded by integer arithmetic: exact, and without allocation up to a width of 2**29. The range RAW passes
int16 values through. A nominal value outside 0..k-1 is MISSING.

A range that is not known (None) is learned from the first `learn` samples and then stays: the values seen,
with a margin of `margin` times their span on either side, because what comes later is often wilder, and some
250 codes for the span seen are still plenty. Until then the feature is MISSING, which a model takes as it
is: nothing has to be stored or replayed. (Three samples and a margin of 128 serve as well as ranges of the
whole stream, on 14 real streams from 12 starts each; more samples cost what is not learned meanwhile.)
"""

import sys
from array import array

from .model import MISSING, forget

RAW = (-32768, 32768)
LEARN = 3
MARGIN = 128


class Encoder:
    def __init__(self, n_features, ranges=None, learn=LEARN, margin=MARGIN):
        from .construct import number, whole

        whole("n_features", n_features, 1, 4096)
        whole("learn", learn, 1, 1 << 28)
        number("margin", margin, 0, float("inf"))
        forget("construct")
        if ranges is None:
            ranges = [None] * n_features
        if len(ranges) != n_features:
            raise ValueError(
                "ranges: one for each of %d features is needed, not %d" % (n_features, len(ranges))
            )
        self.n_features = n_features
        self.margin = margin
        self.left = learn if None in ranges else 0  # samples still to learn from
        self._lo = [None] * n_features
        self._hi = [None] * n_features
        # How to encode each: 255 learning, 254 nominal, else the bits per step of the long division.
        self._how = array("B", bytes(n_features))
        for i in range(n_features):
            if ranges[i] is None:
                self._how[i] = 255
            elif isinstance(ranges[i], int) and not isinstance(ranges[i], bool):
                self._hi[i] = ranges[i]
                self._how[i] = 254
                if ranges[i] < 1 or ranges[i] > 32767:
                    raise ValueError("feature %d: 1 to 32767 nominal values, not %d" % (i, ranges[i]))
            else:
                self._fix(i, ranges[i])

    @property
    def ready(self):
        """True when every range is known."""
        return self.left == 0

    @property
    def ranges(self):
        """What a new Encoder needs to do the same: (lo, hi), number of nominal values, or None."""
        found = []
        for i in range(self.n_features):
            if self._how[i] == 255:
                found.append(None)
            elif self._how[i] == 254:
                found.append(self._hi[i])
            else:
                found.append((self._lo[i], self._hi[i]))
        return found

    def encode(self, x, out):
        """Write the codes of x to `out`, an array('h'), and return it; they may be the same."""
        n = self.n_features
        if len(x) != n or len(out) != n:
            raise ValueError("x and out must have %d values, not %d and %d" % (n, len(x), len(out)))
        i = 0
        try:
            while i < n:  # all of them before one is learned from
                value = x[i] < 0
                i += 1
        except TypeError:
            raise TypeError("feature %d: %r is not a number; what is missing is NaN" % (i, x[i]))
        for i in range(n):
            value = x[i]
            how = self._how[i]
            code = MISSING
            if value != value:
                pass
            elif how == 255:
                self._look(i, value)
            elif how == 254:
                if 0 <= value < self._hi[i]:
                    code = int(value)
            else:
                code = self._scale(value, self._lo[i], self._hi[i], how)
            try:
                out[i] = code
            except (OverflowError, ValueError):
                pass
            if out[i] != code:  # on a board it has wrapped
                raise TypeError("out must be an array('h')")
        if self.left:
            self.left -= 1
            if self.left == 0:
                self._freeze()
        return out

    def _scale(self, v, lo, hi, bits):
        if v >= hi:
            return 32767
        if v <= lo:
            return -32767
        above = v - lo
        span = hi - lo
        if span == 65536:
            scaled = int(above)
        elif bits and isinstance(above, int):
            # (d << 16) // span, by long division: no intermediate leaves the small integers.
            scaled = 0
            for _ in range(16 // bits):
                above <<= bits
                scaled = (scaled << bits) + above // span
                above %= span
        elif isinstance(above, int) and isinstance(span, int):
            scaled = (above << 16) // span
        else:
            scaled = int(above / span * 65536)
        if scaled > 65535:
            return 32767
        if scaled < 1:
            return -32767
        return scaled - 32768

    def _look(self, i, v):
        if v - v != 0:  # an infinity says nothing about the range
            return
        if self._lo[i] is None or v < self._lo[i]:
            self._lo[i] = v
        if self._hi[i] is None or v > self._hi[i]:
            self._hi[i] = v

    def _freeze(self):
        for i in range(self.n_features):
            if self._how[i] != 255:
                continue
            lo, hi = RAW
            if self._lo[i] is not None:
                low = self._lo[i]
                high = self._hi[i]
                margin = self.margin
                if low == high:  # no span yet: one as large as the value, and so with less of a margin
                    low -= abs(high) or 1
                    high += abs(high) or 1
                    margin //= 8
                margin *= high - low
                width = high - low + 2 * margin
                # What fits 16 bits as it is, and would get coarser, is left so; an infinite width too.
                fits = low >= -32767 and high <= 32767 and width >= 65536
                if not fits and width - width == 0:
                    lo = low - margin
                    hi = high + margin
            self._fix(i, (lo, hi))

    def _fix(self, i, ends):
        try:
            lo, hi = ends
            span = hi - lo
        except (TypeError, ValueError) as error:
            raise type(error)(
                "feature %d: a range is (lo, hi), a number of nominal values, or None, not %r" % (i, ends)
            )
        if not span > 0 or span - span != 0:
            raise ValueError("feature %d: the range needs lo < hi, both finite" % i)
        bits = 0
        if isinstance(span, int):
            for at_once in (8, 4, 2, 1):
                if span < 1 << (30 - at_once):
                    bits = at_once
                    break
        self._lo[i] = lo
        self._hi[i] = hi
        self._how[i] = bits


if sys.implementation.name != "micropython":
    __import__("niwaki_host.surface", globals(), locals(), ("name",)).name(Encoder)
