"""Labels that come late: `defer` keeps a sample, `label` learns it.

Samples wait in a ring at the end of the model's halves, which is there if the model was made with pending=n;
a bit of words[0] says so:

    places, each: serial of the sample (0: free), its codes | number of places | last serial given

A grove also keeps what it had answered, in two halves behind the codes: see grove/credit.py.

Serials go from 1 to 65,535 and start anew. Loaded on first use: most models never need it.
"""

import micropython
from micropython import const

# From the layouts, by `make consts`:
_A_WORDS = const(0)
_A_HALVES = const(1)
_A_SAMPLE = const(5)
_IDENTITY = const(0)
_HALVES = const(2)
_FEATURES = const(5)
_KIND_AT = const(8)
_KIND_MASK = const(255)
_KIND_GROVE = const(3)
_RING = const(0x1000000)
_RING_TAIL = const(2)
_RING_LAST = const(1)

_LAST_SERIAL = const(65535)  # serial
_ANSWERED = const(2)  # halves that an answer takes
_OLDEST = const(65536)  # older than any sample


@micropython.viper
def keep(at: ptr32, x: ptr16, more: int, answered: int) -> int:
    """Put a sample where there is room, or where the oldest one is; returns its ticket.

    `more` is how many halves behind the sample keep `answered`, what the model had answered: 2 or none.

    A ticket is serial x places + place, so it leads to its place, and none is like another until the
    serials start anew. A sample that has waited for so long gives way too.
    """
    words = ptr32(at[0])
    halves = ptr16(at[1])
    features = words[_FEATURES]
    size = features + 1 + more
    end = words[_HALVES] - _RING_TAIL
    places = halves[end]
    serial = halves[end + _RING_LAST]
    if serial == _LAST_SERIAL:
        serial = 0
    serial += 1
    halves[end + _RING_LAST] = serial
    oldest = 0
    place = 0
    record = end - places * size
    for i in range(places):
        other = halves[record]
        if other == serial:
            halves[record] = 0
            other = 0
        if other == 0:
            age = _OLDEST
        else:
            age = serial - other
            if age < 0:
                age += _LAST_SERIAL
        if age > oldest:
            oldest = age
            place = i
        record += size
    record = end - (places - place) * size
    halves[record] = serial
    record += 1
    for f in range(features):
        halves[record + f] = (x[f] + 32768) & 65535
    if more:
        halves[record + features] = answered & 65535
        halves[record + features + 1] = answered >> 16
    return serial * places + place


@micropython.viper
def take(at: ptr32, x: ptr16, ticket: int, more: int) -> int:
    """Move the sample of a ticket into `x`; returns what had been answered, -1 when it is no longer there."""
    words = ptr32(at[0])
    halves = ptr16(at[1])
    features = words[_FEATURES]
    size = features + 1 + more
    end = words[_HALVES] - _RING_TAIL
    places = halves[end]
    record = end - (places - ticket % places) * size
    if halves[record] != ticket // places:
        return -1
    halves[record] = 0
    record += 1
    for f in range(features):
        x[f] = halves[record + f] - 32768
    if more:
        return halves[record + features] | halves[record + features + 1] << 16
    return 0


def _places(model):
    if not model._arrays[_A_WORDS][_IDENTITY] & _RING:
        raise ValueError("there is no room for samples that wait: make the model with pending=n")
    return model._arrays[_A_HALVES][model._arrays[_A_WORDS][_HALVES] - _RING_TAIL]


def _more(model):
    """Halves behind a sample: a model that gives credit keeps its answers there."""
    return _ANSWERED if model._arrays[_A_WORDS][_IDENTITY] >> _KIND_AT & _KIND_MASK == _KIND_GROVE else 0


def defer(self, x):
    """Keep sample `x` until its label comes; returns a ticket for `label`.

    When all `pending` places are taken, the sample that has waited longest gives way. Tickets are ints
    below 2 ** 29; after 65,535 samples they come again.
    """
    _places(self)
    if x is not self._seen or len(x) != len(self._arrays[_A_SAMPLE]):
        x = self._admit(x)
    more = _more(self)
    if not more:
        return keep(self._at, x, 0, 0)
    seen = self._seen
    self._seen = x
    try:
        self.predict(x)  # at once, when it was asked last
    finally:
        self._seen = seen
    return keep(self._at, x, more, self.answers())


def label(self, ticket, y):
    """Learn that the sample of `ticket` is of class `y`.

    False, and nothing is learned, when that sample has given way or has had its label already.
    """
    places = _places(self)
    try:
        wrong = y >> 8 or y >= self.n_classes  # as `learn` asks
    except TypeError:
        wrong = 1
    if wrong:
        self._refuse(y)
    if not isinstance(ticket, int):
        raise TypeError("a ticket is an int that defer() returned, not %r" % (ticket,))
    if not places <= ticket < (_LAST_SERIAL + 1) * places:
        raise ValueError("defer() has never returned ticket %d" % ticket)
    x = self._arrays[_A_SAMPLE]
    more = _more(self)
    answered = take(self._at, x, ticket, more)
    if answered < 0:
        return False
    seen = self._seen
    self._seen = x
    try:
        if more:
            self.learn_late(x, y, answered)
        else:
            self.learn(x, y)
    finally:
        self._seen = seen
    return True
