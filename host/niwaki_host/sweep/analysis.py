"""What a sweep's rows say: accuracy per budget, areas under Pareto fronts, ranks and whether they differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from niwaki_host.evaluation import statistics

ALPHA = 0.05


@dataclass
class Ranks:
    """Models compared over streams by their APF."""

    mean: pd.Series
    friedman: statistics.Friedman | None
    critical_difference: float
    nemenyi: pd.DataFrame
    wilcoxon: pd.DataFrame


@dataclass
class Analysis:
    """Tables over the finished runs; means where a run was repeated with several seeds."""

    runs: pd.DataFrame
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
            accuracy, size = self.accuracy.loc[stream], self.sizes.loc[stream]
            found[stream] = {
                model: (accuracy[model].dropna().to_numpy(), size[model].dropna().to_numpy())
                for model in self.models
                if accuracy[model].notna().any()
            }
        return found


def analyse(rows: pd.DataFrame, score: str = "accuracy") -> Analysis:
    """`score` is the column that counts: `accuracy`, or `mean_running_accuracy` (Shrub Ensembles paper)."""
    runs = rows.loc[rows["status"] == "ok"]
    models = list(dict.fromkeys(rows["model"]))
    streams = [stream for stream in dict.fromkeys(rows["stream"]) if stream in set(runs["stream"])]
    tables = []
    for column in (score, "model_bytes"):
        table = runs.pivot_table(
            index=["stream", "budget_bytes"], columns="model", values=column, aggfunc="mean"
        )
        table = table.reindex(columns=[model for model in models if model in table.columns])
        tables.append(table.reindex(streams, level="stream") if len(table) else table)
    accuracy, sizes = tables
    apf = _apf(accuracy, sizes, streams)
    return Analysis(runs, rows.loc[rows["status"] != "ok"], accuracy, sizes, apf, _ranks(apf))


def _apf(accuracy: pd.DataFrame, sizes: pd.DataFrame, streams: list[str]) -> pd.DataFrame:
    """Areas by stream and model; the largest model on a stream sets its scale; no runs, no area."""
    table = pd.DataFrame(index=pd.Index(streams, name="stream"), columns=accuracy.columns, dtype=float)
    for stream in streams:
        largest = float(np.nanmax(sizes.loc[stream].to_numpy()))
        for model in accuracy.columns:
            there = accuracy.loc[stream][model].notna()
            table.loc[stream, model] = statistics.apf(
                accuracy.loc[stream][model][there], sizes.loc[stream][model][there], largest
            )
    return table


def _ranks(apf: pd.DataFrame) -> Ranks | None:
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
        statistics.critical_difference(models, streams, ALPHA),
        square(statistics.nemenyi(scores)),
        square(statistics.wilcoxon(scores)),
    )
