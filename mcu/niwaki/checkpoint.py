"""Save a model now and then, for people who do not want to think about it.

    clf.checkpoint("model", every=1000)      # and go on with clf.learn(x, y)

From then on the `learn` of that one model counts, and saves after each `every`-th sample, until `stop()`
puts its own `learn` back or another checkpoint takes over. A save takes some milliseconds and some heap (see
image.py): call `save` yourself where that matters.

Flash wears out. A save writes the image once and twice in turn, 1.5 times on average: `per_day(rate)` says
how many bytes that is in a day at `rate` samples a second. 8 KB every 1,000 samples at 10 a second is 10.6 MB
a day. LittleFS spreads it over the free flash: 1 MB of it, good for 100,000 erasures, lasts 27 years. FAT
writes in place: the same sectors take all of it, first of all the directory's, which is written anew with
each file and reaches 100,000 after 77 days. There, save every 10,000 samples or more.
"""

from .image import as_str, size


class Checkpoint:
    """Saves `model` to `path` after every `every` learned samples, until `stop()`."""

    def __init__(self, model, path, every):
        if not isinstance(every, int):
            raise TypeError("every must be an int, not %r" % (every,))
        if every < 1:
            raise ValueError("every must be at least 1, not %d" % every)
        self.model = model
        self.path = as_str(path)
        self.every = every
        self.saves = 0
        self.written = 0  # bytes so far
        self._in = every
        self._learn = type(model).learn
        model.learn = self._counting = self.learn

    def learn(self, x, y):
        answer = self._learn(self.model, x, y)
        self._in -= 1
        if self._in == 0:
            self._in = self.every
            self.written += self.model.save(self.path)
            self.saves += 1
        return answer

    def stop(self):
        if self.model.learn is self._counting:
            del self.model.learn

    def per_day(self, rate):
        """Bytes written to flash in a day at `rate` learned samples a second."""
        return int(86400 * rate / self.every * size(self.model) * 3 / 2)


def checkpoint(self, path, every=1000):
    """From now on save after every so many learned samples."""
    return Checkpoint(self, path, every)
