"""What can go wrong, by name."""


class BudgetError(ValueError):
    """The budget cannot hold even one learning leaf; the message names the smallest one that works."""


class ImageError(ValueError):
    """A stored model is damaged, hostile, or of a format this version does not read."""
