"""A device's model as a scikit-learn classifier."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, check_X_y, validate_data

from niwaki_host.adapters.common import LEARN, Codes, make_engine
from niwaki_host.adapters.text_columns import columns_of, numbers, vocabularies
from niwaki_host.streams.encoding import Range


class SklearnClassifier(ClassifierMixin, BaseEstimator):
    """A tree or a shrub ensemble that never exceeds its bytes, with the same bits as on a microcontroller.

    It is a learner of streams: it sees each row once, in order (shuffle rows that are sorted by class), and
    `partial_fit` goes on where the last batch ended. Rows become 16-bit codes in stated ranges, or in ranges
    learned by the rule of `niwaki.Encoder`. `fit` learns ranges from all its rows, `partial_fit` from the
    first batches, until a feature has had 50 values; before that, it is missing to the model. NaN is missing.

    Parameters
    ----------
    model
        "vfdt", "svfdt1", "svfdt2", "ht-reg", "hat", "hat-reg", "shrubs" or "grove".
    budget
        Bytes that the model may take: 8192 or "8k".
    ranges
        One per feature: (lo, hi), or the number k of values of a nominal feature (values are 0..k-1), or None
        for a range to be learned.
    options
        Options of the model itself, such as `grace=100` or `leaf="mc"`. `set_params` and searches take them,
        too; None stands for the model's own default.

    Frames of pandas and polars are taken as they are. A column of text is a nominal feature; its values are
    those that the first `fit` or `partial_fit` sees (254 at most). A text that is new later is missing, as is
    None.

    Attributes
    ----------
    classes_ : labels in the order of the model's classes
    model_ : the device's model, to `save` or to inspect
    ranges_ : what the device's Encoder needs to encode as this classifier does
    feature_importances_ : a share of 1 for each feature, by the model's own ranking (MPG)
    values_ : for each feature its texts in the order of their codes; None where it is a number

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> X, y = make_blobs(500, random_state=0)
    >>> SklearnClassifier("vfdt", budget="4k").fit(X[:400], y[:400]).score(X[400:], y[400:]) > 0.85
    True
    """

    def __init__(
        self,
        model: str = "vfdt",
        budget: str | int = "8k",
        ranges: Sequence[Range] | None = None,
        **options: Any,
    ) -> None:
        self.model = model
        self.budget = budget
        self.ranges = ranges
        for name in sorted(_option_names()):
            setattr(self, name, options.pop(name, None))
        if options:
            raise TypeError(f"unknown option {min(options)!r}; known: {', '.join(sorted(_option_names()))}")

    def _options(self) -> dict[str, Any]:
        """The options of the model that the user gave."""
        found = {name: getattr(self, name) for name in _option_names()}
        return {name: value for name, value in found.items() if value is not None}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @property
    def ranges_(self) -> list[Range]:
        check_is_fitted(self)
        return self._codes.ranges

    @property
    def model_(self) -> Any:
        check_is_fitted(self)
        return self._engine.model

    @property
    def feature_importances_(self) -> np.ndarray:
        model = self.model_
        found = np.zeros(model.n_features, np.int32)
        model.importances(found)
        return found / max(int(found.sum()), 1)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_engine")

    def fit(self, X: Any, y: Any) -> SklearnClassifier:
        """Forget all before, and learn these rows in one pass."""
        X, y = self._validate(X, y, reset=True)
        self._start(X.shape[1], np.unique(y))
        return self._learn(X, y, settle=True)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> SklearnClassifier:
        """Learn these rows on top of all before. The first call needs `classes`: all that will ever come."""
        first = not hasattr(self, "_engine")
        X, y = self._validate(X, y, reset=first)
        if first:
            if classes is None or len(classes) == 0:
                raise ValueError("classes must be passed on the first call to partial_fit")
            self._start(X.shape[1], np.unique(classes))
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes are not those of the first call to partial_fit: {self.classes_}")
        return self._learn(X, y)

    def predict(self, X: Any) -> np.ndarray:
        codes = self._encode(X)
        return self.classes_[self._engine.predict(codes)]

    def predict_proba(self, X: Any) -> np.ndarray:
        codes = self._encode(X)
        shares = self._engine.probabilities(codes)[:, : len(self.classes_)]
        return shares / shares.sum(axis=1, keepdims=True)

    def _validate(self, X: Any, y: Any, reset: bool) -> tuple[np.ndarray, np.ndarray]:
        X, texts = columns_of(X)
        if texts:
            validate_data(self, X, reset=reset, skip_check_array=True)
            if reset:
                self.values_ = vocabularies(X, texts)
            X, y = check_X_y(numbers(X, self.values_), y, **_AS_FLOATS)
        else:
            X, y = validate_data(self, X, y, reset=reset, **_AS_FLOATS)
            if reset:
                self.values_ = [None] * X.shape[1]
        check_classification_targets(y)
        return X, y

    def _start(self, n_features: int, classes: np.ndarray) -> None:
        """Make a fresh model. It has room for two classes at least, because most models need two."""
        stated = [None] * n_features if self.ranges is None else self.ranges
        # Encoder takes ints and pairs: turn numpy's numbers and rows into such.
        ranges = [item.tolist() if isinstance(item, np.ndarray | np.generic) else item for item in stated]
        if len(ranges) != n_features:
            raise ValueError(f"ranges: {n_features} are needed, one per feature, not {len(ranges)}")
        for j, values in enumerate(self.values_):
            if values is not None:
                ranges[j] = max(2, len(values))
        nominal = [known if isinstance(known, int) else 0 for known in ranges]
        codes = Codes(ranges, LEARN)
        self._engine = make_engine(
            self.model, self.budget, n_features, max(2, len(classes)), nominal, self._options()
        )
        self._codes = codes
        self.classes_ = classes

    def _learn(self, X: np.ndarray, y: np.ndarray, settle: bool = False) -> SklearnClassifier:
        labels = np.searchsorted(self.classes_, y)
        known = self.classes_[np.minimum(labels, len(self.classes_) - 1)] == y
        if not np.all(known):
            raise ValueError(f"label {y[~known][0]!r} is not one of the classes {self.classes_.tolist()}")
        if self._codes.learning:
            self._codes.look(X, settle)
        self._engine.learn(self._codes.encode(X, np.empty(X.shape, np.int16)), labels)
        return self

    def _encode(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X, texts = columns_of(X)
        if texts:
            validate_data(self, X, reset=False, skip_check_array=True)
            X = numbers(X, self.values_)
        else:
            X = validate_data(self, X, reset=False, **_AS_FLOATS)
        return self._codes.encode(X, np.empty(X.shape, np.int16))


_AS_FLOATS: dict[str, Any] = {"dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan"}


@functools.cache
def _option_names() -> frozenset[str]:
    from niwaki.grove import plan as grove
    from niwaki.shrubs import options as shrubs
    from niwaki.tree import options as tree

    return frozenset({*tree.OPTIONS, *shrubs.OPTIONS, *grove.OPTIONS})


def _signature() -> inspect.Signature:
    """The constructor's signature with every option in it: scikit-learn finds its parameters there."""
    own = [
        p
        for p in inspect.signature(SklearnClassifier.__init__).parameters.values()
        if p.kind != p.VAR_KEYWORD
    ]
    options = [
        inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None) for n in sorted(_option_names())
    ]
    return inspect.Signature(own + options)


SklearnClassifier.__init__.__signature__ = _signature()  # type: ignore[attr-defined]
