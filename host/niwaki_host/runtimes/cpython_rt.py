"""CPython: the checked reference. Array stores raise on overflow, indices beyond the end raise."""

import subprocess
import sys
import time
from array import array
from typing import Any

import numpy as np

from niwaki_host.errors import DeviceError
from niwaki_host.runtimes.result import Job, Run, finish


def obstacle() -> str | None:
    return None


def execute(source: str, **_options: Any) -> str:
    """Run a script in a new interpreter; returns what it prints."""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    if done.returncode:
        raise DeviceError(f"cpython failed:\n{done.stderr.strip()}")
    return done.stdout


def run(job: Job, **_options: Any) -> Run:
    model, delay = job.model, job.delay
    codes, labels = job.X.tobytes(), job.delayed_labels().tolist()
    row = 2 * job.X.shape[1]
    predictions = np.empty(job.n_samples, np.int16)
    curve = []
    start = time.perf_counter()
    for t, y in enumerate(labels):
        x = array("h", codes[t * row : t * row + row])
        predictions[t] = model.predict(x)
        if y >= 0:
            if delay:
                x = array("h", codes[(t - delay) * row : (t - delay + 1) * row])
            model.learn(x, y)
        elif y == -1 and job.self_train:
            if delay:
                x = array("h", codes[(t - delay) * row : (t - delay + 1) * row])
            model.learn_unlabelled(x, job.self_train)
        if job.every and (t + 1) % job.every == 0:
            now = time.perf_counter()
            curve.append(job.point(t + 1, now - start))
            start += time.perf_counter() - now
        if t % 256 == 255:
            job.advance(t + 1)
    seconds = time.perf_counter() - start
    job.advance(job.n_samples)
    return finish(job, predictions, seconds, curve)
