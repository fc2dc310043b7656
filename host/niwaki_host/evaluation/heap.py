"""The smallest heap in which a model runs on a real MicroPython, found by bisection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from niwaki_host.errors import HeapError, UsageError
from niwaki_host.evaluation.experiment import Task, simulate
from niwaki_host.evaluation.samples import Samples

STEP = 512
HEAPED = ("micropython", "micropython-bytecode", "cortex-m3", "cortex-m3-c")
# Few samples are enough: a model allocates all it needs when it is made, and a run adds nothing that grows.
_PROBE = 200


@dataclass(frozen=True)
class SmallestHeap:
    heap_bytes: int
    model_bytes: int

    @property
    def beside_bytes(self) -> int:
        """What the heap holds besides the model: the code's objects, machine code, the driver's buffers."""
        return self.heap_bytes - self.model_bytes


def check_runtime(runtime: str) -> None:
    if runtime not in HEAPED:
        raise UsageError(f"runtime {runtime} has no heap of its own: use --runtime {' or '.join(HEAPED)}")


def holds(task: Task, samples: Samples, heap: int) -> bool:
    try:
        simulate(replace(task, heap=heap, every=0), samples, measure=False)
    except HeapError:
        return False
    return True


def find_heap(
    task: Task, samples: Samples, model_bytes: int, enough: int, report: Callable[[int], None] | None = None
) -> SmallestHeap:
    """The smallest heap, a multiple of STEP, that the whole stream runs in; `enough` is known to be enough.

    The search uses the first samples; then a run over all samples confirms what it found.
    """
    few = _first(samples, _PROBE)
    low, high = model_bytes // STEP, -(-enough // STEP)  # low is too small, high is enough
    tried = 0
    while high - low > 1:
        middle = (low + high) // 2
        if holds(task, few, middle * STEP):
            high = middle
        else:
            low = middle
        tried += 1
        if report:
            report(tried)
    while not holds(task, samples, high * STEP):
        high += 1
    return SmallestHeap(high * STEP, model_bytes)


def _first(samples: Samples, count: int) -> Samples:
    return replace(samples, X=samples.X[:count], y=samples.y[:count])
