"""Let niwaki learn on a board for hours, and look for anything that is not as it should be.

    mpremote run firmware_scripts/on_board_soak.py

Each round: another concept (an abrupt drift), a save, a load of what was saved. Heap in use after a
round must not grow; the loaded model must have the digest of the saved one. Prints a line per round.
"""

import gc
import sys
from array import array
from binascii import crc32

from niwaki import load

FILE = "niwaki-soak.tmp"


def digest(clf):
    return crc32(clf.octets, crc32(clf.halves, crc32(clf.words)))


def teach(clf, n, concept, seed):
    """Teach n samples; return how many were predicted rightly, and the next seed."""
    x = array("h", bytearray(2 * clf.n_features))
    right = 0
    for _ in range(n):
        for f in range(len(x)):
            seed = (seed * 1103 + 12345) & 65535
            x[f] = (seed >> 6) - 512
        y = 1 if x[concept % len(x)] > 0 else 0
        if x[(concept + 1) % len(x)] > 256:
            y += 2
        if clf.predict(x) == y:
            right += 1
        clf.learn(x, y)
    return right, seed


def main(rounds=1000000, samples=2000, class_name="Tree", budget=8192):
    import niwaki

    clf = getattr(niwaki, class_name)(4, 4, budget)
    seed = 1
    level = 0
    for k in range(rounds):
        right, seed = teach(clf, samples, k, seed)
        clf.save(FILE)
        before = digest(clf)
        clf = None
        clf = load(FILE)
        gc.collect()
        heap = gc.mem_alloc()
        print(k, "%.3f" % (right / samples), clf.n_nodes, clf.nbytes, heap)
        if digest(clf) != before or clf.nbytes > budget:
            print("the model has changed")
            sys.exit(1)
        if k == 1:
            level = heap
        elif k > 1 and heap > level + 64:
            print("the heap grows")
            sys.exit(1)
    print("ok")


if __name__ == "__main__":
    main()
