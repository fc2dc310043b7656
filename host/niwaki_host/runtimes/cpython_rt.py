"""CPython: the checked reference. Array stores raise on overflow, indices beyond the end raise."""

import subprocess
import sys
import time
from array import array
from typing import Any

from niwaki_host.errors import DeviceError
from niwaki_host.runtimes.events import ASK, DEFER, FETCHES, GUESS, LABEL, LABEL_MASK, VERB_SHIFT
from niwaki_host.runtimes.result import Job, Run, finish

_PIECE = 256  # steps between two signs of progress


def obstacle() -> str | None:
    return None


def execute(source: str, **_options: Any) -> str:
    """Run a script in a new interpreter; returns what it prints."""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    if done.returncode:
        raise DeviceError(f"cpython failed:\n{done.stderr.strip()}")
    return done.stdout


def run(job: Job, **_options: Any) -> Run:
    model, width = job.model, 2 * job.X.shape[1]
    codes = memoryview(job.X.data).cast("B") if job.X.size else memoryview(b"")
    predictions, kept, curve = job.predictions(), [0] * job.script.waiting, []
    seconds = 0.0
    x = array("h")
    for piece in job.pieces(_PIECE):
        start = time.perf_counter()
        for code, row in zip(piece.codes.tolist(), piece.rows.tolist(), strict=True):
            verb, y = code >> VERB_SHIFT, code & LABEL_MASK
            if verb in FETCHES:
                x = array("h", bytes(codes[row * width : row * width + width]))
            if verb == ASK:
                predictions[row] = model.predict(x)
            elif verb == DEFER:
                kept[row % len(kept)] = model.answers()
            elif verb == GUESS:
                model.learn_unlabelled(x, job.self_train)
            elif verb == LABEL and job.keeps:
                model.learn_late(x, y, kept[row % len(kept)])
            else:
                model.learn(x, y)
        seconds += time.perf_counter() - start
        if job.every and piece.done % job.every == 0:
            curve.append(job.point(piece.done, seconds))
        job.advance(piece.done)
    return finish(job, predictions, seconds, curve)
