"""The Cortex-M3 runtime with native modules: the kernels as C, compiled for the board, methods included."""

from typing import Any

from niwaki_host.deploy import native
from niwaki_host.runtimes import cortex
from niwaki_host.runtimes.result import Job, Run

__all__ = ["execute", "obstacle", "run"]


def obstacle() -> str | None:
    return cortex.obstacle() or native.obstacle(cortex.MARCH)


def execute(source: str, **options: Any) -> str:
    return cortex.execute(source, native=True, **options)


def run(job: Job, **options: Any) -> Run:
    return cortex.run(job, native=True, **options)
