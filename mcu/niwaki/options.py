"""Checks of constructor arguments: the wrong type is a TypeError, the wrong value a ValueError."""


def choice(name, value, choices):
    """The index of `value` among `choices`."""
    if value not in choices:
        raise ValueError("%s must be one of %s, not %r" % (name, ", ".join(map(str, choices)), value))
    return choices.index(value)


def number(name, value, low, high):
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError("%s must be a number, not %r" % (name, value))
    if not low <= value <= high:
        raise ValueError("%s must be in %s..%s, not %r" % (name, low, high, value))
    return value


def whole(name, value, low, high):
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("%s must be an int, not %r" % (name, value))
    return number(name, value, low, high)


def check_out(out, n):
    """Refuse a result buffer that can't take n numbers of 17 bits: on a board an array would wrap them."""
    if len(out) != n:
        raise ValueError("out has %d places for %d numbers" % (len(out), n))
    try:
        out[0] = 65536
    except OverflowError:
        pass
    if out[0] != 65536:
        raise ValueError("out must be a list or an array('i')")
