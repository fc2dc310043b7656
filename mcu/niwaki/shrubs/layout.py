"""The register map of a shrub ensemble: where everything lies in its three arrays and in the scratch.

words   header | a weight per place for a shrub; weights are 0 or more and sum to 65,536 (or all are 0)
halves  window: codes [feature][slot] | thresholds [place][node] | [ring of samples that wait: pending.py]
octets  marks [slot] | lists [slot] | labels [slot] | orders [feature][rank] | per place: nodes | root
        | [place][node]: features | left children | right children | agreements [place][place], if kept,
        or with EXACT the samples in each leaf, by class: [place][leaf][class]

The window is a ring of slots 1..WINDOW; the next sample goes to slot HEAD, COUNT slots are in use. A code is
kept as 0..65535, 0 for missing, a label c as 2 c + 2. orders[feature] lists the slots in use by rising code.
Marks and lists serve while a shrub is grown and mean nothing between calls. (octets[0] is never used.)

A reference (root, left, right) below ROOM is a node of the same shrub, with a higher number than its parent;
ROOM + c is a leaf of class c, with EXACT ROOM + k is leaf k. A sample goes right when its code is above the
threshold. There are SHRUBS + 1 places: at least one is free of weight, and new shrubs grow there.

Agreements are kept where they are cheaper than asking every shrub about the whole window each time weights
are computed: at [i][j], j < i, on how many samples of the window i and j agree; at [i][i] on how many i is
right. They hold for places with weight.

A slot of the window holds a sample. The glossary is in tree/layout.py.
`make consts` writes the names that a module uses into its block of constants.
"""

# Header words, after those that every model has: see niwaki/layout.py.
WINDOW = 8
SHRUBS = 9  # M: at most so many shrubs have weight
ROOM = 10  # nodes that a shrub has room for
COUNT = 11
HEAD = 12
EVERY = 13
WEIGH = 14  # samples between gradient steps
TRAIN_IN = 15  # samples until the next shrub
WEIGH_IN = 16
STEP = 17  # 2 step / C (MSE) or step / C (cross-entropy) is STEP / 2 ** (STEP_SHIFT + 5), 12 bits
STEP_SHIFT = 18
ENTROPY = 19  # 1: cross-entropy
DEPTH = 20  # 0: no limit
FLAGS = 21
TRY = 22  # features tried per node of a candidate, 0: all
RANDOM = 23  # 1: a random threshold per feature
SEED = 24  # 16-bit xorshift, never 0
RECENT = 25  # newest samples that a shrub after an error is trained on; 0: no such shrubs
TOKENS = 26  # how many of those are allowed, in samples
LEAD = 27  # how much better the youngest shrub is than the ensemble, Q16
YOUNGEST = 28  # its place, -1: none yet
DUE = 29  # what is due and not done yet, bits of DUE_*; 0 but inside `learn`, and after an interrupt there
TAKE = 30  # newest samples that the shrub in training learns from
AGREE = 31  # offset of the agreements, 0: not kept
WEIGHTS = 32

# FLAGS.
GAIN = 1  # information gain, else Gini
EXACT = 2  # as the paper has it: see docs/papers.md

MAX_WINDOW = 255
MAX_SHRUBS = 64
MAX_EXACT = 128  # the window's size with EXACT: a reference, an octet, names each node or leaf
EVERY_MOST = 64  # the default of `every` is the window's size, but not above this

# Where parts of the octets start, in windows; behind LABELS comes octet 0, which is never used.
LISTS = 1
LABELS = 2
ORDERS = 3

# Weights, votes and leads are Q16.
FULL = 65536

# What is due after `learn`, and the schedule: done in this order, by the kernel "module name".
DUE_GROW = 1
DUE_AGREE = 2
DUE_WEIGH = 4
CANDIDATE = 8  # beside them in DUE: the shrub that grows takes part when weights are computed
CANDIDATE_AT = 3
SCHEDULE = (
    (DUE_GROW, "shrubs.grow grow", 0),
    (DUE_AGREE, "shrubs.agree agree", 0),
    (DUE_WEIGH, "shrubs.weigh weigh", 0),
)

# What predict leaves in the scratch: the score of each class, then
S_ANSWER = 0  # the ensemble's class
S_YOUNGEST = 1  # the youngest shrub's
S_VOTES = 2  # the votes of all places, -1: none

# A shrub that takes part when weights are computed: words of the scratch.
MEMBER_PLACE = 0
MEMBER_GRADIENT = 1
MEMBER_VOTE = 2
MEMBER = 3
