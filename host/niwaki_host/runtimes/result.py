"""What a run gives back, whichever runtime did it."""

import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np


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
    heap_bytes: int | None = None
    peak_heap_bytes: int | None = None
    instructions_per_learn: float | None = None
    instructions_per_predict: float | None = None
    max_instructions_per_learn: int | None = None


@dataclass
class Job:
    """A run to be done: the model as the desktop builds it, and the stream."""

    model: Any
    class_name: str
    kwargs: dict[str, Any]
    X: np.ndarray
    y: np.ndarray
    delay: int
    every: int
    image: bytes | None
    progress: Any

    @property
    def n_samples(self) -> int:
        return len(self.X)

    @property
    def shape(self) -> tuple[int, int, int]:
        """n_features, n_classes, budget."""
        return self.model.n_features, self.model.n_classes, self.model.budget

    def delayed_labels(self) -> np.ndarray:
        """For each sample the label that is learned after it (of the sample `delay` earlier), -1 for none."""
        labels = np.full(self.n_samples, -1, np.int16)
        labels[self.delay :] = self.y[: max(0, self.n_samples - self.delay)]
        return labels

    def advance(self, done: int) -> None:
        if self.progress:
            self.progress(done)


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


def finish(job: Job, predictions: np.ndarray, seconds: float, curve: Any = None, **measured: Any) -> Run:
    """The Run, from the model's arrays as they are now."""
    model = job.model
    at, nodes, leaves = np.array(curve or [], np.int64).reshape(-1, 3).T
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
        **measured,
    )
