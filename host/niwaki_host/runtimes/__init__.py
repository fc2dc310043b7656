"""One interface to every runtime: give it a model, parameters and a stream; it returns the model's arrays.

The protocol, for each sample t: predict X[t]; then, if t >= delay and sample t - delay has a label, learn it.
A lesson is different: some samples are taught, then others are asked. `events.py` has the details.
"""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from niwaki_host.device import images, models
from niwaki_host.ensembles.spec import is_ensemble
from niwaki_host.errors import RuntimeMissing, UsageError
from niwaki_host.runtimes.events import Lesson, Prequential, Script
from niwaki_host.runtimes.result import Job, Run, keeps_answers

# runtime -> the module that runs it, and the keyword arguments for that module
_WHERE: dict[str, tuple[str, dict[str, Any]]] = {
    "cpython": ("cpython_rt", {}),
    "numba": ("numba_rt", {}),
    "c": ("c_rt", {}),
    "micropython": ("unix_rt", {"viper": True}),
    "micropython-bytecode": ("bytecode_rt", {}),
    "cortex-m3": ("cortex", {}),
    "cortex-m3-c": ("cortex_c", {}),
    "wasm": ("wasm_rt", {}),
}
RUNTIMES = tuple(_WHERE)
DESKTOP = ("cpython", "numba", "c")
COUNTED = ("cortex-m3", "cortex-m3-c")  # instructions are counted there

__all__ = ["COUNTED", "DESKTOP", "RUNTIMES", "Run", "RuntimeMissing", "available", "check", "execute", "run"]


def available() -> dict[str, str | None]:
    """For each runtime None when it can be used here, else what is missing and how to get it."""
    return {name: _module(name).obstacle() for name in RUNTIMES}


def check(runtime: str) -> Any:
    """The module of a runtime; RuntimeMissing if it can't be used here."""
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
    delay: int | np.ndarray = 0,
    lesson: tuple[np.ndarray, np.ndarray] | None = None,
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
    delay     samples that a label is late, or an array with a number for each
    lesson    teach the samples of these rows, then ask those, instead of test-then-train
    every     record the numbers of nodes and leaves after every so many samples
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
    settings = dict(params)
    shape = [settings.pop(key) for key in ("n_features", "n_classes", "budget")]
    ensemble = is_ensemble(model)
    if ensemble:
        _check_ensemble(model, runtime, image, self_train)
    class_name, kwargs = ("", {}) if ensemble else models.resolve(model, settings)
    built = models.build(model, *shape, **settings) if image is None else images.from_bytes(image)
    X, y = _samples(built, X, y)
    script: Script
    if lesson is None:
        script = Prequential(y, delay, self_train > 0, keeps_answers(built))
    else:
        script = Lesson(y, *lesson)
    ways = {"every": every, "image": image, "progress": progress, "note": note, "self_train": self_train}
    job = Job(built, class_name, kwargs, X, script, **ways)
    if ensemble:
        from niwaki_host.ensembles import drive  # imported late: it imports numba's loop, and this module

        return drive.run(job)
    return module.run(job, heap=heap, measure=measure, **_WHERE[runtime][1])


def _check_ensemble(model: str, runtime: str, image: bytes | None, self_train: int) -> None:
    if runtime != "numba":
        raise UsageError(
            f"{model}: ensembles of trees are the lab's, on numba: leave out --runtime {runtime}"
        )
    if image is not None:
        raise UsageError(f"{model}: an ensemble of trees has no image to start from")
    if self_train:
        raise UsageError(f"{model}: an ensemble of trees learns from labels only: leave out --self-train")


def execute(runtime: str, source: str, heap: int | None = None) -> str:
    """Run a script that may import niwaki on a runtime other than numba; returns what it prints."""
    module = check(runtime)
    options = {"heap": heap} if heap else {}
    return module.execute(source, **options, **_WHERE[runtime][1])


def _module(runtime: str) -> Any:
    return importlib.import_module(f".{_WHERE[runtime][0]}", __name__)


def _samples(model: Any, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The stream as runtimes take it, if it is one for this model."""
    if X.ndim != 2 or X.shape[1] != model.n_features or y.shape != (len(X),):
        raise UsageError(
            f"the stream has shapes {X.shape} and {y.shape}, the model expects {model.n_features} features"
        )
    if len(y) and int(y.max()) >= model.n_classes:
        raise UsageError(f"the stream has label {int(y.max())}, the model has {model.n_classes} classes")
    return np.ascontiguousarray(X, np.int16), np.ascontiguousarray(y, np.int16)
