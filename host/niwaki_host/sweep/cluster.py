"""Runs on a cluster that is there already, through dask.distributed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from niwaki_host.errors import UsageError
from niwaki_host.evaluation.experiment import Task
from niwaki_host.sweep.work import identity, work

TIMEOUT = 10  # seconds for the scheduler to answer
_RETRIES = 10  # so many workers may die during the same run; after that the run counts as failed


def run_cluster(
    tasks: Sequence[Task], address: str, do: Callable[[Task], dict[str, Any]] = work
) -> Iterator[dict[str, Any]]:
    """Rows as they are finished; the runs of a worker that goes away are given to another."""
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise UsageError("--cluster needs dask.distributed: pip install 'niwaki-ml[cluster]'") from None
    try:
        client = Client(address, timeout=TIMEOUT)
    except (OSError, ValueError) as error:
        raise UsageError(f"no dask scheduler answers at {address}: {error}") from None
    with client:
        futures = client.map(do, tasks, pure=False, retries=_RETRIES)
        by_key = {future.key: task for future, task in zip(futures, tasks, strict=True)}
        try:
            for future in as_completed(futures):
                if future.status == "finished":
                    yield future.result()
                else:
                    yield {
                        **identity(by_key[future.key]),
                        "status": "failed",
                        "error": f"{future.exception()}",
                    }
        finally:
            client.cancel(futures)
