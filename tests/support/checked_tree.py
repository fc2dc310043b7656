"""A tree whose kernels refuse what another runtime would do differently, see `niwaki_host.device.checked`."""

import functools
from collections.abc import Callable

from niwaki import Tree
from niwaki_host.device.checked import checked
from niwaki_host.device.kernels import kernels_of
from niwaki_host.runtimes.numba_rt import again


@functools.cache
def _wrap(kernel: Callable) -> Callable:
    safe = checked(kernel)

    def call(at, x, *rest):
        words, halves, octets, scratch, log2, _ = at
        return safe(words, halves, octets, x, scratch, log2, *rest)

    return call


class CheckedTree(Tree):
    """Runs its kernels one by one, in the order of KERNELS, as numba's loop does."""

    @property
    def KERNELS(self):
        return tuple(_wrap(kernel) for kernel in kernels_of(self))

    def predict(self, x):
        return self.KERNELS[0](self._at, self._admit(x))

    def learn(self, x, y):
        if y >> 8:
            self._refuse(y)
        x = self._admit(x)
        due = self._turn(x, y)
        watch = again(self)
        while True:
            for k, kernel in enumerate(self.KERNELS[2:]):
                while due >> k & 1 and kernel(self._at, x):
                    pass
            if due & 8192:
                due = self._turn(x, y)
            elif watch:
                due = _wrap(watch)(self._at, x)
                if not due:
                    break
            else:
                break

    def _turn(self, x, y):
        self.KERNELS[0](self._at, x)
        due = self.KERNELS[1](self._at, x, y)
        if due < 0:
            self._refuse(y)
        return due
