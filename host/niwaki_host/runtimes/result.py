"""What a run gives back, whichever runtime did it."""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from niwaki_host.runtimes.events import PIECE, Events, Script, pieces


@dataclass
class Run:
    """A model's state after a stream, its predictions, and what the runtime could measure."""

    words: np.ndarray
    halves: np.ndarray
    octets: np.ndarray
    predictions: np.ndarray
    digest: str
    nodes: int
    leaves: int
    samples: int
    model_bytes: int
    budget_bytes: int
    seconds: float
    curve: dict[str, np.ndarray] = field(default_factory=dict)
    clock: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """Seconds spent up to each point of the curve."""
    noted: list[Any] = field(default_factory=list)
    """What `note` said of the model at each point of the curve."""
    ensemble: Any = None
    """Of trees, where that is the model: its arrays are those of all trees, one after another."""
    heap_bytes: int | None = None
    peak_heap_bytes: int | None = None
    instructions_per_learn: float | None = None
    instructions_per_predict: float | None = None
    max_instructions_per_learn: int | None = None


@dataclass
class Job:
    """A run to be done: the model as the desktop builds it, the samples, and what is done with them."""

    model: Any
    class_name: str
    kwargs: dict[str, Any]
    X: np.ndarray
    script: Script
    every: int = 0
    image: bytes | None = None
    progress: Callable[[int], None] | None = None
    note: Callable[[Any], Any] | None = None
    self_train: int = 0  # margin above which a sample without label is learned as predicted; 0: never
    noted: list[Any] = field(default_factory=list)

    @property
    def keeps(self) -> bool:
        return keeps_answers(self.model)

    @property
    def shape(self) -> tuple[int, int, int]:
        """n_features, n_classes, budget."""
        return self.model.n_features, self.model.n_classes, self.model.budget

    def pieces(self, size: int = PIECE) -> Iterator[Events]:
        """The events, piece by piece; a point of the curve is due at the end of one."""
        return pieces(self.script, self.every, size)

    def predictions(self) -> np.ndarray:
        """Room for an answer to each sample; -1 for those that are not asked."""
        return np.full(len(self.X), -1, np.int16)

    def answers_by_row(self, answers: np.ndarray) -> np.ndarray:
        """Predictions from the answers in the order of the questions."""
        predictions = self.predictions()
        predictions[self.script.asked] = answers
        return predictions

    def point(self, done: int, seconds: float) -> tuple[float, ...]:
        """A point of the curve, from the model as it is now."""
        if self.note:
            self.noted.append(self.note(self.model))
        return done, self.model.n_nodes, self.model.n_leaves, seconds

    def advance(self, done: int) -> None:
        if self.progress:
            self.progress(done)


def keeps_answers(model: Any) -> bool:
    """Does the model want to be told how it answered when a label comes late? See docs/architecture.md."""
    return hasattr(type(model), "learn_late")


def digest(model: Any) -> str:
    """CRC-32 of words, halves, octets, little-endian, as eight hex digits."""
    crc = zlib.crc32(bytes(model.words))
    crc = zlib.crc32(bytes(model.halves), crc)
    return f"{zlib.crc32(bytes(model.octets), crc):08x}"


def set_state(model: Any, words: bytes, halves: bytes, octets: bytes) -> None:
    """Give the desktop's model the arrays that another runtime ended with."""
    for name, data in (("words", words), ("halves", halves), ("octets", octets)):
        own = memoryview(getattr(model, name)).cast("B")
        if len(own) != len(data):
            raise AssertionError(f"{name} has {len(data)} bytes there and {len(own)} here")
        own[:] = data


def finish(job: Job, predictions: np.ndarray, seconds: float, curve: Any = (), **measured: Any) -> Run:
    """The Run, from the model's arrays as they are now; `curve` has (samples, nodes, leaves, seconds)."""
    model = job.model
    points = np.array(curve, float).reshape(-1, 4)
    at, nodes, leaves = points[:, :3].astype(np.int64).T
    return Run(
        words=np.frombuffer(model.words, np.int32).copy(),
        halves=np.frombuffer(model.halves, np.uint16).copy(),
        octets=np.frombuffer(model.octets, np.uint8).copy(),
        predictions=predictions,
        digest=digest(model),
        nodes=model.n_nodes,
        leaves=model.n_leaves,
        samples=model.samples,
        model_bytes=model.nbytes,
        budget_bytes=model.budget,
        seconds=seconds,
        curve={"at": at, "nodes": nodes, "leaves": leaves} if job.every else {},
        clock=points[:, 3],
        noted=job.noted,
        **measured,
    )
