"""A device's model as a river classifier."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from river import base

from niwaki_host.adapters.common import LEARN, Codes, make_engine
from niwaki_host.device.models import MODELS

_NAN = math.nan
TEXT_VALUES = 16  # room for the values of a feature whose value is a text in the first sample


class RiverClassifier(base.Classifier):
    """A tree or a shrub ensemble that never exceeds its bytes, with the same bits as on a microcontroller.

    A device has a fixed number of features and classes. A new label, of any type, gets the next free class;
    one label more than `n_classes` is a ValueError. The features of the first sample get a place when it is
    learned; features that come later get the places that are still free (`n_features`), or are ignored when
    none is left. A feature that is absent, None or NaN is missing. Numbers become 16-bit codes in stated
    ranges, or in ranges learned from a feature's first values as `niwaki.Encoder` does; until a range is
    known, the model sees its feature as missing.

    Parameters
    ----------
    model
        "vfdt", "svfdt1", "svfdt2", "ht-reg", "hat", "hat-reg", "shrubs" or "grove".
    budget
        Bytes that the model may take: 8192 or "8k".
    n_classes
        How many labels there may be. Each takes bytes: 2 are better spent on 2 classes than 10.
    n_features
        How many features there may be; those of the first sample by default.
    ranges
        (lo, hi) by name of feature, for those whose range is known beforehand.
    nominal
        Number of values by name of feature. A new value, of any type, gets the next free code; when none is
        left, it is missing. A feature whose value in the first sample is a text is nominal with 16 values,
        even if it is not named here.
    learn
        How many first values of a feature its range is learned from.
    options
        Options of the model itself, such as `grace=100` or `leaf="mc"`.

    Examples
    --------
    >>> from river import datasets, metrics
    >>> clf = RiverClassifier("vfdt", budget="8k", n_classes=2)
    >>> metric = metrics.Accuracy()
    >>> for x, y in datasets.Phishing():
    ...     metric.update(y, clf.predict_one(x))
    ...     clf.learn_one(x, y)
    >>> metric.get() > 0.8, clf.model_.nbytes <= 8192
    (True, True)
    """

    def __init__(
        self,
        model: str = "vfdt",
        budget: str | int = "8k",
        n_classes: int = 10,
        n_features: int | None = None,
        ranges: dict[Hashable, tuple[float, float]] | None = None,
        nominal: dict[Hashable, int] | None = None,
        learn: int = LEARN,
        **options: Any,
    ) -> None:
        if model not in MODELS:
            raise ValueError(f"unknown model {model!r}; choose from {', '.join(MODELS)}")
        self.model = model
        self.budget = budget
        self.n_classes = n_classes
        self.n_features = n_features
        self.ranges = ranges
        self.nominal = nominal
        self.learn = learn
        self.options = options
        self._engine: Any = None
        self._codes: Any = None
        self._labels: dict[Hashable, int] = {}
        self._classes: list[Hashable] = []
        self._places: dict[Hashable, int] = {}
        self._vocabularies: dict[Hashable, dict[Hashable, int]] = {}
        self._row = np.empty((1, 0))

    @property
    def model_(self) -> Any:
        """The device's model, to `save` or to inspect; None before the first sample."""
        return self._engine and self._engine.model

    @property
    def features_(self) -> list[Hashable]:
        """Names of the features that have a place, in the model's order."""
        return list(self._places)

    @property
    def classes_(self) -> list[Hashable]:
        """Labels in the order of the model's classes."""
        return list(self._classes)

    @property
    def ranges_(self) -> list[Any]:
        """What the device's Encoder needs to encode as this classifier does."""
        return self._codes.ranges if self._codes else []

    @property
    def feature_importances_(self) -> dict[Hashable, float]:
        """A share of 1 for each feature that has a place, by the model's own ranking (MPG)."""
        if not self._engine:
            return {}
        found = np.zeros(self._row.shape[1], np.int32)
        self._engine.model.importances(found)
        total = max(int(found.sum()), 1)
        return {name: int(found[place]) / total for name, place in self._places.items()}

    @property
    def _multiclass(self) -> bool:
        return True

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes that the model takes on a device; river would count numba's compiler too."""
        return self._engine.model.nbytes if self._engine else 0

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        if self._engine is None:
            self._start(x)
        label = self._labels.get(y, len(self._classes))
        if label == self.n_classes:
            raise ValueError(
                f"label {y!r} is one more than the {self.n_classes} classes that this model was made for: "
                "give it a larger n_classes"
            )
        if self._engine is not None:
            if len(self._places) < self._row.shape[1]:
                self._settle_in(x)
            self._encode(x, learn=True)
        if label == len(self._classes):  # a new label: keep it only now that its sample is accepted
            self._labels[y] = label
            self._classes.append(y)
        if self._engine is None:  # no sample had a feature so far
            return
        if self._codes.learning:
            self._codes.look(self._row)
        self._engine.learn_one(label)

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        if not self._classes:
            return None
        if self._engine is None:
            return self._classes[0]
        self._encode(x)
        return self._classes[self._engine.predict_one()]

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        known = len(self._classes)
        if self._engine is None:
            return dict.fromkeys(self._classes, 1 / max(known, 1))
        self._encode(x)
        shares = self._engine.probabilities_one()[:known]  # classes without a label get no share
        return dict(zip(self._classes, (shares / shares.sum()).tolist(), strict=True))

    def _start(self, x: dict[Any, Any]) -> None:
        """Give features their places, in an order that does not depend on the dict's, and build the model."""
        ranges, nominal = self.ranges or {}, dict(self.nominal or {})
        for name, value in x.items():
            if isinstance(value, str) and name not in ranges:
                nominal.setdefault(name, TEXT_VALUES)
        stated = _ordered({**ranges, **nominal})
        names = _ordered({**dict.fromkeys(stated), **x})
        n_features = self.n_features or len(names)
        if len(names) > n_features:  # features that the user's options name come first
            names = [*stated, *(name for name in names if name not in stated)][:n_features]
        if not n_features:
            return
        spare = n_features - len(names)
        values = [nominal.get(name, 0) for name in names] + [0] * spare
        known = [nominal.get(name, ranges.get(name)) for name in names] + [None] * spare
        self._codes = Codes(known, self.learn)
        self._engine = make_engine(
            self.model, self.budget, n_features, self.n_classes, values, dict(self.options)
        )
        self._places = {name: place for place, name in enumerate(names)}
        self._vocabularies = {name: {} for name in names if name in nominal}
        self._row = np.full((1, n_features), _NAN)

    def _settle_in(self, x: dict[Any, Any]) -> None:
        """Give new features the places that are free."""
        new = x.keys() - self._places.keys()
        for name in _ordered(new)[: self._row.shape[1] - len(self._places)]:
            self._places[name] = len(self._places)

    def _encode(self, x: dict[Any, Any], learn: bool = False) -> None:
        """Put the sample's codes where the engine reads them."""
        values = [x.get(name, _NAN) for name in self._places]
        for name, vocabulary in self._vocabularies.items():
            values[self._places[name]] = self._nominal(name, vocabulary, x.get(name), learn)
        try:
            self._row[0, : len(values)] = values
        except (TypeError, ValueError, OverflowError):
            raise _not_a_number(x, self._places) from None
        self._codes.encode(self._row, self._engine.code)

    def _nominal(self, name: Any, vocabulary: dict[Hashable, int], value: Any, learn: bool) -> float:
        if value is None or value != value:
            return _NAN
        code = vocabulary.get(value)
        if code is None and learn and len(vocabulary) < self._codes.values[self._places[name]]:
            code = vocabulary[value] = len(vocabulary)
        return _NAN if code is None else code


def _ordered(names: Iterable[Any]) -> list[Any]:
    names = list(names)
    try:
        return sorted(names)
    except TypeError:  # names of different types
        return sorted(names, key=lambda name: (type(name).__name__, str(name)))


def _not_a_number(x: dict[Any, Any], names: Iterable[Any]) -> ValueError:
    for name in names:
        try:
            float(x.get(name, 0) or 0)
        except (TypeError, ValueError, OverflowError):
            return ValueError(
                f"feature {name!r}: {x[name]!r} is not a number; for a nominal feature say "
                f"nominal={{{name!r}: how many values}}"
            )
    return ValueError(f"not a sample of numbers: {x!r}")
