"""Adwin beside river's ADWIN(delta=0.002): detection delay, false alarms, bytes, instructions.

    python benchmarks/adwin.py > benchmarks/results/adwin.md

Delay: values from the change (gradual: from its start) to the first alarm after it, mean over --seeds draws.
"""

import pickle
import random
import statistics
from collections.abc import Callable

from common import heading, parser, row, table
from river.drift import ADWIN

from niwaki import Adwin
from niwaki_host.runtimes import available, cortex, package
from niwaki_host.runtimes.emulator import Board

BUDGETS = (192, 208, 224)
SCENARIOS = {
    "abrupt, 0.2 to 0.4 after 1,000": (1000, 0.2, 0.4, 0),
    "abrupt, 0.2 to 0.4 after 10,000": (10000, 0.2, 0.4, 0),
    "abrupt, 0.4 to 0.2 after 1,000": (1000, 0.4, 0.2, 0),
    "abrupt, 0.05 to 0.5 after 1,000": (1000, 0.05, 0.5, 0),
    "gradual, 0.2 to 0.4 over 5,000 after 5,000": (5000, 0.2, 0.4, 5000),
    "gradual, 0.2 to 0.3 over 20,000 after 5,000": (5000, 0.2, 0.3, 20000),
}
STATIONARY = (0.01, 0.05, 0.2, 0.5)


def changing(seed: int, start: int, low: float, high: float, width: int, after: int = 8000) -> list[int]:
    """Zeros and ones whose rate goes from low to high at `start`, at once or over `width` values."""
    rng = random.Random(seed)
    rate = [low] * start + [low + (high - low) * t / width for t in range(width)] + [high] * after
    return [int(rng.random() < r) for r in rate]


def ours(budget: int) -> Callable[[list[int]], list[int]]:
    def alarms(values: list[int]) -> list[int]:
        detector = Adwin(budget)
        return [t for t, value in enumerate(values) if detector.update(value)]

    return alarms


def rivers(values: list[int]) -> list[int]:
    detector, found = ADWIN(delta=0.002), []
    for t, value in enumerate(values):
        detector.update(value)
        if detector.drift_detected:
            found.append(t)
    return found


def delays(alarms: Callable, scenario: tuple[int, float, float, int], seeds: int) -> str:
    """The mean delay, as text; a change that is not seen counts to the end of its stream."""
    result = []
    for seed in range(seeds):
        values = changing(seed, *scenario)
        start = scenario[0]
        result.append(next((t for t in alarms(values) if t >= start), len(values)) - start)
    mean, longest = statistics.mean(result), len(values) - start
    return f"{mean:.0f}" if mean < longest else "never"


def false_alarms(alarms: Callable, rate: float, seeds: int, n: int) -> int:
    return sum(len(alarms(changing(1000 + seed, n, rate, rate, 0, 0))) for seed in range(seeds))


def river_bytes(n: int) -> int:
    detector = ADWIN(delta=0.002)
    for value in changing(1, n, 0.2, 0.2, 0, 0):
        detector.update(value)
    return len(pickle.dumps(detector))


_DEVICE = """
import count
from array import array
from niwaki.adwin import adwin
from niwaki.model import LOG2
from niwaki.model import reach
def go(k):
    h = array('H', bytearray(2 * 24 * k))
    s = array('i', [0, 0, 3, k, 20, 6364] + [0] * (2 * k))
    arrays = (s, h, s, s, LOG2)
    at = reach(arrays)
    seed = 1
    plain = block = worst = 0
    for t in range(8000):
        for i in range(k):
            seed = (seed * 1103 + 12345) & 0xFFFF
            s[6 + 2 * i] = 24 * i
            s[7 + 2 * i] = 1 if (seed >> 4) % 10 < (2 if t < 7000 else 6) else 0
        count.start(t)
        a = count.ticks()
        adwin(at, h)
        a -= count.ticks()
        if t % 32 == 31:
            block += a if 4000 <= t < 7000 else 0
            worst = max(worst, a)
        else:
            plain += a if 4000 <= t < 7000 else 0
    print(plain, block, worst)
go(1)
go(5)
"""


def _measure() -> str:
    with Board(package.compiled({**package.sources(), **cortex._drivers()}, cortex.MARCH)) as board:
        return board.execute(_DEVICE)


def instructions() -> tuple[float, float, float]:
    """A plain update of one monitor, one that completes a block, the worst; machine code on a Cortex-M3."""
    one, five = (list(map(int, line.split())) for line in _measure().split("\n")[:2])
    blocks = 3000 // 32
    plain, block = (40 * (b - a) / 4 for a, b in zip(one[:2], five[:2], strict=True))
    return plain / (3000 - blocks), block / blocks, 40 * five[2] / 5


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=30)
    seeds = options.parse_args().seeds
    detectors = {**{f"{b} B": ours(b) for b in BUDGETS}, "river": rivers}
    heading(__doc__)
    table(["change", *detectors])
    for name, scenario in SCENARIOS.items():
        row([name, *(delays(d, scenario, seeds) for d in detectors.values())])
    runs = max(1, seeds // 6)
    print(f"\nFalse alarms, {runs} stationary streams of 100,000 values.\n")
    table(["rate", *detectors])
    for rate in STATIONARY:
        row([rate, *(false_alarms(d, rate, runs, 100000) for d in detectors.values())])
    print(f"\nriver's detector, pickled after 20,000 values: {river_bytes(20000):,} bytes.")
    if not available()["cortex-m3"]:
        plain, block, worst = instructions()
        print(
            f"\nOn a Cortex-M3, machine code, per monitor of 48 bytes (20 buckets) in a list of them:"
            f" {plain:.0f} instructions, {block:.0f} when a block of 32 is complete"
            f" ({(31 * plain + block) / 32:.0f} on average),"
            f" {worst:.0f} at worst."
        )


if __name__ == "__main__":
    main()
