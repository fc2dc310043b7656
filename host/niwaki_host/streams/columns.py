"""One column of a table: is it numbers or texts, and what are its codes?"""

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from niwaki_host.errors import UsageError

pc: Any = pyarrow.compute  # it makes its functions at import, where type checkers can't see them

MISSING = pa.array(["", "?", "NA", "N/A", "NaN", "nan", "null", "None"])
MOST_VALUES = 32767
MOST_CLASSES = 255
WHOLE = 2**53  # below this, a float64 can hold every integer
NO_REGRESSION = f"a model tells at most {MOST_CLASSES} classes apart, and there is no regression"
_TIME = r"\d{1,2}:\d\d(:\d\d([.,]\d+)?)?( ?[AaPp][Mm])?(Z| ?[+-]\d\d:?\d\d)?"
_DATE = r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})"
_TIMESTAMP = re.compile(rf"{_DATE}([T ]{_TIME})?|{_TIME}")


def to_texts(array: pa.Array) -> pa.Array:
    """The values as trimmed texts, with null for a missing value."""
    texts = pc.utf8_trim_whitespace(array.cast(pa.string()))
    return pc.if_else(pc.is_in(texts, MISSING), None, texts)


def to_number(text: str) -> float | None:
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def to_numbers(array: pa.Array) -> np.ndarray | None:
    """The values as float64, with NaN for a missing value; None if a text is not a number."""
    try:
        return _plain(array.cast(pa.float64()))
    except pa.ArrowInvalid:
        pass
    texts = to_texts(array)
    try:
        return _plain(texts.cast(pa.float64()))
    except pa.ArrowInvalid:
        pass
    # Numbers that Python reads and arrow does not, such as +1 or Infinity.
    coded = texts.dictionary_encode()
    numbers = [to_number(text) for text in coded.dictionary.to_pylist()]
    if None in numbers:
        return None
    return np.array([*numbers, np.nan])[_plain(coded.indices.cast(pa.float64()), -1).astype(np.int64)]


def _plain(array: pa.Array, missing: float = np.nan) -> np.ndarray:
    return array.fill_null(missing).to_numpy(zero_copy_only=False)


class Column:
    """What is known about a column: `look` at all of it, `settle`, then `convert` it piece by piece."""

    def __init__(self, table: str, name: str) -> None:
        self.table, self.name = table, name
        self.nominal = False
        self.is_label = False
        self.declared = False
        self.room = 0
        """Of a label: so many classes were asked for. Whole numbers below it are classes by themselves."""
        self.values: list[str] = []
        """The names behind the codes 0..k-1; none for a numeric column."""
        self.seen: dict[str, None] = {}
        self._numbers = False
        self._text: tuple[int, str] | None = None
        self._ordinals: np.ndarray | None = None

    def declare(self, values: list[str]) -> None:
        """The file itself names the values: their order is the codes' order."""
        self.nominal = self.declared = True
        self.values = values

    def look(self, array: pa.Array, row: int) -> None:
        """Take note of values; `row` is how many came before. A column of numbers and texts is a mistake."""
        try:
            self._look(array, row)
        except pa.ArrowInvalid:
            raise UsageError(
                f"{self.table}: column {self.name!r} of kind {array.type} is not UTF-8 text; "
                "leave it out (--drop)"
            ) from None
        except pa.ArrowNotImplementedError:  # no cast makes numbers or texts of such values: dates, lists
            texts = "" if pa.types.is_nested(array.type) else " or take its texts as values (--nominal)"
            raise UsageError(
                f"{self.table}: column {self.name!r} is of kind {array.type}; leave it out (--drop){texts}"
            ) from None

    def _look(self, array: pa.Array, row: int) -> None:
        if not self.nominal and self._text is None:
            numbers = to_numbers(array)
            if numbers is not None:
                self._numbers = self._numbers or not np.isnan(numbers).all()
                return
        texts = to_texts(array)
        fresh = [text for text in texts.unique().drop_null().to_pylist() if text not in self.seen]
        if self.declared:
            self._refuse_undeclared(texts, fresh, row)
        elif not self.nominal:
            self._refuse_mixture(texts, fresh, row)
        self.seen.update(dict.fromkeys(fresh))
        self._refuse_many()

    def _refuse_many(self) -> None:
        most = MOST_CLASSES if self.is_label else MOST_VALUES
        if len(self.seen) <= most:
            return
        self._refuse_timestamps()
        advice = f"leave it out (--drop {self.name})"
        if self.is_label:
            advice = f"{NO_REGRESSION}; is the label in another column? (--label)"
        raise UsageError(
            f"{self.table}: column {self.name!r} has more than {most} different values; {advice}"
        )

    def _refuse_timestamps(self) -> None:
        """Refuse dates: they are no numbers, and nominal values that never come again would teach nothing."""
        if self.nominal or not self.seen or not all(map(_TIMESTAMP.fullmatch, self.seen)):
            return
        raise UsageError(
            f"{self.table}: column {self.name!r} holds dates or times, such as {next(iter(self.seen))!r}: "
            f"leave it out (--drop {self.name}), or write it as a number, such as the hour of the day"
        )

    def _refuse_mixture(self, texts: pa.Array, fresh: list[str], row: int) -> None:
        wrong = [text for text in fresh if to_number(text) is None]
        self._numbers = self._numbers or len(wrong) < len(fresh)
        if self._text is None:
            at = pc.is_in(texts, pa.array(wrong)).index(True).as_py()
            self._text = row + at + 1, texts[at].as_py()
        if self._numbers:
            row, text = self._text
            raise UsageError(
                f"{self.table}, row {row}, column {self.name!r}: {text!r} is text in a column of numbers; "
                "correct it, or declare the column nominal (--nominal)"
            )

    def _refuse_undeclared(self, texts: pa.Array, fresh: list[str], row: int) -> None:
        for text in fresh:
            if text not in self.values:
                at = pc.index(texts, text).as_py()
                raise UsageError(
                    f"{self.table}, row {row + at + 1}, column {self.name!r}: {text!r} is not declared"
                )

    def settle(self) -> None:
        """After the last look: put the values in order, integers by size, texts by the alphabet."""
        if self.declared or not (self.nominal or self.seen):
            return
        self._refuse_timestamps()
        self.nominal = True
        numbers = [to_number(text) for text in self.seen]
        if all(number is not None and abs(number) < WHOLE and number.is_integer() for number in numbers):
            self._ordinals = np.unique(np.array(numbers, float))
            if ((self._ordinals >= 0) & (self._ordinals < self.room)).all():
                self._ordinals = np.arange(self.room, dtype=float)
            self.values = [str(int(number)) for number in self._ordinals]
        else:
            self.values = sorted(self.seen)

    def convert(self, array: pa.Array) -> np.ndarray:
        """float64: numbers, or the codes of nominal values; NaN where missing."""
        if not self.nominal:
            numbers = to_numbers(array)
            assert numbers is not None, "the first look has read this column as numbers"
            return numbers
        if self._ordinals is None:
            codes = pc.index_in(to_texts(array), pa.array(self.values))
            return _plain(codes.cast(pa.float64()))
        numbers = to_numbers(array)
        assert numbers is not None, "the first look has read these values as integers"
        codes = np.searchsorted(self._ordinals, numbers).astype(float)
        codes[np.isnan(numbers)] = np.nan
        return codes
