"""A tree whose kernels refuse what another runtime would do differently, see `niwaki_host.checked`."""

import functools
from collections.abc import Callable

from niwaki import Tree
from niwaki.model import Model
from niwaki_host.checked import checked


@functools.cache
def _wrap(kernel: Callable) -> Callable:
    safe = checked(kernel)

    def call(at, x, *rest):
        words, halves, octets, scratch, log2 = at
        return safe(words, halves, octets, x, scratch, log2, *rest)

    return call


class CheckedTree(Tree):
    """Runs its kernels one by one as `Model` does, and as numba's loop does."""

    predict = Model.predict

    def _work(self, due, x, y):
        Model._work(self, due & 4095 if due > 0 else due, x, y)  # 4096 stands for AGAIN

    def _choose_kernels(self):
        super()._choose_kernels()
        self.KERNELS = tuple(_wrap(kernel) for kernel in self.KERNELS)

    def learn(self, x, y):
        Model.learn(self, x, y)
        due = self.AGAIN
        while due:
            due = _wrap(self.AGAIN)(self._at, self._admit(x))
            if due & 8192:
                Model.learn(self, x, y)
            elif due:
                self._work(due, x, y)
