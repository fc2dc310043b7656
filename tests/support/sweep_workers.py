"""What stands in for a worker's run in the tests; small, because every worker imports it."""

import os
import signal
from pathlib import Path


def row(number, **more):
    return {
        "key": f"k{number}",
        "status": "ok",
        "stream": "sea",
        "model": "vfdt",
        "budget_bytes": 1024,
        **more,
    }


def dies_once(task):
    """Kill this worker the first time that one gets the task with a budget of 2 KB."""
    marker = Path(os.environ["NIWAKI_TEST_MARKER"])
    if task.budget == 2048 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return row(task.budget)


def always_dies(_task):
    os.kill(os.getpid(), signal.SIGKILL)
