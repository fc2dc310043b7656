"""Groves of several people, merged, and judged on another one.

Movements of ten people with a smart watch (seglearn's own recordings): windows of 2 s with half overlap, of
each of six channels mean, deviation, minimum and maximum. Each board is taught by one person, K windows of
each exercise, one exercise after another; then `niwaki merge` makes one grove of nine of them, in the same
budget, and it is judged on all windows of the tenth. Beside it: the nine boards alone on the same person, and
one grove that was taught by all nine people itself, for which all samples would have had to be sent. Ranges
are the same on all boards, from the first two people. Means over the ten people who are left out.

    python benchmarks/merge.py > benchmarks/results/merge.md
"""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from common import heading, parser, row, table

import niwaki
from niwaki_host.device.merge import merge
from niwaki_host.sizes import format_size, parse_sizes

WINDOW, STEP = 100, 50  # of 50 samples a second
EXERCISES = 7
KNOWN = 2  # people whose ranges the boards have


def recordings() -> list[tuple[np.ndarray, np.ndarray]]:
    """Per person the features of all windows and their exercises."""
    # Not through `import seglearn`, whose code may lag behind scikit-learn's.
    spec = importlib.util.find_spec("seglearn")
    if spec is None or not spec.origin:
        raise SystemExit("seglearn's recordings are needed: pip install seglearn")
    data = np.load(Path(spec.origin).parent / "data" / "watch_dataset.npy", allow_pickle=True).item()
    people: dict[int, list[tuple[np.ndarray, int]]] = {}
    for person, signal, exercise in zip(data["subject"], data["X"], data["y"], strict=True):
        for start in range(0, len(signal) - WINDOW + 1, STEP):
            part = np.asarray(signal[start : start + WINDOW], float)
            features = np.concatenate([part.mean(0), part.std(0), part.min(0), part.max(0)])
            people.setdefault(int(person), []).append((features, int(exercise)))
    return [(np.array([x for x, _ in rows]), np.array([y for _, y in rows])) for rows in people.values()]


def encoded(people: list[tuple[np.ndarray, np.ndarray]]) -> list[tuple[np.ndarray, np.ndarray]]:
    """As 16-bit codes, all by the same ranges, a quarter wider than what the first people show."""
    known = np.concatenate([X for X, _ in people[:KNOWN]])
    low, high = known.min(0), known.max(0)
    low, high = low - (high - low) / 4, high + (high - low) / 4
    scale = 65536 / (high - low)
    return [(np.clip((X - low) * scale - 32768, -32767, 32767).astype(np.int16), y) for X, y in people]


def taught(model: Any, X: np.ndarray, y: np.ndarray, each: int, seed: int) -> Any:
    """Taught `each` windows of each exercise, one exercise after another."""
    rng = np.random.default_rng(seed)
    for exercise in range(EXERCISES):
        rows = np.flatnonzero(y == exercise)
        for i in np.sort(rng.permutation(rows)[:each]):
            model.learn(X[i].tolist(), exercise)
    return model


def right(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean([model.predict(x) == label for x, label in zip(X.tolist(), y, strict=True)]))


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--budgets", default="8k,32k")
    options.add_argument("--each", default="10,30", help="windows of each exercise")
    arguments = options.parse_args()
    people = encoded(recordings())
    heading(__doc__ or "")
    table(
        ["budget", "windows of each exercise", "one board alone", "best board alone", "merged", "all by one"]
    )
    for budget in parse_sizes(arguments.budgets):
        for each in map(int, arguments.each.split(",")):
            figures = []
            shape = people[0][0].shape[1], EXERCISES, budget
            boards = [taught(niwaki.Grove(*shape), X, y, each, k) for k, (X, y) in enumerate(people)]
            for k, (X, y) in enumerate(people):
                others = [board for i, board in enumerate(boards) if i != k]
                alone = [right(board, X, y) for board in others]
                whole = niwaki.Grove(*shape)
                for i, (own, labels) in enumerate(people):
                    if i != k:
                        taught(whole, own, labels, each, i)
                merged = merge(others, [f"board {i}" for i in range(len(others))])
                figures.append((np.mean(alone), np.max(alone), right(merged, X, y), right(whole, X, y)))
            row([format_size(budget), each, *(f"{value:.3f}" for value in np.mean(figures, 0))])


if __name__ == "__main__":
    main()
