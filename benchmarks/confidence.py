"""What `confidence(x)` of a grove is worth: how many answers are left, and how many of those are right.

    python benchmarks/confidence.py FILE... > benchmarks/results/confidence.md

A grove is taught so many samples of each class, one class after another, from the first half of a stream;
then it is left alone, and asked for ASKED samples of the second half, evenly spread. An answer counts if its
confidence is at least the threshold; below it the device says that it does not know. *Answered*: the share
of the questions that got an answer; *right*: of these, on the streams on which anything was answered.
"""

import numpy as np
from common import heading, parser, row, table

from niwaki_host.evaluation.experiment import Task, final_model, simulate
from niwaki_host.evaluation.samples import Source, prepare
from niwaki_host.evaluation.telling import spread
from niwaki_host.sizes import format_size, parse_sizes

ASKED = 250
THRESHOLDS = (0, 24000, 32000, 40000, 48000, 56000, 62000)


def sure_and_right(source: Source, budget: int, teach: int) -> tuple[np.ndarray, np.ndarray]:
    """The confidence of each answer, and whether it is right."""
    samples = prepare(source)
    task = Task(source, "grove", budget, teach=teach)
    model = final_model(task, simulate(task, samples))
    rows = spread(task.telling.lesson(samples.y, samples.unready)[1], ASKED)
    sure = [model.confidence(x) for x in samples.X[rows].tolist()]
    said = [model.predict(x) for x in samples.X[rows].tolist()]
    return np.array(sure), np.array(said) == samples.y[rows]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--rows", type=int, default=6000)
    options.add_argument("--budgets", default="2k,8k")
    options.add_argument("--teach", default="10,50")
    arguments = options.parse_args()
    heading(__doc__ or "")
    ways = [
        (budget, teach)
        for budget in parse_sizes(arguments.budgets)
        for teach in map(int, arguments.teach.split(","))
    ]
    names = [f"{format_size(budget)}, taught {teach}" for budget, teach in ways]
    table(["at least", *(f"{name}: {what}" for name in names for what in ("answered", "right"))])
    found = [
        [sure_and_right(Source(path, arguments.rows, seed=1), budget, teach) for path in arguments.streams]
        for budget, teach in ways
    ]
    for threshold in THRESHOLDS:
        cells = []
        for streams in found:
            answered = [sure >= threshold for sure, _right in streams]
            shares = [
                np.mean(right[some]) for some, (_, right) in zip(answered, streams, strict=True) if any(some)
            ]
            cells += [f"{np.mean([np.mean(some) for some in answered]):.3f}", f"{np.mean(shares):.3f}"]
        row([f"{threshold:,}", *cells])


if __name__ == "__main__":
    main()
