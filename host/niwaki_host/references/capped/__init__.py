"""Float64 references of the trees that ship, which grow under a cap: plain (`tree`) and adaptive (`drift`).

Written from the rules in docs/papers.md, and independent of the device but for how a budget is divided.
`lockstep` holds a device's tree against them.
"""

from niwaki_host.references.capped.shape import Shape
from niwaki_host.references.capped.tree import CappedTree

__all__ = ["CappedTree", "Shape"]
