"""One comparison: every classifier of the chosen families on one stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from niwaki_host.compare.baselines import baselines
from niwaki_host.compare.batch_peers import batch_peers
from niwaki_host.compare.moa_peers import moa_peers
from niwaki_host.compare.own import own_models
from niwaki_host.compare.peer import Peer, row
from niwaki_host.compare.river_peers import river_peers
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.samples import Samples, Source
from niwaki_host.evaluation.telling import AT_ONCE, Telling
from niwaki_host.suggest import did_you_mean

FAMILIES: dict[str, Callable[[int], list[Peer]]] = {"river": river_peers, "moa": moa_peers}
BATCH = "scikit-learn"
_ORDER = ("niwaki", BATCH, "MOA", "river", "baseline")


@dataclass
class LineUp:
    """The classifiers that take part, and for each family that can't its name and why."""

    peers: list[Peer]
    missing: dict[str, str] = field(default_factory=dict)


def line_up(
    source: Source,
    models: Sequence[str],
    budget: int,
    runtime: str,
    against: Sequence[str],
    without: Sequence[str],
    telling: Telling = AT_ONCE,
) -> LineUp:
    """`without` leaves out classifiers whose name has one of these words in it.

    With `teach` all lessons come before all questions, so scikit-learn's batch classifiers take part, too.
    """
    peers, missing = own_models(source, models, budget, runtime), {}
    families = {family: partial(FAMILIES[family], budget) for family in against}
    if telling.teach:
        families = {BATCH: batch_peers, **families}
    for family, make in families.items():
        try:
            peers += make()
        except UsageError as error:
            missing[family] = str(error)
    peers += baselines()
    for word in without:
        if not any(_has(peer, word) for peer in peers) and not missing:
            names = [peer.name for peer in peers]
            raise UsageError(
                f"--without {word!r}: no classifier has it in its name{did_you_mean(word, names)}"
            )
    return LineUp([peer for peer in peers if not any(_has(peer, word) for word in without)], missing)


def _has(peer: Peer, word: str) -> bool:
    return word.lower() in peer.name.lower()


def compare(
    entries: LineUp,
    samples: Samples,
    budget: int,
    progress: Callable[[int, str], None] | None = None,
    telling: Telling = AT_ONCE,
    every: int = 0,
) -> list[dict[str, Any]]:
    """A row for each classifier, by family, the most accurate first. One that can't run counts as missing.

    With `every` each row has a curve: accuracy and bytes after each `every` samples.
    """
    rows = []
    for done, peer in enumerate(entries.peers):
        if progress:
            progress(done, peer.name)
        try:
            rows.append(row(peer, peer.run(samples, telling, every), samples, budget, telling, every))
        except UsageError as error:
            entries.missing[peer.name] = str(error)
    return sorted(rows, key=lambda found: (_ORDER.index(found["family"]), -found["accuracy"]))
