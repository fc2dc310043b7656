"""Hostile images: mutations of valid ones, and what may happen to them.

An image is refused with an ImageError, or the model that comes out of it holds what must hold in every tree
or grove (*_invariants.py, which know nothing of the checks that `load` makes), predicts and learns 100
samples with every index and every store checked, and is then one that would be accepted again. Nothing else
may happen.

    cd tests; python -m support.fuzz_images 2000000 [jobs] [seed]          # make fuzz
"""

import functools
import hashlib
import io
import random
import signal
import sys
import time
import zlib
from array import array
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pool
from typing import Any

import niwaki
from niwaki import ImageError, image
from niwaki_host.device.images import to_bytes
from support import grove_invariants, tree_invariants

SAMPLES = 100
PATIENCE = 30  # seconds of CPU for one image; they take milliseconds

# class, shape, options, samples learned (less than 0: with a drift): small, so that many can be tried, and as
# different as can be
RECIPES: list[tuple[str, tuple[int, int, int], dict[str, Any], int]] = [
    ("Tree", (2, 2, 900), {"grace": 20}, 0),
    ("Tree", (2, 2, 1000), {"grace": 10, "bins": 8}, 7),
    ("Tree", (3, 2, 512), {}, 300),  # a lone leaf
    ("Tree", (2, 3, 700), {"nodes": 1, "strict": 2, "leaf": "nb", "memo": True, "pending": 2}, 50),
    ("Tree", (2, 3, 1100), {"grace": 20, "delta": 0.1}, 400),
    ("Tree", (3, 2, 1100), {"grace": 30, "leaf": "mc", "delta": 0.3, "count_bits": 16, "bins": 4}, 700),
    ("Tree", (2, 2, 1400), {"grace": 15, "omega": 0.5, "delta": 0.2, "tau": 0.5, "nodes": 9}, 900),
    ("Tree", (3, 2, 1400), {"grace": 20, "criterion": "gini", "delta": 0.2, "drop_poor": True}, 500),
    ("Tree", (3, 3, 1500), {"grace": 20, "nominal": [4, 0, 2], "delta": 0.3, "bins": 4, "nodes": 7}, 900),
    ("Tree", (4, 2, 1100), {"grace": 15, "lanes": 2, "delta": 0.3, "nominal": [0, 3, 0, 0]}, 600),
    ("Tree", (2, 3, 1200), {"grace": 15, "strict": 1, "delta": 0.3, "tau": 0.3}, 800),
    ("Tree", (2, 2, 1500), {"grace": 15, "adaptive": True, "delta": 0.3, "nodes": 9}, 500),
    ("Tree", (2, 2, 1800), {"grace": 15, "adaptive": True, "delta": 0.3, "nodes": 15, "omega": 0.5}, -1500),
    (
        "Tree",
        (2, 2, 1800),
        {"grace": 15, "adaptive": True, "delta": 0.3, "nodes": 15},
        -900,
    ),  # an alternate grows
    ("Tree", (2, 2, 1100), {"grace": 20, "pending": 3}, 100),
    ("Tree", (2, 2, 1800), {"grace": 15, "exact": True, "adaptive": True, "strict": 2, "delta": 0.3}, -900),
    ("Tree", (2, 2, 1600), {"grace": 15, "adaptive": True, "nodes": 9, "pending": 2}, 300),
    ("Shrubs", (2, 2, 700), {}, 0),
    ("Shrubs", (2, 2, 800), {"window": 8, "shrubs": 2, "nodes": 3, "pending": 4}, 30),
    ("Shrubs", (2, 2, 800), {"every": 4, "window": 8, "shrubs": 3, "weigh": 1, "recent": 0, "nodes": 4}, 60),
    ("Shrubs", (3, 3, 900), {"every": 8, "loss": "ce", "window": 10, "nodes": 5, "shrubs": 2}, 90),
    (
        "Shrubs",
        (2, 3, 900),
        {"criterion": "gain", "random": True, "features": 1, "window": 8, "nodes": 5},
        50,
    ),
    ("Shrubs", (2, 3, 1400), {"exact": True, "window": 8, "shrubs": 2, "depth": 2}, 60),
    ("Shrubs", (3, 2, 1600), {"exact": True, "window": 9, "shrubs": 3, "criterion": "gain"}, 45),
    ("Grove", (2, 2, 900), {}, 0),
    ("Grove", (2, 2, 1000), {"memory": 12, "shrubs": 2, "nodes": 5, "take": 8}, 9),
    ("Grove", (2, 3, 1100), {"memory": 16, "shrubs": 3, "nodes": 6, "take": 12, "effort": 1}, 60),
    ("Grove", (3, 2, 1200), {"memory": 10, "bins": 4, "shrubs": 2, "pending": 3}, -200),
    ("Grove", (2, 4, 1100), {"memory": 20, "bins": 0, "neighbours": 0, "effort": 1, "nodes": 7}, 333),
    ("Grove", (2, 1, 900), {"memory": 8, "shrubs": 1, "recent": 0}, 40),
    ("Grove", (2, 2, 1200), {"memory": 12, "bins": 16, "take": 16, "effort": 8, "pending": 2}, -700),
    ("Tree", (2, 2, 1100), {"grace": 20, "criterion": "hellinger", "delta": 0.3, "max_depth": 2}, 500),
]


def sample(rng: random.Random, n_features: int, n_classes: int) -> tuple[list[int], int]:
    """One that can be learned, with rare values and missing ones among them."""
    x = [rng.randrange(-40, 40) for _ in range(n_features)]
    if rng.random() < 0.1:
        x[rng.randrange(n_features)] = rng.choice((-32768, -32767, 32767, 0, rng.randrange(-32768, 32768)))
    y = (x[0] > 0) + (x[-1] > 10) if rng.random() < 0.9 else rng.randrange(n_classes)
    return x, y % n_classes


def valid(recipe: tuple[str, tuple[int, int, int], dict[str, Any], int]) -> bytes:
    """The image of a model made by a recipe."""
    class_name, shape, options, n = recipe
    model = getattr(niwaki, class_name)(*shape, **options)
    rng = random.Random(n)
    for t in range(abs(n)):
        x, y = sample(rng, *shape[:2])
        model.learn(x, (y + 1) % shape[1] if n < 0 and t > abs(n) * 0.7 else y)
    for _ in range(options.get("pending", 0) - 1):
        model.defer(sample(rng, *shape[:2])[0])
    return to_bytes(model)


def corpus() -> list[bytes]:
    """Valid images."""
    return [valid(recipe) for recipe in RECIPES]


def seal(body: bytes) -> bytes:
    """With the right checksum."""
    return body + zlib.crc32(body).to_bytes(4, "little")


def _value(rng: random.Random, old: int, size: int) -> int:
    """A number that might hurt."""
    top = 256**size
    return (
        rng.choice(
            (
                0,
                1,
                old + 1,
                old - 1,
                old ^ 1 << rng.randrange(8 * size),
                top - 1,
                top // 2,
                rng.randrange(top),
            )
        )
        % top
    )


def _poke(rng: random.Random, data: bytearray) -> None:
    """Change one number: more often one near the start of an array, where the structure is."""
    n_words, n_halves, n_octets = (int.from_bytes(data[8 + 4 * k : 12 + 4 * k], "little") for k in range(3))
    arrays = (
        (20, n_words, 4),
        (20 + 4 * n_words, n_halves, 2),
        (20 + 4 * n_words + 2 * n_halves, n_octets, 1),
    )
    start, n, size = rng.choices(arrays, (5, 4, 3))[0]
    if rng.random() < 0.02:
        start, n, size = 0, 20, 1  # the file's own header
    if not n:
        return
    at = start + size * (rng.randrange(n) if rng.random() < 0.5 else int(n * rng.random() ** 3))
    old = int.from_bytes(data[at : at + size], "little")
    data[at : at + size] = _value(rng, old, size).to_bytes(size, "little")


def mutate(rng: random.Random, images: list[bytes]) -> bytes:
    """A hostile image."""
    data = rng.choice(images)
    kind = rng.random()
    if kind < 0.03:
        return data[: rng.randrange(len(data))]
    if kind < 0.06:
        return data + rng.randbytes(rng.randrange(1, 40))
    if kind < 0.08:
        return rng.randbytes(rng.randrange(0, 2000))
    if kind < 0.10:
        return data[:20] + rng.randbytes(len(data) - 20)
    body = bytearray(data[:-4])
    if kind < 0.13:
        return seal(bytes(body[: rng.randrange(len(body))]))
    if kind < 0.16:
        return seal(bytes(body) + rng.randbytes(rng.randrange(1, 40)))
    if kind < 0.19:
        return seal(bytes(body[:20]) + rng.randbytes(len(body) - 20))
    if kind < 0.22:
        other = rng.choice(images)[:-4]
        cut = rng.randrange(20, min(len(body), len(other)))
        return seal(bytes(body[:cut]) + other[cut : len(body)].ljust(len(body) - cut, b"\0"))
    if kind < 0.25:  # two pieces change places
        n = rng.randrange(1, 64)
        a, b = rng.randrange(20, len(body) - n), rng.randrange(20, len(body) - n)
        body[a : a + n], body[b : b + n] = body[b : b + n], body[a : a + n]
        return seal(bytes(body))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        _poke(rng, body)
    return bytes(body) + data[-4:] if kind < 0.27 else seal(bytes(body))


def load(data: bytes) -> Any:
    """As `niwaki.load`, without a file."""
    f = io.BytesIO(data)
    if image._whole(f, bytearray(128)) is None:
        raise ImageError("damaged: the checksum does not match the content")
    return image.read(f)


def bounded(low: int, high: int, put: Any = dict.__setitem__) -> type:
    """Arrays that have no item -1 and take no value that does not fit. Loads are a dict's own, and fast."""

    class Bounded(dict):
        def __setitem__(self, index: int, value: int) -> None:
            if index not in self:
                raise IndexError(index)
            if not low <= value <= high:
                raise OverflowError(value)
            put(self, index, value)

    return Bounded


_KINDS = {"i": bounded(-(1 << 30), 1 << 30), "H": bounded(0, 65535), "B": bounded(0, 255)}


def bound(model: Any) -> tuple:
    """Let the model's kernels work on checked copies of its arrays; returns the arrays themselves."""
    arrays = model._arrays
    copies = (_KINDS[getattr(a, "typecode", "B")](enumerate(a)) for a in arrays[:5])
    model._at = model._arrays = (*copies, arrays[5])
    return arrays


def unbound(model: Any, arrays: tuple) -> None:
    """Give the model its own arrays back, with what is in the copies."""
    for own, copy in zip(arrays[:3], model._arrays, strict=False):
        own[:] = array(own.typecode, copy.values()) if isinstance(own, array) else bytes(copy.values())
    model._at = model._arrays = arrays


@functools.cache
def drawn(n_features: int, n_classes: int) -> list[tuple[list[int], int]]:
    rng = random.Random(1)
    return [sample(rng, n_features, n_classes) for _ in range(SAMPLES)]


def samples(model: Any) -> list[tuple[list[int], int]]:
    """The 100 samples that every image of this shape has to live with."""
    return drawn(model.n_features, model.n_classes)


def late(model: Any, x: list[int], y: int) -> None:
    """Learn by way of a ticket; another sample waits for ever."""
    ticket = model.defer(x)
    model.defer(x[::-1])
    if model._arrays[1][model.words[2] - 2] > 1 and not model.label(ticket, y):
        raise AssertionError("a ticket that was just given is no good")
    if model.label(ticket, y):
        raise AssertionError("a ticket was good twice")


def exercise(model: Any) -> None:
    """Predict and learn 100 samples; raises whatever goes wrong."""
    arrays = bound(model)
    for x, y in samples(model):
        if not 0 <= model.predict(x) < model.n_classes:
            raise AssertionError("a class that does not exist")
        if model.words[0] & 0x1000000:  # there is room for samples that wait
            late(model, x, y)
        else:
            model.learn(x, y)
    unbound(model, arrays)
    model.scores(x, [0] * model.n_classes)
    for kind in ("mpg", "mdi"):
        model.importances([0] * model.n_features, kind)


def whole(model: Any) -> None:
    """Raises AssertionError when a broken structure was accepted."""
    if isinstance(model, niwaki.Tree):
        tree_invariants.validate(model)
    elif isinstance(model, niwaki.Grove):
        grove_invariants.validate(model)


class Hang(Exception):
    pass


def _hang(*_: Any) -> None:
    raise Hang


def survives(data: bytes) -> str:
    """`refused` or `accepted`; raises when the image does harm."""
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    try:
        try:
            model = load(data)
        except ImageError:
            return "refused"
        whole(model)
        exercise(model)
        whole(load(to_bytes(model)))
        return "accepted"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def accepted(seed: int, count: int) -> Iterator[bytes]:
    """Images with one number changed that are accepted all the same."""
    images = corpus()
    rng = random.Random(seed)
    while count:
        body = bytearray(rng.choice(images)[:-4])
        _poke(rng, body)
        data = seal(bytes(body))
        try:
            load(data)
        except ImageError:
            continue
        yield data
        count -= 1


def hostile(seed: int, count: int) -> Iterator[bytes]:
    images = corpus()
    rng = random.Random(seed)
    for _ in range(count):
        yield mutate(rng, images)


def run(seed: int, count: int) -> tuple[Counter, list[tuple[str, bytes]]]:
    """Try `count` images; returns how many were refused and accepted, and those that did harm."""
    signal.signal(signal.SIGVTALRM, _hang)
    outcomes: Counter = Counter()
    harm = []
    for data in hostile(seed, count):
        try:
            outcomes[survives(data)] += 1
        except Exception as error:
            harm.append((f"{type(error).__name__}: {error}", data))
    return outcomes, harm


def _batch(job: tuple[int, int]) -> tuple[Counter, list[tuple[str, bytes]]]:
    return run(*job)


def main() -> int:
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    seed = time.time_ns() if len(sys.argv) < 4 else int(sys.argv[3])
    size = max(1, min(5000, total // jobs))
    batches = [(seed + i, size) for i in range((total + size - 1) // size)]
    print(f"{len(batches) * size:,} images, seed {seed}", flush=True)
    outcomes: Counter = Counter()
    failures = 0
    start = time.time()
    with Pool(jobs) as pool:
        for done, (batch, harm) in enumerate(pool.imap_unordered(_batch, batches), 1):
            outcomes += batch
            for message, data in harm:
                failures += 1
                name = f"harm-{hashlib.sha256(data).hexdigest()[:12]}.niw"
                with open(name, "wb") as f:
                    f.write(data)
                print(f"{name}: {message}", flush=True)
            if done % 20 == 0 or done == len(batches):
                print(
                    f"{done * size:,}: {dict(outcomes)}, harm {failures}, {time.time() - start:.0f} s",
                    flush=True,
                )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
