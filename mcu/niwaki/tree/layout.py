"""The register map of a tree: where everything lies in its three arrays and in the scratch.

words   header | [adaptive header] | [statistics of the strict rules] | slots: four words, a window per lane
halves  lane offsets | node records | leaf records | slots: class counts, [lane features], [cells] |
        [monitors] | [ring of samples that wait for labels: pending.py]
octets  values per feature (0: numeric) | slots: [cells] | [map of monitors]

A record starts at its first field, which has no name in the code: `halves[node]` is a node's parent. The two
children of a split are neighbours: child and child + 1.

Glossary

slot      what observes one active leaf: class counts, and a lane per observed feature
lane      a feature's part of a slot: a window and a histogram of cells
cell      a count of the samples in one bin, of one class; 16 bits wide (in halves) or 8 (in octets)
raced     not all features fit: lanes are fewer than features, and each slot keeps the feature that each of
          its lanes watches at present; lane 0 tries them one after another, the others have proved better
promise   of a leaf: how many samples its majority class got wrong, what a split could still win
epoch     4,096 samples; class counts fade by half in each, so that those of leaves can be compared
lone      a leaf that never splits, for want of nodes, and needs less scratch
place     where something may lie, in use or not: of a sample that waits, of a shrub
room      how many nodes a shrub can have

`make consts` writes the names that a module uses into its block of constants.
"""

# Header words, after those that every model has: see niwaki/layout.py.
FLAGS = 8
BINS = 9
LANES = 10
CELLS = 11  # cells of a slot
MAX_NODES = 12
NODES = 13
MAX_LEAVES = 14
LEAVES = 15
SLOTS = 16
ACTIVE = 17  # slots in use
FREE_PAIR = 18  # list of freed sibling pairs, linked through their parent field
TOP_NODE = 19  # first node never used
FREE_LEAF = 20  # list of freed leaf records, linked through LEAF_NEXT; number + 1
TOP_LEAF = 21
GRACE = 22
HALF_LN = 23  # ln(1 / delta) / 2 in Q10
TAU = 24  # Q16
RANGE = 25  # range of the merit in Q10: log2(classes seen so far), 1 for Gini, or sqrt(2) for Hellinger
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

# More header words, of adaptive trees only; see drift.py.
MONITOR0 = 37  # offset in halves
MONITORS = 38
MONITOR = 39  # halves per monitor
MAP0 = 40  # offset in octets: for each sibling pair the monitor of its parent + 1
CANDIDATE = 41  # node + 1 of a split without monitor
HITS = 42  # samples that it has had in this period
SPARE = 43  # monitors without a node
ADAPTIVE_HEADER = 44
LONGEST_HEADER = 50

# Of strict trees only, so many words right before the slots; see strict.py.
STATISTICS = 6
HELD_TIMES = 0  # how often VFDT's own rule held
# then the mean of the entropy, Q16, its variance, Q20, and the same two of the gain
HELD_VARIANCE = 1  # from a mean to its variance
HELD_N = 5  # mean of n, Q12
HELD_MOST = 0x100000  # HELD_TIMES stays below

# FLAGS: single bits, then what is asked of several at once.
NB = 1  # naive Bayes at the leaves
NBA = 2  # or majority class, whichever was wrong less often there
GINI = 4
WIDE = 8  # cells of 16 bits
STRICT_I = 16
STRICT_II = 32
RACED = 64
DROP_POOR = 128
ADAPTIVE = 256
MEMO = 512  # the last sample scored is kept
EXACT = 1024  # as the papers have it: see docs/papers.md
HELLINGER = 2048  # of two classes
MAX_DEPTH_AT = 13
MAX_DEPTH = 63  # mask: no leaf at this depth splits, 0: at any depth
NB_THRESHOLD_AT = 19
NB_THRESHOLD = 2047  # mask: samples of a leaf before naive Bayes answers there
BAYES = NB | NBA
STRICT = STRICT_I | STRICT_II
STRICT_AT = 4
GINI_AT = 2
VARIANT = GINI | HELLINGER | STRICT | ADAPTIVE  # what other kernels are needed for
EMPTY = WIDE | EXACT  # the children of a split start with empty observers
RANKED = RACED | DROP_POOR  # all merits are looked at again after the rule

# A node: halves. Where a split and a leaf differ, a field has a name for each.
NODE_PARENT = 0
NODE_CHILD = 1  # the first child, 0: it is a leaf
NODE_FEATURE = 2
NODE_LEAF = 2  # its leaf record, UNUSED: the node is not in use
NODE_THRESHOLD = 3
NODE_SLOT = 3  # slot + 1, 0: it has none
NODE_MERIT = 4  # J* in Q12
NODE_SEEN = 4  # samples since the last look for a slot; of a new leaf: what it inherited
NODE_SHAPE = 5
NODE = 6  # halves per node
UNUSED = 65535  # instead of a leaf record

# NODE_SHAPE: depth x DEEPER | two bits.
MISSING_RIGHT = 1  # most samples went right
NOMINAL = 2  # a test for equality
DEEPER = 4  # one level
DEPTH_AT = 2
DEPTH = 65532  # mask

# A leaf record: halves.
LEAF_MAJORITY_WRONG = 0  # times that it would have been wrong since the leaf was born
LEAF_BAYES_WRONG = 1
LEAF_PROMISE = 2
LEAF_NEXT = 2  # of a free record: the next free one + 1
LEAF_EPOCH = 3
LEAF_MAJORITY = 4
LEAF = 5  # halves before its class counts
EPOCH = 12  # an epoch is 2 ** EPOCH samples

# A slot: words. Its halves are class counts since its birth, and the features of raced lanes.
SLOT_NODE = 0  # the leaf that it observes, -1: none
SLOT_AGE = 1  # samples since its birth
SLOT_TRIED = 2  # SLOT_AGE at the last attempt to split
SLOT_HELD = 3  # samples in the cells
SLOT = 4  # words before its windows

# A window: (low + LOW_BIAS) << LOW_AT | outsiders << OUTSIDERS_AT | shift; 0: nothing seen yet.
SHIFT = 15  # mask
OUTSIDERS_AT = 4
OUTSIDER = 16  # one more
OUTSIDERS = 255  # mask
LOW_AT = 12
LOW = 0x1FFFF  # mask
LOW_BIAS = 65536
WINDOW = 0x1FFFFFFF  # all of it
INHERITED = 0x1FFFF00F  # what a child keeps: not the outsiders
POOR = 0x20000000  # beside it: a poor attribute

# A monitor: halves, then its ADWIN.
MONITOR_NODE = 0  # node + 1, 0: the monitor is free
MONITOR_AGE = 1  # samples since its alternate's birth + 1, 0: there is none; or a verdict
MONITOR_ERRORS = 2  # of the main subtree since then
MONITOR_RIVAL = 3  # errors of the alternate
MONITOR_TRAFFIC = 4  # samples in this period
WATCH = 5  # halves before its ADWIN
REPLACE = 65534  # verdicts
DROP = 65535
FADE = 1023  # errors are halved after so many samples, and one
LONG = 32767  # with EXACT only after so many, and one, and then the samples too
PERIOD = 1023  # traffic is reviewed after so many samples, and one
PATIENCE = 20000  # samples after which an alternate that is as good takes over
ALTERNATES = 2  # at most so many on a path

# What is due after `learn`: a bit for each kernel of the schedule.
DUE_HALVE = 1
DUE_SPLITS = 2
DUE_RULE = 4
DUE_STRICT = 8
DUE_PRUNE = 16
DUE_SIDES = 32
DUE_GROW = 64
DUE_SHRINK = 128
DUE_ADWIN = 256
DUE_JUDGE = 512
DUE_BEGIN = 1024
DUE_REPLACE = 2048
DUE_CLEAR = 4096
DUE_TURN = 8192  # then predict and learn the sample once more
DUE_WATCH = 16384  # in an adaptive tree, after all else
DUE_VERDICT = DUE_RULE | DUE_STRICT | DUE_PRUNE | DUE_SIDES | DUE_GROW | DUE_SHRINK
DUE_LOOK = DUE_PRUNE | DUE_GROW | DUE_SHRINK  # a leaf looks for a slot
DUE_MONITORS = DUE_ADWIN | DUE_JUDGE | DUE_BEGIN | DUE_REPLACE | DUE_CLEAR

# The schedule: what is due is done in this order. A kernel, "module name", is called until it returns 0. One
# with flags serves models that have one of them, instead of the kernel above it with the same bit. Then
# DUE_TURN asks for predict and learn; if it is not due, AGAIN says what is due next, until it returns 0.
SCHEDULE = (
    (DUE_HALVE, "tree.shrink shrink", 0),
    (DUE_SPLITS, "tree.gain splits", 0),
    (DUE_SPLITS, "tree.gini splits", GINI),
    (DUE_SPLITS, "tree.hellinger splits", HELLINGER),
    (DUE_RULE, "tree.rule rule", 0),
    (DUE_STRICT, "tree.strict strict", STRICT),
    (DUE_PRUNE, "tree.prune prune", 0),
    (DUE_SIDES, "tree.sides sides", 0),
    (DUE_GROW, "tree.grow grow", 0),
    (DUE_SHRINK, "tree.shrink shrink", 0),
    (DUE_ADWIN, "adwin adwin", ADAPTIVE),
    (DUE_JUDGE, "tree.drift judge", ADAPTIVE),
    (DUE_BEGIN, "tree.alternates begin", ADAPTIVE),
    (DUE_REPLACE, "tree.replace replace", ADAPTIVE),
    (DUE_CLEAR, "tree.shrink shrink", ADAPTIVE),
)
AGAIN = (DUE_WATCH, "tree.drift watch", ADAPTIVE)

# What few trees have: C for all others, and the smaller one of the native modules, has no code for it.
SELDOM = (VARIANT, WIDE, RACED, EXACT, DROP_POOR, MAX_DEPTH << MAX_DEPTH_AT, -1 << NB_THRESHOLD_AT)  # flags
SELDOM_WORDS = (OMEGA,)  # header words that are 0 in others
LEAN = (BAYES, MEMO)  # flags: without them a prediction is a way down the tree

# The scratch: the addresses of all arrays, for native code; then what one kernel leaves to the next. A word
# has a name for each of its meanings.
S_NODE = 5  # the sample's leaf
S_BAYES = 6  # naive Bayes' answer there, -1: not asked
S_ANSWER = 6  # by majority, after learn, where there is no naive Bayes
S_LOGS = 7  # 1: naive Bayes served, its log scores are in the rows
S_WRONG = 7  # of an adaptive tree, after learn: 1 if the prediction was wrong
S_BEST = 8  # J of the best split, Q16
S_PENDING = 8  # how much there is to decide about alternates
S_SECOND = 9
S_LANE = 10
S_WANTS = 10  # the monitor whose node gets an alternate, or -1
S_BIN = 11
S_BOUND = 12  # Hoeffding bound, Q16
S_SPLIT = 13  # the rules allow it
S_SLOT = 14  # slot + 1 to be shifted right by S_SHIFT
S_SLOT2 = 15  # another one
S_SHIFT = 16
S_START = 17  # where predict and learn start: 0, or the root of an alternate
S_ROWS = 18  # a row of classes, or two of bins and one of classes; the memo; then per lane its gain
# S_SHIFT.
SHIFT_HALVE = 1
SHIFT_INHERIT = 2  # a quarter, for both children
SHIFT_CLEAR = 16
# A gain: Q16 << GAIN_AT | its bin.
GAIN_AT = 8
GAIN_BIN = 255
USED = 0x20000000  # beside it: a split above this leaf uses the feature
# The memo: two words before the codes of the last sample scored.
MEMO_ANSWER = 1  # so many before the codes
MEMO_SAMPLES = 2  # SAMPLES + 1 at that time, 0: there is none
# Of adaptive trees, behind the gains: alternates on the path, adwin's list, the monitors of those alternates.
X_LEFT = 0  # alternates that have not learned the sample yet, + X_PENDING while there is something to decide
X_LIST = 1
X_ITEMS = 4  # X_LIST + LIST
X_PENDING = 65536
NEVER = -0x20000000  # naive Bayes' score of a class that the leaf has never met
SELDOM_SCRATCH = (S_START,)  # words of the scratch that are 0 in trees without SELDOM
