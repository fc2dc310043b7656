"""Small streams over every model and option, each ending in a digest of all that the model said and held.

A digest says nothing about right or wrong: what must hold is in other tests. It says that something has
changed, in a second and on CPython alone. What changed it on purpose is written down again:

    python tests/test_golden.py --write
"""

import functools
import random
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import niwaki
from niwaki import MISSING
from niwaki_host.device.images import from_bytes, to_bytes
from support import fuzz_images

FILE = Path(__file__).resolve().parent.parent / "golden.txt"
HEADER = 52  # words of the longest header, and a little more
EVERY = 50  # samples between two looks at the whole model
Case = tuple[str, tuple[int, int, int], dict[str, Any], int]

# class, (features, classes, budget), options, samples
TREES: list[Case] = [
    ("Tree", (3, 2, 1000), {"grace": 20, "delta": 0.1}, 800),
    ("Tree", (6, 4, 6000), {"grace": 25, "tau": 0.3}, 600),
    ("Tree", (3, 5, 2500), {"leaf": "mc", "criterion": "gini", "grace": 25, "tau": 0.3}, 800),
    ("Tree", (3, 3, 1400), {"leaf": "nb", "grace": 20, "delta": 0.2, "tau": 0.5, "nodes": 9}, 1200),
    ("Tree", (3, 2, 2500), {"leaf": "mc", "count_bits": 16, "bins": 8, "grace": 30, "delta": 0.1}, 800),
    ("Tree", (3, 2, 1300), {"leaf": "mc", "bins": 4, "grace": 30, "delta": 0.3, "tau": 1.0}, 1500),
    ("Tree", (2, 2, 1400), {"omega": 0.5, "grace": 15, "delta": 0.2, "tau": 0.5}, 1000),
    ("Tree", (4, 3, 3000), {"omega": 0.8, "grace": 20, "lanes": 3, "delta": 0.2, "drop_poor": True}, 700),
    ("Tree", (3, 2, 1400), {"criterion": "gini", "drop_poor": True, "grace": 20, "delta": 0.2}, 600),
    ("Tree", (4, 3, 2500), {"nominal": [4, 0, 5, 0], "grace": 20, "delta": 0.3, "bins": 8}, 900),
    ("Tree", (4, 3, 2500), {"nominal": [4, 0, 5, 2], "criterion": "gini", "grace": 20, "delta": 0.3}, 900),
    ("Tree", (6, 2, 1200), {"lanes": 2, "grace": 15, "delta": 0.3, "tau": 0.5}, 1000),
    ("Tree", (8, 2, 2500), {"lanes": 3, "grace": 15, "delta": 0.3, "count_bits": 16, "leaf": "nb"}, 800),
    ("Tree", (3, 3, 2000), {"strict": 1, "grace": 15, "delta": 0.3, "tau": 0.5}, 1000),
    ("Tree", (3, 3, 2000), {"strict": 2, "grace": 15, "delta": 0.3, "tau": 0.5}, 1000),
    ("Tree", (3, 2, 1200), {"strict": 2, "leaf": "mc", "lanes": 2, "grace": 15, "delta": 0.3}, 800),
    ("Tree", (2, 2, 1800), {"adaptive": True, "grace": 15, "delta": 0.3, "nodes": 15}, 2500),
    ("Tree", (3, 2, 3000), {"adaptive": True, "grace": 20, "delta": 0.1, "leaf": "mc"}, 2500),
    ("Tree", (3, 3, 3500), {"adaptive": True, "omega": 0.5, "grace": 15, "delta": 0.3}, 2500),
    ("Tree", (5, 2, 2500), {"adaptive": True, "lanes": 2, "grace": 15, "delta": 0.3, "nodes": 9}, 2000),
    ("Tree", (3, 2, 3000), {"exact": True, "strict": 1, "grace": 15, "delta": 0.3}, 800),
    ("Tree", (3, 2, 3000), {"exact": True, "adaptive": True, "omega": 0.5, "grace": 15, "delta": 0.3}, 1500),
    ("Tree", (3, 2, 512), {}, 500),
    ("Tree", (3, 2, 1400), {"memo": True, "pending": 4, "grace": 20, "delta": 0.1}, 600),
    ("Tree", (2, 40, 6000), {"grace": 60, "delta": 0.3}, 700),
    ("Tree", (1, 2, 700), {}, 60),
    ("Tree", (3, 2, 1500), {"criterion": "hellinger", "grace": 20, "delta": 0.3}, 800),
    ("Tree", (4, 2, 2500), {"criterion": "hellinger", "nominal": [3, 0, 0, 5], "adaptive": True}, 900),
    ("Tree", (3, 3, 2500), {"max_depth": 2, "nb_threshold": 90, "grace": 20, "delta": 0.3}, 900),
]
SHRUBS: list[Case] = [
    ("Shrubs", (3, 2, 1024), {}, 300),
    ("Shrubs", (6, 4, 3000), {}, 250),
    ("Shrubs", (3, 3, 1200), {"loss": "ce", "every": 4}, 250),
    ("Shrubs", (4, 2, 1500), {"criterion": "gain", "random": True, "features": 2}, 250),
    ("Shrubs", (4, 3, 1500), {"depth": 2, "step": 0.2, "weigh": 3, "recent": 0, "seed": 7}, 250),
    ("Shrubs", (3, 2, 1200), {"window": 16, "shrubs": 3, "nodes": 5, "every": 3, "recent": 6}, 300),
    ("Shrubs", (2, 5, 1500), {"criterion": "gain", "every": 5, "pending": 4}, 250),
]
GROVES: list[Case] = [
    ("Grove", (3, 2, 1000), {}, 400),
    ("Grove", (6, 4, 4000), {}, 350),
    ("Grove", (3, 3, 1500), {"neighbours": 0, "bins": 4}, 350),
    ("Grove", (4, 2, 2000), {"effort": 1, "recent": 3, "take": 30, "seed": 5}, 350),
    ("Grove", (3, 3, 1200), {"bins": 0, "hurry": 1, "memory": 20, "shrubs": 3, "nodes": 8}, 350),
    ("Grove", (3, 2, 1400), {"near": 0, "bayes": 4000, "pending": 4}, 300),
    ("Grove", (2, 12, 2500), {"bins": 16, "recent": 0}, 400),
]
MODELS = TREES + SHRUBS + GROVES


def name_of(case: Case) -> str:
    kind, shape, options, _ = case
    said = (f"{name}={value}" for name, value in options.items())
    return "-".join([kind.lower(), "x".join(map(str, shape)), *said]).replace(" ", "")


def stream(case: Case) -> Iterator[tuple[array, int]]:
    """Samples that can be learned; ranges that grow, extremes, missing values, noise, and two changes."""
    _, (features, classes, _), options, n = case
    nominal = options.get("nominal") or [0] * features
    rng = random.Random(features * 100 + classes)

    def below(top: int) -> int:
        return int(rng.random() * top)

    for i in range(n):
        span = 60 if 10 * i < n else 2000
        x = [below(k) if k else below(span) - span // 3 for k in nominal]
        y = (x[0] > (1 if nominal[0] else span // 20)) + 2 * (
            x[-1] > span // 6 or x[features // 2] < -span // 8
        )
        if 20 * i > 9 * n:  # classes change places
            y = classes - 1 - y
        if 20 * i > 16 * n:  # and another feature counts
            y += x[features // 2] > span // 9
        if below(16) == 0:
            y = below(classes)
        for f in range(features):
            odd = below(60)
            if odd == 0:
                x[f] = MISSING
            elif odd == 1 and not nominal[f]:
                x[f] = (-32767, 32767, 0)[below(3)]
        yield array("h", x), y % classes


class Digest:
    """CRC-32 of all that is told to it."""

    def __init__(self) -> None:
        self.value = 0

    def tell(self, *items: Any) -> None:
        for item in items:
            data = bytes(item) if isinstance(item, (array, bytearray, bytes)) else str(item).encode()
            self.value = zlib.crc32(data + b";", self.value)

    def __str__(self) -> str:
        return f"{self.value:08x}"


def _look(digest: Digest, model: Any, x: array) -> None:
    """All that a model can be asked, and all that it holds."""
    scores, weights = array("i", [0] * model.n_classes), array("i", [0] * model.n_features)
    model.scores(x, scores)
    digest.tell(scores, model.n_nodes, model.n_leaves, model.samples, model.nbytes, model.novelty(x))
    for kind in ("mpg", "mdi"):
        model.importances(weights, kind)
        digest.tell(weights)
    if hasattr(model, "confidence"):
        digest.tell(model.confidence(x))
    digest.tell(model.words, model.halves, model.octets)


def digest_of(case: Case) -> str:
    """Learn the stream; now and then look, learn what the model itself believes, let labels come late."""
    kind, shape, options, n = case
    model = getattr(niwaki, kind)(*shape, **options)
    digest, waiting = Digest(), []
    for i, (x, y) in enumerate(stream(case)):
        if i % 3 == 0:
            digest.tell(model.predict(x))
        if options.get("pending") and i % 2:
            waiting.append((model.defer(x), y))
            if len(waiting) > 3 + i % 3:
                digest.tell(model.label(*waiting.pop(0)))
        elif i % 8 == 7:
            digest.tell(model.learn_unlabelled(x, 20_000))
        else:
            digest.tell(model.learn(x, y))
        if i % EVERY == EVERY - 1:
            _look(digest, model, x)
        if i == 2 * n // 3:  # as if the power had been off
            model = from_bytes(to_bytes(model))
        if kind == "Grove" and i == 5 * n // 6:
            model.settle()
            _look(digest, model, x)
            model.forget(y)
    return str(digest)


def plans() -> str:
    """The sizes of fresh models over many shapes and budgets, and what is too small."""
    digest = Digest()
    for kind in ("Tree", "Shrubs", "Grove"):
        for features, classes in ((1, 2), (2, 5), (6, 4), (13, 3), (33, 6), (128, 10)):
            for budget in (300, 700, 1024, 1600, 2048, 4096, 8192, 16384, 65536):
                try:
                    model = getattr(niwaki, kind)(features, classes, budget)
                except niwaki.BudgetError as error:
                    digest.tell(error)
                else:
                    digest.tell(model.nbytes, model.words, len(model.halves), len(model.octets))
    return str(digest)


def encoders() -> str:
    """Codes from stated and from learned ranges."""
    digest = Digest()
    rng = random.Random(5)
    out = array("h", [0] * 4)
    for ranges in (None, ((0, 1.5), (-7, 900), (0, 100_000), (-1e-3, 1e-3))):
        for margin in (0, 0.5):
            encoder = niwaki.Encoder(4, ranges, learn=40, margin=margin)
            for i in range(120):
                x = [
                    rng.random() * 2,
                    int(rng.random() * 999),
                    int(rng.random() * 1e5),
                    rng.random() / 500 - 1e-3,
                ]
                if i % 17 == 0:
                    x[i % 4] = float("nan")
                encoder.encode(x, out)
                digest.tell(out, encoder.ready)
            digest.tell(encoder.ranges)
    return str(digest)


def windows() -> str:
    """Features of overlapping windows."""
    digest = Digest()
    rng = random.Random(6)
    for axes, length, step, level in ((1, 8, None, 0), (3, 16, 4, 0), (2, 5, 5, 30)):
        window = niwaki.Window(axes, length, step, level)
        out = array("h", [0] * window.n_features)
        for i in range(100):
            size = 40 if i < 60 else 32767
            window.push([int((rng.random() * 2 - 1) * size) for _ in range(axes)])
            digest.tell(window.ready, window.missed)
            if window.ready and i % 9:
                window.features(out)
                digest.tell(out)
    return str(digest)


def detectors() -> str:
    """ADWIN over three levels."""
    digest = Digest()
    for budget, delta in ((192, 0.01), (224, 0.002), (300, 0.3)):
        detector, rng = niwaki.Adwin(budget, delta), random.Random(budget)
        for i in range(1500):
            digest.tell(detector.update(int(rng.random() * 100 < (20, 60, 45)[i // 500])))
            digest.tell(detector.rising, detector.window, detector.ones)
        digest.tell(detector.words, detector.nbytes, detector.mean)
    return str(digest)


def pokes(data: bytes, rng: random.Random) -> Iterator[bytes]:
    """Images with one number changed by a little or by much: all of the header, some of the rest."""
    n_words, n_halves, n_octets = (int.from_bytes(data[8 + 4 * k : 12 + 4 * k], "little") for k in range(3))
    halves = 20 + 4 * n_words
    octets = halves + 2 * n_halves
    places = [(at, 4) for at in range(0, 20 + 4 * min(n_words, HEADER), 4)]
    for start, end, size in (
        (20 + 4 * HEADER, halves, 4),
        (halves, octets, 2),
        (octets, octets + n_octets, 1),
    ):
        places += [(start + size * int(rng.random() * ((end - start) // size)), size) for _ in range(60)]
    for at, size in places:
        if at + size > len(data) - 4:
            continue
        old, top = int.from_bytes(data[at : at + size], "little"), 256**size
        for value in dict.fromkeys((old + 1, old - 1, 0, old * 2 + 3, top // 2, top - 1)):
            yield data[:at] + (value % top).to_bytes(size, "little") + data[at + size : -4]


def hostile(number: int) -> str:
    """What is refused of an image with a changed number, with which words, and what is accepted."""
    digest = Digest()
    for body in pokes(fuzz_images.valid(fuzz_images.RECIPES[number]), random.Random(number)):
        try:
            model = fuzz_images.load(fuzz_images.seal(body))
        except niwaki.ImageError as error:
            digest.tell(error)
        else:
            digest.tell(model.words, model.halves, model.octets)
    return str(digest)


OTHERS = {"plans": plans, "encoders": encoders, "windows": windows, "detectors": detectors}
OTHERS |= {
    f"hostile-{number}-{recipe[0].lower()}": functools.partial(hostile, number)
    for number, recipe in enumerate(fuzz_images.RECIPES)
}
CASES = {name_of(case): case for case in MODELS}


def computed(name: str) -> str:
    return digest_of(CASES[name]) if name in CASES else OTHERS[name]()


def written() -> dict[str, str]:
    """The digests in the file."""
    lines = (line.split() for line in FILE.read_text().splitlines())
    return {name: digest for digest, name in lines}


def write() -> None:
    FILE.write_text("".join(f"{computed(name)} {name}\n" for name in [*CASES, *OTHERS]))
