"""Short streams over a grid of options; every runtime must end with the same bytes."""

from tools import Random, checksum, codes, draw

from niwaki import MISSING, Adwin, Grove, Shrubs, Tree

SHAPES = ((3, 2, 960), (2, 5, 2500), (6, 4, 6000))
MORE_SHAPES = ((3, 2, 960), (2, 5, 2500), (6, 4, 6000), (1, 1, 800), (40, 2, 6000), (3, 30, 5000))
OPTIONS = (
    {},
    {"leaf": "mc", "criterion": "gini"},
    {"leaf": "nb", "count_bits": 8, "bins": 8},
    {"omega": 0.5, "drop_poor": True},
    {"leaf": "mc", "drop_poor": True, "tau": 0, "delta": 0.3},
    {"nominal": True, "criterion": "gini"},
    {"nodes": 5, "bins": 4, "tau": 1},
    {"strict": 1, "count_bits": 16},
    {"strict": 2, "leaf": "mc", "lanes": 2},
    {"adaptive": True, "delta": 0.01},
    {"adaptive": True, "omega": 0.5, "lanes": 1, "nodes": 9},
    {"exact": True, "strict": 1},
    {"exact": True, "adaptive": True, "omega": 0.5},
    {"max_depth": 2, "nb_threshold": 60},
    {"criterion": "hellinger", "nominal": True, "max_depth": 3},
)
SAMPLES = 600


def cases():
    """(name, shape, options) of every model of the grid."""
    for features, classes, budget in SHAPES:
        for k in range(len(OPTIONS)):
            options = {"grace": 25, "tau": 0.3}
            options.update(OPTIONS[k])
            if options.get("criterion") == "hellinger" and classes != 2:
                continue
            if "nominal" in options:
                options["nominal"] = [4 if f % 2 else 0 for f in range(features)]
            yield f"{features}-{classes}-{k}", (features, classes, budget), options
    yield "lone", (3, 2, 512), {}


def groves():
    """The same of groves."""
    for features, classes, budget in MORE_SHAPES:
        for k, options in enumerate(
            ({}, {"neighbours": 0, "bins": 4}, {"effort": 1, "recent": 3, "take": 30})
        ):
            yield f"grove-{features}-{classes}-{k}", (features, classes, budget), options


def fill(rng, i, x, classes):
    """Sample i of the stream: a range that grows, extremes, missing values, small codes if nominal."""
    y = draw(rng, x, classes, 100 if i < 100 else 2000)
    if i > 300:  # a change
        y = classes - 1 - y
    for f in range(len(x)):
        k = rng.below(40)
        if k == 0:
            x[f] = MISSING
        elif k == 1:
            x[f] = 32767 - 65534 * rng.below(2)
        elif f % 2:
            x[f] = x[f] % 5
    return y


def train(clf, seed):
    rng = Random(seed)
    x = codes(clf.n_features)
    score = 0
    for i in range(SAMPLES):
        y = fill(rng, i, x, clf.n_classes)
        score = (score * 3 + clf.predict(x)) & 0xFFFFFF
        clf.learn(x, y)
    return score


def train_late(clf, seed):
    """Every label comes some samples late, one in five never."""
    rng = Random(seed)
    x = codes(clf.n_features)
    waiting = []
    score = 0
    for i in range(SAMPLES):
        y = fill(rng, i, x, clf.n_classes)
        waiting.append((clf.defer(x), y))
        score = (score * 3 + clf.novelty(x)) & 0xFFFFFF
        if len(waiting) > 3 + i % 7:
            ticket, y = waiting.pop(0)
            if rng.below(5):
                score = (score * 3 + clf.label(ticket, y)) & 0xFFFFFF
    return score


def report():
    """Print a line per model: its name, a sum over its predictions, a sum over its bytes, its nodes."""
    seed = 1
    for name, shape, options in cases():
        clf = Tree(*shape, **options)
        score = train(clf, seed)
        print(name, score, checksum(clf), clf.n_nodes)
        seed += 1
    for name, shape, options in groves():
        clf = Grove(*shape, **options)
        score = train(clf, seed)
        print(name, score, checksum(clf), clf.n_nodes)
        seed += 1
    for name, make, places in (("tree", Tree, 6), ("shrubs", Shrubs, 9), ("grove", Grove, 5)):
        clf = make(4, 3, 2500, pending=places)
        score = train_late(clf, seed)
        print(f"late-{name}", score, checksum(clf), clf.n_nodes)
        seed += 1
    for budget in (192, 208, 224):
        detector = Adwin(budget, 0.01)
        rng = Random(budget)
        changes = 0
        for i in range(3000):
            changes = (changes * 3 + detector.update(rng.below(100) < (20, 60, 45)[i // 1000])) & 0xFFFFFF
        detector.octets = bytearray(0)
        print(f"adwin-{budget}", changes, checksum(detector), detector.window)
