"""Keep what the vote, the newest and the histograms answered to a sample until its label comes."""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_SAMPLES = const(7)
_ANSWER = const(255)
_ANSWER_BITS = const(8)
_PRINT = const(0xFFFFF)
_S_MARK = const(5)
_S_PRINT = const(6)
_S_ASKED = const(7)
_S_VOTE = const(8)
_S_NEWEST = const(9)
_S_BAYES = const(10)
_S_ANSWER = const(11)


@micropython.viper
def answers(at: ptr32, x: ptr16) -> int:
    """How the vote, the nearest of the newest and the histograms answered the sample that was asked last."""
    scratch = ptr32(at[3])
    return (
        scratch[_S_VOTE]
        + 1
        + ((scratch[_S_NEWEST] + 1) << _ANSWER_BITS)
        + ((scratch[_S_BAYES] + 1) << (2 * _ANSWER_BITS))
    )


@micropython.viper
def recall(at: ptr32, x: ptr16, answered: int) -> int:
    """Put back the answers that a late sample got, before it is learned; -1: the sample was never asked."""
    scratch = ptr32(at[3])
    scratch[_S_ASKED] = 0
    if answered >= 0:
        scratch[_S_ASKED] = 1
        scratch[_S_VOTE] = (answered & _ANSWER) - 1
        scratch[_S_NEWEST] = ((answered >> _ANSWER_BITS) & _ANSWER) - 1
        scratch[_S_BAYES] = ((answered >> (2 * _ANSWER_BITS)) & _ANSWER) - 1
    return 0


@micropython.viper
def asked(at: ptr32, x: ptr16, length: int) -> int:
    """The answer to this sample, if it was asked last and nothing has been learned since; else -1."""
    words = ptr32(at[0])
    scratch = ptr32(at[3])
    if scratch[_S_MARK] != words[_SAMPLES] + 1:
        return -1
    fingerprint = 0
    while length:
        length -= 1
        fingerprint = (fingerprint * 31 + ((x[length] + 32768) & 65535)) & _PRINT
    if fingerprint != scratch[_S_PRINT]:
        return -1
    return scratch[_S_ANSWER]
