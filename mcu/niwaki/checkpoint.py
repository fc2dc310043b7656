"""Save a model now and then, for people who do not want to think about it.

    saver = clf.checkpoint("model", every=1000)
    while True:
        clf.learn(x, y)
        saver.tick()

Each tick stands for a learned sample, however it was learned, and every 1,000th saves. The model stays as
it is: `learn` does not save behind anybody's back, and costs nobody more. A save takes some milliseconds and
some heap (see image.py): tick where that does no harm.

Flash wears out. A save writes the image once and twice in turn, 1.5 times on average: `per_day(rate)` says
how many bytes that is in a day at `rate` samples a second. 8 KB every 1,000 samples at 10 a second is 10.6 MB
a day. LittleFS spreads it over the free flash: 1 MB of it, good for 100,000 erasures, lasts 27 years. FAT
writes in place: the same sectors take all of it, first of all the directory's, which is written anew with
each file and reaches 100,000 after 77 days. There, save every 10,000 samples or more.
"""

from .image import as_str, size


class Checkpoint:
    """Saves `model` to `path` at every so many ticks."""

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
        self._left = every

    def tick(self):
        """Say that the model has learned a sample; returns the number of bytes written, 0 as a rule."""
        self._left -= 1
        if self._left:
            return 0
        self._left = self.every
        written = self.model.save(self.path)
        self.written += written
        self.saves += 1
        return written

    def per_day(self, rate):
        """Bytes written to flash in a day at `rate` learned samples a second."""
        return int(86400 * rate / self.every * size(self.model) * 3 / 2)


def checkpoint(self, path, every=1000):
    """What saves the model at every so many ticks."""
    return Checkpoint(self, path, every)
