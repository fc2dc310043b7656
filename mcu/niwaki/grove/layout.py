"""Where everything of a grove lies in its three arrays.

words   header | per feature its window
halves  per class: samples in the memory | per class: samples that were counted | per leaf of the shrub that
        grows: where its samples start in the memory | end | how many it gets wrong
        | [ring of samples that wait: pending.py]
octets  codes [place][feature] | labels [place] | cells [feature][bin][class] | how much a feature counts
        | per stand: nodes | root | classes known | [stand][node]: features | thresholds | left | right
        | per leaf of the shrub that grows: where its parent refers to it

A *code* is 8 bits wide: 1 to 255 within the feature's window, 0 for missing. A *window* is
(lo + 65536) << 12 | outsiders << 4 | shift and covers 4 << shift values from lo; 0: nothing seen yet.
It doubles towards values that fall outside, and then every code, cell and threshold of the feature is folded.

The *memory* has MEMORY places; COUNT of them are in use. It is balanced by class: when it is full, a new
sample takes the place of one of the class that has most. RECENT more places are a ring of the newest samples.

A *stand* is a place for a shrub. There are SHRUBS + 1: one of them, GROWING, is out of the vote and grows.
A reference (root, left, right) below ROOM is a node of the same shrub; ROOM + c is a leaf of class c. A
sample goes left when its code is not above the threshold.
"""

# Header words, after those that every model has (see model.py).
MEMORY = 8
RECENT = 9
SHRUBS = 10
ROOM = 11  # nodes that a shrub has room for
TAKE = 12  # samples that a shrub is grown on at most
BINS = 13  # of a histogram: 4, 8 or 16; 0: there are none
NEIGHBOURS = 14  # 0: the memory is not asked for neighbours
COUNT = 15
HEAD = 16  # where the next sample goes among the newest
NEWEST = 17  # how many of the newest samples there are
SEED = 18  # 16-bit xorshift, never 0
GROWING = 19
LEAVES = 20  # of the shrub that grows; 0: none grows
TAKEN = 21  # samples that the shrub is grown on; before it is begun, the samples drawn for it so far
REST = 22  # each learned sample adds HURRY x SHRUBS or more; a shrub is due when this reaches COUNT
FOLLOWS = 23  # how much more often the nearest of the newest was right than the vote, Q16
KNOWS = 24  # how much more often the histograms were right than the vote, Q16
NEAR = 25  # what the neighbours' votes weigh, of 4096 for all shrubs
BAYES = 26  # what the histograms weigh
EFFORT = 27  # samples that growing may look at in one call
HURRY = 28  # how often all shrubs are grown anew while as many samples are learned as the memory has
IDLE = 29  # questions since the last label, up to IDLE_MOST
WINDOWS = 30

# A window.
LO = 0x1FFFF  # after a shift by LO_SHIFT: where the window starts + 65,536
LO_SHIFT = 12
OUTSIDER = 16  # counts one value that fell outside
OUTSIDERS = 255
OUTSIDERS_SHIFT = 4
SHIFT = 15  # bits that count how often the window has doubled
FINE = 6  # the code of u is (u - lo) << FINE >> shift, so that values 0 and 1 have codes far apart
NARROW = 4  # values that a new window covers
WIDE = 256  # codes of a window

# Rows in the octets: first those with one item per stand, then those with one item per node of a stand.
STAND_ROWS = 3  # nodes, root, classes known
NODE_ROWS = 4  # feature, threshold, left, right

WHOLE = 4096  # the votes of all shrubs
EVEN = 16  # what a feature counts for on average
ROOT = 255  # the parent of the leaf that has none
RIGHT = 1  # added to twice the parent's number where the leaf is on the parent's right
DUE_BEGIN = 1
DUE_GROW = 2
SCHEDULE = (  # what is due after `learn`, and the kernel "module name"
    (DUE_BEGIN, "grove.begin begin", 0),
    (DUE_GROW, "grove.grow grow", 0),
)
UNREADY = -1  # what `predict` returns where the shrub that was begun is to grow first
UNBEGUN = -2  # ... where one is to be begun
BEFORE = ("grove.grow grow", "grove.begin begin")  # the kernels to call then, before `predict` again
IDLE_MOST = 255
ANSWER = 255  # the bits of one answer that is kept: a class + 1, or 0 where there was none
ANSWER_BITS = 8
PRINT = 0xFFFFF  # bits of a fingerprint

# The scratch: the addresses of all arrays, for native code; then what predict leaves to learn.
S_MARK = 5  # samples learned + 1 when the last sample was asked; 0: none was
S_PRINT = 6  # a fingerprint of that sample
S_ASKED = 7  # 1: the three answers below were given before the label was known
S_VOTE = 8  # what the vote said; -1: nothing
S_NEWEST = 9  # what the nearest of the newest said
S_BAYES = 10  # what the histograms said
S_ANSWER = 11
S_TENDED = 12  # 1: shrubs have been grown for the question that is to be answered next
S_ROWS = 13  # two rows of classes; then the codes of the sample

MOST_FEATURES = 256
MOST_CLASSES = 126
MOST_SHRUBS = 64
MOST_ROOM = 64
MOST_TAKE = 1024
MOST_MEMORY = 32767
MOST_RECENT = 64
