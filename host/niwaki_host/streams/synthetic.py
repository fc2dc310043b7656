"""Generated streams, and the text that names one: `agrawal:function=2,irrelevant=20,drift=50000`."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from niwaki_host.errors import UsageError
from niwaki_host.streams import append
from niwaki_host.streams.base import CHUNK, Drift, Stream
from niwaki_host.streams.drift import chain, parse_drifts
from niwaki_host.streams.generator import Fill, Generator, Param
from niwaki_host.streams.registry import GENERATORS, PRESETS
from niwaki_host.suggest import nearest

LENGTH = 100_000

COMMON = {
    "n": Param(LENGTH, "number of samples, and what a drift's percentages are of", 1),
    "noise": Param(
        0, "percent of labels replaced by another class (some generators: their own noise)", 0, 100
    ),
    "irrelevant": Param(0, "numeric features U(0, 1) to append", 0, 4096),
    "irrelevant_nominal": Param(0, "nominal features to append, after the numeric ones", 0, 4096),
    "irrelevant_values": Param(2, "their number of values", 1, 1000),
    "missing": Param(0, "percent of values lost", 0, 100),
}


class GeneratedStream(Stream):
    """Concepts of a generator, one after another, with the extra features, noise and gaps asked for."""

    def __init__(
        self, name: str, concepts: list[Generator], drifts: list[Drift], common: dict[str, int]
    ) -> None:
        first = concepts[0]
        for other in concepts[1:]:
            if other.nominal != first.nominal or other.class_names != first.class_names:
                raise UsageError(f"stream {name}: its concepts differ in their features or classes")
        numeric, nominal = common["irrelevant"], common["irrelevant_nominal"]
        values = common["irrelevant_values"]
        extra = [f"numeric{j + 1}" for j in range(numeric)] + [f"nominal{j + 1}" for j in range(nominal)]
        self.name = name
        self.feature_names = first.feature_names + extra
        self.class_names = first.class_names
        self.nominal = first.nominal + [0] * numeric + [values] * nominal
        self.ranges = first.ranges + [(0.0, 1.0)] * numeric + [None] * nominal
        self.length = common["n"]
        self.drifts = drifts
        self.concepts = concepts
        self._common = common

    def _start(self) -> Fill:
        common, seed = self._common, self.concepts[0].params["seed"]
        own = len(self.concepts[0].nominal)
        fill = chain([concept.start for concept in self.concepts], own, self.drifts, seed)
        if own < self.n_features:
            numeric, nominal = common["irrelevant"], common["irrelevant_nominal"]
            fill = append.irrelevant(fill, own, numeric, nominal, common["irrelevant_values"], seed)
        # Use other seeds than the samples do: which values are lost must not depend on the values.
        if common["noise"]:
            classes = len(self.concepts[0].class_names)
            fill = append.label_noise(fill, classes, common["noise"], seed + 1)
        if common["missing"]:
            fill = append.missing(fill, self.n_features, common["missing"], seed + 2)
        return fill

    def chunks(self, size: int = CHUNK) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        fill = self._start()
        for at in range(0, self.length, size):
            X = np.empty((min(size, self.length - at), self.n_features))
            y = np.empty(len(X), np.int16)
            fill(X, y)
            yield X, y


def generate(spec: str, limit: int | None = None, seed: int | None = None) -> GeneratedStream:
    """The stream that `spec` names; `limit` is its length unless it says a smaller one."""
    name, settings = _expand(spec)
    if seed is not None:
        settings.setdefault("seed", str(seed))
    kind = GENERATORS[name]
    known = {**COMMON, **kind.PARAMS}
    for key in settings:
        if key not in known and key != "drift":
            names = sorted([*known, "drift"])
            near = nearest(key, names)
            hint = f"did you mean {near!r}?" if near else f"it has {', '.join(names)}"
            raise UsageError(f"{name} has no parameter {key!r}; {hint}")
    stated = "n" in settings
    common = {
        key: param.parse(key, settings.pop(key))
        if key in settings and key not in kind.PARAMS
        else param.default
        for key, param in COMMON.items()
    }
    length = limit if limit is not None and not stated else common["n"]
    drifts = parse_drifts(settings.pop("drift"), length) if "drift" in settings else []
    common["n"] = length if limit is None else min(length, limit)
    concepts = _concepts(kind, settings, len(drifts) + 1)
    return GeneratedStream(spec, concepts, drifts, common)


def _expand(spec: str) -> tuple[str, dict[str, str]]:
    """The generator's name and its settings: those of the preset, where the user gives no others."""
    name, _, rest = spec.partition(":")
    name = name.lower()
    if name not in GENERATORS and name not in PRESETS:
        names = [*GENERATORS, *PRESETS]
        near = nearest(name, names)
        hint = f"did you mean {near!r}?" if near else "niwaki streams lists them"
        raise UsageError(f"unknown stream {spec!r}: neither a file nor a generator; {hint}")
    settings: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not value:
            raise UsageError(f"stream {spec!r}: {part!r} is not of the form parameter=value")
        key = {"functions": "function"}.get(key, key)
        if key in settings:
            raise UsageError(f"stream {spec!r}: {key} is given twice")
        settings[key] = value
    if name in PRESETS:
        name, preset = _expand(PRESETS[name])
        return name, {**preset, **settings}
    return name, settings


def _concepts(kind: type[Generator], settings: dict[str, str], count: int) -> list[Generator]:
    """One generator per concept: from the values listed with `+`, or by `following` from the one before."""
    lists: dict[str, list[Any]] = {}
    for key, text in settings.items():
        lists[key] = [kind.PARAMS[key].parse(key, part) for part in text.split("+")]
        if len(lists[key]) > count:
            raise UsageError(
                f"parameter {key}: {len(lists[key])} concepts need {len(lists[key]) - 1} drift positions, "
                f"such as drift=25%+50%; there are {count - 1}"
            )
    listed = any(len(values) > 1 for values in lists.values())
    params = {key: lists[key][0] if key in lists else param.default for key, param in kind.PARAMS.items()}
    concepts = [kind(params)]
    for k in range(1, count):
        if listed:
            params = {**params, **{key: values[k % len(values)] for key, values in lists.items()}}
        else:
            params = kind.following(params)
        concepts.append(kind(params))
    return concepts
