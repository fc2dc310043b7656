"""A tree whose kernels refuse what another runtime would do differently, see `niwaki_host.device.checked`."""

import functools

from niwaki import Tree
from niwaki_host.device.checked import checked
from niwaki_host.device.schedule import schedule_of

check = functools.cache(checked)


def caller(model, x):
    """What calls a kernel, checked, with a model's arrays and a sample: for `Schedule.teach`."""
    words, halves, octets, scratch, log2, _ = model._arrays

    def call(kernel, *label):
        return check(kernel)(words, halves, octets, x, scratch, log2, *label)

    return call


class CheckedTree(Tree):
    """Runs its kernels by the schedule, with nothing left out."""

    def predict(self, x):
        return caller(self, self._admit(x))(schedule_of(self).predict)

    def learn(self, x, y):
        if y >> 8:
            self._refuse(y)
        x = self._admit(x)
        if schedule_of(self).teach(caller(self, x), y) < 0:
            self._refuse(y)
