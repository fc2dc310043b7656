"""A sweep from start to end, or from where it stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from niwaki_host.evaluation.experiment import Task
from niwaki_host.sweep.cluster import run_cluster
from niwaki_host.sweep.grid import key
from niwaki_host.sweep.local import run_local
from niwaki_host.sweep.store import Store

_REWRITE = 20.0  # seconds between two rewrites of the columnar file


def run_sweep(
    tasks: Sequence[Task],
    store: Store,
    jobs: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[str]:
    """Do what is not done yet; returns the keys of all tasks. Whatever ends it, finished runs are kept."""
    keys = [key(task) for task in tasks]
    waiting = [task for task, own in zip(tasks, keys, strict=True) if not store.done(own)]
    done = len(tasks) - len(waiting)
    if progress:
        progress(done)
    written = time.monotonic()
    for row in _rows(waiting, jobs, cluster):
        store.add(row)
        done += 1
        if progress:
            progress(done)
        if time.monotonic() - written > _REWRITE:
            store.write_results()
            written = time.monotonic()
    store.write_results()
    return keys


def _rows(tasks: Sequence[Task], jobs: int | None, cluster: str | None) -> Iterator[dict[str, Any]]:
    return run_cluster(tasks, cluster) if cluster else run_local(tasks, jobs)
