"""What a generator is, and what its parameters may be."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from niwaki_host.errors import UsageError

Fill = Callable[[np.ndarray, np.ndarray], None]
"""Writes the next len(y) samples to X (its own columns only: X may be wider) and their classes to y."""


@dataclass(frozen=True)
class Param:
    """A parameter of a generator: its default, which also gives its type, its limits, and what it does."""

    default: Any
    help: str
    low: float = 0
    high: float = 2**31 - 1

    def parse(self, name: str, text: str) -> Any:
        kind = type(self.default)
        try:
            if kind is tuple:
                return tuple(_within(self, name, int(part)) for part in text.split("/"))
            return _within(self, name, kind(text))
        except ValueError:
            wanted = {int: "an integer", float: "a number", tuple: "feature numbers such as 0/1/2"}[kind]
            raise UsageError(f"parameter {name}: {text!r} is not {wanted}") from None


def _within(param: Param, name: str, value: Any) -> Any:
    if not param.low <= value <= param.high:
        raise UsageError(f"parameter {name}: {value} is not within {param.low}..{param.high}")
    return value


SEED = Param(1, "seed of java.util.Random", -(2**31))
BALANCE = Param(0, "1: the classes take turns (by rejection)", 0, 1)


class Generator:
    """One concept of a synthetic stream: `params` fix it, `start()` begins it from its first sample."""

    name: str
    about: str
    PARAMS: dict[str, Param]

    def __init__(self, params: dict[str, Any]) -> None:
        self.params = params
        self.feature_names: list[str] = []
        self.class_names: list[str] = []
        self.nominal: list[int] = []
        self.ranges: list[tuple[float, float] | None] = []
        self.prepare(**params)

    def prepare(self, **params: Any) -> None:
        """Set names, nominal and ranges."""
        raise NotImplementedError

    def start(self) -> Fill:
        raise NotImplementedError

    @classmethod
    def following(cls, params: dict[str, Any]) -> dict[str, Any]:
        """The parameters after a drift, where the user names none."""
        raise NotImplementedError


def cycle(params: dict[str, Any], name: str, count: int) -> dict[str, Any]:
    """The next of the functions 1..count."""
    return {**params, name: params[name] % count + 1}


def relevant_features(features: tuple[int, ...], count: int, width: int) -> list[int]:
    """Check the relevant features that the user gave, and return them as a list; empty if there are none."""
    if features and (len(set(features)) != count or max(features) >= width):
        raise UsageError(f"parameter features: needs {count} different features below attributes={width}")
    return list(features)
