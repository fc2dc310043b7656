"""One interface to every runtime: give it a model, parameters and a stream; it returns the model's arrays.

The protocol, for each sample t: predict X[t]; then, if t >= delay and sample t - delay has a label, learn it.
"""

import importlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from niwaki_host.device import models
from niwaki_host.errors import RuntimeMissing, UsageError
from niwaki_host.runtimes.result import Job, Run

# runtime -> module that does it, and the keyword arguments it gets
_WHERE: dict[str, tuple[str, dict[str, Any]]] = {
    "cpython": ("cpython_rt", {}),
    "numba": ("numba_rt", {}),
    "c": ("c_rt", {}),
    "micropython": ("unix_rt", {"viper": True}),
    "micropython-bytecode": ("unix_rt", {"viper": False}),
    "cortex-m3": ("cortex", {}),
    "wasm": ("wasm_rt", {}),
}
RUNTIMES = tuple(_WHERE)
DESKTOP = ("cpython", "numba", "c")

__all__ = ["DESKTOP", "RUNTIMES", "Run", "RuntimeMissing", "available", "check", "execute", "run"]


def available() -> dict[str, str | None]:
    """For each runtime None when it can be used here, else what is missing and how to get it."""
    return {name: _module(name).obstacle() for name in RUNTIMES}


def check(runtime: str) -> Any:
    """The module that does it, if it can be used here."""
    module = _module(runtime)
    if why := module.obstacle():
        raise RuntimeMissing(f"runtime {runtime} can't run here: {why}")
    return module


def run(
    runtime: str,
    model: str,
    params: dict[str, Any],
    X: np.ndarray,
    y: np.ndarray,
    *,
    heap: int | None = None,
    delay: int = 0,
    every: int = 0,
    image: bytes | None = None,
    measure: bool = False,
    self_train: int = 0,
    progress: Callable[[int], None] | None = None,
    note: Callable[[Any], Any] | None = None,
) -> Run:
    """Run `model` over the stream on `runtime`.

    params    n_features, n_classes, budget, and the model's settings
    X, y      int16 codes (n, d), and labels, -1 for none
    heap      bytes of heap, on MicroPython runtimes; None: 64 KB, or more for a larger budget
    every     record the numbers of nodes and leaves each so many samples
    image     start from this saved model instead of a new one
    measure   count instructions (cortex-m3 only)
    self_train  learn samples without a label as predicted, if the margin is at least so much of 65,536
    progress  called with the number of samples done so far
    note      called with the model at each point of the curve (cpython, numba); what it returns is kept
    """
    if runtime not in _WHERE:
        raise UsageError(f"unknown runtime {runtime!r}; choose from {', '.join(RUNTIMES)}")
    module = check(runtime)
    if note and runtime not in DESKTOP:
        raise UsageError(f"only {' and '.join(DESKTOP)} can be looked into on the way, not {runtime}")
    job = _job(model, params, X, y, delay, every, image, progress, note)
    job.self_train = self_train
    return module.run(job, heap=heap, measure=measure, **_WHERE[runtime][1])


def execute(runtime: str, source: str, heap: int | None = None) -> str:
    """Run a script that may import niwaki on a runtime other than numba; returns what it prints."""
    module = check(runtime)
    options = {"heap": heap} if heap else {}
    return module.execute(source, **options, **_WHERE[runtime][1])


def _module(runtime: str) -> Any:
    return importlib.import_module(f".{_WHERE[runtime][0]}", __name__)


def _job(model: str, params: dict, X: np.ndarray, y: np.ndarray, delay, every, image, progress, note) -> Job:
    settings = dict(params)
    n_features, n_classes, budget = (settings.pop(key) for key in ("n_features", "n_classes", "budget"))
    class_name, kwargs = models.resolve(model, settings)
    if image is None:
        built = models.build(model, n_features, n_classes, budget, **settings)
    else:
        built = _load(image)
    if X.ndim != 2 or X.shape[1] != built.n_features or y.shape != (len(X),):
        raise UsageError(
            f"the stream has shapes {X.shape} and {y.shape}, the model expects {built.n_features} features"
        )
    if len(y) and int(y.max()) >= built.n_classes:
        raise UsageError(f"the stream has label {int(y.max())}, the model has {built.n_classes} classes")
    X, y = np.ascontiguousarray(X, np.int16), np.ascontiguousarray(y, np.int16)
    return Job(built, class_name, kwargs, X, y, delay, every, image, progress, note)


def _load(image: bytes) -> Any:
    import niwaki

    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "model"
        path.write_bytes(image)
        try:
            return niwaki.load(str(path))
        except niwaki.ImageError as error:
            raise UsageError(f"not a model of this version: {error}") from None
