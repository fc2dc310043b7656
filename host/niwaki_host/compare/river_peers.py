"""river's classifiers: Hoeffding trees with and without a cap, adaptive trees, ensembles, naive Bayes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.model import MISSING
from niwaki_host.compare.peer import Peer, Result, Sizes, loop
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.samples import Samples
from niwaki_host.evaluation.telling import Telling
from niwaki_host.sizes import format_size

TREES = 10  # in each ensemble: river's own default


def river_peers(budget: int) -> list[Peer]:
    try:
        from river import ensemble, forest, naive_bayes, tree
    except ImportError:
        raise UsageError("river is not installed: pip install 'niwaki-ml[compare]'") from None

    def cap(nominal: list[int]) -> Any:
        # By default river measures its trees each million samples only: a cap would never act.
        return tree.HoeffdingTreeClassifier(
            nominal_attributes=nominal, max_size=budget / 2**20, memory_estimate_period=1000
        )

    def patches(nominal: list[int]) -> Any:
        base = tree.HoeffdingTreeClassifier(grace_period=50, delta=0.01, nominal_attributes=nominal)
        return ensemble.SRPClassifier(base, n_models=TREES, seed=1)

    makers: dict[str, Callable[[list[int]], Any]] = {
        "HT": lambda nominal: tree.HoeffdingTreeClassifier(nominal_attributes=nominal),
        f"HT max_size={format_size(budget)}": cap,
        "HAT": lambda nominal: tree.HoeffdingAdaptiveTreeClassifier(nominal_attributes=nominal, seed=1),
        "EFDT": lambda nominal: tree.ExtremelyFastDecisionTreeClassifier(nominal_attributes=nominal),
        f"ARF ({TREES})": lambda nominal: forest.ARFClassifier(
            n_models=TREES, nominal_attributes=nominal, seed=1
        ),
        f"SRP ({TREES})": patches,
        "naive Bayes": lambda _nominal: naive_bayes.GaussianNB(),
    }
    return [Peer(f"river {name}", "river", partial(_run, make)) for name, make in makers.items()]


def _sample(codes: NDArray[np.int16]) -> dict[int, int]:
    """A sample as river takes it: a missing value is a key that is not there."""
    return {feature: code for feature, code in enumerate(codes.tolist()) if code != MISSING}


def _run(make: Callable[[list[int]], Any], samples: Samples, telling: Telling, every: int) -> Result:
    model = make([feature for feature, values in enumerate(samples.nominal) if values])
    sizes = Sizes(every, lambda: int(model._raw_memory_usage))
    predictions, seconds = loop(
        samples, telling, lambda row: _sample(samples.X[row]), model.predict_one, model.learn_one, sizes
    )
    return Result(predictions, int(model._raw_memory_usage), seconds, sizes.to_the_end(len(samples.y)))
