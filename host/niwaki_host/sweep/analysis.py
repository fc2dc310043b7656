"""Analyse a sweep's rows: accuracy per budget, areas under Pareto fronts, ranks, and whether ranks differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from niwaki_host.evaluation import statistics
from niwaki_host.sweep import ALPHA, TESTS


@dataclass
class Ranks:
    """Models compared over streams by their APF."""

    mean: pd.Series
    friedman: statistics.Friedman | None
    critical_difference: float
    nemenyi: pd.DataFrame
    wilcoxon: pd.DataFrame
    alpha: float = ALPHA
    test: str = TESTS[0]

    @property
    def groups(self) -> list[tuple[int, int]]:
        """Positions in rank order, first and last, of models that `test` does not tell apart."""
        if self.test == "nemenyi":
            return statistics.cliques(self.mean, self.critical_difference)
        return statistics.groups(self.mean, self.wilcoxon, self.alpha)


@dataclass
class Analysis:
    """Tables over the finished runs; means where a run was repeated with several seeds.

    Where a model was run with several settings, tables have only the best; fronts and areas have all.
    """

    runs: pd.DataFrame
    points: pd.DataFrame
    """stream, model, budget_bytes, settings; score, model_bytes."""
    others: pd.DataFrame
    """Rows without a result: refused or failed."""
    accuracy: pd.DataFrame
    """(stream, budget) x model."""
    sizes: pd.DataFrame
    apf: pd.DataFrame
    """stream x model."""
    ranks: Ranks | None

    @property
    def models(self) -> list[str]:
        return list(self.accuracy.columns)

    @property
    def streams(self) -> list[str]:
        return list(self.apf.index)

    def fronts(self) -> dict[str, dict[str, tuple[np.ndarray, np.ndarray]]]:
        """For each stream and model its runs as (accuracy, bytes)."""
        found = {}
        for stream in self.streams:
            here = self.points[self.points["stream"] == stream]
            found[stream] = {
                model: _of(here, model) for model in self.models if (here["model"] == model).any()
            }
        return found


def _of(points: Any, model: str) -> tuple[np.ndarray, np.ndarray]:
    """Scores and bytes of a model's runs."""
    own = points[points["model"] == model]
    return own["score"].to_numpy(), own["model_bytes"].to_numpy()


def analyse(
    rows: pd.DataFrame, score: str = "accuracy", alpha: float = ALPHA, test: str = TESTS[0]
) -> Analysis:
    """`score` is the column that counts: `accuracy`, or `mean_running_accuracy` (Shrub Ensembles paper).

    alpha  the level at which models are told apart; test: the test that groups models in the ranks' diagram
    """
    runs = rows.loc[rows["status"] == "ok"]
    models = list(dict.fromkeys(rows["model"]))
    streams = [stream for stream in dict.fromkeys(rows["stream"]) if stream in set(runs["stream"])]
    points = _points(runs, score)
    best = points.loc[points.groupby(["stream", "budget_bytes", "model"])["score"].idxmax()]
    tables = []
    for column in ("score", "model_bytes"):
        table = best.pivot_table(index=["stream", "budget_bytes"], columns="model", values=column)
        table = table.reindex(columns=[model for model in models if model in table.columns])
        tables.append(table.reindex(streams, level="stream") if len(table) else table)
    accuracy, sizes = tables
    apf = _apf(points, list(accuracy.columns), streams)
    ranks = _ranks(apf, alpha, test)
    return Analysis(runs, points, rows.loc[rows["status"] != "ok"], accuracy, sizes, apf, ranks)


def _points(runs: pd.DataFrame, score: str) -> pd.DataFrame:
    """A row for each budget and setting of a model on a stream; means over seeds."""
    known = runs.assign(settings=runs["settings"].fillna("") if "settings" in runs else "", score=runs[score])
    keys = ["stream", "model", "budget_bytes", "settings"]
    return known.groupby(keys, sort=False)[["score", "model_bytes"]].mean().reset_index()


def _apf(points: pd.DataFrame, models: list[str], streams: list[str]) -> pd.DataFrame:
    """Areas by stream and model; the largest model on a stream sets its scale; no runs, no area."""
    table = pd.DataFrame(index=pd.Index(streams, name="stream"), columns=pd.Index(models), dtype=float)
    for stream in streams:
        here = points[points["stream"] == stream]
        largest = float(here["model_bytes"].max())
        for model in models:
            table.loc[stream, model] = statistics.apf(*_of(here, model), largest)
    return table


def _ranks(apf: pd.DataFrame, alpha: float, test: str) -> Ranks | None:
    """None with a single model or a single stream: there is nothing to rank, or nothing to rank over."""
    streams, models = apf.shape
    if streams < 2 or models < 2:
        return None
    scores, names = apf.to_numpy(), apf.columns

    def square(p: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame(p, index=names, columns=names)

    return Ranks(
        pd.Series(statistics.mean_ranks(scores), index=names),
        statistics.friedman(scores),
        statistics.critical_difference(models, streams, alpha),
        square(statistics.nemenyi(scores)),
        square(statistics.wilcoxon(scores)),
        alpha,
        test,
    )
