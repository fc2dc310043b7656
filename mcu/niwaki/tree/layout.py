"""Where everything of a tree lies in its three arrays.

words   header | [adaptive header] | [statistics of the strict rules] | slots: node, n since birth, n at the
        last attempt, n in the cells, one window per lane
halves  lane offsets | node records | leaf records | slots: class counts, [lane features], [cells] |
        [monitors] | [ring of samples that wait for labels: pending.py]
octets  values per feature (0: numeric) | slots: [cells] | [map of monitors]

A *slot* observes one active leaf. It has a *lane* per observed feature: a window and a histogram of cells
[bin][class]. Cells are 16 bits wide (in halves) or 8 (in octets). When not all features fit, lanes are
fewer than features and each slot keeps the feature that each of its lanes watches at present: lane 0 tries
them one after another, the others have proved better.

window  (lo + 65536) << 12 | outsiders << 4 | shift; bit 29: poor attribute. 0: nothing seen yet.
node    parent, child (0: leaf), feature | leaf record, threshold | slot + 1, J* in Q12 | samples
        since the last look (of a new leaf: what it inherited), depth << 2 | nominal << 1 | missing goes right
leaf    times majority was wrong, times naive Bayes was wrong, promise, epoch, majority, class counts ...

The two children of a split are neighbours: child and child + 1.
"""

# Header words, after those that every model has (see model.py).
FLAGS = 8  # leaf kind 0..1 | gini 2 | wide 3 | strict 4..5 | raced 6 | drop poor 7 | adaptive 8 | memo 9
BINS = 9
LANES = 10
CELLS = 11  # cells of a slot
MAX_NODES = 12
NODES = 13
MAX_LEAVES = 14
LEAVES = 15
SLOTS = 16
ACTIVE = 17
FREE_PAIR = 18  # list of freed sibling pairs, linked through their parent field
TOP_NODE = 19  # first node never used
FREE_LEAF = 20  # list of freed leaf records, linked through their promise field; number + 1
TOP_LEAF = 21
GRACE = 22
HALF_LN = 23  # ln(1 / delta) / 2 in Q10
TAU = 24  # Q16
RANGE = 25  # range of the merit in Q10: log2(classes seen so far), or 1 for Gini
OMEGA = 26  # Q10, 0: not regularised
NODE0 = LANES  # offsets in halves: nodes follow upon the offset of each lane
LEAF0 = 27
SLOT_HALVES0 = 28
SLOT_HALVES = 29  # halves per slot
SLOT_WORDS0 = 30
SLOT_WORDS = 31  # words per slot
CELL0 = 32  # first cell, in halves (wide) or octets
CELL_STRIDE = 33  # cells from slot to slot: SLOT_HALVES when wide, CELLS when not
WIDTH = 34  # bins of the widest lane + 1
ROWS = 35  # words of scratch for rows of classes or bins, and for the last sample scored by naive Bayes
WAIT = 36  # node + 1 of a leaf whose gains are ready: the next `learn` decides on its split
HEADER = 37

# More header words, of adaptive trees only; see tree/drift.py.
MONITOR0 = 37  # offset in halves
MONITORS = 38
MONITOR = 39  # halves per monitor
MAP0 = 40  # offset in octets
CANDIDATE = 41  # node + 1 of a split without monitor
HITS = 42  # samples that it has had in this period
SPARE = 43  # monitors without a node
ADAPTIVE_HEADER = 44

# Of strict trees only, so many words right before the slots: times that VFDT's own rule held, then mean and
# variance of what held; see tree/strict.py.
STATISTICS = 6

# The scratch: the addresses of all arrays, for native code; then what one kernel leaves to the next.
S_NODE = 5  # the sample's leaf
S_BAYES = 6  # naive Bayes' answer there, -1: not asked
S_LOGS = 7  # 1: naive Bayes served, its log scores are in the rows
S_BEST = 8  # J of the best split, Q16
S_SECOND = 9
S_LANE = 10
S_BIN = 11
S_BOUND = 12  # Hoeffding bound, Q16
S_SPLIT = 13  # the rules allow it
S_EMPTY = 14  # two slots + 1 to be shifted right by S_SHIFT
S_SHIFT = 16
S_START = 17  # where predict and learn start: 0, or the root of an alternate
S_ROWS = 18  # a row of classes, or two of bins and one of classes; samples + 1, answer and codes of the
# last sample scored; then per lane its gain << 8 | bin

NODE = 6  # halves per node
LEAF = 5  # halves per leaf record before its class counts
SLOT = 4  # words per slot before its windows
