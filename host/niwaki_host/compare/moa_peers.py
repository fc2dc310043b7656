"""MOA through CapyMOA: trees, ensembles, naive Bayes; and CapyMOA's own Shrubs, which are Python."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.model import MISSING
from niwaki_host.compare.moa_agent import start_moa
from niwaki_host.compare.peer import Peer, Result, Sizes, loop
from niwaki_host.evaluation.samples import Samples
from niwaki_host.evaluation.telling import AT_ONCE, Telling
from niwaki_host.sizes import format_size

TREES = 10  # in each ensemble, as river has by default; CapyMOA would take 100
NEIGHBOURS, WINDOW = 3, 1000  # for kNN: CapyMOA's defaults
SAM_NEIGHBOURS, SAM_WINDOW = 5, 5000  # for SAM-kNN: MOA's and CapyMOA's defaults
# MOA's defaults, because CapyMOA has others.
_TREE = {"confidence": 1e-7, "stop_mem_management": False, "disable_prepruning": False}


def moa_peers(budget: int) -> list[Peer]:
    start_moa()
    from capymoa import classifier as moa

    makers: dict[str, Callable[[Any], Any]] = {
        "HT": lambda schema: moa.HoeffdingTree(schema, **_TREE),
        # MOA measures its trees each million samples by default: a cap would never act.
        f"HT max_byte_size={format_size(budget)}": lambda schema: moa.HoeffdingTree(
            schema, max_byte_size=budget, memory_estimate_period=1000, **_TREE
        ),
        "HAT": lambda schema: moa.HoeffdingAdaptiveTree(schema, **_TREE),
        "EFDT": lambda schema: moa.EFDT(schema, **_TREE),
        f"ARF ({TREES})": lambda schema: moa.AdaptiveRandomForestClassifier(schema, ensemble_size=TREES),
        f"SRP ({TREES})": lambda schema: moa.StreamingRandomPatches(schema, ensemble_size=TREES),
        f"OzaBag ({TREES})": lambda schema: moa.OnlineBagging(schema, ensemble_size=TREES),
        f"SmoothBoost ({TREES})": lambda schema: moa.OnlineSmoothBoost(schema, boosting_iterations=TREES),
        "naive Bayes": lambda schema: moa.NaiveBayes(schema),
        f"kNN (k {NEIGHBOURS}, {WINDOW:,})": lambda schema: moa.KNN(schema, k=NEIGHBOURS, window_size=WINDOW),
        f"SAM-kNN (k {SAM_NEIGHBOURS}, {SAM_WINDOW:,})": lambda schema: moa.SAMkNN(
            schema, k=SAM_NEIGHBOURS, limit=SAM_WINDOW
        ),
    }
    peers = [Peer(f"MOA {name}", "MOA", partial(_run, make)) for name, make in makers.items()]
    return [*peers, Peer("CapyMOA Shrubs", "MOA", run_shrubs)]


def _schema(samples: Samples) -> Any:
    from capymoa.stream import Schema

    names = [f"x{feature}" for feature in range(samples.n_features)]
    categories: dict[str, Sequence[str]] = {
        names[feature]: [str(value) for value in range(values)]
        for feature, values in enumerate(samples.nominal)
        if values
    }
    categories["class"] = [str(label) for label in range(samples.n_classes)]
    return Schema.from_custom([*names, "class"], "class", categories)


def _values(samples: Samples) -> np.ndarray:
    """Codes as Java's doubles, a missing one as NaN."""
    values = samples.X.astype(float)
    values[samples.X == MISSING] = np.nan
    return values


def _instances(samples: Samples, schema: Any) -> Any:
    """Put the labelled samples into Java first, so that MOA's time has no waiting for Python in it.

    Samples without a label are left out: they are neither judged nor learned.
    """
    from com.yahoo.labs.samoa.instances import DenseInstance, Instances

    header = schema.get_moa_header()
    instances = Instances(header, len(samples.y))
    labelled = samples.y >= 0
    for row in np.column_stack([_values(samples), samples.y])[labelled]:
        instance = DenseInstance(1.0, row)
        instance.setDataset(header)
        instances.add(instance)
    return instances


def _run(make: Callable[[Any], Any], samples: Samples, telling: Telling, every: int = 0) -> Result:
    schema = _schema(samples)
    learner = make(schema).moa_learner

    def size() -> int | None:
        found = int(learner.measureByteSize())
        return found if found > 0 else None

    sizes = Sizes(every, size)
    if telling.plain and not every:
        predictions, seconds = _prequential(learner, schema, samples)
    else:
        predictions, seconds = _told(learner, schema, samples, telling, sizes)
    return Result(predictions, size(), seconds, sizes.to_the_end(len(samples.y)))


def _told(
    learner: Any, schema: Any, samples: Samples, telling: Telling, sizes: Sizes | None = None
) -> tuple[NDArray[np.int64], float]:
    """Run MOA from a loop in Python, because MOA's loops have no late labels and no bytes on the way."""
    from moa.core import Utils

    instances = _instances(replace(samples, y=np.maximum(samples.y, 0)), schema)
    return loop(
        samples,
        telling,
        instances.instance,
        lambda instance: int(Utils.maxIndex(learner.getVotesForInstance(instance))),
        lambda instance, _label: learner.trainOnInstance(instance),
        sizes,
    )


def _prequential(learner: Any, schema: Any, samples: Samples) -> tuple[NDArray[np.int64], float]:
    """Run MOA's own test-then-train loop."""
    from moa.evaluation import BasicClassificationPerformanceEvaluator, EfficientEvaluationLoops
    from moa.streams import CachedInstancesStream

    stream = CachedInstancesStream(_instances(samples, schema))
    labelled = samples.y >= 0
    start = time.perf_counter()
    judge = BasicClassificationPerformanceEvaluator()
    windows: Any = None  # MOA could judge windows, too; nobody reads that
    result = EfficientEvaluationLoops.PrequentialEvaluation(
        stream,
        learner,
        judge,
        windows,
        int(labelled.sum()),
        1 << 30,
        False,
        True,
    )
    seconds = time.perf_counter() - start
    predictions = np.full(len(samples.y), -1, np.int64)
    predictions[labelled] = np.array(result.predictions)
    return predictions, seconds


def run_shrubs(samples: Samples, telling: Telling = AT_ONCE, every: int = 0, **settings: Any) -> Result:
    """CapyMOA's Shrubs, with settings of its own."""
    from capymoa.classifier import ShrubsClassifier
    from capymoa.core import LabeledInstance

    schema = _schema(samples)
    model = ShrubsClassifier(schema, **settings)
    # scikit-learn's trees refuse a missing value where training had none: replace it by the middle code, 0.
    values = np.nan_to_num(_values(samples))

    def instance(row: int) -> Any:
        return LabeledInstance.from_array(schema, values[row], max(0, int(samples.y[row])))

    sizes = Sizes(every, lambda: _shrubs_bytes(model))
    predictions, seconds = loop(
        samples, telling, instance, model.predict, lambda instance, _label: model.train(instance), sizes
    )
    return Result(predictions, _shrubs_bytes(model), seconds, sizes.to_the_end(len(samples.y)))


def _shrubs_bytes(model: Any) -> int:
    """The bytes of the arrays that Shrubs needs at least: its trees, its weights and its window."""
    total = 8 * len(model.estimators_)
    for tree in model.estimators_:
        state = tree.tree_.__getstate__() if hasattr(tree, "tree_") else {}
        total += sum(value.nbytes for value in state.values() if isinstance(value, np.ndarray))
    return total + sum(value.nbytes for value in vars(model).values() if isinstance(value, np.ndarray))
