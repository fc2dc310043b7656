"""A stream as models get it: 16-bit codes and labels in memory, and what a report says about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Source:
    """Where samples come from: the options of every command that reads a stream."""

    stream: str
    limit: int | None = None
    label: str | None = None
    classes: int | None = None
    nominal: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    encoding: str = "auto"
    seed: int | None = None
    header: bool = True
    charset: str | None = None
    fold: bool = False


@dataclass
class Samples:
    X: NDArray[np.int16]
    y: NDArray[np.int16]
    feature_names: list[str]
    class_names: list[str]
    nominal: list[int]
    drifts: list[Any]
    encoding: str
    unready: int = 0
    """First samples that are missing, because ranges are learned from them."""

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    @property
    def n_classes(self) -> int:
        return len(self.class_names)


def open_source(source: Source) -> Any:
    """Open the stream that the options name."""
    from niwaki_host.streams import open_stream
    from niwaki_host.streams.fold import Folded

    stream = open_stream(
        source.stream,
        source.limit,
        seed=source.seed,
        label=source.label,
        classes=source.classes,
        nominal=list(source.nominal),
        drop=list(source.drop),
        header=source.header,
        charset=source.charset,
    )
    return Folded(stream) if source.fold else stream


def prepare(source: Source) -> Samples:
    """Read and encode, chunk by chunk: of a large file only the codes are ever in memory."""
    # Import these here, because they load numba and arrow: `--help` and wrong options should not wait for it.
    from niwaki_host.streams.encoding import encode_stream, make_encoding

    stream = open_source(source)
    encoding = make_encoding(stream, source.encoding)
    X, y = encode_stream(stream, encoding)
    drifts = [drift for drift in stream.drifts if drift.position < stream.length]  # a limit may cut them off
    return Samples(
        X,
        y,
        stream.feature_names,
        stream.class_names,
        stream.nominal,
        drifts,
        encoding.describe(),
        encoding.learned,
    )
