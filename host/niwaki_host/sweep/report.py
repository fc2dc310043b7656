"""The report of a sweep: tables (CSV), pictures (PNG, SVG) and one page that needs nothing else."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from niwaki_host.plots import critical_difference_figure, pareto_figure, save, to_svg
from niwaki_host.sizes import format_size
from niwaki_host.sweep.analysis import Analysis
from niwaki_host.sweep.page import details, figure, page, section, table

_SHOWN = 400  # rows that the list of all runs shows at most


def write_report(analysis: Analysis, directory: str | Path, about: dict[str, str]) -> Path:
    """Write everything beside the results; returns the page. `about` is what stands at its top."""
    directory = Path(directory)
    pictures = _pictures(analysis)
    for name, drawn in pictures.items():
        for suffix in (".png", ".svg"):
            save(drawn, directory / f"{name}{suffix}")
    analysis.accuracy.to_csv(directory / "accuracy.csv")
    analysis.apf.to_csv(directory / "apf.csv")
    if analysis.ranks:
        ranks = analysis.ranks
        ranks.mean.rename("mean_rank").to_csv(directory / "ranks.csv")
        ranks.nemenyi.to_csv(directory / "nemenyi.csv")
        ranks.wilcoxon.to_csv(directory / "wilcoxon.csv")
    path = directory / "report.html"
    partial = path.with_suffix(".partial")
    partial.write_text(_html(analysis, pictures, about), encoding="utf-8")
    return partial.replace(path)


def _pictures(analysis: Analysis) -> dict[str, Figure]:
    pictures = {}
    if analysis.streams:
        pictures["pareto"] = pareto_figure(analysis.fronts())
    if analysis.ranks:
        ranks = analysis.ranks
        pictures["ranks"] = critical_difference_figure(
            list(map(str, ranks.mean.index)),
            ranks.mean.tolist(),
            ranks.critical_difference,
            f"mean rank by APF, {ranks.test.capitalize()}, level {ranks.alpha:g}",
            ranks.groups if ranks.test == "wilcoxon" else None,
        )
    return pictures


def verdict(analysis: Analysis) -> str:
    """In a sentence, whether the models differ."""
    ranks = analysis.ranks
    if ranks is None:
        return "Ranks need at least two models and two streams."
    n = len(analysis.streams)
    order = ranks.mean.sort_values()
    best = f"Best mean rank: {order.index[0]} ({order.iloc[0]:.2f}) over {n} streams."
    if ranks.friedman is None:
        test = "Friedman's test needs three models."
    else:
        differ = "the ranks differ" if ranks.friedman.p_f < ranks.alpha else "the ranks may differ by chance"
        test = (
            f"Friedman: chi2 = {ranks.friedman.chi2:.2f}, p = {ranks.friedman.p:.3g}; Iman and Davenport: "
            f"F = {ranks.friedman.f:.2f}, p = {ranks.friedman.p_f:.3g}: {differ} (level {ranks.alpha:g})."
        )
    return f"{best} {test} Nemenyi's critical difference is {ranks.critical_difference:.2f}."


def _html(analysis: Analysis, pictures: dict[str, Figure], about: dict[str, str]) -> str:
    parts = [section("The sweep", table(["", ""], [[k, escape(v)] for k, v in about.items()], text=True))]
    if analysis.streams:
        caption = (
            "Each point is a run, hollow where a smaller one of the same model is as good. The grey "
            "staircase is the front over all models: the best that can be had for so many bytes."
        )
        parts.append(section("Accuracy against bytes", figure(to_svg(pictures["pareto"], "pareto"), caption)))
        parts.append(section("Area under the Pareto front (APF)", _apf_table(analysis)))
        parts.append(section("Accuracy", *(_accuracy_table(analysis, stream) for stream in analysis.streams)))
    if analysis.ranks:
        test, level = analysis.ranks.test.capitalize(), analysis.ranks.alpha
        caption = f"Models joined by a bar are not told apart by {test}'s test at level {level:g}."
        parts.append(
            section(
                "Ranks",
                f"<p>{escape(verdict(analysis))}</p>",
                figure(to_svg(pictures["ranks"], "ranks"), caption),
                "<h3>Nemenyi, p-values</h3>" + _square(analysis.ranks.nemenyi, level),
                "<h3>Wilcoxon signed ranks, p-values corrected by Holm</h3>"
                + _square(analysis.ranks.wilcoxon, level),
            )
        )
    if len(analysis.others):
        columns = ["stream", "model", "budget_bytes", "seed", "status", "error"]
        parts.append(section("Runs without a result", _rows(analysis.others, columns, text=True)))
    columns = [
        "stream",
        "model",
        "budget_bytes",
        "seed",
        "settings",
        "model_bytes",
        "accuracy",
        "kappa_m",
        "kappa_t",
        "nodes",
        "digest",
    ]
    parts.append(details(f"All {len(analysis.runs)} runs (results.parquet)", _rows(analysis.runs, columns)))
    return page("Niwaki sweep", parts)


def _apf_table(analysis: Analysis) -> str:
    rows = [[escape(str(stream)), *_best(values.tolist(), 4)] for stream, values in analysis.apf.iterrows()]
    rows.append(["<i>mean</i>", *_best(list(analysis.apf.to_numpy().mean(axis=0)), 4)])
    note = "<p>0 to 1, higher is better: accuracy over all sizes up to the largest model on the stream.</p>"
    return note + table(["stream", *analysis.models], rows)


def _accuracy_table(analysis: Analysis, stream: str) -> str:
    rows = [
        [format_size(int(budget)), *_best((values * 100).tolist(), 2)]
        for budget, values in analysis.accuracy.loc[stream].iterrows()
    ]
    return f"<h3>{escape(stream)}</h3>" + table(["budget", *analysis.models], rows)


def _best(values: list[float], digits: int) -> list[str]:
    """Numbers of a row, the highest in bold, a dash for what is not there."""
    known = [value for value in values if not pd.isna(value)]
    return [
        "-"
        if pd.isna(value)
        else f"<b>{value:.{digits}f}</b>"
        if value == max(known)
        else f"{value:.{digits}f}"
        for value in values
    ]


def _square(p: pd.DataFrame, alpha: float) -> str:
    rows = []
    for name, values in p.iterrows():
        cells = ["" if other == name else _p(value, alpha) for other, value in values.items()]
        rows.append([escape(str(name)), *cells])
    return table(["", *map(str, p.columns)], rows)


def _p(value: float, alpha: float) -> str:
    text = f"{value:.3f}" if value >= 0.001 else "&lt; 0.001"
    return f"<b>{text}</b>" if value < alpha else text


def _rows(frame: pd.DataFrame, columns: list[str], text: bool = False) -> str:
    cells = [
        [escape(_cell(value)) for value in row] for row in frame[columns].head(_SHOWN).itertuples(index=False)
    ]
    more = f"<p>and {len(frame) - _SHOWN} more</p>" if len(frame) > _SHOWN else ""
    return table(columns, cells, text) + more


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "-" if pd.isna(value) else f"{value:.4f}".rstrip("0").rstrip(".")
    return str(value)
