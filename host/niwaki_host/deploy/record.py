"""Samples from a board into a CSV: what `niwaki record` does with each line that the board prints.

A program on the board prints a header, then a line of numbers for each sample, separated by commas. A column
`label` is what the board's own button says; -1, or nothing, is no label.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from niwaki_host.errors import UsageError

LABEL = "label"
_NOTHING = ("", "-1")  # what a program prints as the label while nobody gives one

# Runs the board's own program as a start would.
MAIN = """
import builtins
if hasattr(builtins, "execfile"):
    execfile("main.py")
else:
    exec(open("main.py").read())
"""


def numbers(line: str) -> list[str] | None:
    """The fields of a line that is a sample; None for any other line. An empty field is a missing value."""
    fields = [text.strip() for text in line.split(",")]
    try:
        found = [float(text) for text in fields if text]
    except ValueError:
        return None
    return fields if found else None


@dataclass
class Recording:
    """The lines so far, as a CSV that grows with each of them."""

    path: Path
    labels: Sequence[str] = ()  # names in the place of 0, 1, ...
    column: str = LABEL  # the board's own labels
    unlabelled: bool = False  # keep samples that have no label
    append: bool = False
    columns: list[str] | None = None  # as the board prints them
    counts: dict[str, int] = field(default_factory=dict)
    left_out: int = 0
    other: list[str] = field(default_factory=list)  # lines that are no samples
    _file: object = None

    @property
    def samples(self) -> int:
        return sum(self.counts.values())

    def take(self, line: str, said: str = "") -> bool:
        """Take one line from the board, while the person says `said`; returns whether it became a row."""
        fields = numbers(line)
        if fields is None:
            words = [text.strip() for text in line.split(",")]
            if self.columns is None and len(words) > 1 and all(words) and len(set(words)) == len(words):
                self.columns = words
            elif line.strip():
                self.other.append(line.strip())
            return False
        if self.columns is None:  # a program without a header
            self.columns = [f"x{i}" for i in range(len(fields))]
        if len(fields) != len(self.columns):
            self.other.append(line.strip())
            return False
        values = dict(zip(self.columns, fields, strict=True))
        label = said or self.name(values.get(self.column, ""))
        if not label and not self.unlabelled:
            self.left_out += 1
            return False
        self._write([value for name, value in values.items() if name != self.column] + [label])
        self.counts[label] = self.counts.get(label, 0) + 1
        return True

    def name(self, text: str) -> str:
        """What the board or a person says as a label: a number stands for its name, if there are names."""
        if text in _NOTHING:
            return ""
        if not self.labels or text in self.labels:
            return text
        if text.isdigit() and int(text) < len(self.labels):
            return self.labels[int(text)]
        raise UsageError(f"label {text!r}: there are {', '.join(self.labels)}, and 0..{len(self.labels) - 1}")

    def _write(self, row: list[str]) -> None:
        if self._file is None:
            assert self.columns is not None
            header = [name for name in self.columns if name != self.column] + [LABEL]
            if new := not (self.append and self.path.exists()):
                self._file = open(self.path, "w", newline="", encoding="utf-8")
            else:
                self._same_header(header)
                self._file = open(self.path, "a", newline="", encoding="utf-8")
            self._rows = csv.writer(self._file, lineterminator="\n")
            if new:
                self._rows.writerow(header)
        self._rows.writerow(row)
        self._file.flush()  # type: ignore[attr-defined]

    def _same_header(self, header: list[str]) -> None:
        with open(self.path, newline="", encoding="utf-8") as f:
            there = next(csv.reader(f), [])
        if there != header:
            raise UsageError(
                f"{self.path} has columns {', '.join(there[:4])}, ..., but the board prints "
                f"{', '.join(header[:4])}, ...: take another file"
            )

    def close(self) -> None:
        if self._file is not None:
            self._file.close()  # type: ignore[attr-defined]
