"""A model that keeps its answers, to test with: shrubs that write down what they are told of them."""

import micropython
from micropython import const

from niwaki import Shrubs

_BUDGET = const(4)
_SAMPLES = const(7)


@micropython.viper
def answers(at: ptr32, x: ptr16) -> int:  # noqa: F821
    words = ptr32(at[0])  # noqa: F821
    return words[_SAMPLES] + 1


@micropython.viper
def recall(at: ptr32, x: ptr16, answered: int) -> int:  # noqa: F821
    words = ptr32(at[0])  # noqa: F821
    words[_BUDGET] = (words[_BUDGET] * 31 + answered + 2) % 1000003
    return 0


class Credited(Shrubs):
    """What it has been told is mixed into its budget's word, which no kernel of shrubs reads."""

    CREDIT = (answers, recall)
    _asked = None

    def predict(self, x):
        self._asked = bytes(x)
        return super().predict(x)

    def answers(self):
        return answers(self._at, self._seen)

    def learn(self, x, y):
        if self._asked != bytes(x):
            recall(self._at, x, -1)
        self._asked = None
        super().learn(x, y)

    def learn_late(self, x, y, answered):
        recall(self._at, x, answered)
        self._asked = None
        super().learn(x, y)
