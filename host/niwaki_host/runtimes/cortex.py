"""The Cortex-M3 runtime: viper code from ROMFS, the stream in PSRAM, instructions counted exactly."""

import time
from typing import Any

import numpy as np

from niwaki_host.runtimes import package
from niwaki_host.runtimes.emulator import Board, obstacle
from niwaki_host.runtimes.events import ASK, FETCHES
from niwaki_host.runtimes.result import Job, Run, finish, set_state
from niwaki_host.toolchain import build

__all__ = ["execute", "import_cost", "obstacle", "run"]

MARCH = "armv7m"
_BLOCK = 1000  # samples between two signs of progress
_EVENT_BYTES = 8
_EVENTS_PER_STEP = 3  # at most on average: a question, what is deferred, a label
_PER_TICK = 40
_CALIBRATIONS = 400


def _drivers() -> dict[str, str]:
    return {f"{name}.py": (package.DRIVERS / f"{name}.py").read_text() for name in ("board", "count")}


def _compiled(sources: dict[str, str], native: bool) -> dict[str, bytes]:
    """The package as `.mpy` files; with `native`, methods and kernels are modules built from C."""
    if not native:
        return package.compiled(sources, MARCH)
    from niwaki_host.deploy.native import compiled

    return compiled(sources, MARCH)


def execute(source: str, heap: int = build.DEFAULT_HEAP, *, viper: bool = True, native: bool = False) -> str:
    """Run a script that may import niwaki; returns what it prints."""
    sources = package.sources()
    files = _compiled(sources, native) if viper else package.compiled(sources, None)
    with Board(files, heap) as board:
        return board.execute(source)


def run(
    job: Job, *, heap: int | None = None, measure: bool = False, native: bool = False, **_options: Any
) -> Run:
    heap = heap or package.default_heap(job.model.budget)
    files = _compiled({**package.sources(), **_drivers()}, native)
    if job.image is not None:
        files["image"] = job.image
    start = time.perf_counter()
    with Board(files, heap, counted=measure) as board:
        board.execute("import board")
        arguments = (job.class_name, job.shape, job.kwargs, job.image is not None, job.self_train)
        board.execute(f"board.build(*{arguments!r})")
        measured: dict[str, Any] = {}
        if measure:
            board.execute("import count")
        predictions, curve, peak = _stream(board, job, "count" if measure else "board")
        if measure:
            measured = _instructions(board)
        sizes = [int(size) for size in board.execute(f"board.save({board.data})").split()]
        ends = np.cumsum([board.data, *sizes]).tolist()
        set_state(job.model, *(board.read(at, size) for at, size in zip(ends, sizes, strict=False)))
    seconds = time.perf_counter() - start
    return finish(job, predictions, seconds, curve, heap_bytes=heap, peak_heap_bytes=peak, **measured)


def _stream(board: Board, job: Job, driver: str) -> tuple[np.ndarray, list[tuple[float, ...]], int]:
    """The events and their samples through PSRAM, block by block."""
    predictions = job.predictions()
    width = 2 * job.X.shape[1]
    kept = board.data  # a word for each sample that waits; then events, their samples, and answers
    first = kept + 4 * job.script.waiting * job.keeps
    per_step = _EVENTS_PER_STEP * (_EVENT_BYTES + width) + 2
    curve, peak = [], 0
    start = time.perf_counter()
    for piece in job.pieces(max(1, min(_BLOCK, (board.free - (first - kept)) // per_step))):
        asked = piece.rows[piece.verbs == ASK]
        rows_at = first + _EVENT_BYTES * len(piece.codes)
        rows = job.X[piece.rows[np.isin(piece.verbs, FETCHES)]].tobytes()
        answers_at = rows_at + len(rows)
        board.write(first, piece.words(job.script.waiting).tobytes())
        board.write(rows_at, rows)
        places = kept if job.keeps else 0
        call = f"{driver}.block({len(piece.codes)}, {first}, {rows_at}, {answers_at}, {places})"
        nodes, leaves, peak = map(int, board.execute(call).split())
        predictions[asked] = np.frombuffer(board.read(answers_at, 2 * len(asked)), np.int16)
        if job.every and piece.done % job.every == 0:
            curve.append((piece.done, nodes, leaves, time.perf_counter() - start))
        job.advance(piece.done)
    return predictions, curve, peak


def _instructions(board: Board) -> dict[str, Any]:
    overhead = int(board.execute("count.calibrate()")) / _CALIBRATIONS
    predicts, predict_ticks, learns, learn_ticks, longest = map(int, board.execute("count.report()").split())
    return {
        "instructions_per_predict": _PER_TICK * (predict_ticks / max(predicts, 1) - overhead),
        "instructions_per_learn": _PER_TICK * (learn_ticks / max(learns, 1) - overhead) if learns else 0.0,
        "max_instructions_per_learn": round(_PER_TICK * max(longest - overhead, 0)),
    }


def import_cost(
    modules: tuple[str, ...] = ("niwaki.tree",), *, viper: bool = True, native: bool = False
) -> dict[str, int]:
    """Bytes of heap that each import takes, code in ROMFS, in the order given."""
    cost = {}
    sources = package.sources()
    with Board(_compiled(sources, native) if viper else package.compiled(sources, None)) as board:
        board.execute("import gc\ndef used():\n gc.collect()\n return gc.mem_alloc()")
        for module in modules:
            printed = board.execute(f"a = used()\nimport {module}\nb = used()\nprint(b - a)")
            cost[module] = int(printed)
    return cost
