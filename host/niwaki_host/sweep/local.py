"""Runs on the cores of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from niwaki_host.errors import Notice, UsageError
from niwaki_host.evaluation.experiment import Task
from niwaki_host.sweep.work import work

_PATIENCE = 3  # pools in a row that may die without finishing a single run


def _start_worker() -> None:
    """Ignore Ctrl-C, because the parent stops its workers; ignore notices, because it has shown them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore", Notice)


def run_local(
    tasks: Sequence[Task], jobs: int | None = None, do: Callable[[Task], dict[str, Any]] = work
) -> Iterator[dict[str, Any]]:
    """Rows as they are finished. A worker that dies (out of memory, killed) costs only its own run's time."""
    waiting = list(tasks)
    broken = 0
    while waiting:
        finished: set[int] = set()  # tasks by identity: a setting may be a list, which has no hash
        for task, row in _pool(waiting, jobs or os.cpu_count() or 1, do):
            finished.add(id(task))
            yield row
        waiting = [task for task in waiting if id(task) not in finished]
        broken = broken + 1 if not finished else 0
        if broken == _PATIENCE:
            task = waiting[0]
            raise UsageError(
                f"workers keep dying on {task.model} with {task.source.stream} (out of memory?); what is "
                "finished is kept: the same command goes on from there, with --jobs 1 in less memory"
            )


def _pool(tasks: Sequence[Task], jobs: int, do: Callable) -> Iterator[tuple[Task, dict[str, Any]]]:
    """Rows until all is done or a worker has died."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), context, _start_worker)
    try:
        waiting = {pool.submit(do, task): task for task in tasks}
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    except BrokenProcessPool:
        return
    except BaseException:
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
