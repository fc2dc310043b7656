"""What a person would use on a desktop: scikit-learn's classifiers, in batch on all that was taught."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.model import MISSING
from niwaki_host.compare.peer import Peer, Result
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.samples import Samples
from niwaki_host.evaluation.telling import Telling

TREES = 100
NEIGHBOURS = 3
SEED = 1


def batch_peers() -> list[Peer]:
    """Scikit-learn's classifiers: they keep all samples and have no budget. 3-NN asks all if fewer exist."""
    try:
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.impute import SimpleImputer
        from sklearn.naive_bayes import GaussianNB
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError:
        raise UsageError("scikit-learn is not installed: pip install 'niwaki-ml[sklearn]'") from None

    def with_values(*steps: Any) -> Any:
        """The median stands in for a missing value."""
        return make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), *steps)

    makers: dict[str, Callable[[int], Any]] = {
        f"random forest ({TREES})": lambda _n: with_values(
            RandomForestClassifier(TREES, random_state=SEED, n_jobs=1)
        ),
        f"{NEIGHBOURS}-NN, scaled": lambda n: with_values(
            StandardScaler(), KNeighborsClassifier(min(NEIGHBOURS, n))
        ),
        "naive Bayes": lambda _n: with_values(GaussianNB()),
    }
    return [
        Peer(f"scikit-learn {name}", "scikit-learn", partial(_run, make)) for name, make in makers.items()
    ]


def _values(codes: NDArray[np.int16]) -> NDArray[np.float64]:
    return np.where(codes == MISSING, np.nan, codes.astype(float))


def _run(make: Callable[[int], Any], samples: Samples, telling: Telling, _every: int) -> Result:
    taught, asked = telling.lesson(samples.y, samples.unready)
    model = make(len(taught))
    predictions = np.full(len(samples.y), -1, np.int64)
    start = time.perf_counter()
    model.fit(_values(samples.X[taught]), samples.y[taught])
    predictions[asked] = model.predict(_values(samples.X[asked]))
    seconds = time.perf_counter() - start
    return Result(predictions, len(pickle.dumps(model)), seconds)
