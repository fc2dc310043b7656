"""How labels come: which of them a classifier is told, how late, or which samples it is taught."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki_host.errors import UsageError
from niwaki_host.runtimes.events import Lesson, Prequential, Script

JUDGED = 3000  # at most so many samples are asked after teaching
ORDERS = ("blocks", "mixed")


@dataclass(frozen=True)
class Telling:
    """All classifiers of a comparison, and all runs of a sweep, get the same.

    delay           samples that a label is late; up to `delay_most`, drawn for each sample, if that is given
    labelled        the share of labels that are told at all
    labelled_first  labels are told of so many first samples, then none; None: of all
    teach           so many samples of each class are taught, then the model is frozen; 0: test, then train
    teach_order     one class after another (blocks), or mixed
    """

    delay: int = 0
    delay_most: int | None = None
    labelled: float = 1.0
    labelled_first: int | None = None
    teach: int = 0
    teach_order: str = ORDERS[0]
    seed: int | None = None

    def __post_init__(self) -> None:
        late = self.delay or self.delay_most
        if self.teach and (late or self.labelled < 1 or self.labelled_first is not None):
            raise UsageError(
                "--teach shows the samples it has chosen, at once, and tells no label after that: leave out "
                "--delay, --labelled and --labelled-first, or --teach"
            )
        if self.teach_order != ORDERS[0] and not self.teach:
            raise UsageError("--teach-order says how samples are taught: add --teach K")

    @property
    def plain(self) -> bool:
        """Every label is told at once."""
        return self == Telling(seed=self.seed)

    @property
    def drawn(self) -> bool:
        """The seed decides about labels."""
        return self.labelled < 1 or self.delay_most is not None or self.teach_order == "mixed"

    def describe(self) -> str:
        """For a title; nothing where every label is told at once."""
        parts = []
        if self.teach:
            parts.append(f"taught {self.teach:,} of each class in {self.teach_order}, then frozen")
        if self.delay_most is not None:
            parts.append(f"labels {self.delay:,} to {self.delay_most:,} samples late")
        elif self.delay:
            parts.append(f"labels {self.delay:,} samples late")
        if self.labelled < 1:
            parts.append(f"{self.labelled:.0%} of the labels told")
        if self.labelled_first is not None:
            parts.append(f"labels of the first {self.labelled_first:,} samples told")
        return "".join(f", {part}" for part in parts)

    def shown(self, y: NDArray[np.int16]) -> NDArray[np.int16]:
        """The labels that are told, -1 for the others: each with probability `labelled`, by the seed."""
        if self.labelled_first is not None:
            y = np.where(np.arange(len(y)) < self.labelled_first, y, -1).astype(np.int16)
        if self.labelled >= 1:
            return y
        drawn = np.random.default_rng((self.seed or 0) % 2**64).random(len(y)) < self.labelled
        return np.where(drawn, y, -1).astype(np.int16)

    def delays(self, n: int) -> int | NDArray[np.int64]:
        """How many samples late each label is: one number for all, or one for each."""
        if self.delay_most is None:
            return self.delay
        # Use other random numbers than `shown` does: else the labels that are told would all come soon.
        rng = np.random.default_rng([(self.seed or 0) % 2**64, 1])
        return rng.integers(self.delay, self.delay_most, n, endpoint=True)

    def lesson(self, y: NDArray[np.int16], unready: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows that are taught, in their order, and the rows that are asked after that.

        The `unready` first samples have no codes, because ranges are learned from them: they are not taught.
        """
        half = len(y) // 2
        blocks = []
        for label in range(int(y.max(initial=-1)) + 1):
            rows = unready + np.flatnonzero(y[unready:half] == label)
            if len(rows):
                blocks.append(spread(rows, self.teach))
        asked = half + np.flatnonzero(y[half:] >= 0)
        if not blocks or not len(asked):
            where = "first half" if len(asked) else "second half"
            raise UsageError(f"--teach {self.teach}: there is no sample with a label in the stream's {where}")
        taught = np.concatenate(blocks)
        if self.teach_order == "mixed":
            taught = np.random.default_rng([(self.seed or 0) % 2**64, 2]).permutation(taught)
        return taught, spread(asked, JUDGED)

    def script(self, y: NDArray[np.int16], unready: int = 0) -> Script:
        """The events of a run, for a classifier that keeps no answers."""
        if self.teach:
            return Lesson(y, *self.lesson(y, unready))
        return Prequential(self.shown(y), self.delays(len(y)))


AT_ONCE = Telling()


def spread(rows: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """`count` of these rows, evenly spread from the first to the last; all rows if there are no more."""
    if len(rows) <= count:
        return rows
    if count == 1:
        return rows[[len(rows) // 2]]
    return rows[np.arange(count) * (len(rows) - 1) // (count - 1)]
