"""What one operation of a model costs on a runtime: instructions, garbage, flash and heap."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from niwaki_host.device import models
from niwaki_host.evaluation.experiment import INSTRUCTIONS, Task, simulate
from niwaki_host.evaluation.samples import Samples
from niwaki_host.runtimes import COUNTED

# Settings to measure besides the plain model: those that make its operations cheaper or dearer.
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "vfdt": ({"leaf": "mc"}, {"leaf": "nba"}),
    "shrubs": ({},),
    "grove": ({}, {"neighbours": 0}),
}
_MARCH = {"cortex-m3": "armv7m", "cortex-m3-c": "armv7m", "micropython": "x86", "micropython-bytecode": None}

# The script notes the bytes in use before, after the imports and after construction. Then it predicts and
# learns 64 samples with the collector off. A first round is not measured: it fills the interpreter's caches.
_PROBE = """
import gc, sys
m = code = model = 0  # names take heap too
def deep(n):
    return n and deep(n - 1)
def used():
    deep(20)  # over what earlier calls have left on the stack, which the collector would take for references
    gc.collect()
    return gc.mem_alloc()
before = used()
import niwaki
def build():
    return niwaki.{cls}({features}, {classes}, {budget}, **{kwargs!r})
for _ in range(3):
    build()  # what is imported on first use, and tables that grow once for it, count as code
code = used()
m = build()
model = used()
from array import array
rows = [array("h", r) for r in {rows!r}]
labels = {labels!r}
def predict():
    for i in range(64):
        m.predict(rows[i & 7])
def learn():
    for i in range(64):
        m.learn(rows[i & 7], labels[i & 7])
def garbage(f):
    f()
    gc.collect()
    gc.disable()
    a = gc.mem_alloc()
    f()
    b = gc.mem_alloc()
    gc.enable()
    return b - a
print(code - before, model - code, garbage(predict), garbage(learn))
print(" ".join([n for n in sys.modules if n.startswith("niwaki")]))
"""


@dataclass(frozen=True)
class Probe:
    """Bytes on the device."""

    code_heap: int
    model_heap: int
    predict_garbage: float
    learn_garbage: float
    flash: int


def probe(runtime: str, model: str, settings: dict[str, Any], samples: Samples, budget: int) -> Probe:
    """What importing, building, predicting and learning allocate, and the size of the files it needs."""
    from niwaki_host.runtimes import package

    class_name, kwargs = models.resolve(model, settings)
    # Send only 8 rows, because the heap of a small board must hold them beside the model.
    script = _PROBE.format(
        cls=class_name,
        features=samples.n_features,
        classes=samples.n_classes,
        budget=budget,
        kwargs=kwargs,
        rows=samples.X[:8].tolist(),
        labels=samples.y[:8].tolist(),
    )
    heap = package.default_heap(budget)
    native = runtime == "cortex-m3-c"
    if runtime in COUNTED:
        cortex = importlib.import_module("niwaki_host.runtimes.cortex")
        output = cortex.execute(script, heap, native=native)
    else:
        unix = importlib.import_module("niwaki_host.runtimes.unix_rt")
        output = unix.execute(script, heap, viper=runtime == "micropython")
    numbers, names = output.strip().splitlines()
    code, built, predicted, learned = map(int, numbers.split())
    builder = importlib.import_module("niwaki_host.deploy.native") if native else package
    compiled = builder.compiled(package.sources(), _MARCH[runtime])
    flash = sum(len(compiled[_file(name, compiled)]) for name in names.split())
    return Probe(code, built, predicted / 64, learned / 64, flash)


def _file(module: str, files: dict[str, bytes]) -> str:
    path = module.replace(".", "/")
    return f"{path}.mpy" if f"{path}.mpy" in files else f"{path}/__init__.mpy"


def bench(runtime: str, task: Task, samples: Samples) -> dict[str, Any]:
    """One row: the costs of a model with its settings."""
    record = simulate(task, samples).record
    row: dict[str, Any] = {
        "model": task.model,
        "settings": dict(task.settings),
        "runtime": runtime,
        "features": samples.n_features,
        "classes": samples.n_classes,
        "budget_bytes": task.budget,
        "model_bytes": record["model_bytes"],
        "samples": record["samples"],
        "accuracy": record["accuracy"],
        "digest": record["digest"],
        "nodes": record["nodes"],
    }
    row.update({name: record[name] for name in INSTRUCTIONS if name in record})
    if runtime in _MARCH:
        found = probe(runtime, task.model, dict(task.settings), samples, task.budget)
        row.update(
            garbage_per_predict_bytes=found.predict_garbage,
            garbage_per_learn_bytes=found.learn_garbage,
            flash_bytes=found.flash,
            code_heap_bytes=found.code_heap,
            model_heap_bytes=found.model_heap,
            peak_heap_bytes=record["peak_heap_bytes"],
        )
    if runtime not in COUNTED:  # a counted runtime is emulated: its time means nothing
        row["microseconds_per_sample"] = 1e6 * record["seconds"] / max(1, record["samples"])
    return row


def staircase(features: int, classes: int, count: int) -> Samples:
    """Samples to measure with, on which a tree grows: feature 0 decides the class, except for 10 % noise."""
    rng = np.random.Generator(np.random.PCG64(1))
    X = rng.integers(-32767, 32768, (count, features)).astype(np.int16)
    step = (X[:, 0].astype(np.int64) + 32767) * classes // 65535
    y = np.where(rng.random(count) < 0.1, rng.integers(0, classes, count), np.minimum(step, classes - 1))
    names = [f"x{i}" for i in range(features)]
    labels = [str(c) for c in range(classes)]
    return Samples(X, y.astype(np.int16), names, labels, [0] * features, [], "raw")
