"""What all models have in common in their arrays: the register map of header words 0 to 7, and of monitors.

A board never loads this module: `make consts` writes the names that a module uses into its own block of
`_NAME = const(n)`, since MicroPython inlines no others. The maps of the models: tree/layout.py,
shrubs/layout.py, grove/layout.py.
"""

# The places in a model's `_arrays`, and in `at` up to LOG2.
A_WORDS = 0
A_HALVES = 1
A_OCTETS = 2
A_SCRATCH = 3
A_LOG2 = 4  # the table of logarithms
A_SAMPLE = 5  # a buffer for a sample
A_ABOUT = 6  # only where something is told about the model: about.py

# Header words.
IDENTITY = 0  # MAGIC | RING | BUSY | TORN | kind << KIND_AT | format
WORDS = 1  # the lengths of the three arrays
HALVES = 2
OCTETS = 3
BUDGET = 4
FEATURES = 5
CLASSES = 6
SAMPLES = 7  # learned so far, up to FOREVER
SHARED = 8  # here the words of each model start

# IDENTITY.
MAGIC = 0x4E0000
FORMAT = 1
FORMAT_ABOUT = 2  # of an image, not of IDENTITY: a section follows upon the arrays
KIND_AT = 8
KIND_MASK = 255
KIND_TREE = 1
KIND_SHRUBS = 2
KIND_GROVE = 3
RING = 0x1000000  # samples that wait for their labels have a ring at the end of the halves: pending.py
BUSY = 0x2000000  # while `learn` is at work
TORN = 0x4000000  # an interrupt has struck inside a kernel: hold.py

FOREVER = 0x3FFFFFFF  # a count that stops here stays a small integer everywhere


# The ring: places of a serial number (0: free) and a sample, then two halves.
RING_TAIL = 2  # halves behind the places
RING_LAST = 1  # from the number of places: the last serial given

# An ADWIN: halves before its buckets, then the buckets, oldest first.
ADWIN_ONES = 0
ADWIN_WIDTH = 1  # in blocks of 32 values
ADWIN_RECENT = 2  # values since the last block << 8 | ones among them
ADWIN_BUCKETS = 3  # how many
ADWIN = 4
RECENT_VALUE = 256  # one value
RECENT_BLOCK = 8192  # 32 values
BUCKET_AT = 13  # log2(blocks) << BUCKET_AT | ones
BUCKET_ONES = 8191
# What the kernel `adwin` works on: S_LIST in the scratch says where this list starts.
S_LIST = 7
LIST_COUNT = 0
LIST_CAPACITY = 1
LIST_CONFIDENCE = 2  # ln(1 / delta) in Q10
LIST = 3  # then for each monitor where it lies in halves, and its value, which the result replaces
