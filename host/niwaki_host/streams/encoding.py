"""From a stream's floats to the 16-bit codes that a model takes, by the device's own rules.

Where the ranges come from decides how honest a simulation is:

- `auto`     what the stream knows about itself (a generator's bounds, a sensor's data sheet), else learned
- `learned`  from the first samples, by `niwaki.Encoder` itself: what a device can do
- `whole`    from the smallest and largest value of the whole stream: optimistic, no device knows them
- `raw`      the values are 16-bit integers already
- `LO:HI`    the same stated range for every numeric feature
- `F.json`   stated ranges, one per feature; see `ranges.py`
"""

import tempfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.encoder import LEARN, MARGIN, RAW, Encoder
from niwaki.model import MISSING
from niwaki_host.errors import UsageError
from niwaki_host.jit import njit_or_python
from niwaki_host.streams import Stream
from niwaki_host.streams.base import CHUNK
from niwaki_host.streams.ranges import Range, ranges_for

SPILL = 1 << 28  # bytes of codes that are kept in memory

METHODS = ("auto", "learned", "whole", "raw")


@njit_or_python(cache=True, error_model="numpy")
def encode_into(X, out, lo, hi, values):
    """Encode as niwaki.Encoder: 65,536 equal steps from lo to hi; a value outside gets the code of an end."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            v = X[i, j]
            code = -32768
            if values[j] > 0:
                if v >= 0 and v < values[j]:
                    code = int(v)
            elif v >= hi[j]:
                code = 32767
            elif v <= lo[j]:
                code = -32767
            elif v == v:
                step = int((v - lo[j]) / (hi[j] - lo[j]) * 65536.0)
                code = min(max(step, 1), 65535) - 32768
            out[i, j] = code


@dataclass
class Encoding:
    """Ranges, where they come from, and the number of first samples that were spent to learn them."""

    ranges: list[Range]
    method: str
    learned: int = 0
    margin: int = MARGIN
    unknown: Sequence[int] = ()
    """The features that had to be learned: they are missing in the first `learned` samples."""

    def encode(self, X: np.ndarray, start: int = 0) -> np.ndarray:
        """int16 codes; `start` is the place of X's first row in its stream."""
        values = np.array([r if isinstance(r, int) else 0 for r in self.ranges], np.int64)
        pairs = [r if isinstance(r, tuple) else (0.0, 1.0) for r in self.ranges]
        X = np.ascontiguousarray(X, float)
        if X.ndim != 2 or X.shape[1] != len(pairs):
            raise UsageError(f"encoding: {len(pairs)} features are needed, not an array of shape {X.shape}")
        codes = np.empty(X.shape, np.int16)
        lo, hi = (np.array(ends, float) for ends in zip(*pairs, strict=True))
        encode_into(X, codes, lo, hi, values)
        if start < self.learned:
            codes[: self.learned - start, list(self.unknown)] = MISSING
        return codes

    def describe(self) -> str:
        """For a report: where the ranges come from."""
        if self.learned:
            own = len(self.unknown)
            share = "" if own == len(self.ranges) else f" for {own} of {len(self.ranges)} features"
            return f"ranges learned{share} from the first {self.learned} samples, margin {self.margin}"
        return {
            "auto": "ranges known beforehand",
            "whole": "ranges of the whole stream (optimistic)",
            "raw": "raw: values are 16-bit codes already",
        }.get(self.method, f"ranges given: {self.method}")


def make_encoding(
    stream: Stream, method: str | Sequence[Range] = "auto", learn: int = LEARN, margin: int = MARGIN
) -> Encoding:
    """The encoding of a stream, by one of the methods above or by stated ranges, one per feature."""
    ranges, method = _stated(stream, method)
    if method == "whole":
        return Encoding(_extremes(stream, ranges), method)
    unknown = [j for j, range_ in enumerate(ranges) if range_ is None]
    if not unknown:
        return Encoding(ranges, method)
    # Learn ranges from a tenth of the stream at most: their samples are missing to the model.
    learn = min(learn, max(1, stream.length // 10))
    encoder = Encoder(len(ranges), ranges, learn, margin)
    out = array("h", bytes(2 * len(ranges)))
    for X, _ in stream.chunks(learn):
        for row in X.tolist():
            if not encoder.ready:
                encoder.encode(row, out)
        if encoder.ready:
            break
    return Encoding(encoder.ranges, method, learn, margin, unknown)


def check_method(stream: Stream, method: str) -> None:
    """Refuse a method that does not exist, without looking at a sample."""
    _stated(stream, method)


def _stated(stream: Stream, method: str | Sequence[Range]) -> tuple[list[Range], str]:
    """The ranges that are known without looking at a sample, and the name of the method."""
    if not isinstance(method, str):
        if len(method) != stream.n_features:
            raise UsageError(f"ranges: {stream.n_features} are needed, one per feature, not {len(method)}")
        return list(method), "one per feature"
    if method.endswith(".json"):
        stated = ranges_for(method, stream.feature_names)
        return [values or own for values, own in zip(stream.nominal, stated, strict=True)], method
    numeric: list[Range]
    if method == "auto":
        numeric = list(stream.ranges)
    elif method in ("learned", "whole"):
        numeric = [None] * stream.n_features
    elif method == "raw":
        numeric = [RAW] * stream.n_features
    else:
        numeric = [_parse(method)] * stream.n_features
    return [values or own for values, own in zip(stream.nominal, numeric, strict=True)], method


def _parse(text: str) -> tuple[float, float]:
    try:
        lo, hi = map(float, text.split(":"))
        if lo < hi and np.isfinite(hi - lo):
            return lo, hi
    except ValueError:
        pass
    known = f"{', '.join(METHODS)}, a file of ranges (.json)"
    raise UsageError(
        f"encoding {text!r}: not one of {known}, nor a range such as 0:4095; nor what texts are written in, "
        "such as latin-1"
    )


def _extremes(stream: Stream, ranges: list[Range]) -> list[Range]:
    lo, hi = np.full(stream.n_features, np.inf), np.full(stream.n_features, -np.inf)
    for X, _ in stream.chunks():
        finite = np.isfinite(X)
        lo = np.minimum(lo, X.min(axis=0, where=finite, initial=np.inf))
        hi = np.maximum(hi, X.max(axis=0, where=finite, initial=-np.inf))
    found: list[Range] = []
    for j, known in enumerate(ranges):
        if known is not None:
            found.append(known)
        elif lo[j] < hi[j]:
            found.append((float(lo[j]), float(hi[j])))
        else:  # the value is constant, or always missing: any range will do
            middle = float(lo[j]) if np.isfinite(lo[j]) else 0.0
            found.append((middle - max(abs(middle), 1.0), middle + max(abs(middle), 1.0)))
    return found


def encode(X: np.ndarray, ranges: Sequence[Range]) -> np.ndarray:
    """int16 codes of a matrix, with one stated range per feature."""
    return Encoding(list(ranges), "one per feature").encode(X)


def encode_chunks(
    stream: Stream, encoding: Encoding, size: int = CHUNK
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(codes int16, y int16) of a stream, chunk by chunk."""
    at = 0
    for X, y in stream.chunks(size):
        yield encoding.encode(X, at), y
        at += len(y)


def _room(rows: int, columns: int) -> np.ndarray:
    """Room for codes: in memory, or, if they are many, in a temporary file that the system caches."""
    if 2 * rows * columns <= SPILL:
        return np.empty((rows, columns), np.int16)
    with tempfile.TemporaryFile(prefix="niwaki-") as file:
        return np.memmap(file, np.int16, "w+", shape=(rows, columns))


def encode_stream(stream: Stream, encoding: Encoding | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The whole stream as (codes int16 (n, d), y int16 (n,)), without ever holding all its floats."""
    encoding = encoding or make_encoding(stream)
    codes = _room(stream.length, stream.n_features)
    labels = np.empty(stream.length, np.int16)
    at = 0
    for part, y in encode_chunks(stream, encoding):
        codes[at : at + len(y)], labels[at : at + len(y)] = part, y
        at += len(y)
    return codes, labels
