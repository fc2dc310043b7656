"""Runs on MicroPython in the browser's worker: keeps models by place on the page, and answers its questions.

Questions and answers are JSON; samples and images come and go as files, as they do on a board.
"""

import json
from array import array

import niwaki
from niwaki.window import FEATURES
from niwaki_host.device.memory_map import memory_map
from niwaki_host.inspect.export import export

_OF_A_NODE = ("depth", "feature", "threshold", "left", "right", "label", "counts", "bayes")  # for draw.js
MOST_MEMBERS = 6  # as many shrubs as `niwaki inspect` draws
_WORDS = {"true": True, "false": False, "none": None, "yes": True, "no": False, "on": True, "off": False}

models = {}
_twins = {}  # copies of the models that were asked since they last learned
_windows = {}


def typed(text):
    """The value of an option's text: a constant such as true, a number, else the text itself."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def options(text):
    """`grace=100 leaf=mc` as keyword arguments."""
    found = {}
    for word in text.replace(",", " ").split():
        key, sign, value = word.partition("=")
        if not sign or not key or not value:
            raise ValueError("options are written key=value, for example grace=100, not %r" % word)
        found[key] = typed(value)
    return found


def make(place, class_name, shape, fixed, text):
    """Make a new model; the constructor's error says why it refuses an option."""
    fixed.update(options(text))
    _keep(place, getattr(niwaki, class_name)(*shape, **fixed))
    return about(place)


def _keep(place, clf):
    models[place] = clf
    _twins.pop(place, None)


def _twin(place):
    """The model's copy, which gets all questions: some models count questions, and grow when nobody teaches.

    So the model itself depends on its lessons alone, and ends with the same bytes as on a desktop.
    """
    if place not in _twins:
        _twins[place] = models[place].copy()
    return _twins[place]


def about(place):
    clf = models[place]
    return {
        "kind": type(clf).__name__,
        "features": clf.n_features,
        "classes": clf.n_classes,
        "budget": clf.budget,
        "bytes": clf.nbytes,
        "samples": clf.samples,
        "labels": clf.about().get("labels"),
        "names": _names(clf.about()),
        "nodes": clf.n_nodes,
        "leaves": clf.n_leaves,
    }


def learn(place, count, path):
    """Predict, then learn, `count` samples of a file: each is its codes and its label, -1 for none.

    The answers given before the label was known go to `path` + ".out".
    """
    clf = models[place]
    _twins.pop(place, None)
    x, y = array("h", bytearray(2 * clf.n_features)), array("h", bytearray(2))
    with open(path, "rb") as samples, open(path + ".out", "wb") as answers:
        for _ in range(count):
            samples.readinto(x)
            samples.readinto(y)
            label = y[0]
            y[0] = clf.predict(x)
            answers.write(y)
            if label >= 0:
                clf.learn(x, label)


def watch_for(place, axes, length, step):
    """Make windows of movement for the model at `place`, as on a board; return the number of features."""
    window = niwaki.Window(axes, length, step, None)
    _windows[place] = window, array("h", bytearray(2 * window.n_features)), (axes, length, step)
    return window.n_features


def sense(place, samples):
    """Take samples of movement: each has values, a label (-1: none), and whether a window begins with it.

    Return, for each window that is complete, its last sample's number, and the model's answer to the window
    before the model learned it.
    """
    found = []
    for i, (values, label, fresh) in enumerate(samples):
        if fresh:
            watch_for(place, *_windows[place][2])
        window, x, _ = _windows[place]
        if window.push(values):
            window.features(x)
            found.append([i, _answer(_twin(place), x)])
            if label >= 0:
                models[place].predict(x)  # asked first, as `niwaki simulate` does
                models[place].learn(x, label)
                _twins.pop(place)
    return found


def _answer(clf, x):
    sure, shares = _sure(clf, x)
    novelty = clf.novelty(x) if clf.samples else 0
    guess = clf.predict(x)
    return {"features": list(x), "novelty": novelty, "sure": sure, "scores": shares, "guess": guess}


def _sure(clf, x):
    """How sure the model is, 0..1, and the share of each class."""
    scores = array("i", bytearray(4 * clf.n_classes))
    clf.scores(x, scores)
    total = max(1, sum(scores))
    shares = [score / total for score in scores]
    if hasattr(type(clf), "confidence"):
        return clf.confidence(x) / 65535, shares
    return max(shares), shares


def view(place):
    """Everything that the page draws of a model. The file /state gets the model's state for its CRC."""
    clf = models[place]
    found = about(place)
    found["parts"] = [[part.name, part.nbytes, part.in_use] for part in memory_map(clf)]
    found["importances"] = _importances(clf)
    exported = export(clf)
    found["more"] = max(0, len(exported.members) - MOST_MEMBERS)
    found["members"] = [_member(member) for member in exported.members[:MOST_MEMBERS]]
    with open("/state", "wb") as f:
        for part in (clf.words, clf.halves, clf.octets):
            f.write(part)
    return found


def _importances(clf):
    out = array("i", bytearray(4 * clf.n_features))
    try:
        clf.importances(out)
    except AttributeError:  # not every kind of model ranks features
        return []
    return list(out)


def _member(member):
    found = {"weight": member.weight, "decides": member.decides, "replaces": member.replaces}
    found["nodes"] = [[getattr(node, name) for name in _OF_A_NODE] for node in member.nodes]
    return found


def save(place, path):
    models[place].save(path)


def tell(place, labels, features):
    """Give the model names and its window, so that its image carries them."""
    window = _windows[place][0] if place in _windows else None
    models[place].about(labels=labels, features=features, window=window)


def _names(told):
    """Names of the features, from the image; with a window, each axis has a name for each of its features."""
    names = told.get("features")
    if names and "window" in told:
        return [name + " " + what for name in names for what in FEATURES]
    return names


def load(place, path):
    """A stored model, proved before it is used."""
    _keep(place, niwaki.load(path))
    return about(place)


def forget(place, label):
    """Forget all that was learned of a class; only some kinds of models can do so."""
    clf = models[place]
    if not hasattr(type(clf), "forget"):
        raise ValueError("a model of this kind can't forget a class")
    clf.forget(label)
    _twins.pop(place, None)


_ASKED = (make, about, learn, watch_for, sense, view, tell, save, load, forget)


def call(text):
    """Answer a question: [name, arguments] as JSON. A refusal is an answer, too."""
    name, arguments = json.loads(text)
    try:
        for function in _ASKED:
            if function.__name__ == name:
                return json.dumps({"answer": function(*arguments)})
        raise ValueError("no such question: " + name)
    except (ValueError, TypeError, MemoryError, OSError) as error:
        return json.dumps({"refused": str(error) or type(error).__name__})
