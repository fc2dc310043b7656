"""Niwaki: classifiers that learn on the microcontroller, inside a byte budget they never exceed."""

import gc

__version__ = "0.1.0"

try:
    import micropython  # noqa: F401
except ImportError:  # a desktop: the lab's stand-in for the device's module
    __import__("niwaki_host.device.shim")

# Names and their modules. One string: on a board each word of a table would be kept as a name of its own.
_WHERE = (
    "Tree tree.tree plan tree.plan Shrubs shrubs.shrubs Grove grove.grove "
    "Encoder encoder Window window Adwin adwin load generations "
    "MISSING model BudgetError model ImageError model"
)


def __getattr__(name):
    """Import on first use, so that a board loads only the model that it runs."""
    words = _WHERE.split()
    if name not in words[::2]:
        raise AttributeError("niwaki has no %s; it has %s" % (name, words[::2]))
    value = fetch(words[2 * words[::2].index(name) + 1], name)
    globals()[name] = value
    return value


def fetch(module, name):
    """What `name` is in a module of this package, "image" or "tree.plan", which is imported on first use.

    Whatever is loaded late comes this way: docs/architecture.md, "What is loaded late". A model's class is
    taken from a native module, "tree_c", if one lies beside its own: docs/c.md.
    """
    # A board that compiles sources frees what it has done with after each KB: else what stays comes to lie
    # between what goes, and the heap ends in pieces. A desktop has no such number to set.
    threshold = getattr(gc, "threshold", int)
    before = threshold()
    threshold(1024)
    try:
        if name in "Tree Shrubs Grove".split():
            try:
                return getattr(__import__(module + "_c", globals(), locals(), (name,), 1), name)
            except ImportError:
                pass
        return getattr(__import__(module, globals(), locals(), (name,), 1), name)
    except MemoryError:
        raise MemoryError("no heap for niwaki.%s: .mpy takes less than .py, ROMFS less still" % module)
    finally:
        threshold(before)
