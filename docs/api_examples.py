"""The examples of docs/api.md, in its order; each may use what those before it have made. See api.py."""

# ---- Tree
from array import array

from niwaki import Tree

tree = Tree(2, 2, 4096, grace=50)  # 2 features, 2 classes, 4 KB
x = array("h", [0, 0])  # filled again and again
for i in range(1000):
    x[0] = i * 37 % 100
    x[1] = 7
    tree.learn(x, int(x[0] > 50))
assert tree.predict([90, 7]) == 1 and tree.n_leaves > 1

# ---- Shrubs
from niwaki import Shrubs

shrubs = Shrubs(2, 2, 2048, every=16)
right = 0
for i in range(600):
    x[0] = i * 37 % 100
    right += shrubs.learn(x, int(x[0] > 50)) == int(x[0] > 50)  # learn returns what it would have answered
assert right > 500 and shrubs.n_shrubs > 0

# ---- Grove
from niwaki import Grove

clf = Grove(2, 3, 4096, pending=4)
for y, centre in enumerate((-500, 0, 500)):  # one class after another
    for i in range(30):
        clf.learn([centre + i * 13 % 100, i], y)
assert [clf.predict([centre, 15]) for centre in (-450, 50, 550)] == [0, 1, 2]

# ---- predict
assert clf.predict([550, 3]) == 2

# ---- learn
before = clf.learn([60, 3], 1)  # what it would have answered
assert before == 1 and clf.samples == 91

# ---- scores
out = array("i", [0] * clf.n_classes)
clf.scores([550, 3], out)
assert max(out) == out[2]

# ---- importances
shares = array("i", [0] * clf.n_features)
clf.importances(shares)  # or kind="mdi"
assert shares[0] > shares[1]

# ---- save
written = clf.save("model")  # bytes; 0 if the file holds this very model
assert written and clf.save("model") == 0

# ---- restored
from niwaki import load

clf = load("model")
assert clf.restored() == ""  # the newest file was good

# ---- checkpoint
saver = clf.checkpoint("model", every=50)
for i in range(100):
    clf.learn([i, 5], 1)
    saver.tick()
assert saver.saves == 2

# ---- defer
ticket = clf.defer([40, 8])  # its label comes later; needs pending=n
assert clf.predict([40, 8]) in (0, 1, 2)

# ---- label
assert clf.label(ticket, 1)  # now it is known; False if the sample is no longer there

# ---- learn_unlabelled
learned = clf.learn_unlabelled([560, 9], 40000)  # True if the answer was that sure
assert learned in (True, False)

# ---- novelty
assert clf.novelty([20000, -20000]) > clf.novelty([50, 15])

# ---- about
clf.about(labels=["left", "middle", "right"], features=["place", "time"], units=["mm", "s"])
clf.save("model")
assert load("model").about()["labels"][clf.predict([550, 3])] == "right"

# ---- reset
other = Tree(2, 2, 4096, grace=50)
tree.reset()
assert tree.samples == 0 and tree.words == other.words

# ---- copy
second = clf.copy()
second.learn([50, 5], 1)
assert second.samples == clf.samples + 1

# ---- confidence
assert 0 <= clf.confidence([550, 3]) <= 65535

# ---- forget
clf.forget(0)  # to be taught anew
assert clf.predict([-450, 15]) != 0

# ---- settle
for i in range(30):
    clf.learn([-500 + i, i], 0)
clf.settle()  # all shrubs know the lesson at once
assert clf.predict([-490, 15]) == 0

# ---- learn_late
clf.predict([550, 3])
answered = clf.answers()
clf.predict([-490, 3])  # other samples come meanwhile
clf.learn_late([550, 3], 2, answered)

# ---- answers
assert clf.predict([550, 3]) == 2 and clf.answers() >= 0

# ---- Encoder
from niwaki import Encoder

encoder = Encoder(2, [(-2.0, 2.0), None])  # a known range; one that is learned from three samples
codes = array("h", [0, 0])
for value in (10.0, 30.0, 20.0):
    encoder.encode([0.5, value], codes)
assert encoder.ready and codes[0] == 8192
again = Encoder(2, encoder.ranges)

# ---- Window
from niwaki import Window

window = Window(1, 32, 16)  # 1 axis, 32 samples, a new window each 16
features = array("h", [0] * window.n_features)
for i in range(32):
    if window.push([i]):
        window.features(features)
assert features[2] == 0 and features[3] == 31  # the least and the largest
assert not window.ready and window.missed == 0

# ---- Adwin
from niwaki import Adwin

errors = Adwin(300)
for i in range(2000):
    if errors.update(int(i > 1000)):
        break
assert errors.rising and i > 1000 and errors.ones <= errors.window
assert errors.nbytes <= errors.budget and errors.mean <= 65536

# ---- load
clf = load("model")
assert clf.n_classes == 3 and clf.nbytes <= clf.budget

# ---- plan
from niwaki import plan

p = plan(6, 4, 8192)
assert p.nodes > 10 and p.slots > 1

# ---- BudgetError
from niwaki import BudgetError

try:
    Tree(6, 4, 300)
except BudgetError as error:
    print(error)  # it names the smallest budget that works

# ---- ImageError
from niwaki import ImageError

with open("broken", "wb") as f:
    f.write(b"NIWAKI but no model")
try:
    load("broken")
except ImageError as error:
    print(error)
