"""ADWIN over blocks of 32 zeros and ones, in float64 and with lists: what `niwaki.adwin` does in integers.

Bifet and Gavaldà, "Learning from time-changing data with adaptive windowing", 2007.
"""

from math import inf, log, sqrt

BLOCK = 32
ROSE, FELL = 1, 2


class Adwin:
    def __init__(self, capacity: int, delta: float = 0.002) -> None:
        self.capacity = capacity
        self.delta = delta
        self.block: list[int] = []
        self.buckets: list[tuple[int, int]] = []  # (values, ones), oldest first
        self.nearest = inf
        """In the last look, by how much the cut that came nearest to the threshold missed or passed it."""
        self.nearest_share = inf
        """The same, in parts of the threshold."""

    def update(self, value: int) -> int:
        """0 no change, 1 the mean rose, 2 it fell."""
        self.block.append(value)
        if len(self.block) < BLOCK:
            return 0
        if len(self.buckets) == self.capacity:
            self.buckets.pop(0)
        self.buckets.append((BLOCK, sum(self.block)))
        self.block = []
        self._merge()
        self.nearest = self.nearest_share = inf
        result = 0
        while change := self._cut():
            result = change
        return result

    def _merge(self) -> None:
        for size in (BLOCK << row for row in range(7)):
            same = [i for i, bucket in enumerate(self.buckets) if bucket[0] == size]
            if len(same) > (3 if self.capacity > 23 else 2):
                i = same[0]
                self.buckets[i : i + 2] = [(2 * size, self.buckets[i][1] + self.buckets[i + 1][1])]

    def _cut(self) -> int:
        total = sum(n for n, _ in self.buckets)
        ones = sum(u for _, u in self.buckets)
        p = ones / total
        dd = log(2 * log(total) / self.delta)
        n0 = u0 = 0
        for i, (n, u) in enumerate(self.buckets[:-1]):
            n0, u0 = n0 + n, u0 + u
            n1 = total - n0
            m = 1 / (n0 - 4) + 1 / (n1 - 4)
            rise = (ones - u0) / n1 - u0 / n0
            excess = abs(rise) - sqrt(2 * m * p * (1 - p) * dd) - 2 / 3 * dd * m
            self.nearest = min(self.nearest, abs(excess))
            self.nearest_share = min(self.nearest_share, abs(excess) / (abs(rise) - excess))
            if excess > 0:
                del self.buckets[: i + 1]
                return ROSE if rise > 0 else FELL
        return 0
