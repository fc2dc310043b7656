"""Real streams that come with pip packages: the data sets in river, the smart watch in seglearn."""

import importlib.util
from itertools import islice
from pathlib import Path

import numpy as np

from niwaki_host.errors import UsageError
from niwaki_host.streams.base import ArrayStream, Stream
from niwaki_host.streams.memory import from_arrays, from_frame
from niwaki_host.suggest import nearest

RIVER = ("Bananas", "ImageSegments", "Phishing", "Shuttle")
"""Those that need no download."""


def open_package(name: str, limit: int | None) -> Stream:
    """`river:Phishing` or `seglearn:watch`."""
    package, _, dataset = name.partition(":")
    if importlib.util.find_spec(package) is None:
        raise UsageError(f"{name}: the package {package!r} is not installed; pip install {package}")
    return _river(name, dataset, limit) if package == "river" else _seglearn(name, dataset, limit)


def _river(name: str, dataset: str, limit: int | None) -> Stream:
    import pandas as pd
    from river import datasets

    kinds = {key.lower(): kind for key, kind in vars(datasets).items() if isinstance(kind, type)}
    kind = kinds.get(dataset.lower())
    if kind is None:
        near = nearest(dataset, kinds)
        hint = f"did you mean river:{kinds[near].__name__}?" if near else f"such as {', '.join(RIVER)}"
        raise UsageError(f"{name}: river has no such stream; {hint}")
    data = kind()
    if data.task not in ("Binary classification", "Multi-class classification"):
        raise UsageError(f"{name}: its task is {data.task.lower()}, not classification")
    if not getattr(data, "is_downloaded", True):
        raise UsageError(f"{name}: river downloads it: river.datasets.{kind.__name__}().download() in Python")
    rows = [{**x, "label": y} for x, y in islice(data, limit)]
    return from_frame(pd.DataFrame.from_records(rows), name)


def _seglearn(name: str, dataset: str, limit: int | None) -> ArrayStream:
    """Shoulder exercises with a smart watch, 50 Hz: whole recordings in a fixed random order."""
    if dataset != "watch":
        raise UsageError(f"{name}: seglearn has no such stream; there is seglearn:watch")
    # Don't `import seglearn`: its code may be too old for the scikit-learn here. Only its data is needed.
    spec = importlib.util.find_spec("seglearn")
    assert spec is not None and spec.origin is not None
    data = np.load(Path(spec.origin).parent / "data" / "watch_dataset.npy", allow_pickle=True).item()
    order = np.random.RandomState(1).permutation(len(data["X"]))
    X = np.concatenate([data["X"][k] for k in order])[:limit]
    y = np.concatenate([np.full(len(data["X"][k]), data["y"][k]) for k in order])[:limit]
    stream = from_arrays(X, y, name, feature_names=[str(label) for label in data["X_labels"]])
    stream.class_names = [str(data["y_labels"][int(code)]) for code in stream.class_names]
    return stream
