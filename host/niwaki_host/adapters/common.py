"""What the interfaces share: compiled kernels on a model's own arrays, floats as the device encodes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from niwaki import Grove, Tree
from niwaki.encoder import LEARN, MARGIN, Encoder
from niwaki.grove import layout as grove_layout
from niwaki.model import MISSING
from niwaki_host.device.models import build
from niwaki_host.device.schedule import schedule_of
from niwaki_host.errors import UsageError
from niwaki_host.jit import njit
from niwaki_host.runtimes import numba_rt
from niwaki_host.runtimes.events import ASK, Prequential, encode
from niwaki_host.runtimes.events import LEARN as LEARN_IT
from niwaki_host.sizes import parse_size
from niwaki_host.streams.encoding import Range, encode_into

__all__ = ["LEARN", "Codes", "Engine", "make_engine"]


class Codes:
    """Turns samples into 16-bit codes. A range that is not stated is learned from the feature's first `learn`
    values, by the rule of `niwaki.Encoder`; until then the feature is missing."""

    def __init__(self, ranges: Sequence[Range], learn: int = LEARN, margin: int = MARGIN) -> None:
        if learn < 1:
            raise ValueError(f"learn must be at least 1, not {learn}")
        stated = Encoder(len(ranges), list(ranges), learn, margin)  # raises an error for a wrong range
        self.margin = margin
        self.left = np.array([learn if r is None else 0 for r in stated.ranges], np.int64)
        self.values = np.array([r if isinstance(r, int) else 0 for r in stated.ranges], np.int64)
        self.lo = np.full(len(ranges), np.inf)
        self.hi = np.full(len(ranges), -np.inf)
        for j, known in enumerate(stated.ranges):
            if isinstance(known, tuple):
                self.lo[j], self.hi[j] = known
        self._note()

    def _note(self) -> None:
        self.unknown = np.flatnonzero(self.left)
        self.learning = len(self.unknown) > 0

    @property
    def ranges(self) -> list[Range]:
        """What `niwaki.Encoder` takes: (lo, hi), a number of nominal values, None where not yet known."""
        pairs = zip(self.left.tolist(), self.values.tolist(), self.lo.tolist(), self.hi.tolist(), strict=True)
        return [None if left else values or (lo, hi) for left, values, lo, hi in pairs]

    def look(self, X: np.ndarray, settle: bool = False) -> None:
        """Learn ranges from these rows; with `settle` fix all ranges now, however few values there were."""
        part = X[:, self.unknown]
        finite = np.isfinite(part)
        low = part.min(axis=0, where=finite, initial=np.inf)
        high = part.max(axis=0, where=finite, initial=-np.inf)
        self.lo[self.unknown] = np.minimum(self.lo[self.unknown], low)
        self.hi[self.unknown] = np.maximum(self.hi[self.unknown], high)
        left = np.maximum(self.left[self.unknown] - finite.sum(axis=0), 0)
        self.left[self.unknown] = 0 if settle else left
        for j in self.unknown[self.left[self.unknown] == 0].tolist():
            self._fix(j)
        self._note()

    def _fix(self, j: int) -> None:
        """Fix a range by the rule of Encoder, from the smallest and the largest value seen."""
        encoder = Encoder(1, None, 2, self.margin)
        for end in (float(self.lo[j]), float(self.hi[j])):
            encoder.encode([end], [0])
        self.lo[j], self.hi[j] = encoder.ranges[0]

    def encode(self, X: np.ndarray, out: np.ndarray) -> np.ndarray:
        """int16 codes of float64 rows into `out`."""
        encode_into(X, out, self.lo, self.hi, self.values)
        if self.learning:
            out[:, self.unknown] = MISSING
        return out


class Engine:
    """The numba runtime on one model: whole batches, and one sample at a time without making anything new.

    Predicting leaves the model as it is, its scratch included.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self._connect()

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model}  # alone: addresses and machine code mean nothing to another process

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._connect()

    def _connect(self) -> None:
        model = self.model
        self._loop = numba_rt.loop_of(model)
        self._views = numba_rt.views(model)
        self._learning = np.array([_address(view) for view in self._views], np.uintp)
        self.code = np.full((1, model.n_features), MISSING, np.int16)
        self._ask = encode([ASK]), np.zeros(1, np.int32)
        self._ask_and_learn = encode([ASK, LEARN_IT]), np.zeros(2, np.int32)
        self._kept, self._answer = np.zeros(1, np.int32), np.zeros(1, np.int16)
        self._row = np.uintp(_address(self.code)), model.n_features

    def _asked_alone(self) -> tuple[np.ndarray, numba_rt.Views]:
        """Copy the arrays to ask the copy, so that no answer depends on the rows that are asked before it.

        A grove that nobody teaches grows the shrubs that are due, a part at each question. In the copy they
        all grow before the first question.
        """
        arrays = numba_rt.Views(*(view.copy() for view in self._views))
        before = schedule_of(self.model).before
        if before:
            words = arrays.words
            grow, begin = (numba_rt.compiled(kernel) for kernel in before)
            while words[grove_layout.COUNT] and (
                words[grove_layout.LEAVES] or words[grove_layout.REST] >= words[grove_layout.COUNT]
            ):
                due = grow if words[grove_layout.LEAVES] else begin
                due(*arrays)
            words[grove_layout.IDLE] = grove_layout.IDLE_MOST
        return np.array([_address(view) for view in arrays], np.uintp), arrays

    # One sample, whose codes are in `self.code`.

    def learn_one(self, y: int) -> None:
        self._ask_and_learn[0][1] = encode(LEARN_IT, y)
        self._loop(self._learning, *self._row, *self._ask_and_learn, self._kept, self._answer)

    def predict_one(self) -> int:
        self._loop(self._learning, *self._row, *self._ask, self._kept, self._answer)
        return int(self._answer[0])

    def probabilities_one(self) -> np.ndarray:
        self.predict_one()
        return probabilities(self.model, self._views.scratch[None])[0]

    # Batches: rows of codes.

    def _batch(self, codes: np.ndarray) -> tuple[np.ndarray, np.uintp, np.ndarray]:
        codes = np.ascontiguousarray(codes, np.int16)
        if codes.ndim != 2 or codes.shape[1] != self.model.n_features:
            raise ValueError(f"rows of {self.model.n_features} codes are needed, not shape {codes.shape}")
        return codes, np.uintp(_address(codes)), np.zeros(len(codes), np.int16)

    def learn(self, codes: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Learn row after row; returns what was predicted before each was learned."""
        codes, rows, answers = self._batch(codes)
        labels = np.ascontiguousarray(labels, np.int16)
        if len(labels) != len(codes) or (len(labels) and int(labels.max()) >= self.model.n_classes):
            raise ValueError(f"one label below {self.model.n_classes} is needed for each row")
        events = Prequential(labels, 0).events(0, len(labels))
        self._loop(self._learning, rows, codes.shape[1], events.codes, events.rows, self._kept, answers)
        return answers

    def predict(self, codes: np.ndarray) -> np.ndarray:
        codes, rows, answers = self._batch(codes)
        addresses, _arrays = self._asked_alone()
        asked = np.arange(len(codes), dtype=np.int32)
        questions = encode(np.full(len(codes), ASK))
        self._loop(addresses, rows, codes.shape[1], questions, asked, self._kept, answers)
        return answers

    def probabilities(self, codes: np.ndarray) -> np.ndarray:
        codes, rows, answers = self._batch(codes)
        addresses, arrays = self._asked_alone()
        scratch = arrays.scratch
        question, asked = encode([ASK]), np.zeros(1, np.int32)
        left = np.empty((len(codes), len(scratch)), np.int32)
        for t in range(len(codes)):
            asked[0] = t
            self._loop(addresses, rows, codes.shape[1], question, asked, self._kept, answers)
            left[t] = scratch
        return probabilities(self.model, left)


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def probabilities(model: Any, scratch: np.ndarray) -> np.ndarray:
    """Class probabilities as `model.scores` has them: a row for each row of scratch that predictions left."""
    shares = np.empty((len(scratch), model.n_classes))
    if isinstance(model, Tree):
        from niwaki.tree import layout as lay

        nodes, leaves = (model.words[lay.NODE0], lay.NODE), (model.words[lay.LEAF0], lay.LEAF)
        places = lay.S_NODE, lay.S_LOGS, lay.S_ROWS
        _tree_shares(np.frombuffer(model.halves, np.uint16), scratch, nodes, leaves, places, shares)
    else:
        first = grove_layout.S_ROWS if isinstance(model, Grove) else 0
        shares[:] = scratch[:, first : first + model.n_classes]
    _normalise(shares)
    return shares


@njit(cache=True)
def _tree_shares(halves, scratch, nodes, leaves, places, out):
    """Naive Bayes' probabilities where it gave the answer (from logarithms in Q13), else the leaf's counts.

    The layout comes in arguments: numba's cache would keep old numbers when the layout changes.
    """
    classes = out.shape[1]
    node, logs, rows = places
    for i in range(len(scratch)):
        if scratch[i, logs]:
            row = scratch[i, rows : rows + classes]
            for c in range(classes):
                out[i, c] = 2.0 ** ((row[c] - row.max()) / 8192)
        else:
            record = halves[nodes[0] + scratch[i, node] * nodes[1] + 2]
            first = leaves[0] + record * (leaves[1] + classes) + leaves[1]
            for c in range(classes):
                out[i, c] = halves[first + c]


@njit(cache=True)
def _normalise(shares):
    for row in shares:
        total = row.sum()
        if total > 0:
            row /= total
        else:
            row[:] = 1 / len(row)


def make_engine(
    model: str,
    budget: str | int,
    n_features: int,
    n_classes: int,
    nominal: list[int],
    options: dict[str, Any],
) -> Engine:
    """Build the model; an order that it refuses raises a ValueError, as users of the libraries expect."""
    if model not in ("shrubs", "grove") and any(nominal):
        options = {"nominal": nominal, **options}
    try:
        return Engine(build(model, n_features, n_classes, parse_size(budget), **options))
    except UsageError as error:
        raise ValueError(str(error)) from None
